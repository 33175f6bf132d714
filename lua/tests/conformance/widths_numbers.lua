box.cfg{log_level = 0, wal_mode = 'none'}

-- The bytes that a number takes, at each border of the encoding, as a field and after arithmetic.
local space = box.schema.space.create('widths')
space:create_index('pk')
local empty = box.tuple.new{1}:bsize()
local function width(value)
    local tuple = space:replace{1, value}
    return tuple:bsize() - empty
end
for bits = 0, 64 do
    local parts = {}
    if bits < 64 then
        local exact = bit.lshift(1ULL, bits)
        for _, value in ipairs{exact - 1, exact, exact + 1} do
            parts[#parts + 1] = width(value)
        end
        local signed = -bit.lshift(1LL, math.min(bits, 62))
        for _, value in ipairs{signed - 1, signed, signed + 1} do
            parts[#parts + 1] = width(value)
        end
        parts[#parts + 1] = width(2^bits)
        parts[#parts + 1] = width(-2^bits)
    end
    parts[#parts + 1] = width(2^-bits)
    print(bits, table.concat(parts, ' '))
end
for _, value in ipairs{0.5, -0.5, 0.1, 1e300, 1 / 0, -1 / 0} do
    io.write(width(value), ' ')
end
print()
for _, step in ipairs{{127, 1}, {128, -1}, {255, 1}, {256, -1}, {65535, 1}, {65536, -1}, {4294967295, 1},
    {4294967296, -1}, {-32, -1}, {-33, 1}, {-128, -1}, {-129, 1}, {-32768, -1}, {-2147483648, -1}, {0, -1}, {-1, 1}} do
    space:replace{1, step[1]}
    local tuple = space:update(1, {{'+', 2, step[2]}})
    print(step[1], step[2], tuple[2], tuple:bsize() - empty)
end

os.exit(0)
