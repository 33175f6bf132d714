-- A mix of replaces, updates, deletes and selects of single tuples by key, the mix of Tarantool's
-- benchmark nosqlbench. At the start every key has a tuple; what an operation does is drawn from the
-- seed and its number.
--
-- A transaction neither yields nor waits, so that operations take effect in the order of their
-- numbers. `verify` replays them on an array, 8 bytes a key, and compares.

local checksum = require('lycosa.checksum')
local ffi = require('ffi')
local msgpack = require('msgpack')
local random = require('lycosa.random')

local VALUE_SIZE_MAX = 1000000
-- Different values, made once: making one is not what is measured.
local VALUES = 64
-- What a tuple takes beyond its value at least: header, key, number, entry of the index.
local TUPLE_BYTES = 28
local MIB = 1048576

local workload = {
    help = 'replace, update, delete and select tuples by key, by percentages (the mix of nosqlbench)',
    options = {
        {name = 'replace', default = 40, range = {0, 100}, help = 'percentage of replaces; the four add to 100'},
        {name = 'update', default = 10, range = {0, 100}, help = 'percentage of updates'},
        {name = 'delete', default = 10, range = {0, 100}, help = 'percentage of deletes'},
        {name = 'select', default = 40, range = {0, 100}, help = 'percentage of selects'},
        {name = 'keys', default = 100000, range = {1, 999999999}, help = 'number of different keys'},
        {name = 'key_type', default = 'unsigned', choices = {'unsigned', 'string'},
            help = 'unsigned, or string (K and ten digits)'},
        {name = 'distribution', default = 'uniform', choices = {'uniform', 'gaussian', 'zipfian'},
            help = 'of the keys: uniform, gaussian (cut off at 3.5 standard deviations) or zipfian (0.99)'},
        {name = 'value_size', default = '16', help = 'bytes of a value, or a range as in 16..1024'},
    },
}

-- The least and the largest size of a value.
local function size_range(text)
    local low, high = text:match('^(%d+)%.%.(%d+)$')
    low, high = tonumber(low or text:match('^%d+$')), tonumber(high or text:match('^%d+$'))
    if low == nil or low < 1 or high < low or high > VALUE_SIZE_MAX then
        error(('option value_size takes bytes from 1 to %d, or a range of them as in 16..1024, not %s')
            :format(VALUE_SIZE_MAX, text), 0)
    end
    return low, high
end

function workload.check(options)
    local sum = options.replace + options.update + options.delete + options.select
    if sum ~= 100 then
        error(('replace, update, delete and select add to %d %%, not to 100 %%'):format(sum), 0)
    end
    local low = size_range(options.value_size)
    local needed, quota = options.keys * (low + TUPLE_BYTES), box.cfg.memtx_memory
    if needed > quota then
        error(('%d keys take at least %.0f MiB, more than --memory gives (%.0f MiB)')
            :format(options.keys, needed / MIB, quota / MIB), 0)
    end
end

local KEY_DRAWS = {
    uniform = function(generator, keys) return generator:uniform(1, keys) end,
    gaussian = function(generator, keys) return generator:gaussian(1, keys, 3.5) end,
    zipfian = function(generator, keys) return generator:zipfian(keys, 0.99) end,
}

-- What the operation of this number does: a percentage that picks its kind, a key, and a value.
local function draw(ctx, number)
    local generator = ctx.generator
    generator:seed(ctx.seed, number)
    local percentage, value = generator:uniform(1, 100), generator:uniform(1, VALUES)
    return percentage, ctx.draw_key(generator, ctx.options.keys), value
end

-- Three digits of each number below 1,000: put together from them, keys are made in compiled code.
local DIGITS = {}
for number = 0, 999 do
    DIGITS[number] = ('%03d'):format(number)
end

local function key_of(ctx, key)
    if ctx.has_text_keys then
        return 'K0' .. DIGITS[math.floor(key / 1000000)] .. DIGITS[math.floor(key / 1000) % 1000]
            .. DIGITS[key % 1000]
    end
    return key
