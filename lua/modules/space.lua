-- Methods of space and index objects, and the statements that they do; `space_reads.lua` does reads.
--
-- A statement encodes its tuple into the scratch buffer, does one FFI call, and copies the result
-- into a new tuple object. All of it is compiled by the JIT.

local ffi = require('ffi')
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local tuples = require('lycosa.tuple')
local reads = require('lycosa.space_reads')
local wrap = require('lycosa.iterator').wrap

local context, RETRY, HOOKED = database.context, database.RETRY, database.HOOKED
local encode, encode_key, encode_operations = encoder.encode, encoder.encode_key, encoder.encode_operations
local take, raise, check_slice = database.take, database.raise, database.check_slice
local ffi_insert, ffi_replace, ffi_delete = database.insert, database.replace, database.delete
local ffi_update, ffi_upsert = database.update, database.upsert
local ffi_hold, ffi_echo = database.hold, database.echo
local ffi_length, ffi_byte_size = database.length, database.byte_size
local format_ids, not_an_array = reads.format_ids, reads.not_an_array
local get, select, pairs_of, count = reads.get, reads.select, reads.pairs_of, reads.count
local extreme, position_of, offset_of = reads.extreme, reads.position_of, reads.offset_of
local MINIMUM, MAXIMUM, RANDOM = reads.MINIMUM, reads.MAXIMUM, reads.RANDOM
local type, tonumber = type, tonumber
local size_t = ffi.typeof('uint64_t')

local function check_space(space, method)
    if type(space) ~= 'table' or space.id == nil then
        error(('Use space:%s(...) instead of space.%s(...)'):format(method, method), 3)
    end
end

local function check_index(index, method)
    if type(index) ~= 'table' or index.id == nil then
        error(('Use index:%s(...) instead of index.%s(...)'):format(method, method), 3)
    end
end

-- What was put equals what was encoded: when the stored tuple is not to be had, because a finalizer
-- has come between, the result is made of that once more.
local function copy_of(tuple, format_id)
    local result
    repeat
        result = ffi_echo(context, encode(tuple))
    until result ~= RETRY
    return take(result, format_id)
end

-- A statement with code of the user's around it.
local function hooked(statement, ...)
    return require('lycosa.hooked_statements')[statement](...)
end

local space_methods, index_methods = {}, {}

function space_methods.insert(space, tuple)
    check_space(space, 'insert')
    local size, encoding = encode(tuple)
    if size == nil then
        not_an_array()
    end
    local id = space.id
    local result = ffi_insert(context, id, size, encoding)
    if result > 0 then
        local format_id = format_ids[id]
        return take(result, format_id) or copy_of(tuple, format_id)
    elseif result == RETRY then
        check_slice()
        return space_methods.insert(space, tuple)
    elseif result == HOOKED then
        return hooked('insert', id, tuple)
    end
    raise()
end

function space_methods.replace(space, tuple)
    check_space(space, 'replace')
    local size, encoding = encode(tuple)
    if size == nil then
        not_an_array()
    end
    local id = space.id
    local result = ffi_replace(context, id, size, encoding)
    if result > 0 then
        local format_id = format_ids[id]
        return take(result, format_id) or copy_of(tuple, format_id)
    elseif result == RETRY then
        check_slice()
        return space_methods.replace(space, tuple)
    elseif result == HOOKED then
        return hooked('replace', id, tuple)
    end
    raise()
end

space_methods.put = space_methods.replace

local function delete(space_id, index_id, key)
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local result = ffi_delete(context, space_id, index_id, size, encoding)
    if result > 0 then
        return take(result, format_ids[space_id])
    elseif result == RETRY then
        check_slice()
        return delete(space_id, index_id, key)
    elseif result == HOOKED then
        return hooked('delete', space_id, index_id, key)
    elseif result < 0 then
        raise()
    end
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

