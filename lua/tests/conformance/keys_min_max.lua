local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = sweep.space()
print('min')
sweep.over_keys(space, function(index, key) return index:min(key) end)
print('max')
sweep.over_keys(space, function(index, key) return index:max(key) end)
space:truncate()
print('empty')
sweep.over_keys(space, function(index, key) return index:min(key), index:max(key) end)

os.exit(0)
