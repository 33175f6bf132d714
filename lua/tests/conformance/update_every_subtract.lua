local operations = require('operations')
box.cfg{log_level = 0, wal_mode = 'none'}

operations.over_fields('-', {
    '0', '1', '-1', '9223372036854775807LL', '-9223372036854775808LL', '18446744073709551615ULL', '0.5', '-1.5',
    '1e300', "'x'", 'true', '{}', '{a = 1}', 'box.NULL', '1, 2', '',
})

os.exit(0)
