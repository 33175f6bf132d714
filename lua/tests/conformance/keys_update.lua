local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = sweep.space()
sweep.over_keys(space, function(index, key)
    return index:update(key, {{'=', 3, 0.5}})
end)
print(sweep.result(space.select, space))

os.exit(0)
