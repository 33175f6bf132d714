-- The module `key_def`: the key of an index without the index. Keys are taken out of tuples, and tuples
-- and keys compared, as an index with these parts would.
--
-- This is for a few keys at a time: each value is encoded for each comparison.

local native = ...
local ffi = require('ffi')
local msgpack = require('msgpack')

ffi.cdef([[struct key_def { uint32_t __unused; };]])

local key_def_t
-- The parts of each key definition.
local parts_of = setmetatable({}, {__mode = 'k'})

local make_error = package.loaded['internal.box_error']

local function illegal(message, ...)
    error(make_error('IllegalParams', message:format(...)), 0)
end

local USAGE = 'Bad params, use: key_def.new({{fieldno = fieldno, type = type[, is_nullable = <boolean>]'
    .. '[, path = <string>][, collation = <string>]}, ...}'

local UNSUPPORTED_TYPES = {any = true, array = true, map = true, interval = true}

local function adopt(parts)
    local definition = key_def_t()
    parts_of[definition] = parts
    return definition
end

local function checked_collation(part, kind)
    local wanted = part.collation or part.collation_id
    if wanted == nil then
        return nil
    end
    local id, name
    if type(wanted) == 'string' then
        id, name = native.collation(wanted)
    elseif type(wanted) == 'number' and wanted >= 0 and wanted < 2^32 then
        id, name = native.collation(nil, math.floor(wanted))
    end
    if id == nil then
        illegal('Unknown collation: "%s"', tostring(wanted))
    elseif kind ~= 'string' and kind ~= 'scalar' then
        illegal('Wrong index options: collation is reasonable only for string and scalar parts')
    end
    return {id = id, name = name}
end

local function checked_part(part)
    if type(part) ~= 'table' then
        error(USAGE, 3)
    end
    local field = part.fieldno
    if part.field ~= nil then
        if field ~= nil then
            illegal('Conflicting options: fieldno and field')
        end
        field = part.field
    end
    if field == nil then
        illegal('fieldno or field must not be nil')
    elseif type(field) ~= 'number' or not (field >= 1 and field <= 2147483647) or field % 1 ~= 0 then
        illegal('Invalid field no')
    elseif part.type == nil then
        illegal('type must not be nil')
    end
    local kind = type(part.type) == 'string' and native.type_name(part.type) or nil
    if kind == nil then
        illegal('Unknown field type: %s', tostring(part.type))
    elseif UNSUPPORTED_TYPES[kind] then
        illegal('Unsupported field type: %s', kind)
    elseif part.path ~= nil and type(part.path) ~= 'string' then
        illegal('invalid path')
    elseif part.path ~= nil and part.path:find('[*]', 1, true) then
        illegal('multikey path is unsupported')
    end
    return {
        fieldno = field,
        type = kind,
        is_nullable = part.is_nullable and true or part.exclude_null and true or false,
        exclude_null = part.exclude_null and true or nil,
        collation = checked_collation(part, kind),
        path = part.path,
        is_descending = part.sort_order == 'desc',
    }
end

local function new(parts)
    if type(parts) ~= 'table' then
        error(USAGE, 2)
    end
    local checked = {}
    for position, part in ipairs(parts) do
        checked[position] = checked_part(part)
    end
    if #checked == 0 then
        illegal('Key definition can only be constructed by using at least 1 key_part')
    end
    return adopt(checked)
end

--- Values of tuples and keys.

local function as_tuple(value)
    if box.tuple.is(value) then
        return value
    elseif type(value) ~= 'table' then
        illegal('A tuple or a table expected, got %s', type(value))
    end
    return box.tuple.new(value)
end

local function field_of(tuple, part)
    if part.path == nil then
        return tuple[part.fieldno]
    end
    local rest = part.path:gsub('^%.', '')
    local separator = rest:sub(1, 1) == '[' and '' or '.'
    return tuple[('[%d]%s%s'):format(part.fieldno, separator, rest)]
end

-- Throws unless the value may stand in the part.
local function check_value(value, part, position)
    if value == nil then
        if not part.is_nullable then
            box.error(box.error.KEY_PART_TYPE, position - 1, part.type)
        end
    elseif native.mismatch(part.type, msgpack.encode(value)) ~= nil then
        box.error(box.error.KEY_PART_TYPE, position - 1, part.type)
    end
end

-- The values of the parts in a tuple, which is checked.
local function key_of(tuple, parts)
    local key = {}
    for position, part in ipairs(parts) do
        local value = field_of(tuple, part)
        if type(value) == 'nil' and not part.is_nullable then
            local label = part.path and ('[%d].%s'):format(part.fieldno, part.path) or tostring(part.fieldno)
            box.error(box.error.FIELD_MISSING, label)
        end
        check_value(value, part, position)
        key[position] = value == nil and box.NULL or value
    end
    return key
