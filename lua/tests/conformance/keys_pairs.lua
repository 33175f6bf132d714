local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = sweep.space()
for _, iterator in ipairs{'EQ', 'REQ', 'LE', 'GT'} do
    print(iterator)
    sweep.over_keys(space, function(index, key)
        local list = {}
        for _, tuple in index:pairs(key, {iterator = iterator}) do
            list[#list + 1] = tuple[1]
        end
        if index.type == 'HASH' then
            table.sort(list)
            return iterator == 'GT' and key ~= nil and 'some' or table.concat(list, ' ')
        end
        return table.concat(list, ' ')
    end)
end

os.exit(0)
