-- The FFI half of `box`: bindings to the engine's functions, results, and transactions.
--
-- A binding answers with a status: a negative one means that the error waits in Rust, and `raise`
-- throws it; RETRY that what was encoded has been overwritten by a finalizer, and the call must be
-- begun anew; a positive one is the number of a result, which `take` copies into a new object.

local native = ...
local ffi = require('ffi')
local errors = require('lycosa.error')
local tuples = require('lycosa.tuple')

ffi.cdef([[
struct lycosa_result { uint32_t size; };
struct lycosa_savepoint { double transaction; uint32_t number; };
]])

local context = ffi.cast('struct lycosa_result *', native.context)
local context_p = 'struct lycosa_result *'

local function bind(name, result, arguments)
    return ffi.cast(('%s (*)(%s%s)'):format(result, context_p, arguments), native[name])
end

-- What is encoded is passed as its size and the number of the encoding.
local ENCODED = ', uint32_t, int32_t'
local KEY = ', uint32_t, uint32_t' .. ENCODED

local bindings = {
    context = context,
    RETRY = -2,
    begin = bind('begin', 'int32_t', ''),
    commit = bind('commit', 'int32_t', ''),
    rollback = bind('rollback', 'void', ''),
    is_in_transaction = bind('is_in_transaction', 'int32_t', ''),
    transaction_number = bind('transaction_number', 'double', ''),
    savepoint = bind('savepoint', 'int32_t', ''),
    rollback_to_savepoint = bind('rollback_to_savepoint', 'int32_t', ', uint32_t'),
    insert = bind('insert', 'int32_t', ', uint32_t' .. ENCODED),
    replace = bind('replace', 'int32_t', ', uint32_t' .. ENCODED),
    delete = bind('delete', 'int32_t', KEY),
    update = bind('update', 'int32_t', ', uint32_t, uint32_t, uint32_t' .. ENCODED),
    upsert = bind('upsert', 'int32_t', ', uint32_t, uint32_t' .. ENCODED),
    update_tuple = bind('update_tuple', 'int32_t', ', int32_t, uint32_t' .. ENCODED),
    hold = bind('hold', 'uint32_t', ENCODED),
    hold_string = bind('hold_string', 'uint32_t', ', const uint8_t *, uint32_t'),
    echo = bind('echo', 'int32_t', ENCODED),
    get = bind('get', 'int32_t', KEY),
    extreme = bind('extreme', 'int32_t', ', uint32_t, uint32_t, uint32_t, double' .. ENCODED),
    count = bind('count', 'double', ', uint32_t, uint32_t, uint32_t' .. ENCODED),
    length = bind('length', 'double', ', uint32_t, uint32_t'),
    byte_size = bind('byte_size', 'double', ', uint32_t, int32_t'),
    select = bind('select', 'int32_t', ', uint32_t, uint32_t, uint32_t' .. ENCODED
        .. ', double, double, int32_t, uint32_t'),
    selected_size = bind('selected_size', 'double', ', int32_t'),
    copy_selected = bind('copy_selected', 'int32_t', ', int32_t, uint8_t *'),
    cursor_open = bind('cursor_open', 'int32_t', ', uint32_t, uint32_t, uint32_t' .. ENCODED
        .. ', double, int32_t, uint32_t'),
    cursor_next = bind('cursor_next', 'int32_t', ', uint32_t'),
    cursor_repeat = bind('cursor_repeat', 'int32_t', ', uint32_t'),
    cursor_close = bind('cursor_close', 'void', ', uint32_t'),
    position = bind('position', 'int32_t', KEY),
    schema_version = bind('schema_version', 'double', ''),
}

local raise = errors.raise_pending
bindings.raise = raise

local new, tuple_t = ffi.new, tuples.type
local fill_result = bind('fill_result', 'int32_t', ', int32_t, uint32_t, uint32_t, struct tuple *')
local copy_result = bind('copy_result', 'int32_t', ', int32_t, uint32_t, uint8_t *')
local result_size = bind('result_size', 'int32_t', ', int32_t')

-- The slow way to take a result, when another call has come between: the size is asked for anew.
local function take_again(result, format_id)
    local size = result_size(context, result)
    while size >= 0 do
        local tuple = new(tuple_t, size)
        if fill_result(context, result, size, format_id, tuple) ~= 0 then
            return tuple
        end
        size = result_size(context, result)
    end
    return nil
end
jit.off(take_again)

-- A new object of a result. A finalizer may run at any time; nil when it has called the engine and
-- the result was a tuple that is stored there. Other results (of delete, update, echo and the like)
-- are kept.
function bindings.take(result, format_id)
    local size = context.size
    local tuple = new(tuple_t, size)
    if fill_result(context, result, size, format_id, tuple) == 0 then
        return take_again(result, format_id)
    end
    return tuple
end

local bytes_t = ffi.typeof('uint8_t[?]')

