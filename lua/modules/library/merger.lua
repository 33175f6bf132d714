-- The module `merger`: sources of tuples, and a merge of sources that are each in the order of a key
-- definition. A merge is a source itself.
--
-- The sources of a merge stand in a heap by their next tuple: a tuple costs as many comparisons as the
-- number of sources has binary digits.

local ffi = require('ffi')
local msgpack = require('msgpack')
local tuples = require('lycosa.tuple')
local wrap = require('lycosa.iterator').wrap

local make_error = package.loaded['internal.box_error']

ffi.cdef([[struct merge_source { uint32_t __unused; };]])

-- The types of the two are declared by their modules.
require('buffer')
require('key_def')

local function is_of(ctype, value)
    return type(value) == 'cdata' and ffi.istype(ctype, value)
end

local source_t
-- What answers with the next tuple of a source, and with nil when there is none.
local next_of = setmetatable({}, {__mode = 'k'})

local function adopt(next_tuple)
    local source = source_t()
    next_of[source] = next_tuple
    return source
end

local function illegal(message)
    error(make_error('IllegalParams', message), 0)
end

local function as_tuple(value)
    if tuples.is(value) then
        return value
    elseif type(value) ~= 'table' then
        illegal(('A tuple or a table expected, got %s'):format(type(value)))
    end
    return box.tuple.new(value)
end

--- Sources.

local function check_generator(gen, name)
    if gen == nil or type(gen) ~= 'function' and type(gen) ~= 'table' then
        error(('Usage: merger.%s(gen, param, state)'):format(name), 3)
    end
end

-- A source of what a generator gives: `open` makes an iteration of each value.
local function chunked(gen, param, state, open)
    local next_in_chunk
    return adopt(function()
        while true do
            local tuple = next_in_chunk and next_in_chunk()
            if tuple ~= nil then
                return tuple
            end
            local chunk
            state, chunk = gen(param, state)
            if state == nil then
                next_in_chunk = nil
                return nil
            end
            next_in_chunk = open(chunk)
        end
    end)
end

local function iterate_table(list)
    local position = 0
    return function()
        position = position + 1
        local value = list[position]
        if value ~= nil then
            return as_tuple(value)
        end
        return nil
    end
end

-- How many values the array at the front of a buffer has, and where they begin.
local function array_header(buffer)
    local is_array, count, begin = pcall(msgpack.decode_array_header, buffer.rpos, buffer:size())
    if not is_array then
        illegal('Invalid merge source')
    end
    return count, begin
end

-- The tuples of an encoded array, which are taken out of the buffer one by one.
local function iterate_buffer(buffer)
    local left
    return function()
        if left == nil then
            local count, begin = array_header(buffer)
            left, buffer.rpos = count, ffi.cast('char *', begin)
        end
        if left == 0 then
            return nil
        end
        -- A tuple is an array.
        array_header(buffer)
        left = left - 1
        local begin = buffer.rpos
        local _, finish = msgpack.decode(begin, buffer:size())
        buffer.rpos = ffi.cast('char *', finish)
        return tuples.from_bytes(ffi.cast('const uint8_t *', begin), buffer.rpos - begin, 0)
    end
end

local merger = {}

function merger.new_source_fromtable(list)
    if type(list) ~= 'table' then
        error('Usage: merger.new_source_fromtable(<table>)', 2)
    end
    return adopt(iterate_table(list))
end

function merger.new_source_frombuffer(buffer)
    if not is_of('struct ibuf', buffer) then
        error('Usage: merger.new_source_frombuffer(<cdata<struct ibuf>>)', 2)
    end
    return adopt(iterate_buffer(buffer))
end

function merger.new_tuple_source(gen, param, state)
    check_generator(gen, 'new_tuple_source')
    return adopt(function()
        local value
        state, value = gen(param, state)
        if state == nil then
            return nil
        end
        return as_tuple(value)
    end)
end

function merger.new_table_source(gen, param, state)
    check_generator(gen, 'new_table_source')
    return chunked(gen, param, state, function(chunk)
        if type(chunk) ~= 'table' then
            error('Expected <state>, <table>', 0)
        end
        return iterate_table(chunk)
    end)
end

function merger.new_buffer_source(gen, param, state)
    check_generator(gen, 'new_buffer_source')
    return chunked(gen, param, state, function(chunk)
        if not is_of('struct ibuf', chunk) then
            error('Expected <state>, <buffer>', 0)
        end
        return iterate_buffer(chunk)
    end)
