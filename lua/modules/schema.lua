-- `box.schema` and `box.space`: makes and changes spaces and indexes, and keeps their objects.
--
-- The engine knows the schema; the objects here mirror it. After every change, and after a
-- rollback that may have undone one, `sync` brings them up to date, keeping their identity.

local native = ...
local database = require('lycosa.database')
local objects = require('lycosa.space')
local tuples = require('lycosa.tuple')

local api, context = database.api, database.context
local space_methods, index_methods = objects.space_methods, objects.index_methods

local spaces = {}
api.space = spaces

local function illegal(text, ...)
    box.error(box.error.ILLEGAL_PARAMS, text:format(...))
end

-- Checks options against a table of types; `any` takes everything.
local function check_options(options, template)
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
            if not (', ' .. expected .. ','):find(', ' .. found .. ',', 1, true) then
                illegal("options parameter '%s' should be of type %s", name, expected)
            end
        end
    end
    return options
end

-- A number that the engine takes as a 32-bit one.
local function check_number(name, value)
    if value ~= nil and not (value >= 0 and value < 2147483648 and value % 1 == 0) then
        illegal("options parameter '%s' must be an integer from 0 to 2147483647, not %s",
            name, tostring(value))
    end
end

local function check_native(result)
    if result == nil then
        database.raise()
    end
    return result
end

-- Names of formats, so that equal ones share a number.
local format_numbers, next_format_number = {}, 0

local function format_number(fields)
    local names = {}
    for position, field in ipairs(fields) do
        names[position] = field.name
    end
    local key = table.concat(names, '\0')
    local number = format_numbers[key]
    if number == nil then
        next_format_number = next_format_number + 1
        number = next_format_number
        format_numbers[key] = number
        tuples.register_format(number, names)
    end
    return number
end

local function update_index(space, known, described)
    local index = known or setmetatable({}, objects.index_mt)
    index.id, index.name, index.space_id = described.id, described.name, space.id
    index.type, index.unique, index.parts = described.type, described.unique, described.parts
    return index
end

local function update_space(space, described)
    local old = space.index or {}
    space.id, space.name, space.engine = described.id, described.name, 'memtx'
    space.field_count = described.field_count
    space.temporary, space.is_local, space.is_sync = false, false, false
    space.enabled = described.indexes[1] ~= nil and described.indexes[1].id == 0
    local indexes = space.index or {}
    local by_name = {}
    for _, index in ipairs(described.indexes) do
        by_name[index.id] = update_index(space, old[index.id], index)
        by_name[index.name] = by_name[index.id]
    end
    for key in pairs(indexes) do
        indexes[key] = nil
    end
    for key, index in pairs(by_name) do
        indexes[key] = index
    end
    space.index = indexes
    objects.format_ids[space.id] = format_number(described.fields)
end

local seen_version

local function sync()
    local version = database.schema_version(context)
    if version == seen_version then
        return
    end
    seen_version = version
    local known = {}
    for key, space in pairs(spaces) do
        if type(key) == 'number' then
            known[key] = space
        end
    end
    for key in pairs(spaces) do
        spaces[key] = nil
    end
    for _, described in ipairs(native.describe_spaces()) do
        local space = known[described.id] or setmetatable({}, objects.space_mt)
        update_space(space, described)
        spaces[described.id], spaces[described.name] = space, space
    end
end

database.on_rollback(sync)

-- Type names that the engine knows, for the checks of this module.
local TYPES = {
    any = true, ['*'] = true, unsigned = true, uint = true, num = true, string = true, str = true,
    number = true, double = true, integer = true, int = true, boolean = true, bool = true,
    varbinary = true, scalar = true, decimal = true, uuid = true, array = true, map = true,
}

local function is_type(name)
    return type(name) == 'string' and TYPES[name:lower()] or false
end

-- The number of a collation that is given by its name or number.
local function resolve_collation(collation, place)
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

local COLLATED_TYPES = {string = true, str = true, scalar = true, any = true, ['*'] = true}

local FIELD_KEYS = {name = true, type = true, is_nullable = true, nullable_action = true,
    collation = true, [1] = true, [2] = true}

