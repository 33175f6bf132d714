local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk', {parts = {1, 'number'}})
for _, key in ipairs{5, -5, 1.5, 9007199254740993LL, 2^53, 18446744073709551615ULL, -9223372036854775808LL, 1e300, -1e300, 1/0, -1/0, 0} do
    s:insert{key}
end
show('order', s:select{})
show('double as integer', s:get(5.0), s:get(5ULL), s:get(5LL))
show('exact', s:get(9007199254740993LL), s:get(9007199254740992LL), s:get(9007199254740994LL))
show('zero', s:get(-0.0))
show.try('equal', s.insert, s, {2^53})
show('greater', s:select(2^53, {iterator = 'GT', limit = 2}))

os.exit(0)
