local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = sweep.space()
for _, iterator in ipairs{'EQ', 'REQ', 'LT', 'LE', 'GE', 'GT'} do
    print(iterator)
    sweep.over_keys(space, function(index, key)
        local count = index:count(key, {iterator = iterator})
        -- What lies behind a key in a HASH index has an order of its own.
        return index.type == 'HASH' and iterator == 'GT' and key ~= nil and 'some' or count
    end)
end

os.exit(0)