-- Brings a format into the form {{name, type, is_nullable}, ...}.
local function normalize_format(format)
    if type(format) ~= 'table' then
        illegal('space format must be a table')
    end
    local fields = {}
    for position, field in ipairs(format) do
        if type(field) == 'string' then
            field = {name = field}
        elseif type(field) ~= 'table' then
            illegal('format[%d]: name (string) is expected', position)
        end
        for key in pairs(field) do
            if not FIELD_KEYS[key] and type(key) == 'string' then
                box.error(box.error.UNSUPPORTED, 'Lycosa', ("field option '%s'"):format(key))
            end
        end
        local name, kind = field.name or field[1], field.type or field[2] or 'any'
        if type(name) ~= 'string' then
            illegal('format[%d]: name (string) is expected', position)
        elseif type(kind) ~= 'string' then
            illegal('format[%d]: type must be a string', position)
        elseif not is_type(kind) then
            box.error(box.error.WRONG_SPACE_FORMAT, position, 'unknown field type')
        end
        local collation = resolve_collation(field.collation, ('format[%d]'):format(position))
        if collation ~= nil and not COLLATED_TYPES[kind:lower()] then
            box.error(box.error.WRONG_SPACE_FORMAT, position,
                'collation is reasonable only for string, scalar and any fields')
        end
        fields[position] = {
            name = name, type = kind, is_nullable = field.is_nullable == true, collation = collation,
        }
    end
    return fields
end

local schema = {space = {}}
api.schema = schema
schema.SYSTEM_ID_MAX = 511

local SPACE_OPTIONS = {
    if_not_exists = 'boolean', id = 'number', field_count = 'number', user = 'string, number',
    format = 'table', engine = 'string', is_local = 'boolean', temporary = 'boolean',
    is_sync = 'boolean', type = 'string', defer_deletes = 'boolean', constraint = 'any',
    foreign_key = 'any',
}

function schema.space.create(name, options)
    if type(name) ~= 'string' then
        illegal('name should be a string')
    end
    options = check_options(options, SPACE_OPTIONS)
    if spaces[name] ~= nil then
        if options.if_not_exists then
            return spaces[name], 'not created'
        end
        box.error(box.error.SPACE_EXISTS, name)
    end
    if options.engine ~= nil and options.engine ~= 'memtx' then
        box.error(box.error.NO_SUCH_ENGINE, options.engine)
    end
    for _, feature in ipairs({'constraint', 'foreign_key'}) do
        if options[feature] ~= nil then
            box.error(box.error.UNSUPPORTED, 'Lycosa', ("space option '%s'"):format(feature))
        end
    end
    check_number('id', options.id)
    check_number('field_count', options.field_count)
    local fields = normalize_format(options.format or {})
    local id = check_native(native.create_space(name, options.id, options.field_count or 0, fields))
    sync()
    return spaces[id], 'created'
end

schema.create_space = schema.space.create

local function drop_space(id, options)
    if spaces[id] == nil then
        if options ~= nil and options.if_exists then
            return
        end
        box.error(box.error.NO_SUCH_SPACE, '#' .. tostring(id))
    end
    check_native(native.drop_space(id))
    sync()
end

schema.space.drop = function(id, _, options) drop_space(id, options) end

function space_methods.drop(space)
    objects.check_space(space, 'drop')
    if spaces[space.id] == nil then
        box.error(box.error.NO_SUCH_SPACE, space.name)
    end
    drop_space(space.id)
end

function space_methods.truncate(space)
    objects.check_space(space, 'truncate')
    check_native(native.truncate(space.id))
end

function space_methods.rename(space, name)
    objects.check_space(space, 'rename')
    if type(name) ~= 'string' then
        illegal('name should be a string')
    end
    check_native(native.rename_space(space.id, name))
    sync()
end

local function described(space)
    for _, entry in ipairs(native.describe_spaces()) do
        if entry.id == space.id then
            return entry
        end
    end
    box.error(box.error.NO_SUCH_SPACE, space.name)
end

function space_methods.format(space, format)
    objects.check_space(space, 'format')
    if format == nil then
        return described(space).fields
    end
    check_native(native.set_format(space.id, normalize_format(format)))
    sync()
