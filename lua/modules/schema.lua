-- `box.schema` and `box.space`: makes and changes spaces, and keeps the objects of spaces and indexes.
--
-- The engine knows the schema; the objects here mirror it. After every change, and after a
-- rollback that may have undone one, `sync` brings them up to date, keeping their identity.

local native = ...
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local hooks = require('lycosa.hooks')
local index_objects = require('lycosa.index_objects')
local lazy = require('lycosa.lazy')
local objects = require('lycosa.space')
local transactions = require('lycosa.transactions')
local tuples = require('lycosa.tuple')

local api, context = database.api, database.context
local space_methods = objects.space_methods
local illegal, check_options, check_number = checks.illegal, checks.options, checks.number
local check_native, is_type = checks.native, checks.is_type

local spaces = hooks.spaces

-- Formats by what their fields are called and hold, so that equal ones share a number.
local format_numbers, next_format_number = {}, 0

local function format_number(fields)
    local names, descriptions = {}, {}
    for position, field in ipairs(fields) do
        names[position] = field.name
        descriptions[position] = ('%s\0%s\0%s'):format(field.name, field.type, field.is_nullable)
    end
    local key = table.concat(descriptions, '\0')
    local number = format_numbers[key]
    if number == nil then
        next_format_number = next_format_number + 1
        number = next_format_number
        format_numbers[key] = number
        tuples.register_format(number, names, fields)
    end
    return number
end

-- An empty map, which is what the flags of most spaces are.
local NO_FLAGS = '\128'

local function flags_of(described)
    local flags = described.flags
    if flags == nil or flags == NO_FLAGS then
        return {}
    end
    return require('msgpack').decode(flags)
end

-- Engines of the system spaces that are not kept by memtx in Tarantool.
local ENGINES = {_vinyl_deferred_delete = 'blackhole', _session_settings = 'service'}

local function update_space(space, described)
    local flags = flags_of(described)
    space.id, space.name = described.id, described.name
    space.engine = described.is_view and 'sysview' or ENGINES[described.name] or 'memtx'
    space.field_count = described.field_count
    space.type = flags.type or flags.temporary and 'data-temporary' or 'normal'
    space.temporary = space.type ~= 'normal'
    native.set_temporary(space.id, space.temporary)
    space.is_local, space.is_sync = flags.group_id == 1, flags.is_sync == true
    space.enabled = described.indexes[1] ~= nil and described.indexes[1].id == 0
    index_objects.update(space, described)
    local primary = space.index[0]
    if primary ~= nil then
        primary.sequence_id, primary.sequence_fieldno = described.sequence_id, described.sequence_fieldno
    end
    objects.format_ids[space.id] = format_number(described.fields)
end

-- Number of the space `_func`, and what runs around statements on it.
local FUNC_ID = 296
hooks.rules[FUNC_ID] = lazy.table('lycosa.functions')

-- What the declared fields and the constraints of a space do; nil for nothing, the usual case.
local function rules_of(name, fields, declared_fields, flags)
    local is_ruled = declared_fields ~= nil
        and (declared_fields:find('default', 1, true) or declared_fields:find('constraint', 1, true))
    if not is_ruled and flags.constraint == nil then
        return nil
    end
    return require('lycosa.rules').of(name, format_number(fields), require('msgpack').decode(declared_fields),
        flags.constraint)
end

-- Objects of spaces that were dropped, for the case that a rollback brings them back.
local dropped = setmetatable({}, {__mode = 'v'})

local function has_no_primary(space)
    box.error(box.error.NO_SUCH_INDEX_ID, 0, space.name)
end

-- A dropped space has no index, and says so where Tarantool's does. What stands in the object comes
-- before the methods of its kind, so that a space that is there pays nothing.
local NEED_PRIMARY = {'get', 'select', 'delete', 'update'}

local function forget(space)
    dropped[space.id] = space
    spaces[space.id] = nil
    for key in pairs(space.index) do
        space.index[key] = nil
    end
    space.enabled = false
    for _, method in ipairs(NEED_PRIMARY) do
        space[method] = has_no_primary
    end
end

local function revive(id)
    local space = dropped[id]
    if space ~= nil then
        for _, method in ipairs(NEED_PRIMARY) do
            space[method] = nil
        end
    end
    return space
end

-- What is called when rows of `_func` and `_sequence` have changed.
local functions_changed, sequences_changed = function() end, function() end

-- System spaces whose objects are made when they are asked for: their numbers by number and name.
local waiting = {}

