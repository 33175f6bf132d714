-- Indexes: `space:create_index`, and the changes of an index.

local native = ...
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local objects = require('lycosa.space')
local mirror = require('lycosa.schema')

local spaces, schema_index = database.api.space, mirror.schema.index
local space_methods, index_methods = objects.space_methods, objects.index_methods
local illegal, check_options, check_number = checks.illegal, checks.options, checks.number
local check_native, is_type, as_one = checks.native, checks.is_type, checks.as_one
local described, sync = mirror.described, mirror.sync

local INDEX_OPTIONS = {
    unique = 'boolean', if_not_exists = 'boolean', id = 'number', type = 'string', parts = 'table',
    hint = 'boolean', sequence = 'boolean, number, string, table', func = 'any',
    dimension = 'number', distance = 'string', page_size = 'number', range_size = 'number', run_count_per_level = 'number',
    run_size_ratio = 'number', bloom_fpr = 'number', covers = 'table', layout = 'string', aggregates = 'table',
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
            box.error(box.error.WRONG_INDEX_OPTIONS, ("index part: unknown option '%s'"):format(tostring(key)))
        end
    end
    if part.path then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "'path' in an index part")
    end
    local field = resolve_field(fields, part.field or part[1], position)
    local declared = fields[field]
    local kind = part.type or part[2]
    if kind == nil then
        kind = declared ~= nil and declared.type or 'scalar'
    elseif type(kind) ~= 'string' then
        illegal('options.parts[%d]: type (string) is expected', position)
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

-- Hints are there for every TREE; an index can only say that it wants none.
local function check_hint(space, name, kind, hint)
    if hint ~= nil and hint and kind ~= 'TREE' then
        box.error(box.error.MODIFY_INDEX, name, space.name, 'hint is only reasonable with memtx tree index')
    end
end

-- The options that `_index` shows.
local function declared_options(unique, hint)
    return encoder.pack({unique = unique, hint = hint})
end

local REFUSED_OF_MEMTX = {
    covers = 'covering index', layout = 'index layout', aggregates = 'index aggregates',
}

local function refuse_features(options)
    for option, feature in pairs(REFUSED_OF_MEMTX) do
        if options[option] ~= nil then
            box.error(box.error.UNSUPPORTED, 'memtx', feature)
        end
    end
    if options.func then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "index option 'func'")
    end
end

-- What an index option `sequence` says: the sequence's number, or nil for one to be made, and the
-- field (from 1), or nil for that of the first part.
local function resolve_sequence(space, option)
    if option == true then
        return nil, nil
    elseif type(option) ~= 'table' then
        option = {id = option}
    end
    if option.path ~= nil then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "'path' in the index option 'sequence'")
    end
    local field = option.field
    if type(field) == 'string' then
        local name = field
        field = nil
        for number, known in ipairs(described(space.id).fields) do
            if known.name == name then
                field = number
            end
        end
        if field == nil then
            illegal("sequence field: field was not found by name '%s'", name)
        end
    elseif field ~= nil
        and (type(field) ~= 'number' or field % 1 ~= 0 or field < 1 or field > 2147483647) then
        illegal('sequence field: field (name or number) is expected')
    end
    if option.id == nil then
        return nil, field
    end
    local id = require('lycosa.sequence').resolve(option.id)
    if id == nil then
        box.error(box.error.NO_SUCH_SEQUENCE, tostring(option.id))
    end
    local user = spaces._space_sequence.index.sequence:select(id)[1]
    if user ~= nil and user.is_generated then
        box.error(box.error.ALTER_SPACE, space.name, 'can not attach generated sequence')
    end
    return id, field
end

local function refuse_secondary(space, name)
    box.error(box.error.MODIFY_INDEX, name, space.name, 'sequence cannot be used with a secondary key')
end

-- Makes a space take the values of a field of its primary index from a sequence.
local function attach_sequence(space, index, option)
    if index.id ~= 0 then
        refuse_secondary(space, index.name)
    end
    local id, field = resolve_sequence(space, option)
    local is_generated = id == nil
    if is_generated then
        local old = spaces._space_sequence:get(space.id)
        if old ~= nil and old.is_generated then
            id = old.sequence_id
        else
            id = mirror.schema.sequence.create(space.name .. '_seq').id
        end
    end
    field = field or index.sequence_fieldno or index.parts[1].fieldno
    check_native(native.attach_sequence(space.id, id, field - 1, is_generated))
    sync()
end

local function make_index(space, name, definition, sequence)
    local id = check_native(native.create_index(space.id, name, definition))
    sync()
    if sequence then
        attach_sequence(space, space.index[id], sequence)
    end
    return space.index[id]
end