end

-- The value that a key has at the start.
local function first_value(ctx, key)
    return ctx.values[key % VALUES + 1]
end

function workload.prepare(ctx)
    local options = ctx.options
    local low, high = size_range(options.value_size)
    ctx.has_text_keys = options.key_type == 'string'
    ctx.update_from = options.replace
    ctx.delete_from = ctx.update_from + options.update
    ctx.select_from = ctx.delete_from + options.delete
    ctx.draw_key = KEY_DRAWS[options.distribution]
    ctx.generator = random.generator(ctx.seed)
    ctx.values = {}
    for position = 1, VALUES do
        ctx.values[position] = ctx.generator:string(ctx.generator:uniform(low, high))
    end
    -- Sum of the numbers that selects found, modulo 2^32.
    ctx.found = 0
    local space = box.schema.space.create('mixed', {
        format = {{'key', options.key_type}, {'number', 'unsigned'}, {'value', 'string'}},
    })
    space:create_index('primary', {type = ctx.index, parts = {{1, options.key_type}}})
    for key = 1, options.keys do
        space:insert({key_of(ctx, key), 0, first_value(ctx, key)})
    end
    ctx.space = space
end

local WORD = 4294967296

function workload.transaction(ctx, fiber_id, n, first)
    local space, values = ctx.space, ctx.values
    box.begin()
    for number = first, first + n - 1 do
        local percentage, drawn, value = draw(ctx, number)
        local key = key_of(ctx, drawn)
        if percentage > ctx.select_from then
            local tuple = space:get(key)
            if tuple ~= nil then
                ctx.found = (ctx.found + tuple[2]) % WORD
            end
        elseif percentage > ctx.delete_from then
            space:delete(key)
        elseif percentage > ctx.update_from then
            space:update(key, {{'=', 2, number}, {'=', 3, values[value]}})
        else
            space:replace({key, number, values[value]})
        end
    end
    box.commit()
end

local ABSENT = -1

-- The number of the operation that wrote each key last, how many keys there are, and what selects found.
local function replay(ctx, done)
    local keys = ctx.options.keys
    local has_room, last = pcall(ffi.new, 'double[?]', keys + 1)
    if not has_room then
        error(('no memory to replay the operations on %d keys'):format(keys), 0)
    end
    local present, found = keys, 0
    for number = 1, done do
        local percentage, key = draw(ctx, number)
        local before = last[key]
        if percentage > ctx.select_from then
            found = before == ABSENT and found or (found + before) % WORD
        elseif percentage > ctx.delete_from then
            present = before == ABSENT and present or present - 1
            last[key] = ABSENT
        elseif percentage <= ctx.update_from then
            present = before == ABSENT and present + 1 or present
            last[key] = number
        elseif before ~= ABSENT then
            last[key] = number
        end
    end
    return last, present, found
end

function workload.verify(ctx)
    local space = ctx.space
    local last, present, found = replay(ctx, ctx.done_ops)
    if ctx.found ~= found then
        return nil, ('selects found other tuples than were written: %.0f, not %.0f'):format(ctx.found, found)
    elseif space:len() ~= present then
        return nil, ('the space holds %d tuples, not %d'):format(space:len(), present)
    end
    local sum = checksum.new()
    sum:add(found)
    for key = 1, ctx.options.keys do
        if last[key] ~= ABSENT then
            local tuple, value = space:get(key_of(ctx, key)), first_value(ctx, key)
            if last[key] > 0 then
                local _, _, drawn = draw(ctx, last[key])
                value = ctx.values[drawn]
            end
            if tuple == nil or tuple[2] ~= last[key] or tuple[3] ~= value then
                return nil, ('key %d was written last by operation %.0f; the space holds %s')
                    :format(key, last[key], tostring(tuple))
            end
            sum:add(checksum.of_text(msgpack.encode(tuple)))
        end
    end
    return sum:text()
end

function workload.cleanup(ctx)
    ctx.space:drop()
end

return workload