end

local ALTER_OPTIONS = {name = 'string', format = 'table', user = 'string, number',
    field_count = 'number', temporary = 'boolean', is_sync = 'boolean', type = 'string',
    constraint = 'any', foreign_key = 'any'}

function space_methods.alter(space, options)
    objects.check_space(space, 'alter')
    options = check_options(options, ALTER_OPTIONS)
    for _, feature in ipairs({'field_count', 'constraint', 'foreign_key'}) do
        if options[feature] ~= nil then
            box.error(box.error.UNSUPPORTED, 'Lycosa', ("altering '%s' of a space"):format(feature))
        end
    end
    if options.format ~= nil then
        space:format(options.format)
    end
    if options.name ~= nil and options.name ~= space.name then
        space:rename(options.name)
    end
end

local INDEX_OPTIONS = {
    unique = 'boolean', if_not_exists = 'boolean', id = 'number', type = 'string', parts = 'table',
    hint = 'any', sequence = 'any', func = 'any', dimension = 'number', distance = 'string',
    page_size = 'number', range_size = 'number', run_count_per_level = 'number',
    run_size_ratio = 'number', bloom_fpr = 'number',
}

-- A part's field: a number from 1, or a name of the format.
local function resolve_field(fields, field, position)
    if type(field) == 'string' then
        for number, known in ipairs(fields) do
            if known.name == field then
                return number
            end
        end
        if field:find('[.%[]') then
            box.error(box.error.UNSUPPORTED, 'Lycosa', 'JSON path in an index part')
        end
        illegal("options.parts[%d]: field was not found by name '%s'", position, field)
    elseif type(field) ~= 'number' then
        illegal('options.parts[%d]: field (name or number) is expected', position)
    elseif not (field >= 1 and field <= 2147483647) or field % 1 ~= 0 then
        illegal('options.parts[%d]: field (number) must be one-based', position)
    end
    return field
end

local PART_KEYS = {field = true, type = true, is_nullable = true, sort_order = true, exclude_null = true,
    collation = true, path = true, [1] = true, [2] = true}

local function normalize_part(fields, part, position)
    if type(part) == 'string' or type(part) == 'number' then
        part = {part}
    elseif type(part) ~= 'table' then
        illegal('options.parts[%d]: field (name or number) is expected', position)
    end
    for key in pairs(part) do
        if not PART_KEYS[key] then
            illegal("options.parts[%d]: unexpected option '%s'", position, tostring(key))
        end
    end
    if part.path then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "'path' in an index part")
    end
    local field = resolve_field(fields, part.field or part[1], position)
    local declared = fields[field]
    local kind = part.type or part[2]
    if kind == nil then
        kind = declared ~= nil and declared.type ~= 'any' and declared.type or 'scalar'
    end
    if not is_type(kind) then
        box.error(box.error.WRONG_INDEX_PARTS, position - 1, 'unknown field type')
    end
    local is_nullable = part.is_nullable
    if part.exclude_null then
        if is_nullable == false then
            illegal('options.parts[%d]: exclude_null=true and is_nullable=false are incompatible',
                position)
        end
        is_nullable = true
    elseif is_nullable == nil then
        is_nullable = declared ~= nil and declared.is_nullable == true
    end
    local collation = part.collation
    if collation == nil and declared ~= nil then
        collation = declared.collation
    end
    local order = part.sort_order
    if order ~= nil and order ~= 'asc' and order ~= 'desc' then
        illegal('options.parts[%d]: sort_order must be asc or desc', position)
    end
    return {
        field = field - 1, type = kind, is_nullable = is_nullable, is_descending = order == 'desc',
        exclude_null = part.exclude_null == true,
        collation = resolve_collation(collation, ('options.parts[%d]'):format(position)),
    }
end

