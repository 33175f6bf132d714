local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

key_type('boolean', {false, true}, {0, 1, 'true', {}, {a = 1}}, {})

os.exit(0)