-- The space of a number, whose index of that number is there.
local function find(space_id, index_id)
    local space = spaces[space_id]
    if space == nil then
        box.error(box.error.NO_SUCH_SPACE, '#' .. tostring(space_id))
    elseif space.index[index_id] == nil then
        box.error(box.error.NO_SUCH_INDEX_ID, index_id, space.name)
    end
    return space, space.index[index_id]
end

-- As in Tarantool, renaming or dropping an index that is not there does nothing.
local function is_there(space_id, index_id)
    local space = spaces[space_id]
    return space ~= nil and space.index[index_id] ~= nil
end

function schema_index.create(space_id, name, options)
    checks.parameter(space_id, 'space_id', 'number')
    checks.parameter(name, 'name', 'string')
    options = check_options(options, INDEX_OPTIONS)
    local space = spaces[space_id]
    if space == nil then
        box.error(box.error.NO_SUCH_SPACE, '#' .. tostring(space_id))
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
    check_hint(space, name, kind, options.hint)
    local fields = described(space.id).fields
    local unique = options.unique == nil or options.unique
    local definition = {
        type = kind,
        unique = unique,
        id = options.id,
        parts = normalize_parts(fields, options.parts or default_parts(fields)),
        declared = declared_options(unique, options.hint),
    }
    if options.sequence then
        if space.index[0] ~= nil then
            refuse_secondary(space, name)
        end
        return as_one(make_index, space, name, definition, options.sequence)
    end
    return make_index(space, name, definition)
end

function schema_index.rename(space_id, index_id, name)
    checks.parameter(space_id, 'space_id', 'number')
    checks.parameter(index_id, 'index_id', 'number')
    checks.parameter(name, 'name', 'string')
    if is_there(space_id, index_id) then
        check_native(native.rename_index(space_id, index_id, name))
        sync()
    end
end

function schema_index.drop(space_id, index_id)
    checks.parameter(space_id, 'space_id', 'number')
    checks.parameter(index_id, 'index_id', 'number')
    if is_there(space_id, index_id) then
        check_native(native.drop_index(space_id, index_id))
        sync()
    end
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

local function rebuild(space, index, options)
    local parts = options.parts ~= nil and normalize_parts(described(space.id).fields, options.parts)
    local kind = index_type(space, index.name, options.type or index.type)
    check_hint(space, index.name, kind, options.hint)
    local unique = options.unique
    if unique == nil then
        unique = index.unique
    end
    local hint = options.hint
    if hint == nil then
        hint = spaces._index:get({space.id, index.id}).opts.hint
    end
    check_native(native.alter_index(space.id, index.id, {
        type = kind,
        unique = unique,
        parts = parts or current_parts(index),
        declared = declared_options(unique, hint),
    }))
end

local function change_index(space, index, options)
    if options.sequence == false and index.sequence_id ~= nil then
        check_native(native.detach_sequence(space.id))
    end
    if options.unique ~= nil or options.type ~= nil or options.parts ~= nil or options.hint ~= nil then
        rebuild(space, index, options)
    end
    sync()
    if options.sequence then
        attach_sequence(space, index, options.sequence)
    end
    if options.name ~= nil then
        check_native(native.rename_index(space.id, index.id, options.name))
    end
    sync()
end

local ALTER_OPTIONS = {id = 'number', name = 'string', unique = 'boolean', type = 'string', parts = 'table',
    hint = 'boolean', sequence = 'boolean, number, string, table', func = 'any', dimension = 'number',
    distance = 'string', page_size = 'number', range_size = 'number', run_count_per_level = 'number',
    run_size_ratio = 'number', bloom_fpr = 'number', covers = 'table', layout = 'string', aggregates = 'table'}

function schema_index.alter(space_id, index_id, options)
    local space, index = find(space_id, index_id)
    if options == nil then
        return
    end
    options = check_options(options, ALTER_OPTIONS)
    refuse_features(options)
    if options.id ~= nil and options.id ~= index.id then
        box.error(box.error.CANT_UPDATE_PRIMARY_KEY, '_index')
    end
    as_one(change_index, space, index, options)
end

function space_methods.create_index(space, name, options)
    objects.check_space(space, 'create_index')
    return schema_index.create(space.id, name, options)
end

function index_methods.rename(index, name)
    objects.check_index(index, 'rename')
    schema_index.rename(index.space_id, index.id, name)
end

function index_methods.alter(index, options)
    objects.check_index(index, 'alter')
    if index.id == nil or index.space_id == nil then
        error('Usage: index:alter{opts}', 2)
    end
    schema_index.alter(index.space_id, index.id, options)
end

function index_methods.drop(index)
    objects.check_index(index, 'drop')
    schema_index.drop(index.space_id, index.id)
end

return {}