local function update(space_id, index_id, key, operations)
    if not is_list(operations) then
        refuse_update(space_id, index_id)
    end
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local held = ffi_hold(context, size, encoding)
    size, encoding = encode_operations(operations)
    if size == nil then
        not_an_array()
    end
    local result = ffi_update(context, space_id, index_id, held, size, encoding)
    if result > 0 then
        return take(result, format_ids[space_id])
    elseif result == RETRY then
        check_slice()
        return update(space_id, index_id, key, operations)
    elseif result == HOOKED then
        return hooked('update', space_id, index_id, key, operations)
    elseif result < 0 then
        raise()
    end
end

-- A figure of an index or a space.
local function figure(value)
    if value < 0 then
        raise()
    end
    return value
end

function space_methods.get(space, key)
    check_space(space, 'get')
    return get(space.id, 0, key)
end

function space_methods.delete(space, key)
    check_space(space, 'delete')
    return delete(space.id, 0, key)
end

function space_methods.update(space, key, operations)
    check_space(space, 'update')
    return update(space.id, 0, key, operations)
end

function space_methods.upsert(space, tuple, operations)
    check_space(space, 'upsert')
    if not is_list(tuple) or not is_list(operations) then
        error('Usage space:upsert(tuple_key, ops)', 0)
    end
    local size, encoding = encode(tuple)
    if size == nil then
        not_an_array()
    end
    local held = ffi_hold(context, size, encoding)
    size, encoding = encode_operations(operations)
    if size == nil then
        not_an_array()
    end
    local status = ffi_upsert(context, space.id, held, size, encoding)
    if status == RETRY then
        check_slice()
        return space_methods.upsert(space, tuple, operations)
    elseif status == HOOKED then
        return hooked('upsert', space.id, tuple, operations)
    elseif status < 0 then
        raise()
    end
end

function space_methods.select(space, key, options)
    check_space(space, 'select')
    return select(space.id, 0, key, options)
end

local function nothing() end

function space_methods.pairs(space, key, options)
    check_space(space, 'pairs')
    -- A space without indexes has nothing to walk over.
    if space.index[0] == nil then
        return wrap(nothing)
    end
    return pairs_of(space.id, 0, key, options)
end

function space_methods.count(space, key, options)
    check_space(space, 'count')
    if space.index[0] == nil then
        return 0
    end
    return count(space.id, 0, key, options)
end

function space_methods.len(space)
    check_space(space, 'len')
    if space.index[0] == nil then
        return 0
    end
    return figure(ffi_length(context, space.id, 0))
end

-- A size_t, as Tarantool's; that of an index is a number.
function space_methods.bsize(space)
    check_space(space, 'bsize')
    return ffi.cast(size_t, figure(ffi_byte_size(context, space.id, -1)))
end

function index_methods.get(index, key)
    check_index(index, 'get')
    return get(index.space_id, index.id, key)
end

function index_methods.delete(index, key)
    check_index(index, 'delete')
    return delete(index.space_id, index.id, key)
end

function index_methods.update(index, key, operations)
    check_index(index, 'update')
    return update(index.space_id, index.id, key, operations)
end

function index_methods.select(index, key, options)
    check_index(index, 'select')
    return select(index.space_id, index.id, key, options)
end

function index_methods.pairs(index, key, options)
    check_index(index, 'pairs')
    return pairs_of(index.space_id, index.id, key, options)
end

function index_methods.count(index, key, options)
    check_index(index, 'count')
    return count(index.space_id, index.id, key, options)
end

function index_methods.len(index)
    check_index(index, 'len')
    return figure(ffi_length(context, index.space_id, index.id))
end

function index_methods.bsize(index)
    check_index(index, 'bsize')
    return figure(ffi_byte_size(context, index.space_id, index.id))
end

-- Figures and compaction are of engines on disk; for memtx Tarantool has nothing to say or to do.
function index_methods.stat(index)
    check_index(index, 'stat')
    return {}
end

function index_methods.compact(index)
    check_index(index, 'compact')
end

function index_methods.min(index, key)
    check_index(index, 'min')
    return extreme(index.space_id, index.id, MINIMUM, key, 0)
end

function index_methods.max(index, key)
    check_index(index, 'max')
    return extreme(index.space_id, index.id, MAXIMUM, key, 0)
end

function index_methods.random(index, seed)
    check_index(index, 'random')
    return extreme(index.space_id, index.id, RANDOM, nil, tonumber(seed) or 0)