local function refresh(id, is_undone)
    if waiting[id] ~= nil then
        return
    end
    local space = rawget(spaces, id)
    if space ~= nil and rawget(spaces, space.name) == space then
        spaces[space.name] = nil
    end
    local described = native.describe_space(id)
    if described == nil then
        hooks.rules[id] = nil
        if space ~= nil then
            forget(space)
        end
        return
    end
    space = space or is_undone and revive(id) or setmetatable({}, objects.space_mt)
    update_space(space, described)
    spaces[described.id], spaces[described.name] = space, space
    if id == FUNC_ID then
        functions_changed()
    else
        local flags = flags_of(described)
        hooks.rules[id] = rules_of(described.name, described.fields, described.format, flags)
        space.constraint = flags.constraint
    end
end

local seen_version
local SEQUENCE_ID = 284

local function sync(is_undone)
    local version = database.schema_version(context)
    if version ~= seen_version then
        seen_version = version
        for _, id in ipairs(native.take_changed_spaces()) do
            refresh(id, is_undone)
            if id == SEQUENCE_ID then
                sequences_changed()
            end
        end
        hooks.refresh()
    end
end

transactions.on_rollback(function() sync(true) end)

local function make_waiting(key)
    local id = waiting[key]
    if id ~= nil then
        waiting[id], waiting[native.space_name(id)] = nil, nil
        refresh(id)
        return rawget(spaces, key)
    end
end

local function make_all()
    local id = next(waiting)
    while id ~= nil do
        make_waiting(id)
        id = next(waiting)
    end
end

local spaces_mt = {
    __index = function(_, key) return make_waiting(key) end,
    __pairs = function()
        make_all()
        return next, spaces, nil
    end,
    __serialize = function()
        make_all()
        local all = {}
        for key, space in next, spaces do
            all[key] = space
        end
        return all
    end,
}

-- Makes the system spaces, once.
local function bootstrap(instance_uuid, replicaset_uuid)
    check_native(native.bootstrap(instance_uuid, replicaset_uuid))
    for _, id in ipairs(native.take_changed_spaces()) do
        waiting[id], waiting[native.space_name(id)] = id, id
    end
    setmetatable(spaces, spaces_mt)
    sync()
end

local ADMIN = 1

-- Number of the user on whose behalf the session acts, to whom what it makes belongs.
local function current_user()
    local sessions = package.loaded['lycosa.box_session']
    return sessions ~= nil and sessions.effective_user_id() or ADMIN
end

-- Number of the user or role of a name or number.
local function owner_number(user)
    if user == nil then
        return current_user()
    end
    local _user = spaces._user
    local found
    if type(user) == 'string' then
        found = _user.index.name:get(user)
    else
        found = _user:get(user)
    end
    if found == nil then
        box.error(box.error.NO_SUCH_USER, tostring(user))
    end
    return found.id
end

-- Options of fields that are not supported.
local REFUSED_KEYS = {'foreign_key', 'compression'}

-- One field as it was declared, with its name and type by these words.
local function declared_field(field, position)
    if type(field) ~= 'table' then
        field = {name = field}
    end
    local declared = {}
    for key, value in pairs(field) do
        if key == 1 and field.name == nil then
            declared.name = value
        elseif (key == 1 or key == 2) and field.type == nil and (key == 1 or field.name == nil) then
            declared.type = value
        else
            declared[key] = value
        end
    end
    if type(declared.name) ~= 'string' then
        illegal('format[%d]: name (string) is expected', position)
    end
    if declared.type == nil then
        declared.type = 'any'
    elseif type(declared.type) ~= 'string' then
        illegal('format[%d]: type must be a string', position)
    end
    for _, key in ipairs(REFUSED_KEYS) do
        if declared[key] ~= nil then
            box.error(box.error.UNSUPPORTED, 'Lycosa', ("field option '%s'"):format(key))
        end
    end
    return declared
end

local COLLATED_TYPES = {string = true, str = true, scalar = true, any = true, ['*'] = true}

