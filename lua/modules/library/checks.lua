-- The module `checks`: a function says at its beginning of what types its arguments are.
--
--     function f(name, count, options)
--         checks('string', '?number', {timeout = '?number'})
--
-- The arguments are read from the caller's frame, for which LuaJIT interprets caller and checks.

local ffi = require('ffi')

-- Types by the text that names them: {is_optional = whether nil will do, 'number', 'string', ...}.
local qualifiers = {}

local function parse(text)
    local qualifier = {is_optional = false}
    for name in text:gmatch('[^|]+') do
        if name:sub(1, 1) == '?' then
            qualifier.is_optional = true
            name = name:sub(2)
        end
        qualifier[#qualifier + 1] = name
    end
    qualifiers[text] = qualifier
    return qualifier
end

-- What the value's metatable says of its type.
local function declared_type(value)
    local metatable = getmetatable(value)
    return type(metatable) == 'table' and rawget(metatable, '__type') or nil
end

local function is_of_type(value, text)
    if text == '?' then
        return true
    end
    local qualifier = qualifiers[text] or parse(text)
    if qualifier.is_optional and value == nil then
        return true
    end
    for _, name in ipairs(qualifier) do
        local checker = _G.checkers[name]
        if type(value) == name or declared_type(value) == name
            or type(checker) == 'function' and checker(value) == true then
            return true
        end
    end
    return false
end

-- What is wrong is told as a format, into which goes the name of the function; other text is literal.
local function literal(text)
    return (text:gsub('%%', '%%%%'))
end

local function wrong_type(place, expected, value)
    return ('bad argument %s to %%s (%s expected, got %s)'):format(place, literal(expected), type(value))
end

local function unsupported_type(expected)
    return ('checks: type %q is not supported'):format(type(expected))
end

local function place_of(place, key)
    if type(key) == 'string' then
        return ('%s.%s'):format(place, literal(key))
    end
    return ('%s[%s]'):format(place, type(key) == 'number' and key or '?')
end

-- What is wrong with a table of options; nil when nothing is.
local function fault_of_options(place, options, expected)
    for key, kind in pairs(expected) do
        local value
        if options ~= nil then
            value = options[key]
        end
        local inner = place_of(place, key)
        if type(kind) == 'string' then
            if not is_of_type(value, kind) then
                return wrong_type(inner, kind, value)
            end
        elseif type(kind) ~= 'table' then
            return unsupported_type(kind)
        elseif not is_of_type(value, '?table') then
            return wrong_type(inner, '?table', value)
        else
            local fault = fault_of_options(inner, value, kind)
            if fault ~= nil then
                return fault
            end
        end
    end
    for key in pairs(options ~= nil and options or {}) do
        if expected[key] == nil then
            return ('unexpected argument %s to %%s'):format(place_of(place, key))
        end
    end
    return nil
end

local function fault_of(number, name, value, expected)
    if expected == nil then
        return ('checks: argument %q is not checked'):format(name)
    elseif name == nil then
        return 'checks: excess check, absent argument'
    elseif type(expected) == 'string' then
        return not is_of_type(value, expected) and wrong_type('#' .. number, expected, value) or nil
    elseif type(expected) ~= 'table' then
        return unsupported_type(expected)
    elseif not is_of_type(value, '?table') then
        return wrong_type('#' .. number, '?table', value)
    end
    return fault_of_options(name, value, expected)
end

-- The first argument may be a number: which caller's arguments are meant, 1 for the nearest.
local function checks(...)
    local level, skipped = 1, 0
    if type((...)) == 'number' then
        level, skipped = ..., 1
    end
    local frame = level + 1
    for number = 1, select('#', ...) - skipped + 1 do
        local expected = select(number + skipped, ...)
        local name, value = debug.getlocal(frame, number)
        if expected == nil and name == nil then
            return
        end
        local fault = fault_of(number, name, value, expected)
        if fault ~= nil then
            error(fault:format(debug.getinfo(frame, 'n').name), frame)
        end
    end
end

-- Compiled, it would stand in another frame, and read arguments of another function.
jit.off(checks)

--- Types that are more than Lua's.

local EXACT_LIMIT = 2 ^ 53
local UUID_PATTERN = ('^%s%%-%s%%-%s%%-[0-9a-dA-D]%s%%-%s$'):format(
    ('%x'):rep(8), ('%x'):rep(4), ('%x'):rep(4), ('%x'):rep(3), ('%x'):rep(12))

local checkers = rawget(_G, 'checkers') or {}

local function is_whole(value)
    return type(value) == 'number' and value % 1 == 0 and value < EXACT_LIMIT
end

function checkers.int64(value)
    return is_whole(value) and value > -EXACT_LIMIT or ffi.istype('int64_t', value)
        or ffi.istype('uint64_t', value) and value < 2 ^ 63
end

function checkers.uint64(value)
    return is_whole(value) and value >= 0 or ffi.istype('uint64_t', value)
        or ffi.istype('int64_t', value) and value >= 0
end

function checkers.uuid(value)
    return require('uuid').is_uuid(value)
end

function checkers.uuid_str(value)
    return type(value) == 'string' and value:find(UUID_PATTERN) ~= nil
end

function checkers.uuid_bin(value)
    return type(value) == 'string' and #value == 16
end

function checkers.decimal(value)
    return require('decimal').is_decimal(value)
end

function checkers.datetime(value)
    return require('datetime').is_datetime(value)
end

function checkers.interval(value)
    return require('datetime').interval.is_interval(value)
end

function checkers.varbinary(value)
    return require('varbinary').is(value)
end

function checkers.tuple(value)
    return box.tuple.is(value)
end

function checkers.error(value)
    return box.error.is(value)
end

rawset(_G, 'checks', checks)
rawset(_G, 'checkers', checkers)

return checks
