-- What counts as a statement when it fails, or is an iteration.
box.cfg{log_level = 0, wal_mode = 'none'}

local space = box.schema.space.create('test')
space:create_index('primary')
space:insert({1})

local function counted(what, action)
    box.stat.reset()
    pcall(action)
    local stat = box.stat()
    print(what, 'SELECT', stat.SELECT.total, 'INSERT', stat.INSERT.total, 'DELETE', stat.DELETE.total,
        'UPDATE', stat.UPDATE.total, 'ERROR', stat.ERROR.total)
end

counted('pairs', function() for _ in space:pairs() do end end)
counted('get with a key of a wrong type', function() space:get('x') end)
counted('select with a key of a wrong type', function() space:select('x') end)
counted('duplicate', function() space:insert({1}) end)
counted('wrong type', function() space:insert({'x'}) end)
counted('delete with a key of a wrong type', function() space:delete('x') end)
counted('update with a key of a wrong type', function() space:update('x', {}) end)
counted('count', function() space:count() end)
counted('min', function() space.index.primary:min() end)
os.exit(0)