end

function index_methods.tuple_pos(index, tuple)
    check_index(index, 'tuple_pos')
    return position_of(index.space_id, index.id, tuple)
end

function space_methods.offset_of(space, key, options)
    check_space(space, 'offset_of')
    return offset_of(space.id, 0, key, options)
end

function index_methods.offset_of(index, key, options)
    check_index(index, 'offset_of')
    return offset_of(index.space_id, index.id, key, options)
end

-- A field's name, with which a path may begin, as a number: a tuple alone has names in Lua only.
local function resolve_name(names, field)
    local name, rest = field:match('^([^%.%[]+)(.*)$')
    local position = names[field] or names[name]
    if position == nil then
        return field
    end
    return names[field] or rest == '' and position or ('[%d]%s'):format(position, rest)
end

local function resolve_operations(names, operations)
    local resolved = {}
    for number, operation in ipairs(operations) do
        if type(operation) == 'table' and type(operation[2]) == 'string' then
            local copy = {}
            for position = 1, #operation do
                copy[position] = operation[position]
            end
            copy[2] = resolve_name(names, operation[2])
            operation = copy
        end
        resolved[number] = operation
    end
    return resolved
end

local function update_tuple(tuple, operations, is_upsert)
    local names = tuples.format_names(tuple.__format)
    local resolved = names ~= nil and resolve_operations(names, operations) or operations
    local result
    repeat
        local size, encoding = encode(tuple)
        local held = ffi_hold(context, size, encoding)
        size, encoding = encode_operations(resolved)
        if size == nil then
            not_an_array()
        end
        result = database.update_tuple(context, is_upsert, held, size, encoding)
    until result ~= RETRY
    if result < 0 then
        raise()
    end
    return take(result, tuple.__format)
end

tuples.add_method('update', function(tuple, operations)
    if not tuples.is(tuple) or type(operations) ~= 'table' then
        error('Usage: tuple:update({ { op, field, arg}+ })', 2)
    end
    return update_tuple(tuple, operations, 0)
end)

tuples.add_method('upsert', function(tuple, operations)
    if not tuples.is(tuple) or type(operations) ~= 'table' then
        error('Usage: tuple:upsert({ { op, field, arg}+ })', 2)
    end
    return update_tuple(tuple, operations, 1)
end)

-- Puts one more than the greatest key before the tuple's fields, and inserts that.
function space_methods.auto_increment(space, tuple)
    check_space(space, 'auto_increment')
    local last = extreme(space.id, 0, MAXIMUM, nil, 0)
    local first = last ~= nil and last[1] + 1 or 1
    local list = tuples.is(tuple) and tuple:totable() or {unpack(tuple)}
    table.insert(list, 1, first)
    return space_methods.insert(space, list)
end

-- The tuple, or with `{table = true}` the table, of a map from field names to values.
function space_methods.frommap(space, map, options)
    check_space(space, 'frommap')
    if type(map) ~= 'table' then
        error('Usage: space:frommap(map, opts)', 2)
    end
    local names = tuples.format_names(format_ids[space.id]) or {}
    local list, last = {}, 0
    for name, value in pairs(map) do
        local position = type(name) == 'string' and names[name] or nil
        if position == nil then
            return nil, ("Unknown field '%s'"):format(tostring(name))
        end
        list[position] = value
        last = math.max(last, position)
    end
    if options ~= nil and options.table then
        return list
    end
    for position = 1, last do
        if list[position] == nil then
            list[position] = box.NULL
        end
    end
    return tuples.new(list)
end

-- `box.index` has the iterators by name.
database.api.index = reads.iterators

local space_mt = {
    __index = space_methods,
    __len = space_methods.len,
    __pairs = space_methods.pairs,
    __ipairs = space_methods.pairs,
}
local index_mt = {
    __index = index_methods,
    __len = index_methods.len,
    __pairs = index_methods.pairs,
    __ipairs = index_methods.pairs,
}

return {
    space_methods = space_methods,
    index_methods = index_methods,
    space_mt = space_mt,
    index_mt = index_mt,
    check_space = check_space,
    check_index = check_index,
    format_ids = format_ids,
}
