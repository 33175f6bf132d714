local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Integers are left out: 2.6 takes none for doubles.
key_type('double', {
    -1 / 0, -1e300, -4503599627370495.5, -1.5, -0.1, -1e-300, 1e-300, 0.1, 0.5, 1.0000000000000002,
    1.5, 123456.789, 4503599627370495.5, 1e300, 1 / 0,
}, {'1', true, {}, {a = 1}}, {-2.5, 0.25, 2.5})

os.exit(0)
