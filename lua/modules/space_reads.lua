-- Reads of an index: select, pairs, count, the extremes, and positions to go on from.
--
-- A read encodes its key into the scratch buffer, does one FFI call, and copies what it found into
-- new tuple objects. All of it is compiled by the JIT.

local ffi = require('ffi')
local database = require('lycosa.database')
local encoder = require('lycosa.msgpack_encoder')
local tuples = require('lycosa.tuple')
local wrap = require('lycosa.iterator').wrap

local context, RETRY = database.context, database.RETRY
local encode, encode_key = encoder.encode, encoder.encode_key
local take, raise, from_bytes = database.take, database.raise, tuples.from_bytes
local check_slice, format_ids, not_an_array = database.check_slice, database.format_ids, database.not_an_array
local ffi_count, ffi_extreme = database.count, database.extreme
local ffi_select, ffi_selected_size = database.select, database.selected_size
local ffi_copy_selected = database.copy_selected
local cursor_open, cursor_next = database.cursor_open, database.cursor_next
local cursor_repeat, cursor_close = database.cursor_repeat, database.cursor_close
local type, tonumber = type, tonumber

local ITERATORS = {
    EQ = 0, REQ = 1, ALL = 2, LT = 3, LE = 4, GE = 5, GT = 6,
    BITS_ALL_SET = 7, BITS_ANY_SET = 8, BITS_ALL_NOT_SET = 9,
    OVERLAPS = 10, NEIGHBOR = 11, NP = 12, PP = 13,
}
local SUPPORTED_ITERATORS = {[0] = true, true, true, true, true, true, true, [12] = true, [13] = true}

local count

-- The iterators that no index has are refused in the words of the one that was asked, after the key
-- has been looked at.
local function check_supported(iterator, space_id, index_id, key)
    if not SUPPORTED_ITERATORS[iterator] then
        count(space_id, index_id, key, ITERATORS.EQ)
        local space = box.space[space_id]
        local index = space ~= nil and space.index[index_id] or {}
        box.error(box.error.UNSUPPORTED_INDEX_FEATURE, tostring(index.name), tostring(index.type),
            space ~= nil and space.name or tostring(space_id), 'memtx', 'requested iterator type')
    end
end

-- Leaves the choice to the engine: ALL for the empty key, else EQ.
local DEFAULT_ITERATOR = 4294967295

local function resolve_iterator(iterator, space_id, index_id, key)
    local number = iterator
    if iterator == nil then
        return DEFAULT_ITERATOR
    elseif type(iterator) == 'string' then
        number = ITERATORS[iterator:upper()]
        if number == nil then
            box.error(box.error.ITERATOR_TYPE, iterator)
        end
    elseif type(iterator) ~= 'number' then
        box.error(box.error.ITERATOR_TYPE, tostring(iterator))
    end
    if not (number >= 0 and number <= ITERATORS.PP and number % 1 == 0) then
        box.error(box.error.ILLEGAL_PARAMS, 'Invalid iterator type')
    end
    check_supported(number, space_id, index_id, key)
    return number
end

local function position_of(space_id, index_id, tuple)
    local size, encoding = encode(tuple)
    if size == nil then
        box.error(box.error.ITERATOR_POSITION)
    end
    local result = database.position(context, space_id, index_id, size, encoding)
    if result > 0 then
        return database.take_bytes(result)
    elseif result == RETRY then
        check_slice()
        return position_of(space_id, index_id, tuple)
    end
    raise()
end