-- The bytes of a result that is kept.
function bindings.take_bytes(result)
    local size = result_size(context, result)
    local bytes = new(bytes_t, size)
    copy_result(context, result, size, bytes)
    return ffi.string(bytes, size)
end
jit.off(bindings.take_bytes)

-- Transactions. `api` is what box.cfg puts into `box`.
local api = {}
bindings.api = api

local begin, commit, rollback = bindings.begin, bindings.commit, bindings.rollback
local sync = function() end

-- Called when a transaction that may have changed the schema is undone.
function bindings.on_rollback(callback)
    sync = callback
end

local BEGIN_OPTIONS = {txn_isolation = 'string, number', timeout = 'number', is_sync = 'boolean'}

-- By name and by number; all mean the same while there is one transaction at a time.
local ISOLATION_LEVELS = {}
for name, number in pairs({['default'] = 0, ['read-committed'] = 1, ['read-confirmed'] = 2,
    ['best-effort'] = 3, ['linearizable'] = 4}) do
    ISOLATION_LEVELS[name] = number
    ISOLATION_LEVELS[(name:upper():gsub('-', '_'))] = number
    ISOLATION_LEVELS[number] = number
end
box.txn_isolation_level = ISOLATION_LEVELS

local function check_begin_options(options)
    if type(options) ~= 'table' then
        box.error(box.error.ILLEGAL_PARAMS, 'options should be a table')
    end
    for name, value in pairs(options) do
        local expected = BEGIN_OPTIONS[name]
        if expected == nil then
            box.error(box.error.ILLEGAL_PARAMS, ("unexpected option '%s'"):format(tostring(name)))
        elseif not expected:find(type(value), 1, true) then
            box.error(box.error.ILLEGAL_PARAMS,
                ("options parameter '%s' should be of type %s"):format(name, expected))
        end
    end
    if options.timeout ~= nil and not (options.timeout > 0) then
        box.error(box.error.ILLEGAL_PARAMS, 'timeout must be a number greater than 0')
    elseif options.txn_isolation ~= nil and not ISOLATION_LEVELS[options.txn_isolation] then
        box.error(box.error.ILLEGAL_PARAMS,
            'txn_isolation must be one of box.txn_isolation_level (keys or values)')
    end
end

function api.begin(options)
    if options ~= nil then
        check_begin_options(options)
    end
    if begin(context) < 0 then
        raise()
    end
end

-- What a commit may wait for; without a log all of them are the same.
local COMMIT_WAITS = {complete = true, submit = true, none = true}

local function check_commit_options(options)
    if type(options) ~= 'table' then
        box.error(box.error.ILLEGAL_PARAMS, 'options should be a table')
    end
    for name, value in pairs(options) do
        if name ~= 'wait' then
            box.error(box.error.ILLEGAL_PARAMS, ("unexpected option '%s'"):format(tostring(name)))
        elseif type(value) ~= 'string' then
            box.error(box.error.ILLEGAL_PARAMS, "options parameter 'wait' should be of type string")
        elseif not COMMIT_WAITS[value] then
            box.error(box.error.ILLEGAL_PARAMS,
                "unknown 'wait' mode, must be one of: 'complete', 'submit', 'none'")
        end
    end
end

function api.commit(options)
    if options ~= nil then
        check_commit_options(options)
    end
    if commit(context) < 0 then
        sync()
        raise()
    end
end

function api.rollback()
    rollback(context)
    sync()
end

function api.is_in_txn()
    return bindings.is_in_transaction(context) == 1
end

function api.txn_id()
    local number = bindings.transaction_number(context)
    if number ~= 0 then
        return number
    end
end

local savepoint_t = ffi.typeof('struct lycosa_savepoint')

function api.savepoint()
    local number = bindings.savepoint(context)
    if number < 0 then
        raise()
    end
    return savepoint_t(bindings.transaction_number(context), number)
end

function api.rollback_to_savepoint(savepoint)
    if not ffi.istype(savepoint_t, savepoint) then
        error('Usage: box.rollback_to_savepoint(savepoint)', 2)
    end
    if savepoint.transaction ~= bindings.transaction_number(context) then
        box.error(box.error.NO_SUCH_SAVEPOINT)
    end
    if bindings.rollback_to_savepoint(context, savepoint.number) < 0 then
        raise()
    end
    sync()
end

local function finish_atomic(ok, ...)
    if ok then
        api.commit()
        return ...
    end
    api.rollback()
    error((...), 0)
end

function api.atomic(first, ...)
    local callable = type(first) == 'function'
        or (getmetatable(first) or {}).__call ~= nil
    if callable then
        api.begin()
        return finish_atomic(pcall(first, ...))
    end
    if type(first) ~= 'table' then
        error('Usage: box.atomic([opts,] tx_function, ...)', 2)
    end
    api.begin(first)
    return finish_atomic(pcall(...))
end

return bindings
