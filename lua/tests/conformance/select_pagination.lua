-- differs from 2.6: pagination came with 2.11
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local many = s:create_index('many', {parts = {2, 'unsigned'}, unique = false})
for i = 1, 10 do s:insert{i, i % 3} end
local rows, position = s:select({}, {limit = 4, fetch_pos = true})
show('first page', rows, type(position))
rows, position = s:select({}, {limit = 4, after = position, fetch_pos = true})
show('second page', rows)
rows, position = s:select({}, {limit = 4, after = position, fetch_pos = true})
show('third page', rows)
local last = position
rows, position = s:select({}, {limit = 4, after = position, fetch_pos = true})
show('past the end', rows, position == last)
show('after a tuple', s:select({}, {after = s:get(8)}))
show('after a table', s:select({}, {after = {8, 2}}))
show('backwards', s:select({}, {iterator = 'LE', after = s:get(3)}))
show('non-unique', many:select({1}, {after = s:get(4)}))
show('tuple_pos', s:select({}, {after = pk:tuple_pos(s:get(9))}))
local pages = {}
position = nil
repeat
    rows, position = many:select({}, {limit = 3, after = position, fetch_pos = true})
    for _, t in ipairs(rows) do pages[#pages + 1] = t[1] end
until #rows < 3
show('all pages', pages)
show.try('wrong position', s.select, s, {}, {after = 'nonsense'})
show.try('wrong type', s.select, s, {}, {after = 5})
local seen = {}
for _, t in s:pairs({}, {after = s:get(8)}) do seen[#seen + 1] = t[1] end
show('pairs', seen)
show('no position', s:select({}, {fetch_pos = true, limit = 0}))

os.exit(0)
