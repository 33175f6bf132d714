local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk', {parts = {1, 'string'}})
local keys = {'', 'a', 'A', 'ab', 'abcdefgh', 'abcdefghi', 'abcdefgh\0', '\0', '\255', 'ü', 'z', 'Z'}
for _, key in ipairs(keys) do s:insert{key} end
local order = {}
for _, t in s:pairs() do order[#order + 1] = t[1] end
show('order', order)
show('between', s:select('ab', {iterator = 'GE', limit = 4}))
show('before', s:select('abcdefgh', {iterator = 'LT', limit = 2}))
local long = ('x'):rep(100000)
s:insert{long .. 'b'}
s:insert{long .. 'a'}
show('long', #s:get(long .. 'a')[1], s:select(long, {iterator = 'GE'})[1][1] == long .. 'a')

os.exit(0)
