local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
local function keys(...)
    local result = {}
    for _, t in ... do result[#result + 1] = t[1] end
    return result
end
show('empty', keys(s:pairs()))
for i = 1, 10 do s:insert{i} end
show('all', keys(s:pairs()))
show('key', keys(s:pairs(3)))
show('iterator', keys(s:pairs(3, {iterator = 'LE'})), keys(pk:pairs({8}, {iterator = 'GE'})))
show('ipairs-like', keys(pk:pairs({}, {iterator = 'REQ'})))
local first
for _, t in s:pairs() do first = t break end
show('break', first)
show.try('type', s.pairs, s, 'x')
show.try('iterator', s.pairs, s, 1, {iterator = 'WRONG'})
local gen, param, state = s:pairs()
local next_state, t = gen(param, state)
show('by hand', t, next_state ~= nil)

os.exit(0)
