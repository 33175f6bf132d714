local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
for i = 1, 10 do s:insert{i, i * 10} end
show('all', #s:select(), #s:select{}, #s:select(nil), #s:select(box.NULL))
show('eq', s:select(3), s:select{3}, pk:select(3))
show('nothing', s:select(99))
show('limit', s:select({}, {limit = 2}))
show('limit zero', s:select({}, {limit = 0}))
show('offset', s:select({}, {offset = 8}))
show('both', s:select({}, {offset = 3, limit = 2}))
show('offset past the end', s:select({}, {offset = 100}))
show('iterator', s:select(8, {iterator = 'GE'}), s:select(8, {iterator = box.index.GT}))
show('lower case', s:select(2, {iterator = 'le'}))
show.try('wrong iterator', s.select, s, 1, {iterator = 'WRONG'})
show.try('iterator number', s.select, s, 1, {iterator = 666})
show.try('key type', s.select, s, 'x')
show.try('key too long', s.select, s, {1, 2})
show.fails('text limit', s.select, s, {}, {limit = 'x'})

os.exit(0)
