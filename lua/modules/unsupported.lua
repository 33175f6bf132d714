-- What Tarantool's `box` has and this one does not: calling it throws an error that names it.

local database = require('lycosa.database')
local objects = require('lycosa.space')

local api = database.api

local function refuse(feature)
    return function()
        box.error(box.error.UNSUPPORTED, 'Lycosa', feature)
    end
end

-- A table whose members are all refused, whatever their names.
local function refuse_all(prefix)
    return setmetatable({}, {
        __index = function(_, name)
            return refuse(('%s.%s()'):format(prefix, tostring(name)))
        end,
    })
end

for _, name in ipairs({'backup', 'iproto'}) do
    api[name] = refuse_all('box.' .. name)
end
for _, name in ipairs({'execute'}) do
    api[name] = refuse(('box.%s()'):format(name))
end
for _, name in ipairs({'quantile', 'offset_of', 'delete_range'}) do
    objects.space_methods[name] = refuse(('space:%s()'):format(name))
    objects.index_methods[name] = refuse(('index:%s()'):format(name))
end

return {}
