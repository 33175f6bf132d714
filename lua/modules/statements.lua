-- The statements of spaces and indexes, once for compiled code and once for the interpreter.
--
-- A statement encodes its tuple into the scratch buffer, does one call, and copies the result into a new
-- tuple object. Compiled code does all of it in Lua and by FFI calls of 2 ns. The interpreter takes over
-- 100 ns for an FFI call and some for each byte that is encoded, so it gets C functions instead.

local native = ...
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local tuples = require('lycosa.tuple')
local compilation = require('lycosa.compilation')

local context, RETRY, HOOKED = database.context, database.RETRY, database.HOOKED
local raise, check_slice, not_an_array = database.raise, database.check_slice, database.not_an_array
local format_ids, ffi_echo = database.format_ids, database.echo
local type = type

-- A statement with code of the user's around it.
local function hooked(statement, ...)
    return require('lycosa.hooked_statements')[statement](...)
end

local function is_list(value)
    return type(value) == 'table' or tuples.is(value)
end

-- That the index is missing is said first.
local function refuse_update(space_id, index_id)
    local space = box.space[space_id]
    if space ~= nil and space.index[index_id] == nil then
        box.error(box.error.NO_SUCH_INDEX_ID, index_id, space.name)
    end
    error('Usage index:update(key, ops)', 0)
end

-- Makes the statements of functions that encode, call the engine and take results.
local function make(calls)
    local encode, encode_key, encode_operations = calls.encode, calls.encode_key, calls.encode_operations
    local call_insert, call_replace, call_get = calls.insert, calls.replace, calls.get
    local call_delete, call_update, call_upsert = calls.delete, calls.update, calls.upsert
    local hold, take = calls.hold, calls.take
    local statements = {}

    -- What was put equals what was encoded: when the stored tuple is not to be had, because a finalizer
    -- has come between, the result is made of that once more.
    local function copy_of(tuple, format_id)
        local result
        repeat
            result = ffi_echo(context, encode(tuple))
        until result ~= RETRY
        return take(context, result, format_id)
    end

    local function insert(space_id, tuple)
        local size, encoding = encode(tuple)
        if size == nil then
            not_an_array()
        end
        local result = call_insert(context, space_id, size, encoding)
        if result > 0 then
            local format_id = format_ids[space_id]
            return take(context, result, format_id) or copy_of(tuple, format_id)
        elseif result == RETRY then
            check_slice()
            return insert(space_id, tuple)
        elseif result == HOOKED then
            return hooked('insert', space_id, tuple)
        end
        raise()
    end
    statements.insert = insert

    local function replace(space_id, tuple)
        local size, encoding = encode(tuple)
        if size == nil then
            not_an_array()
        end
        local result = call_replace(context, space_id, size, encoding)
        if result > 0 then
            local format_id = format_ids[space_id]
            return take(context, result, format_id) or copy_of(tuple, format_id)
        elseif result == RETRY then
            check_slice()
            return replace(space_id, tuple)
        elseif result == HOOKED then
            return hooked('replace', space_id, tuple)
        end
        raise()
    end
    statements.replace = replace

    local function get(space_id, index_id, key)
        local size, encoding = encode_key(key)
        if size == nil then
            not_an_array()
        end
        local result = call_get(context, space_id, index_id, size, encoding)
        if result > 0 then
            return take(context, result, format_ids[space_id]) or get(space_id, index_id, key)
        elseif result == RETRY then
            check_slice()
            return get(space_id, index_id, key)
        elseif result < 0 then
            raise()
        end
    end
    statements.get = get

    local function delete(space_id, index_id, key)
        local size, encoding = encode_key(key)
        if size == nil then
            not_an_array()
        end
        local result = call_delete(context, space_id, index_id, size, encoding)
        if result > 0 then
            return take(context, result, format_ids[space_id])
        elseif result == RETRY then
            check_slice()
            return delete(space_id, index_id, key)
        elseif result == HOOKED then
            return hooked('delete', space_id, index_id, key)
        elseif result < 0 then
            raise()
        end
    end
    statements.delete = delete

    local function update(space_id, index_id, key, operations)
        if not is_list(operations) then
            refuse_update(space_id, index_id)
        end
        local size, encoding = encode_key(key)
        if size == nil then
            not_an_array()
        end
        local held = hold(context, size, encoding)
        size, encoding = encode_operations(operations)
        if size == nil then
            not_an_array()
        end
        local result = call_update(context, space_id, index_id, held, size, encoding)
        if result > 0 then
            return take(context, result, format_ids[space_id])
        elseif result == RETRY then
            check_slice()
            return update(space_id, index_id, key, operations)
        elseif result == HOOKED then
            return hooked('update', space_id, index_id, key, operations)
        elseif result < 0 then
            raise()
        end
    end
    statements.update = update

    local function upsert(space_id, tuple, operations)
        if not is_list(tuple) or not is_list(operations) then
            error('Usage space:upsert(tuple_key, ops)', 0)
        end
        local size, encoding = encode(tuple)
        if size == nil then
            not_an_array()
        end
        local held = hold(context, size, encoding)
        size, encoding = encode_operations(operations)
        if size == nil then
            not_an_array()
        end
        local status = call_upsert(context, space_id, held, size, encoding)
        if status == RETRY then
            check_slice()
            return upsert(space_id, tuple, operations)
        elseif status == HOOKED then
            return hooked('upsert', space_id, tuple, operations)
        elseif status < 0 then
            raise()
        end
    end
    statements.upsert = upsert

    return statements
end

local CALLS = {'insert', 'replace', 'get', 'delete', 'update', 'upsert', 'hold', 'take'}

local function calls_of(encode, encode_key, encode_operations, functions)
    local calls = {encode = encode, encode_key = encode_key, encode_operations = encode_operations}
    for _, name in ipairs(CALLS) do
        calls[name] = functions[name]
    end
    return calls
end

local sets = {}

-- Calls `listener` with the statements to use: now, and when the compiler goes on or off.
local function follow(listener)
    compilation.follow(function(is_compiled)
        if sets[is_compiled] == nil then
            sets[is_compiled] = make(is_compiled
                and calls_of(encoder.encode_compiled, encoder.encode_key_compiled,
                    encoder.encode_operations_compiled, database)
                or calls_of(encoder.encode_full, encoder.encode_key_full, encoder.encode_full,
                    native.interpreted))
        end
        listener(sets[is_compiled])
    end)
end

return {follow = follow}
