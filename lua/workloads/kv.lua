-- One cell of the matrix of the benchmark cbench: an operation on single tuples of an index (`--index`) with keys of
-- one of six shapes. A sweep over the settings `key` and `operation` makes the matrix.
--
-- The time of making keys is no part of the figure. cbench measures it apart and subtracts it; here the keys
-- are made in `prepare`, which is not timed: that gives the same without a difference of two measurements.
-- They lie in arrays of Lua's until the end, about 72 bytes for a text and 8 for a number.

local checksum = require('lycosa.checksum')
local msgpack = require('msgpack')
local random = require('lycosa.random')

local TEXT_LENGTH = 32
local NUMBER_MAX = 2147483647
local TEXT_BYTES, NUMBER_BYTES = 72, 8
-- Keys of a run by time, whose operations nobody knows beforehand.
local KEYS_BY_TIME = 1000000
local MIB = 1048576

-- Field types of the parts of each shape.
local SHAPES = {
    num = {'unsigned'}, str = {'string'},
    num_num = {'unsigned', 'unsigned'}, num_str = {'unsigned', 'string'},
    str_num = {'string', 'unsigned'}, str_str = {'string', 'string'},
}

local workload = {
    help = 'one operation on keys of one shape (the matrix of cbench); making the keys is not timed',
    options = {
        {name = 'key', default = 'num', choices = {'num', 'str', 'num_num', 'num_str', 'str_num', 'str_str'},
            help = 'shape of the key: num, str, num_num, num_str, str_num, str_str'},
        {name = 'operation', default = 'replace', choices = {'replace', 'select', 'update', 'delete'},
            help = 'replace, select, update, delete'},
    },
}

-- Run by time, operations may be more than keys: these begin anew then, which no delete can.
local function key_count(ctx)
    return math.min(ctx.records or KEYS_BY_TIME, NUMBER_MAX)
end

function workload.check(options, ctx)
    if options.operation == 'delete' and ctx.records == nil then
        error('operation=delete ends when all keys are deleted; give --records in place of --duration', 0)
    end
    local count, bytes = key_count(ctx), 0
    for _, field_type in ipairs(SHAPES[options.key]) do
        bytes = bytes + count * (field_type == 'string' and TEXT_BYTES or NUMBER_BYTES)
    end
    local quota = box.cfg.memtx_memory
    if bytes > quota then
        error(('%.0f keys take about %.0f MiB of Lua\'s memory, more than --memory gives to tuples (%.0f MiB)')
            :format(count, bytes / MIB, quota / MIB), 0)
    end
end

-- Different numbers in random order, spread over 31 bits.
local function make_numbers(generator, count)
    local step = math.floor(NUMBER_MAX / count)
    local numbers = {}
    for position = 1, count do
        numbers[position] = (position - 1) * step + generator:uniform(0, step - 1)
    end
    return generator:shuffle(numbers)
end

local function make_texts(generator, count)
    local texts = {}
    for position = 1, count do
        texts[position] = generator:string(TEXT_LENGTH)
    end
    return texts
end

local function make_parts(generator, shape, count)
    local parts = {}
    for position, field_type in ipairs(shape) do
        local make = field_type == 'string' and make_texts or make_numbers
        local is_made, list = pcall(make, generator, count)
        if not is_made then
            error(('no memory for %.0f keys: %s'):format(count, tostring(list)), 0)
        end
        parts[position] = list
    end
    return parts
end

-- For each operation, what it does to the key at a position: on one part, on two. Tuples are the
-- key and a counter. `select` answers with what it found.
local ONE_PART = {
    replace = function(space, first, _, position) space:replace({first[position], 0}) end,
    select = function(space, first, _, position) return space:get(first[position]) end,
    update = function(space, first, _, position) space:update(first[position], {{'+', 2, 1}}) end,
    delete = function(space, first, _, position) space:delete(first[position]) end,
}
local TWO_PARTS = {
    replace = function(space, first, second, position)
        space:replace({first[position], second[position], 0})
    end,
    select = function(space, first, second, position)
        return space:get({first[position], second[position]})
    end,
    update = function(space, first, second, position)
        space:update({first[position], second[position]}, {{'+', 3, 1}})
    end,
    delete = function(space, first, second, position)
        space:delete({first[position], second[position]})
    end,
}

local function create_space(index, shape)
    local format, parts = {}, {}
    for position, field_type in ipairs(shape) do
        format[position] = {'key_' .. position, field_type}
        parts[position] = {position, field_type}
    end
    format[#shape + 1] = {'counter', 'unsigned'}
    local space = box.schema.space.create('kv', {format = format})
    space:create_index('primary', {type = index, parts = parts})
    return space
end

function workload.prepare(ctx)
    local shape = SHAPES[ctx.options.key]
    ctx.count = key_count(ctx)
    ctx.parts = make_parts(random.generator(ctx.seed), shape, ctx.count)
    ctx.space = create_space(ctx.index, shape)
    ctx.operations = #shape == 1 and ONE_PART or TWO_PARTS
    ctx.found = 0
    if ctx.options.operation ~= 'replace' then
        local replace, first, second = ctx.operations.replace, ctx.parts[1], ctx.parts[2]
        for position = 1, ctx.count do
            replace(ctx.space, first, second, position)
        end
    end
end

function workload.transaction(ctx, fiber_id, n, first)
    local space, first_part, second_part = ctx.space, ctx.parts[1], ctx.parts[2]
    local operation, count = ctx.operations[ctx.options.operation], ctx.count
    local found = 0
    box.begin()
    for number = first, first + n - 1 do
        if operation(space, first_part, second_part, (number - 1) % count + 1) ~= nil then
            found = found + 1
        end
    end
    box.commit()
    ctx.found = ctx.found + found
end

-- What must be there after this many operations: tuples, found tuples.
local EXPECTED = {
    replace = function(count, done) return math.min(done, count), 0 end,
    select = function(count, done) return count, done end,
    update = function(count) return count, 0 end,
    delete = function(count, done) return count - math.min(done, count), 0 end,
}

function workload.verify(ctx)
    local space, name = ctx.space, ctx.options.operation
    local done = ctx.done_ops
    local tuples, found = EXPECTED[name](ctx.count, done)
    if space:len() ~= tuples then
        return nil, ('the space holds %d tuples, not %d'):format(space:len(), tuples)
    elseif ctx.found ~= found then
        return nil, ('%.0f selects found a tuple, not %.0f'):format(ctx.found, found)
    end
    local get, first, second = ctx.operations.select, ctx.parts[1], ctx.parts[2]
    local from = name == 'delete' and done + 1 or 1
    local counter, sum = #ctx.parts + 1, checksum.new()
    sum:add(done, found)
    for position = from, from + tuples - 1 do
        local tuple = get(space, first, second, position)
        if tuple == nil then
            return nil, ('the tuple of key number %d is missing'):format(position)
        end
        -- Every key has its turn before one has another.
        local updates = name == 'update' and math.floor((done - position) / ctx.count) + 1 or 0
        if tuple[counter] ~= updates then
            return nil, ('key number %d was updated %s times, not %.0f')
                :format(position, tostring(tuple[counter]), updates)
        end
        sum:add(checksum.of_text(msgpack.encode(tuple)))
    end
    return sum:text()
end

function workload.cleanup(ctx)
    ctx.space:drop()
end

return workload
