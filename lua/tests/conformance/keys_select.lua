local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local function ids(index, key)
    local list = {}
    for position, tuple in ipairs(index:select(key)) do
        list[position] = tuple[1]
    end
    if index.type == 'HASH' then
        table.sort(list)
    end
    return table.concat(list, ' ')
end
sweep.over_keys(sweep.space(), ids)

os.exit(0)
