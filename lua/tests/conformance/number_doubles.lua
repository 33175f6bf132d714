local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local values = {0.5, -0.5, 1e15, 1e16, 1e18, 2^63, 2^64, -2^63, -2^64, 1e300, 1e-300, 0.1, 1/3, 1/0, -1/0, -0.0}
for position, value in ipairs(values) do
    local t = s:insert{position, value}
    show('value', value, t[2], type(t[2]))
end
local t = s:insert{100, 0/0}
show('nan', t[2] ~= t[2])
show('width', s:insert{101, 1}:bsize(), s:insert{102, 1.5}:bsize(), s:insert{103, 2^40}:bsize())

os.exit(0)