-- Brings parts into a list of {field, type, is_nullable, is_descending}, fields from 0.
local function normalize_parts(fields, parts)
    if next(parts) == nil then
        illegal('options.parts must have at least one part')
    end
    -- One part as {field = ...}; or the old flat form {1, 'unsigned', 2, 'string'}.
    if parts.field ~= nil then
        parts = {parts}
    elseif type(parts[1]) == 'number' and type(parts[2]) == 'string' then
        local list = {}
        for position = 1, #parts, 2 do
            list[#list + 1] = {parts[position], parts[position + 1]}
        end
        parts = list
    end
    local result = {}
    for position, part in ipairs(parts) do
        result[position] = normalize_part(fields, part, position)
    end
    return result
end

local function default_parts(fields)
    local first = fields[1]
    local kind = first ~= nil and first.type ~= 'any' and first.type or 'unsigned'
    return {{1, kind}}
end

local function index_type(space, name, kind)
    kind = kind:upper()
    if kind == 'RTREE' or kind == 'BITSET' then
        box.error(box.error.UNSUPPORTED, 'Lycosa', kind .. ' index')
    elseif kind ~= 'TREE' and kind ~= 'HASH' then
        box.error(box.error.INDEX_TYPE, name, space.name)
    end
    return kind
end

local function refuse_features(options)
    for _, feature in ipairs({'sequence', 'func'}) do
        if options[feature] then
            box.error(box.error.UNSUPPORTED, 'Lycosa', ("index option '%s'"):format(feature))
        end
    end
end

function space_methods.create_index(space, name, options)
    objects.check_space(space, 'create_index')
    if type(name) ~= 'string' then
        illegal('name should be a string')
    end
    options = check_options(options, INDEX_OPTIONS)
    if spaces[space.id] == nil then
        box.error(box.error.NO_SUCH_SPACE, space.name)
    end
    if space.index[name] ~= nil then
        if options.if_not_exists then
            return space.index[name], 'not created'
        end
        box.error(box.error.INDEX_EXISTS, name)
    end
    local kind = index_type(space, name, options.type or 'TREE')
    refuse_features(options)
    check_number('id', options.id)
    local fields = described(space).fields
    local id = check_native(native.create_index(space.id, name, {
        type = kind,
        unique = options.unique == nil or options.unique,
        id = options.id,
        parts = normalize_parts(fields, options.parts or default_parts(fields)),
    }))
    sync()
    return space.index[id]
end

function index_methods.rename(index, name)
    objects.check_index(index, 'rename')
    if type(name) ~= 'string' then
        illegal('name should be a string')
    end
    check_native(native.rename_index(index.space_id, index.id, name))
    sync()
end

-- The parts of an index in the form that the engine takes.
local function current_parts(index)
    local parts = {}
    for position, part in ipairs(index.parts) do
        parts[position] = {field = part.fieldno - 1, type = part.type,
            is_nullable = part.is_nullable, is_descending = part.sort_order == 'desc'}
    end
    return parts
end

local INDEX_ALTER_OPTIONS = {name = 'string', unique = 'boolean', type = 'string', parts = 'table',
    hint = 'any', sequence = 'any', func = 'any'}

function index_methods.alter(index, options)
    objects.check_index(index, 'alter')
    options = check_options(options, INDEX_ALTER_OPTIONS)
    refuse_features(options)
    local space = spaces[index.space_id]
    if space == nil or space.index[index.id] ~= index then
        box.error(box.error.NO_SUCH_INDEX_ID, index.id, space ~= nil and space.name or '?')
    end
    if options.unique ~= nil or options.type ~= nil or options.parts ~= nil then
        local parts = options.parts ~= nil and normalize_parts(described(space).fields, options.parts)
        check_native(native.alter_index(index.space_id, index.id, {
            type = index_type(space, index.name, options.type or index.type),
            unique = options.unique == nil and index.unique or options.unique == true,
            parts = parts or current_parts(index),
        }))
    end
    if options.name ~= nil then
        check_native(native.rename_index(index.space_id, index.id, options.name))
    end
    sync()
end

function index_methods.drop(index)
    objects.check_index(index, 'drop')
    check_native(native.drop_index(index.space_id, index.id))
    sync()
end

-- Calls a function once in the life of the process for each key.
local done = {}

function api.once(key, callable, ...)
    if type(key) ~= 'string' or type(callable) ~= 'function' then
        error('Usage: box.once(key, func, ...)', 2)
    end
    if not done[key] then
        done[key] = true
        return callable(...)
    end
end

sync()

return {sync = sync}
