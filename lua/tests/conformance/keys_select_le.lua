local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

-- What lies behind a key in a HASH index has an order of its own.
local function ids(index, key)
    local list = {}
    for position, tuple in ipairs(index:select(key, {iterator = 'LE'})) do
        list[position] = tuple[1]
    end
    if index.type == 'HASH' then
        table.sort(list)
        return 'LE' == 'GT' and key ~= nil and 'some' or table.concat(list, ' ')
    end
    return table.concat(list, ' ')
end
sweep.over_keys(sweep.space(), ids)

os.exit(0)
