local show = require('show')
local csv = require('csv')

for _, text in ipairs({
    'a,b,c\n1,"x ""y""",3\n', '', 'a,b', 'a,\n,b\n', ' a , b \n', '" a ", b\r\nc,d\r\n', '"multi\nline",2',
    'a,b\n\n\nc', 'a"b"c,d', '"a"b,c', 'a\rb', ',\n', '\n', 'a,b\n ,\n', 'x,"y"  \nz', '  \n a', 'a\tb , c\t',
    '"x" , y',
}) do
    show(show.text(text), csv.load(text))
end
show('delimiter', csv.load('a;b,c', {delimiter = ';'}), csv.load('a\tb', {delimiter = '\t'}))
show('quote_char', csv.load("'a,b',c", {quote_char = "'"}))
show('skip_head_lines', csv.load('head\nx\ny', {skip_head_lines = 1}))
show('chunk_size', csv.load('a,b', {chunk_size = 1}))
local parts = {'x,', 'y\n', 'z', ''}
local at = 0
show('readable', csv.load({read = function() at = at + 1 return parts[at] end}))
local rows = {}
for number, row in csv.iterate('a,b\nc,d') do
    rows[#rows + 1] = {number, row}
end
show('iterate', rows)
show.fails('number', csv.load, 5)
show.fails('nothing', csv.load)

os.exit(0)
