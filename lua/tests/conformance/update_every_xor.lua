local operations = require('operations')
box.cfg{log_level = 0, wal_mode = 'none'}

operations.over_fields('^', {
    '0', '1', '6', '255', '4294967296', '18446744073709551615ULL', '-1', '0.5', "'x'", 'true', '{}', 'box.NULL',
    '1, 2', '',
})

os.exit(0)
