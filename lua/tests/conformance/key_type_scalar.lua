local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Booleans come first, then numbers, then strings.
key_type('scalar', {
    false, true, -1 / 0, -9223372036854775808LL, -1.5, -1, 0, 0.5, 1, 1.5, 2^53, 9007199254740993ULL,
    18446744073709551615ULL, 1 / 0, '', '\0', '0', '1', 'a', ('a'):rep(300),
}, {{}, {1}, {a = 1}}, {-2, 0.25, 2, 'b', 'Z'})

os.exit(0)
