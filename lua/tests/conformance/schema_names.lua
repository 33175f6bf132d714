local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

for _, name in ipairs({'with space', 'ünï', 'a.b', ('x'):rep(100)}) do
    local ok, s = pcall(box.schema.space.create, name)
    show('name', name, ok and s.name == name)
end
show.try('control character', box.schema.space.create, 'a\0b')
show.try('newline', box.schema.space.create, 'a\nb')
show.try('invalid utf-8', box.schema.space.create, '\xff\xfe')
show.try('long', function() return #box.schema.space.create(('y'):rep(65000)).name end)
show.fails('too long', box.schema.space.create, ('z'):rep(65001))

os.exit(0)
