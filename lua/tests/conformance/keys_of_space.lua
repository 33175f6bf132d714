local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A space passes keys on to its primary index.
local space = sweep.space()
sweep.indexes = {'tree'}
for _, method in ipairs{'get', 'select', 'count', 'delete'} do
    print(method)
    sweep.over_keys(space, function(_, key) return space[method](space, key) end)
end
print('update')
sweep.over_keys(space, function(_, key) return space:update(key, {{'=', 3, 1}}) end)

os.exit(0)