end

-- The values of a key that may be shorter than the definition.
local function checked_key(key, parts)
    local tuple
    if box.tuple.is(key) or type(key) == 'table' then
        tuple = box.tuple.new(key)
    else
        box.error(box.error.TUPLE_NOT_ARRAY)
    end
    local values = tuple:totable()
    for position, part in ipairs(parts) do
        if position <= #values then
            check_value(values[position], part, position)
        end
    end
    return values
end

local function compare_values(left, right, parts, count)
    for position = 1, count do
        local part = parts[position]
        local order = native.compare(msgpack.encode(left[position]), msgpack.encode(right[position]),
            part.collation and part.collation.id)
        if order ~= 0 then
            return part.is_descending and -order or order
        end
    end
    return 0
end

local function check_count(values, parts)
    if #values > #parts then
        box.error(box.error.KEY_PART_COUNT, #parts, #values)
    end
end

--- Methods.

local methods = {}

local function check(definition, usage)
    local parts = ffi.istype(key_def_t, definition) and parts_of[definition]
    if not parts then
        error('Usage: ' .. usage, 3)
    end
    return parts
end

function methods.extract_key(...)
    local definition, tuple = ...
    if select('#', ...) ~= 2 then
        error('Usage: key_def:extract_key(tuple)', 2)
    end
    local parts = check(definition, 'key_def:extract_key(tuple)')
    return box.tuple.new(key_of(as_tuple(tuple), parts))
end

function methods.compare(...)
    local definition, left, right = ...
    if select('#', ...) ~= 3 then
        error('Usage: key_def:compare(tuple_a, tuple_b)', 2)
    end
    local parts = check(definition, 'key_def:compare(tuple_a, tuple_b)')
    left, right = key_of(as_tuple(left), parts), key_of(as_tuple(right), parts)
    return compare_values(left, right, parts, #parts)
end

function methods.compare_with_key(...)
    local definition, tuple, key = ...
    if select('#', ...) ~= 3 then
        error('Usage: key_def:compare_with_key(tuple, key)', 2)
    end
    local parts = check(definition, 'key_def:compare_with_key(tuple, key)')
    local values = key_of(as_tuple(tuple), parts)
    local sought = checked_key(key, parts)
    return compare_values(values, sought, parts, math.min(#sought, #parts))
end

-- Two keys, by the parts that both have.
function methods.compare_keys(...)
    local definition, left, right = ...
    if select('#', ...) ~= 3 then
        error('Usage: key_def:compare_keys(key_a, key_b)', 2)
    end
    local parts = check(definition, 'key_def:compare_keys(key_a, key_b)')
    left, right = checked_key(left, parts), checked_key(right, parts)
    check_count(left, parts)
    check_count(right, parts)
    return compare_values(left, right, parts, math.min(#left, #right))
end

function methods.validate_key(definition, key)
    local parts = check(definition, 'key_def:validate_key(key)')
    check_count(checked_key(key, parts), parts)
end

function methods.validate_full_key(definition, key)
    local parts = check(definition, 'key_def:validate_full_key(key)')
    local values = checked_key(key, parts)
    if #values ~= #parts then
        box.error(box.error.EXACT_MATCH, #parts, #values)
    end
end

function methods.validate_tuple(definition, tuple)
    local parts = check(definition, 'key_def:validate_tuple(tuple)')
    key_of(as_tuple(tuple), parts)
end

-- The parts of this definition, and those of the other that stand elsewhere.
function methods.merge(definition, other)
    local parts = check(definition, 'key_def:merge(second_key_def)')
    local others = check(other, 'key_def:merge(second_key_def)')
    local merged, known = {}, {}
    for _, list in ipairs({parts, others}) do
        for _, part in ipairs(list) do
            local place = ('%d.%s'):format(part.fieldno, part.path or '')
            if not known[place] then
                known[place] = true
                merged[#merged + 1] = part
            end
        end
    end
    return adopt(merged)
end

function methods.totable(definition)
    local list = {}
    for position, part in ipairs(check(definition, 'key_def:totable()')) do
        list[position] = {
            fieldno = part.fieldno,
            type = part.type,
            is_nullable = part.is_nullable,
            exclude_null = part.exclude_null,
            collation = part.collation and part.collation.name,
            path = part.path,
            sort_order = part.is_descending and 'desc' or nil,
        }
    end
    return list
end

key_def_t = ffi.metatype('struct key_def', {
    __index = methods,
    __tostring = function() return '<struct key_def &>' end,
    __serialize = methods.totable,
})

local key_def = {new = new}
for name, method in pairs(methods) do
    key_def[name] = method
end

return key_def
