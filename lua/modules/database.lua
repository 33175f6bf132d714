-- The FFI half of `box`: bindings to the engine's functions, results, and transactions.
--
-- A binding answers with a status; a negative one means that the error waits in Rust, and `raise`
-- throws it. A tuple that a call answers with is copied into a new object by `take`.

local native = ...
local ffi = require('ffi')
local errors = require('lycosa.error')
local tuples = require('lycosa.tuple')

ffi.cdef([[
struct lycosa_result { const uint8_t *data; uint32_t size; uint32_t serial; double number; };
struct lycosa_savepoint { double transaction; uint32_t number; };
]])

local context = ffi.cast('struct lycosa_result *', native.context)
local context_p = 'struct lycosa_result *'

local function bind(name, result, arguments)
    return ffi.cast(('%s (*)(%s%s)'):format(result, context_p, arguments), native[name])
end

-- What is encoded stands in the scratch buffer, so that its size is passed and no pointer.
local KEY = ', uint32_t, uint32_t, uint32_t'

local bindings = {
    context = context,
    -- The answer of a call that must be begun anew, because a finalizer has come between.
    RETRY = -2,
    begin = bind('begin', 'int32_t', ''),
    commit = bind('commit', 'int32_t', ''),
    rollback = bind('rollback', 'void', ''),
    is_in_transaction = bind('is_in_transaction', 'int32_t', ''),
    transaction_number = bind('transaction_number', 'double', ''),
    savepoint = bind('savepoint', 'int32_t', ''),
    rollback_to_savepoint = bind('rollback_to_savepoint', 'int32_t', ', uint32_t'),
    insert = bind('insert', 'int32_t', ', uint32_t, uint32_t'),
    replace = bind('replace', 'int32_t', ', uint32_t, uint32_t'),
    delete = bind('delete', 'int32_t', KEY),
    update = bind('update', 'int32_t', ', uint32_t, uint32_t, uint32_t, uint32_t'),
    upsert = bind('upsert', 'int32_t', ', uint32_t, uint32_t, uint32_t'),
    hold = bind('hold', 'uint32_t', ', uint32_t'),
    hold_string = bind('hold_string', 'uint32_t', ', const uint8_t *, uint32_t'),
    echo = bind('echo', 'void', ', uint32_t'),
    get = bind('get', 'int32_t', KEY),
    extreme = bind('extreme', 'int32_t', ', uint32_t, uint32_t, uint32_t, uint32_t'),
    count = bind('count', 'int32_t', ', uint32_t, uint32_t, uint32_t, uint32_t'),
    length = bind('length', 'int32_t', ', uint32_t, uint32_t'),
    byte_size = bind('byte_size', 'int32_t', ', uint32_t, int32_t'),
    select = bind('select', 'int32_t',
        ', uint32_t, uint32_t, uint32_t, uint32_t, double, double, int32_t, uint32_t'),
    copy_selected = bind('copy_selected', 'int32_t', ', uint32_t, uint8_t *'),
    cursor_open = bind('cursor_open', 'int32_t',
        ', uint32_t, uint32_t, uint32_t, uint32_t, double, int32_t, uint32_t'),
    cursor_next = bind('cursor_next', 'int32_t', ', uint32_t'),
    cursor_repeat = bind('cursor_repeat', 'void', ', uint32_t'),
    cursor_close = bind('cursor_close', 'void', ', uint32_t'),
    position = bind('position', 'int32_t', KEY),
    schema_version = bind('schema_version', 'double', ''),
}

local raise = errors.raise_pending
bindings.raise = raise

local new, tuple_t = ffi.new, tuples.type
local copy_result = bind('copy_result', 'int32_t', ', uint32_t, uint8_t *')

-- A new object of the result of the last call. A finalizer may run as the object is made; nil when
-- it has called the engine and the result was a tuple that is stored there. A result of its own
-- (of delete, update, echo and the like) is kept.
function bindings.take(format_id)
    local size, serial = context.size, context.serial
    local tuple = new(tuple_t, size)
    tuple.size = size
    tuple.format_id = format_id
    if copy_result(context, serial, tuple.data) == 0 then
        return nil
    end
    return tuple
end

local bytes_t = ffi.typeof('uint8_t[?]')

-- The bytes of the result of the last call, which must be a result of its own.
function bindings.take_bytes()
    local size, serial = context.size, context.serial
    local bytes = new(bytes_t, size)
    copy_result(context, serial, bytes)
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

local BEGIN_OPTIONS = {txn_isolation = true, timeout = 'number', is_sync = 'boolean'}

local function check_begin_options(options)
    if type(options) ~= 'table' then
        box.error(box.error.ILLEGAL_PARAMS, 'options should be a table')
    end
    for name, value in pairs(options) do
        local expected = BEGIN_OPTIONS[name]
        if expected == nil then
            box.error(box.error.ILLEGAL_PARAMS, ("unexpected option '%s'"):format(name))
        elseif expected ~= true and type(value) ~= expected then
            box.error(box.error.ILLEGAL_PARAMS,
                ("options parameter '%s' should be of type %s"):format(name, expected))
        end
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

function api.commit()
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
    if savepoint.transaction ~= bindings.transaction_number(context) and api.is_in_txn() then
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
