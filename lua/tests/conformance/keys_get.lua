local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

sweep.over_keys(sweep.space(), function(index, key) return index:get(key) end)

os.exit(0)
