local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'unsigned'}, unique = false})
sk:rename('by_number')
show('renamed', sk.name, s.index.sk, s.index.by_number == sk, s.index[1] == sk)
show.fails('taken', sk.rename, sk, 'pk')
for i = 1, 5 do s:insert{i, i * 10, 'x' .. i} end
sk:alter{unique = true}
show('unique', sk.unique)
show.try('holds', s.insert, s, {6, 10})
sk:alter{parts = {{3, 'string'}}}
show('parts', sk.parts[1].fieldno, sk.parts[1].type, sk:get('x3'))
sk:alter{name = 'by_text'}
show('name', s.index.by_text == sk, s.index.by_number)
show.try('wrong option', sk.alter, sk, {wrong = 1})
show.try('parts that do not fit', sk.alter, sk, {parts = {{3, 'unsigned'}}})
show('unchanged', sk.parts[1].type, sk:count())

os.exit(0)
