local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local values = {1, -1, 1.5, 'text', true, {1}, {a = 1}, box.NULL, 2^63, -2^63}
for _, kind in ipairs({'any', 'unsigned', 'integer', 'number', 'string', 'boolean', 'scalar', 'array', 'map'}) do
    local s = box.schema.space.create(kind, {format = {{'id', 'unsigned'}, {'v', kind}}})
    s:create_index('pk')
    local fits = {}
    for position, value in ipairs(values) do
        fits[position] = pcall(s.insert, s, {position, value}) and '+' or box.error.last().code
    end
    show(kind, fits)
end

os.exit(0)
