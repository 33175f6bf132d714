-- The FFI half of `box`: bindings to the engine's functions, and results.
--
-- A binding answers with a status: a negative one means that the error waits in Rust, and `raise`
-- throws it; RETRY that what was encoded has been overwritten by a finalizer, or that `check_slice` is
-- due, and the call must be begun anew after that; HOOKED that the statement is one for `hooked_statements.lua`; a positive one is the number of a result, which `take` copies into a new object.

local native = ...
local ffi = require('ffi')
local errors = require('lycosa.error')
local tuples = require('lycosa.tuple')

ffi.cdef([[
struct lycosa_result {
    uint32_t size; uint32_t format; uint32_t stored; uint8_t data[36]; int32_t serial; int32_t taken;
};
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
    HOOKED = -3,
    -- What box.cfg puts into `box`.
    api = {},
    begin = bind('begin', 'int32_t', ''),
    commit = bind('commit', 'int32_t', ''),
    rollback = bind('rollback', 'int32_t', ''),
    is_in_transaction = bind('is_in_transaction', 'int32_t', ''),
    transaction_number = bind('transaction_number', 'double', ''),
    begin_statement = bind('begin_statement', 'int32_t', ''),
    end_statement = bind('end_statement', 'int32_t', ''),
    undo_statement = bind('undo_statement', 'int32_t', ''),
    statement_depth = bind('statement_depth', 'int32_t', ''),
    check_not_aborted = bind('check_not_aborted', 'int32_t', ''),
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
    read_view_close = bind('read_view_close', 'void', ', double'),
    position = bind('position', 'int32_t', KEY),
    schema_version = bind('schema_version', 'double', ''),
}

local raise = errors.raise_pending
bindings.raise = raise
bindings.check_slice = require('fiber').check_slice

-- Which names the fields of a space's tuples have: format numbers for `lycosa.tuple` by space.
bindings.format_ids = {}

function bindings.not_an_array()
    errors.raise(errors.codes.TUPLE_NOT_ARRAY)
end

local new, copy, tuple_t, small_tuple_t = ffi.new, ffi.copy, tuples.type, tuples.small_type
local SMALL_BYTES, SMALL_TUPLE_BYTES = 36, ffi.sizeof(small_tuple_t)
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

-- A new object of a result; takes the context as the calls do. A finalizer may run at any time; nil when
-- it has called the engine and the result was a tuple that is stored there. Other results (of delete,
-- update, echo and the like) are kept.
--
-- A small one is copied by what becomes plain loads and stores of 8 bytes, so that compiled code which
-- drops the object, or only looks into it, makes none.
function bindings.take(_, result, format_id)
    local size = context.size
    if size <= SMALL_BYTES then
        local tuple = new(small_tuple_t)
        context.format = format_id
        copy(tuple, context, SMALL_TUPLE_BYTES)
        if context.serial == result then
            context.taken = result
            return tuple
        end
        return take_again(result, format_id)
    end
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

return bindings
