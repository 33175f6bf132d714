-- Indexes: `space:create_index`, and the changes of an index.

local native = ...
local msgpack = require('msgpack')
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local objects = require('lycosa.space')
local mirror = require('lycosa.schema')

local spaces = database.api.space
local space_methods, index_methods = objects.space_methods, objects.index_methods
local illegal, check_options, check_number = checks.illegal, checks.options, checks.number
local check_native, is_type = checks.native, checks.is_type
local described, sync = mirror.described, mirror.sync

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
        collation = checks.collation(collation, ('options.parts[%d]'):format(position)),
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
            list[#list + 1] = {parts[position], parts[position + 1], is_nullable = false}
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
    local fields = described(space.id).fields
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
            is_nullable = part.is_nullable, is_descending = part.sort_order == 'desc',
            exclude_null = part.exclude_null, collation = checks.collation(part.collation, 'parts')}
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
        local parts = options.parts ~= nil and normalize_parts(described(space.id).fields, options.parts)
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

return {}
