-- Modules of Tarantool that this has no use for: each answers `require` with a table, and whatever is
-- called of it throws an error that names it.

local name = ...

local function refuse(feature)
    return function()
        box.error(box.error.UNSUPPORTED, 'Lycosa', feature)
    end
end

return setmetatable({}, {
    __index = function(_, member)
        return refuse(('%s.%s()'):format(name, tostring(member)))
    end,
    __call = refuse(name .. '()'),
})