-- Brings a format into the form {{name, type, is_nullable}, ...}. Answers also with the format as
-- it was declared, encoded.
local function normalize_format(format)
    if type(format) ~= 'table' then
        illegal('space format must be a table')
    end
    local fields, all_declared = {}, {}
    for position, field in ipairs(format) do
        local declared = declared_field(field, position)
        if not is_type(declared.type) then
            box.error(box.error.WRONG_SPACE_FORMAT, position, 'unknown field type')
        end
        if declared.constraint ~= nil or declared.default ~= nil or declared.default_func ~= nil then
            require('lycosa.rules').declare(declared, position)
        end
        local collation = checks.collation(declared.collation, ('format[%d]'):format(position))
        if collation ~= nil and not COLLATED_TYPES[declared.type:lower()] then
            box.error(box.error.WRONG_SPACE_FORMAT, position,
                'collation is reasonable only for string, scalar and any fields')
        end
        declared.collation = collation
        fields[position] = {name = declared.name, type = declared.type,
            is_nullable = declared.is_nullable == true, collation = collation,
            has_default = declared.default ~= nil or declared.default_func ~= nil}
        all_declared[position] = declared
    end
    return fields, encoder.pack(all_declared)
end

local schema = {space = {}, index = {}, func = lazy.table('lycosa.functions'),
    sequence = lazy.table('lycosa.sequence'), user = lazy.table('lycosa.users'),
    role = lazy.table('lycosa.users'),
    space_mt = objects.space_methods, index_mt = objects.index_methods}
api.schema = schema
for name, value in pairs(native.schema_limits()) do
    schema[name] = value
end

local SPACE_OPTIONS = {
    if_not_exists = 'boolean', id = 'number', field_count = 'number', user = 'string, number',
    format = 'table', engine = 'string', is_local = 'boolean', temporary = 'boolean',
    is_sync = 'boolean', type = 'string', defer_deletes = 'boolean', constraint = 'string, table',
    foreign_key = 'table',
}

local SPACE_TYPES = {normal = true, ['data-temporary'] = true, temporary = true}

local function check_type(options)
    if options.type ~= nil and not SPACE_TYPES[options.type] then
        illegal("unknown space type, must be one of: 'normal', 'data-temporary', 'temporary'.")
    elseif options.type ~= nil and options.temporary ~= nil then
        illegal("only one of 'type' or 'temporary' may be specified")
    end
end

local function encode_flags(flags)
    return encoder.pack(setmetatable(flags, {__serialize = 'map'}))
end

-- Constraints of whole tuples: functions by number.
local function tuple_constraints(options)
    return options.constraint ~= nil and require('lycosa.rules').constraints(options.constraint, '') or nil
end

function schema.space.create(name, options)
    if type(name) ~= 'string' then
        illegal('name should be a string')
    end
    options = check_options(options, SPACE_OPTIONS)
    check_type(options)
    if spaces[name] ~= nil then
        if options.if_not_exists then
            return spaces[name], 'not created'
        end
        box.error(box.error.SPACE_EXISTS, name)
    end
    if options.engine ~= nil and options.engine ~= 'memtx' then
        box.error(box.error.NO_SUCH_ENGINE, options.engine)
    end
    if options.foreign_key ~= nil then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "space option 'foreign_key'")
    end
    check_number('id', options.id)
    check_number('field_count', options.field_count)
    local fields, declared = normalize_format(options.format or {})
    local constraints = tuple_constraints(options)
    rules_of(name, fields, declared, {constraint = constraints})
    local id = check_native(native.create_space(name, {
        id = options.id,
        is_temporary = options.type == 'temporary',
        field_count = options.field_count or 0,
        format = fields,
        declared_format = declared,
        owner = owner_number(options.user),
        flags = encode_flags({
            group_id = options.is_local and 1 or nil,
            temporary = options.temporary,
            type = options.type,
            is_sync = options.is_sync,
            constraint = constraints,
        }),
    }))
    sync()
    return spaces[id], 'created'
end

schema.create_space = schema.space.create

function schema.space.drop(id, name, options)
    checks.parameter(id, 'space_id', 'number')
    options = check_options(options, {if_exists = 'boolean'})
    if spaces[id] == nil then
        if options.if_exists then
            return
        end
        box.error(box.error.NO_SUCH_SPACE, name or '#' .. tostring(id))
    end
    check_native(native.drop_space(id))
    sync()
    transactions.on_commit_or_now(function() hooks.forget(id) end)
end

function schema.space.rename(id, name)
    checks.parameter(id, 'space_id', 'number')
    checks.parameter(name, 'space_name', 'string')
    -- As in Tarantool, renaming a space that is not there does nothing.
    if spaces[id] ~= nil then
        check_native(native.alter_space(id, {name = name}))
        sync()
    end
end

-- The space of a number as the engine has it.
local function described(id)
    local found = native.describe_space(id)
    if found == nil then
        box.error(box.error.NO_SUCH_SPACE, '#' .. tostring(id))
    end
    return found