-- Holds the position to go on behind: a string from `fetch_pos`, or a tuple. Answers with whether
-- there is one (1 or 0) and with the number it is held by.
local function hold_position(space_id, index_id, after)
    if after == nil then
        return 0, 0
    elseif type(after) ~= 'string' then
        after = position_of(space_id, index_id, after)
    end
    return 1, database.hold_string(context, after, #after)
end

local NO_LIMIT = 4294967295

local function number_option(options, name, default)
    local value = options[name]
    if value == nil then
        return default
    end
    value = tonumber(value)
    if value == nil then
        box.error(box.error.ILLEGAL_PARAMS,
            ("options parameter '%s' should be of type number"):format(name))
    end
    -- Tarantool takes them as 32 bits without a sign: a limit of -1 is none.
    return value >= 0 and value or value % 4294967296
end

local select_t, uint32_p = ffi.typeof('uint8_t[?]'), ffi.typeof('const uint32_t *')

-- Copies the tuples of a select out of Rust.
local function take_selected(result, format_id)
    local buffer = ffi.new(select_t, ffi_selected_size(context, result))
    local count = ffi_copy_selected(context, result, buffer)
    local list = {}
    local at = 0
    for position = 1, count do
        local prefix = ffi.cast(uint32_p, buffer + at)
        local size = prefix[0]
        list[position] = from_bytes(buffer + at + 8, size, format_id, prefix[1])
        at = at + 8 + size
    end
    return list
end

local function select_list(space_id, index_id, key, options)
    local iterator, offset, limit, after = nil, 0, NO_LIMIT, nil
    if type(options) == 'table' then
        iterator, after = options.iterator, options.after
        offset = number_option(options, 'offset', 0)
        limit = number_option(options, 'limit', NO_LIMIT)
    elseif options ~= nil then
        iterator = options
    end
    iterator = resolve_iterator(iterator, space_id, index_id, key)
    local has_after, held = hold_position(space_id, index_id, after)
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local result = ffi_select(context, space_id, index_id, iterator,
        size, encoding, offset, limit, has_after, held)
    if result > 0 then
        return take_selected(result, format_ids[space_id])
    elseif result == RETRY then
        check_slice()
        return select_list(space_id, index_id, key, options)
    end
    raise()
end

local function select(space_id, index_id, key, options)
    local list = select_list(space_id, index_id, key, options)
    if type(options) == 'table' and options.fetch_pos then
        local last = list[#list]
        if last == nil then
            local after = options.after
            if after ~= nil and type(after) ~= 'string' then
                after = position_of(space_id, index_id, after)
            end
            return list, after
        end
        return list, position_of(space_id, index_id, last)
    end
    return list
end

ffi.cdef([[struct lycosa_cursor { uint32_t number; uint32_t format_id; };]])
local cursor_t = ffi.metatype('struct lycosa_cursor', {
    __gc = function(cursor) cursor_close(context, cursor.number) end,
    __tostring = function() return '<iterator state>' end,
})

local function next_tuple(cursor)
    local number = cursor.number
    local result = cursor_next(context, number)
    if result == 0 then
        return nil
    elseif result == RETRY then
        check_slice()
        return next_tuple(cursor)
    elseif result < 0 then
        raise()
    end
    local tuple = take(context, result, cursor.format_id)
    while not tuple do
        result = cursor_repeat(context, number)
        if result < 0 then
            raise()
        end
        tuple = take(context, result, cursor.format_id)
    end
    return cursor, tuple
end

local function pairs_of(space_id, index_id, key, options)
    local iterator, offset, after = nil, 0, nil
    if type(options) == 'table' then
        iterator, after = options.iterator, options.after
        offset = number_option(options, 'offset', 0)
    elseif options ~= nil then
        iterator = options
    end
    iterator = resolve_iterator(iterator, space_id, index_id, key)
    local has_after, held = hold_position(space_id, index_id, after)
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local number = cursor_open(context, space_id, index_id, iterator,
        size, encoding, offset, has_after, held)
    if number == RETRY then
        check_slice()
        return pairs_of(space_id, index_id, key, options)
    elseif number < 0 then
        raise()
    end
    local cursor = cursor_t(number, format_ids[space_id])
    return wrap(next_tuple, cursor, cursor)
end

function count(space_id, index_id, key, options)
    local iterator = options
    if type(options) == 'table' then
        iterator = options.iterator
    end
    iterator = resolve_iterator(iterator, space_id, index_id, key)
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local result = ffi_count(context, space_id, index_id, iterator,
        size, encoding)
    if result >= 0 then
        return result
    elseif result == RETRY then
        check_slice()
        return count(space_id, index_id, key, options)
    end
    raise()
end

-- From which iterator on tuples are counted to know how many come before those that match.
local COUNTED_FROM = {
    [ITERATORS.ALL] = ITERATORS.GE, [ITERATORS.EQ] = ITERATORS.GE, [ITERATORS.GE] = ITERATORS.GE,
    [ITERATORS.GT] = ITERATORS.GT, [ITERATORS.REQ] = ITERATORS.LE, [ITERATORS.LE] = ITERATORS.LE,
    [ITERATORS.LT] = ITERATORS.LT,
}

-- How many tuples an iterator without a key would pass before it comes to those of `key`. Takes as long
-- as there are tuples behind that place.
local function offset_of(space_id, index_id, key, options)
    local iterator = options
    if type(options) == 'table' then
        iterator = options.iterator
    end
    local number = resolve_iterator(iterator, space_id, index_id, key)
    local from = COUNTED_FROM[number == DEFAULT_ITERATOR and ITERATORS.EQ or number]
    if from == nil then
        box.error(box.error.UNSUPPORTED, 'Lycosa', 'offset_of() with the iterators NP and PP')
    end
    return count(space_id, index_id, nil, ITERATORS.ALL) - count(space_id, index_id, key, from)
end

local MINIMUM, MAXIMUM, RANDOM = 0, 1, 2

local function extreme(space_id, index_id, which, key, seed)
    local size, encoding = encode_key(key)
    if size == nil then
        not_an_array()
    end
    local result = ffi_extreme(context, space_id, index_id, which, seed, size, encoding)
    if result > 0 then
        return take(context, result, format_ids[space_id])
    elseif result == RETRY then
        check_slice()
        return extreme(space_id, index_id, which, key, seed)
    elseif result < 0 then
        raise()
    end
end

return {
    iterators = ITERATORS,
    select = select,
    pairs_of = pairs_of,
    count = count,
    position_of = position_of,
    offset_of = offset_of,
    extreme = extreme,
    MINIMUM = MINIMUM,
    MAXIMUM = MAXIMUM,
    RANDOM = RANDOM,
}
