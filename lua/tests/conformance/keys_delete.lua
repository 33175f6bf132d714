local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = sweep.space()
sweep.over_keys(space, function(index, key)
    box.begin()
    local function finish(ok, ...)
        local left = space:len()
        box.rollback()
        if not ok then
            error((...), 0)
        end
        return left, ...
    end
    return finish(pcall(index.delete, index, key))
end)
print(space:len())

os.exit(0)
