box.cfg{log_level = 0, wal_mode = 'none'}
local space = box.schema.space.create('test')
space:create_index('primary')
for _, name in ipairs({'BITS_ALL_SET', 'OVERLAPS', 'NEIGHBOR'}) do
    local ok, err = pcall(space.select, space, 1, {iterator = name})
    print(name, ok, err.code, err.message)
end
os.exit(0)
