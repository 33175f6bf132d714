-- Formats of tuples outside of spaces: what box.tuple.format.new makes, and the tuples of such a
-- format, which are checked by it.

local native = ...
local errors = require('lycosa.error')
local tuples = require('lycosa.tuple')
local values = require('lycosa.values')

-- Formats are numbered downwards from here, away from those of spaces; equal ones share a number.
local next_number = 4294967295
local known = {}

local methods = {}
local metatable = {
    __index = methods,
    __tostring = function() return 'box.tuple.format' end,
    __len = function(format) return #format.fields end,
}

local function is_format(value)
    return type(value) == 'table' and getmetatable(value) == metatable
end

local function wrong(position, reason)
    errors.raise(errors.codes.WRONG_SPACE_FORMAT, position, reason)
end

-- A field as a table of name, type and is_nullable.
local function normalize(field, position)
    local name, kind, is_nullable = field, 'any', false
    if type(field) == 'table' then
        name = field.name == nil and field[1] or field.name
        kind = field.type == nil and field[2] or field.type
        kind = kind == nil and 'any' or kind
        is_nullable = field.is_nullable == true
    end
    if type(name) ~= 'string' then
        errors.raise(errors.codes.ILLEGAL_PARAMS, ('format[%d]: name (string) is expected'):format(position))
    elseif type(kind) ~= 'string' or not native.is_type(kind) then
        wrong(position, 'unknown field type')
    end
    return {name = name, type = kind:lower(), is_nullable = is_nullable}
end

local function new(format)
    if is_format(format) then
        return format
    elseif type(format) ~= 'table' then
        errors.raise(errors.codes.ILLEGAL_PARAMS, "format should be a table")
    elseif format[1] == nil and (format.name ~= nil or format.type ~= nil) then
        format = {format}
    end
    local fields, names, descriptions = {}, {}, {}
    for position, field in ipairs(format) do
        fields[position] = normalize(field, position)
        names[position] = fields[position].name
        descriptions[position] = ('%s\0%s\0%s'):format(
            fields[position].name, fields[position].type, tostring(fields[position].is_nullable))
    end
    local key = table.concat(descriptions, '\0')
    local object = known[key]
    if object == nil then
        local validator = native.validator(fields)
        if validator == nil then
            errors.raise_pending()
        end
        object = setmetatable({fields = fields, validator = validator, number = next_number}, metatable)
        next_number = next_number - 1
        known[key] = object
        tuples.register_format(object.number, names, fields)
    end
    return object
end

local function check(format, tuple)
    if not native.validate(format.validator, native.bytes(tuple)) then
        errors.raise_pending()
    end
    return tuple
end

function methods.totable(format)
    local list = {}
    for position, field in ipairs(format.fields) do
        list[position] = {name = field.name, type = field.type, is_nullable = field.is_nullable or nil}
    end
    return setmetatable(list, values.sequence_metatable)
end

function methods.pairs(format)
    return pairs(format:totable())
end

function methods.ipairs(format)
    return ipairs(format:totable())
end

-- Throws unless the tuple, or the table that would become one, has this format.
function methods.validate(format, value)
    check(format, tuples.make(value, 0))
    return true
end

metatable.__pairs = methods.pairs

return {
    new = new,
    is = is_format,
    make = function(value, format)
        format = new(format)
        return check(format, tuples.make(value, format.number))
    end,
}
