box.cfg{log_level = 0, wal_mode = 'none'}

-- The bytes that strings, arrays and maps take, at each border of the encoding.
local space = box.schema.space.create('widths')
space:create_index('pk')
local empty = box.tuple.new{1}:bsize()
local function width(value)
    return space:replace{1, value}:bsize() - empty
end
local function list(count)
    local result = {}
    for position = 1, count do result[position] = 0 end
    return result
end
local function map(count)
    local result = setmetatable({}, {__serialize = 'map'})
    for position = 1, count do result[('%06d'):format(position)] = 0 end
    return result
end
for _, length in ipairs{0, 1, 31, 32, 255, 256, 65535, 65536} do
    print('string', length, width(('x'):rep(length)) - length)
end
for _, count in ipairs{0, 1, 15, 16, 17, 65535, 65536} do
    print('array', count, width(list(count)) - count)
end
for _, count in ipairs{0, 1, 15, 16, 17, 65535, 65536} do
    print('map', count, width(map(count)) - count * 8)
end
for _, count in ipairs{0, 1, 14, 15, 16, 65534, 65535} do
    local row = list(count)
    table.insert(row, 1, 1)
    local tuple = space:replace(row)
    print('tuple', count + 1, #tuple, tuple:bsize() - count - 1, select('#', tuple:unpack(1, math.min(count + 1, 100))))
end
for depth = 1, 40, 13 do
    local nested = 1
    for _ = 1, depth do nested = {nested} end
    print('depth', depth, width(nested))
end

os.exit(0)
