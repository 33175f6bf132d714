local show = require('show')
local fio = require('fio')

for _, parts in ipairs({
    {'a', 'b', 'c'}, {'/a/', '/b', '../c/'}, {'/', 'a'}, {'a'}, {''}, {'a', ''}, {'', 'a'}, {'a', 5},
    {'a//b', 'c//'}, {'a', '..', 'b'}, {'/', '/'}, {},
}) do
    show('pathjoin ' .. show.text(parts), fio.pathjoin(unpack(parts)))
end
show.try('undefined', fio.pathjoin, nil, 'a')
show.try('undefined', fio.pathjoin, 'a', nil, 'b')
for _, path in ipairs({'/a/b.txt', '/a/b/', '/', '', 'a', 'a/b/', '/a', 'a//b'}) do
    show('dirname ' .. path, fio.dirname(path), fio.basename(path))
end
show('suffix', fio.basename('/a/b.txt', '.txt'), fio.basename('.txt', '.txt'), fio.basename('a.b.c', '.c', '.b'),
    fio.basename('abc', '.txt'))
show.try('basename', fio.basename)
show.try('dirname', fio.dirname, 5)
show('abspath', fio.abspath('/a/../b/./c'), fio.abspath('/'), fio.abspath('/..'), fio.abspath('/a//b/'))
show('relative', fio.abspath('x') == fio.pathjoin(fio.cwd(), 'x'), fio.abspath('.') == fio.cwd())
show.try('abspath', fio.abspath)

os.exit(0)
