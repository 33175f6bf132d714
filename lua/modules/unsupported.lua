-- What Tarantool's `box` has and this one does not: calling it throws an error that names it.

local database = require('lycosa.database')
local objects = require('lycosa.space')

local api = database.api

local function refuse(feature)
    return function()
        box.error(box.error.UNSUPPORTED, 'Lycosa', feature)
    end
end

-- A table whose members are all refused, whatever their names: none of them can be called.
local function refuse_all(prefix)
    return setmetatable({}, {
        __index = function(_, name)
            return refuse(('%s.%s()'):format(prefix, tostring(name)))
        end,
    })
end

for _, name in ipairs({'backup', 'iproto', 'lib'}) do
    api[name] = refuse_all('box.' .. name)
end
for _, name in ipairs({'execute', 'prepare', 'unprepare'}) do
    api[name] = refuse(('box.%s()'):format(name))
end
for _, name in ipairs({'fselect', 'gselect', 'jselect', 'insert_arrow', 'quantile', 'stat'}) do
    objects.space_methods[name] = refuse(('space:%s()'):format(name))
end
for _, name in ipairs({'delete_range', 'quantile'}) do
    objects.index_methods[name] = refuse(('index:%s()'):format(name))
end
for _, name in ipairs({'downgrade', 'downgrade_issues', 'downgrade_versions'}) do
    api.schema[name] = refuse(('box.schema.%s()'):format(name))
end

-- What is inside Tarantool has no counterpart here.
api.internal = setmetatable({}, {
    __index = function(_, name)
        refuse(('box.internal.%s'):format(tostring(name)))()
    end,
})

return {}