end

--- Merges.

local USAGE = 'use: merger.new(key_def, {source, source, ...}[, {reverse = <boolean> or <nil>}])'

-- A heap of {tuple =, next =, number =}, whose first entry comes before all others.
local function sift_down(heap, position, is_before)
    while true do
        local smallest = position
        for child = position * 2, position * 2 + 1 do
            if heap[child] ~= nil and is_before(heap[child], heap[smallest]) then
                smallest = child
            end
        end
        if smallest == position then
            return
        end
        heap[position], heap[smallest] = heap[smallest], heap[position]
        position = smallest
    end
end

-- Of equal tuples, that of the earlier source comes first.
local function order_of(key_def, is_reverse)
    return function(left, right)
        local order = key_def:compare(left.tuple, right.tuple)
        if order == 0 then
            return left.number < right.number
        end
        return (order < 0) ~= is_reverse
    end
end

local function fetch(entry, key_def)
    entry.tuple = entry.next()
    if entry.tuple ~= nil then
        key_def:validate_tuple(entry.tuple)
    end
    return entry.tuple ~= nil
end

local function merge(key_def, sources, is_reverse)
    local is_before = order_of(key_def, is_reverse)
    local heap
    local function begin()
        heap = {}
        for number, source in ipairs(sources) do
            local entry = {next = next_of[source], number = number}
            if fetch(entry, key_def) then
                heap[#heap + 1] = entry
            end
        end
        for position = math.floor(#heap / 2), 1, -1 do
            sift_down(heap, position, is_before)
        end
    end
    return adopt(function()
        if heap == nil then
            begin()
        end
        local first = heap[1]
        if first == nil then
            return nil
        end
        local tuple = first.tuple
        if not fetch(first, key_def) then
            heap[1] = heap[#heap]
            heap[#heap] = nil
        end
        if heap[1] ~= nil then
            sift_down(heap, 1, is_before)
        end
        return tuple
    end)
end

local function is_source(value)
    return is_of(source_t, value)
end

function merger.new(key_def, sources, options)
    if not is_of('struct key_def', key_def) or type(sources) ~= 'table'
        or options ~= nil and type(options) ~= 'table' then
        error('Bad params, ' .. USAGE, 2)
    end
    local kept = {}
    for number, source in ipairs(sources) do
        if not is_source(source) then
            error('Bad params, ' .. USAGE, 2)
        end
        kept[number] = source
    end
    local reverse
    if options ~= nil then
        reverse = options.reverse
    end
    if type(reverse) ~= 'nil' and type(reverse) ~= 'boolean' then
        error('Bad param "reverse", ' .. USAGE, 2)
    end
    return merge(key_def, kept, reverse == true)
end

--- What every source does.

local methods = {}

local SELECT_USAGE =
    'use: merge_source:select([{buffer = <cdata<struct ibuf>> or <nil>, limit = <number> or <nil>}])'

-- The tuples that are left, or as many as the limit allows: as a list, or into a buffer as an array.
function methods.select(source, options)
    if not is_source(source) or options ~= nil and type(options) ~= 'table' then
        error('Bad params, ' .. SELECT_USAGE, 2)
    end
    options = options or {}
    local limit, buffer = options.limit, options.buffer
    if type(limit) ~= 'nil' and type(limit) ~= 'number' then
        error('Bad param "limit", ' .. SELECT_USAGE, 2)
    elseif type(buffer) ~= 'nil' and not is_of('struct ibuf', buffer) then
        error('Bad param "buffer", ' .. SELECT_USAGE, 2)
    end
    -- Tarantool takes it as a number without a sign: less than zero is no limit.
    limit = limit == nil and math.huge or limit < 0 and math.huge or math.floor(limit)
    local list, count = {}, 0
    while count < limit do
        local tuple = next_of[source]()
        if tuple == nil then
            break
        end
        count = count + 1
        list[count] = tuple
    end
    if buffer == nil then
        return list
    end
    msgpack.encode(list, buffer)
end

local function next_pair(_, source)
    local tuple = next_of[source]()
    if tuple == nil then
        return nil
    end
    return source, tuple
end

function methods.pairs(source)
    if not is_source(source) then
        error('Usage: merge_source:pairs()', 2)
    end
    return wrap(next_pair, nil, source)
end

methods.ipairs = methods.pairs

source_t = ffi.metatype('struct merge_source', {__index = methods})

return merger
