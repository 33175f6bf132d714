local operations = require('operations')
box.cfg{log_level = 0, wal_mode = 'none'}

operations.fields = {'1', "'text'", 'box.NULL', '{1, 2}'}
operations.over_fields('!', {
    '2', '-1', '0.5', '18446744073709551615ULL', "''", 'true', 'box.NULL', '{}', '{a = 1}', '1, 2', '',
})

os.exit(0)
