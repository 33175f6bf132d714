local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Fields counted from the end, and beyond both ends. What lies behind a gap is left out: 2.6 refuses it.
local space = box.schema.space.create('negative')
space:create_index('pk')
for _, operator in ipairs{'=', '!', '#', '+', '&', ':'} do
    for field = -5, 5 do
        space:replace{1, 2, 3}
        local is_behind_gap = field > 4 or field == 4 and operator ~= '=' and operator ~= '!'
        if not is_behind_gap then
            local operation = operator == ':' and {operator, field, 1, 0, 'x'} or {operator, field, 1}
            print(operator, field, sweep.result(space.update, space, 1, {operation}))
        end
    end
end
for _, field in ipairs{"''", "'a'", "'[1]'", "'[0]'", "'[-1]'", "'['", "'[2][1]'", '1.5', 'true', 'box.NULL', '{}',
    '2147483648', '-2147483649', '4294967296', '18446744073709551615ULL'} do
    space:replace{1, 2, 3}
    print(field, sweep.result(space.update, space, 1, {{'=', sweep.value(field), 1}}))
end

os.exit(0)
