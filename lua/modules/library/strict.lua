-- The module `strict`: while it is on, reading or writing a global that nobody has declared throws.
-- A global is declared by an assignment in a main chunk or in C, or by `rawset(_G, ...)`.

local what_assigns = debug.getinfo

local strict = {}

local function is_main_or_native()
    local info = what_assigns(3, 'S')
    return info == nil or info.what == 'main' or info.what == 'C'
end

local declared = {}

local guard = {
    __newindex = function(globals, name, value)
        if not declared[name] then
            if not is_main_or_native() then
                error(("assign to undeclared variable '%s'"):format(tostring(name)), 2)
            end
            declared[name] = true
        end
        rawset(globals, name, value)
    end,
    __index = function(_, name)
        if not declared[name] then
            error(("variable '%s' is not declared"):format(tostring(name)), 2)
        end
    end,
}

function strict.on()
    setmetatable(_G, guard)
end

function strict.off()
    setmetatable(_G, nil)
end

return strict
