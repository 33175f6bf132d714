local operations = require('operations')
box.cfg{log_level = 0, wal_mode = 'none'}

operations.fields = {"''", "'a'", "'text'", "'a longer text'", '1', 'box.NULL', '{1}'}
operations.over_fields(':', {
    "1, 0, ''", "1, 0, 'in'", "1, 1, 'x'", "2, 2, 'xyz'", "5, 0, 'end'", "6, 0, 'far'", "100, 1, 'x'",
    "-1, 1, 'x'", "-2, 1, 'x'", "-1, 0, 'x'", "-100, 1, 'x'", "1, 100, 'x'", "1, -1, 'x'", "2, -2, 'x'",
    "3, -100, 'x'", "0, 1, 'x'", "1.5, 1, 'x'", "1, 1.5, 'x'", "'a', 1, 'x'", "1, 'a', 'x'", '1, 1, 1',
    "2147483647, 1, 'x'", "2147483648, 1, 'x'", "1, 2147483648, 'x'", "box.NULL, 1, 'x'", '1, 1, box.NULL', '1, 1', '1', '', "1, 1, 'x', 1",
})

os.exit(0)
