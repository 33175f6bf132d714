-- `box.sequence` and `box.schema.sequence`.
--
-- The objects mirror the rows of `_sequence`; `refresh` brings them up to date after a change.

local native = ...
local ffi = require('ffi')
local msgpack = require('msgpack')
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local mirror = require('lycosa.schema')

local api, context, raise = database.api, database.context, database.raise

ffi.cdef([[
struct lycosa_sequence {
    int64_t step, minimum, maximum, start, cache;
    uint32_t is_cyclic, owner;
};
]])

local function bind(name, arguments)
    return ffi.cast(('int32_t (*)(struct lycosa_result *%s)'):format(arguments), native[name])
end

local ffi_create = bind('sequence_create', ', const char *, uint32_t, const struct lycosa_sequence *')
local ffi_alter = bind('sequence_alter',
    ', uint32_t, const char *, uint32_t, const struct lycosa_sequence *')
local ffi_next = bind('sequence_next', ', uint32_t, int64_t *')
local ffi_current = bind('sequence_current', ', uint32_t, int64_t *')
local ffi_set = bind('sequence_set', ', uint32_t, int64_t, int32_t')

local value_t = ffi.typeof('int64_t[1]')
local definition_t = ffi.typeof('struct lycosa_sequence')

local methods = {}
local sequences, schema_sequence = api.sequence, mirror.schema.sequence

local int64_t, uint64_t = ffi.typeof('int64_t'), ffi.typeof('uint64_t')

local FIELDS = {'id', 'uid', 'name', 'step', 'min', 'max', 'start', 'cache', 'cycle'}

-- Makes `box.sequence` show the sequences that there are; objects keep their identity.
local function refresh()
    local known = {}
    for key, sequence in pairs(sequences) do
        known[key] = sequence
        sequences[key] = nil
    end
    for _, row in ipairs(native.sequence_rows()) do
        local values = msgpack.decode(row)
        local sequence = known[values[1]] or setmetatable({}, {__index = methods})
        for position, name in ipairs(FIELDS) do
            local value = values[position]
            sequence[name] = ffi.istype(uint64_t, value) and ffi.cast(int64_t, value) or value
        end
        sequences[sequence.id], sequences[sequence.name] = sequence, sequence
    end
end

mirror.on_sequences_changed(refresh)
refresh()

local function check(status)
    if status < 0 then
        raise()
    end
    return status
end

local function check_sequence(sequence, method)
    if type(sequence) ~= 'table' or sequence.id == nil then
        error(('Use sequence:%s(...) instead of sequence.%s(...)'):format(method, method), 3)
    end
end

-- Small values are Lua numbers, as in tuples.
local EXACT = 100000000000000LL

function methods.next(sequence)
    check_sequence(sequence, 'next')
    local place = value_t()
    check(ffi_next(context, sequence.id, place))
    local value = place[0]
    if value < EXACT and value > -EXACT then
        return tonumber(value)
    end
    return value
end

function methods.current(sequence)
    check_sequence(sequence, 'current')
    local place = value_t()
    check(ffi_current(context, sequence.id, place))
    return place[0]
end

function methods.set(sequence, value)
    check_sequence(sequence, 'set')
    if type(value) ~= 'number' and not ffi.istype(int64_t, value)
        and not ffi.istype(uint64_t, value) then
        error('expected int64_t as 2 argument', 2)
    end
    check(ffi_set(context, sequence.id, value, 0))
end

function methods.reset(sequence)
    check_sequence(sequence, 'reset')
    check(ffi_set(context, sequence.id, 0, 1))
end

function methods.alter(sequence, options)
    check_sequence(sequence, 'alter')
    schema_sequence.alter(sequence.id, options)
end

function methods.drop(sequence)
    check_sequence(sequence, 'drop')
    schema_sequence.drop(sequence.id)
end

-- The number and object of a sequence by its name or number; nothing when there is none.
local function resolve(name)
    local found = sequences[name]
    return found ~= nil and found.id or nil, found
end

local NUMBERS = {step = 'step', min = 'minimum', max = 'maximum', start = 'start', cache = 'cache'}
local FIELD_NUMBERS = {step = 4, min = 5, max = 6, start = 7, cache = 8}

local OPTIONS = {
    step = 'number', min = 'number', max = 'number', start = 'number', cache = 'number',
    cycle = 'boolean',
}

-- Whether a value can be what a 64-bit signed integer holds.
local function is_integer(value)
    if type(value) == 'number' then
        return value % 1 == 0 and value >= -2^63 and value < 2^63
    end
    return ffi.istype(int64_t, value)
        or ffi.istype(uint64_t, value) and value <= 9223372036854775807ULL
end

local function definition(options, defaults, owner)
    local made = definition_t()
    for name, field in pairs(NUMBERS) do
        local value = options[name]
        if value == nil then
            value = defaults[name]
        end
        if not is_integer(value) then
            box.error(box.error.FIELD_TYPE, FIELD_NUMBERS[name] .. ' (' .. name .. ')', 'integer',
                type(value) == 'number' and 'double' or 'unsigned')
        end
        made[field] = value
    end
    local cycle = options.cycle
    if cycle == nil then
        cycle = defaults.cycle
    end
    made.is_cyclic, made.owner = cycle and 1 or 0, owner
    return made
end

local function with(options, name, kind)
    local all = {}
    for option, expected in pairs(options) do
        all[option] = expected
    end
    all[name] = kind
    return all
end

local CREATE_OPTIONS = with(OPTIONS, 'if_not_exists', 'boolean')

function schema_sequence.create(name, options)
    checks.parameter(name, 'name', 'string')
    options = checks.options(options, CREATE_OPTIONS)
    if sequences[name] ~= nil then
        if options.if_not_exists then
            return sequences[name], 'not created'
        end
        box.error(box.error.SEQUENCE_EXISTS, name)
    end
    local is_ascending = (options.step or 1) >= 0
    local defaults = {
        step = 1, cache = 0, cycle = false,
        min = is_ascending and 1 or -9223372036854775807LL - 1,
        max = is_ascending and 9223372036854775807LL or -1,
    }
    -- A sequence begins at its own end.
    if is_ascending then
        defaults.start = options.min or defaults.min
    else
        defaults.start = options.max or defaults.max
    end
    local made = definition(options, defaults, mirror.current_user())
    local id = check(ffi_create(context, name, #name, made))
    mirror.sync()
    return sequences[id]
end

local ALTER_OPTIONS = with(OPTIONS, 'name', 'string')

function schema_sequence.alter(name, options)
    options = checks.options(options, ALTER_OPTIONS)
    local id, known = resolve(name)
    if id == nil then
        box.error(box.error.NO_SUCH_SEQUENCE, tostring(name))
    end
    local new_name = options.name or known.name
    local made = definition(options, known, known.uid)
    check(ffi_alter(context, id, new_name, #new_name, made))
    mirror.sync()
end

function schema_sequence.drop(name, options)
    options = checks.options(options, {if_exists = 'boolean'})
    local id = resolve(name)
    if id == nil then
        if not options.if_exists then
            box.error(box.error.NO_SUCH_SEQUENCE, tostring(name))
        end
        return
    end
    checks.native(native.drop_sequence(id))
    mirror.sync()
end

return {resolve = resolve}