end

-- Checks the tuples of a space against the constraints that it shall have.
local function check_rows(known, fields, declared, flags)
    local new_rules = rules_of(known.name, fields, declared, flags)
    if new_rules ~= nil then
        require('lycosa.rules').check_rows(spaces[known.id], new_rules)
    end
end

function schema.space.format(id, format)
    checks.parameter(id, 'id', 'number')
    local known = described(id)
    if format == nil then
        return setmetatable(require('msgpack').decode(known.format), {__serialize = 'seq'})
    end
    local fields, declared = normalize_format(format)
    check_rows(known, fields, declared, flags_of(known))
    check_native(native.alter_space(id, {format = fields, declared_format = declared}))
    sync()
end

local ALTER_OPTIONS = {name = 'string', format = 'table', user = 'string, number',
    field_count = 'number', temporary = 'boolean', is_sync = 'boolean', type = 'string',
    defer_deletes = 'boolean', constraint = 'string, table', foreign_key = 'table'}

-- The flags of a space with the changed ones, encoded; nil when none changes.
local function changed_flags(known, options)
    local flags, is_changed = nil, false
    if options.constraint ~= nil then
        flags, is_changed = flags_of(known), true
        flags.constraint = tuple_constraints(options)
    end
    for _, name in ipairs({'type', 'temporary', 'is_sync'}) do
        if options[name] ~= nil then
            flags = flags or flags_of(known)
            flags[name], is_changed = options[name], true
        end
    end
    return is_changed and encode_flags(flags) or nil
end

function schema.space.alter(id, options)
    local space = spaces[id]
    if space == nil then
        box.error(box.error.NO_SUCH_SPACE, '#' .. tostring(id))
    end
    options = check_options(options, ALTER_OPTIONS)
    check_type({type = options.type})
    if options.foreign_key ~= nil then
        box.error(box.error.UNSUPPORTED, 'Lycosa', "altering 'foreign_key' of a space")
    end
    check_number('field_count', options.field_count)
    local known = described(space.id)
    local change = {
        name = options.name,
        field_count = options.field_count,
        owner = options.user ~= nil and owner_number(options.user) or nil,
        flags = changed_flags(known, options),
    }
    if options.format ~= nil then
        change.format, change.declared_format = normalize_format(options.format)
    elseif options.field_count ~= nil then
        change.declared_format = known.format
    end
    if change.format ~= nil or options.constraint ~= nil then
        check_rows(known, change.format or known.fields, change.declared_format or known.format,
                flags_of({flags = change.flags or known.flags}))
    end
    -- Tarantool writes the row anew even if nothing changes; there is nothing to write here.
    if next(change) ~= nil then
        check_native(native.alter_space(space.id, change))
        sync()
    end
end

-- The schema is always that of the newest version.
function schema.upgrade() end

function schema.space.upgrade()
    box.error(box.error.UNSUPPORTED, 'Community edition', 'space upgrade')
end

function space_methods.drop(space)
    objects.check_space(space, 'drop')
    schema.space.drop(space.id, space.name)
end

local function check_exists(space)
    if spaces[space.id] == nil then
        box.error(box.error.NO_SUCH_SPACE, space.name)
    end
end

function space_methods.rename(space, name)
    objects.check_space(space, 'rename')
    check_exists(space)
    schema.space.rename(space.id, name)
end

function space_methods.alter(space, options)
    objects.check_space(space, 'alter')
    schema.space.alter(space.id, options)
end

function space_methods.format(space, format)
    objects.check_space(space, 'format')
    return schema.space.format(space.id, format)
end

function space_methods.upgrade(space)
    objects.check_space(space, 'upgrade')
    schema.space.upgrade()
end

function space_methods.truncate(space)
    objects.check_space(space, 'truncate')
    check_native(native.truncate(space.id))
end

-- Calls a function once for each key. `_schema` remembers which were called; as in Tarantool a
-- function that fails counts as called.
function api.once(key, callable, ...)
    if type(key) ~= 'string' or type(callable) ~= 'function' then
        illegal('Usage: box.once(key, func, ...)')
    end
    local entry = 'once' .. key
    if spaces._schema:get(entry) == nil then
        spaces._schema:put({entry})
        return callable(...)
    end
end

return {
    sync = sync,
    bootstrap = bootstrap,
    described = described,
    schema = schema,
    current_user = current_user,
    on_functions_changed = function(callback) functions_changed = callback end,
    on_sequences_changed = function(callback) sequences_changed = callback end,
}
