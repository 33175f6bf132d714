-- differs from 2.6: space:alter came with 2.8
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1, 'a'}
s:alter{format = {{'id', 'unsigned'}, {'name', 'string'}}}
show('names', s:get(1).name)
s:alter{name = 'renamed'}
show('renamed', s.name, box.space.renamed == s, box.space.s)
s:alter{}
show.try('unknown', s.alter, s, {wrong = true})
show.try('type', s.alter, s, {name = 1})

os.exit(0)
