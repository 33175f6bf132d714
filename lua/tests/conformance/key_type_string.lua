local key_type = require('key_type')
box.cfg{log_level = 0, wal_mode = 'none'}

key_type('string', {
    '', '\0', '\0\0', ' ', '1', 'A', 'a', 'a\0', 'a\0b', 'aa', 'aaaaaaa', 'aaaaaaa\0', 'aaaaaaaa',
    'aaaaaaaaa', 'aaaaaaaab', 'ab', 'b', ('b'):rep(31), ('b'):rep(32), ('b'):rep(255), ('b'):rep(256),
    ('b'):rep(65535), ('b'):rep(65536), '\127', '\128', '\195\164', '\255',
}, {1, 0.5, true, {}, {a = 1}}, {'\1', 'aaaaaaab', 'c', ('b'):rep(33)})

os.exit(0)
