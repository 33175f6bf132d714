box.cfg{log_level = 0, wal_mode = 'none'}

-- Updates that move a tuple over the borders of the array's header.
local space = box.schema.space.create('borders')
space:create_index('pk')
for _, count in ipairs{14, 15, 16, 17, 65534, 65535, 65536} do
    local row = {}
    for position = 1, count do row[position] = position % 100 end
    row[1] = 1
    local before = space:replace(row)
    local longer = space:update(1, {{'!', -1, 'last'}})
    local shorter = space:update(1, {{'#', 2, 2}})
    local gone = space:update(1, {{'#', 2, count}})
    print(count, #before, before:bsize(), #longer, longer:bsize(), longer[count + 1], #shorter, shorter:bsize(),
        shorter[2], gone)
end

os.exit(0)
