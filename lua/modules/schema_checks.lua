-- Checks of options that `box.schema` and its parts share, and names of types.

local native = ...
local database = require('lycosa.database')

local checks = {}

function checks.illegal(text, ...)
    box.error(box.error.ILLEGAL_PARAMS, text:format(...))
end

local illegal = checks.illegal

-- Checks options against a table of types; `any` takes everything.
function checks.options(options, template)
    if options == nil then
        return {}
    elseif type(options) ~= 'table' then
        illegal('options should be a table')
    end
    for name, value in pairs(options) do
        local expected = template[name]
        if expected == nil then
            illegal("unexpected option '%s'", tostring(name))
        elseif expected ~= 'any' and value ~= nil then
            local found = type(value)
            if found == 'cdata' and not expected:find('cdata', 1, true) and tonumber(value) ~= nil then
                found = 'number'
            end
            if not (', ' .. expected .. ','):find(', ' .. found .. ',', 1, true) then
                illegal(expected:find(',') and "options parameter '%s' should be one of types: %s"
                    or "options parameter '%s' should be of type %s", name, expected)
            end
        end
    end
    return options
end

-- Checks one parameter of a function.
function checks.parameter(value, name, expected)
    if type(value) ~= expected then
        illegal('%s should be a %s', name, expected)
    end
end

-- A number that the engine takes as a 32-bit one.
function checks.number(name, value)
    if value ~= nil and not (value >= 0 and value < 4294967296 and value % 1 == 0) then
        illegal("options parameter '%s' must be an integer from 0 to 4294967295, not %s",
            name, tostring(value))
    end
end

-- Passes on what a native function answers, or throws the error that it has left.
function checks.native(result)
    if result == nil then
        database.raise()
    end
    return result
end

-- Does several changes as one: all of them or none.
function checks.as_one(change, ...)
    if not database.api.is_in_txn() then
        return database.api.atomic(change, ...)
    end
    local savepoint = database.api.savepoint()
    local ok, result = pcall(change, ...)
    if not ok then
        database.api.rollback_to_savepoint(savepoint)
        error(result, 0)
    end
    return result
end

-- The number of a collation that is given by its name or number.
function checks.collation(collation, place)
    if collation == nil then
        return nil
    elseif type(collation) ~= 'string' and type(collation) ~= 'number' then
        illegal('%s: collation must be a string or a number', place)
    end
    local number = native.collation_number(collation)
    if number == nil then
        illegal("%s: collation was not found by %s '%s'", place,
            type(collation) == 'string' and 'name' or 'ID', tostring(collation))
    end
    return number
end

-- Type names that the engine knows.
local TYPES = {
    any = true, ['*'] = true, unsigned = true, uint = true, num = true, string = true, str = true,
    number = true, double = true, integer = true, int = true, boolean = true, bool = true,
    varbinary = true, scalar = true, decimal = true, uuid = true, array = true, map = true,
    datetime = true, interval = true, int8 = true, int16 = true, int32 = true, int64 = true,
    uint8 = true, uint16 = true, uint32 = true, uint64 = true, float32 = true, float64 = true,
    decimal32 = true, decimal64 = true, decimal128 = true, decimal256 = true,
}

function checks.is_type(name)
    return type(name) == 'string' and TYPES[name:lower()] or false
end

return checks
