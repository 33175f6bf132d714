-- Methods of space and index objects; `statements.lua` does what they do to tuples, `space_reads.lua` reads.

local ffi = require('ffi')
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local tuples = require('lycosa.tuple')
local statements = require('lycosa.statements')
local reads = require('lycosa.space_reads')
local wrap = require('lycosa.iterator').wrap

local context, RETRY, format_ids = database.context, database.RETRY, database.format_ids
local encode, encode_operations = encoder.encode, encoder.encode_operations
local take, raise, not_an_array = database.take, database.raise, database.not_an_array
local ffi_hold = database.hold
local ffi_length, ffi_byte_size = database.length, database.byte_size
local select, pairs_of, count = reads.select, reads.pairs_of, reads.count
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

local space_methods, index_methods = {}, {}

-- The methods that are statements, of the functions that are quick for compiled or interpreted code.
statements.follow(function(use)
    local insert, replace, get = use.insert, use.replace, use.get
    local delete, update, upsert = use.delete, use.update, use.upsert

    function space_methods.insert(space, tuple)
        check_space(space, 'insert')
        return insert(space.id, tuple)
    end

    function space_methods.replace(space, tuple)
        check_space(space, 'replace')
        return replace(space.id, tuple)
    end

    space_methods.put = space_methods.replace

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
        return upsert(space.id, tuple, operations)
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
end)

-- A figure of an index or a space.
local function figure(value)
    if value < 0 then
        raise()
    end
    return value
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
    return take(context, result, tuple.__format)
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
