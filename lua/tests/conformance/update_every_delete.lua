local operations = require('operations')
box.cfg{log_level = 0, wal_mode = 'none'}

operations.fields = {'1', "'text'", 'box.NULL', '{1, 2}'}
operations.over_fields('#', {
    '1', '2', '3', '100', '4294967295', '0', '-1', '1.5', "'x'", 'box.NULL', '{}', '1, 2', '',
})

os.exit(0)
