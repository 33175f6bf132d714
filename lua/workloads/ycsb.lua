-- The Yahoo! Cloud Serving Benchmark's core workloads A to F: records of ten fields behind string keys.
--
-- What an operation does is drawn from its number alone, so that the records end the same wherever this
-- runs. `verify` replays what wrote: it knows the order from `ctx.segments`, one entry as long as operations
-- come in the order of their numbers.

local bit = require('bit')
local ffi = require('ffi')
local checksum = require('lycosa.checksum')
local random = require('lycosa.random')

local bxor, band, rshift = bit.bxor, bit.band, bit.rshift

-- What most operations do and their share, what the others do, and how keys are chosen.
local WORKLOADS = {
    a = {reading = 'read', share = 0.5, writing = 'update', distribution = 'zipfian'},
    b = {reading = 'read', share = 0.95, writing = 'update', distribution = 'zipfian'},
    c = {reading = 'read', share = 1, distribution = 'zipfian'},
    d = {reading = 'read', share = 0.95, writing = 'insert', distribution = 'latest'},
    e = {reading = 'scan', share = 0.95, writing = 'insert', distribution = 'zipfian'},
    f = {reading = 'read', share = 0.5, writing = 'modify', distribution = 'zipfian'},
}

-- Skew of the zipfian and latest distributions, and the ranks that the zipfian one scatters over the records.
local THETA, RANKS = 0.99, 1e10

-- What a record takes beside its fields at least, and the most that a tuple holds.
local RECORD_BYTES, TUPLE_BYTES_MAX = 40, 1048576
local MIB = 1048576

-- Streams of the first records; those of the operations are their numbers.
local FIRST_RECORDS = 2 ^ 52

local workload = {
    help = "YCSB's core workloads a to f, on records of 10 fields of 100 bytes",
    defaults = {records = 100000, ops_per_txn = 1},
    options = {
        {name = 'workload', default = 'a', choices = {'a', 'b', 'c', 'd', 'e', 'f'},
            help = 'a half updates, b 5 % updates, c reads, d 5 % inserts, e scans, f read-modify-write'},
        {name = 'recordcount', default = 100000, range = {1, 1e9}, help = 'records before the first operation'},
        {name = 'fieldcount', default = 10, range = {1, 100}, help = 'fields of a record, beside its key'},
        {name = 'fieldlength', default = 100, range = {1, 1e6}, help = 'bytes of a field'},
        {name = 'distribution', default = 'own', choices = {'own', 'uniform', 'zipfian', 'latest'},
            help = "which records are used: the workload's own choice, uniform, zipfian or latest"},
        {name = 'maxscanlength', default = 100, range = {1, 1e6}, help = 'most records of a scan'},
    },
}

-- YCSB's hash of a number: FNV-1a over its eight bytes, without the sign.
local function hash_step(hash, number, shift)
    return bxor(hash, band(rshift(number, shift), 0xffULL)) * 1099511628211ULL
end

local function hash_of(number)
    number = ffi.cast('uint64_t', number)
    local hash = hash_step(0xcbf29ce484222325ULL, number, 0)
    hash = hash_step(hash, number, 8)
    hash = hash_step(hash, number, 16)
    hash = hash_step(hash, number, 24)
    hash = hash_step(hash, number, 32)
    hash = hash_step(hash, number, 40)
    hash = hash_step(hash, number, 48)
    hash = hash_step(hash, number, 56)
    local sign = bit.arshift(hash, 63)
    return bxor(hash, sign) - sign
end

-- The key of a record, which is known by a number from 0 on, as in YCSB; its hash in decimal digits.
local function key_of(number)
    local hash = hash_of(number)
    local high = hash / 10000000000ULL
    return ('user%d%010d'):format(tonumber(high), tonumber(hash - high * 10000000000ULL))
end

-- The number of the record at a position among those that there are: inserted ones have the numbers of
-- their operations behind the first ones.
local function number_at(ctx, position)
    local recordcount = ctx.options.recordcount
    if position < recordcount then
        return position
    end
    return recordcount + ctx.inserted[position - recordcount + 1]
end

local CHOOSERS = {}

function CHOOSERS.uniform(ctx, generator, count)
    return generator:uniform(0, count - 1)
end

-- Popular records lie anywhere. What is to be inserted has its share, and is not used before. No loop: it would
-- end the trace of whatever calls it.
function CHOOSERS.zipfian(ctx, generator, count)
    local rank = generator:zipfian(RANKS, THETA) - 1
    local position = tonumber(hash_of(rank) % ctx.expected_records)
    if position < count then
        return position
    end
    return CHOOSERS.zipfian(ctx, generator, count)
end

function CHOOSERS.latest(ctx, generator, count)
    return count - generator:zipfian(count, THETA)
end

local function choose(ctx, generator)
    return number_at(ctx, ctx.choose(ctx, generator, ctx.options.recordcount + #ctx.inserted))
end

-- The kind of an operation, and a generator for what else is to be drawn.
local function begin(ctx, operation)
    local generator = ctx.random:seed(ctx.seed, operation)
    local definition = ctx.definition
    return generator:real() < definition.share and definition.reading or definition.writing, generator
end

-- A tuple of a record: its key, and values of all its fields.
local function record_of(ctx, generator, number)
    local tuple = {key_of(number)}
    for field = 2, ctx.options.fieldcount + 1 do
        tuple[field] = generator:string(ctx.options.fieldlength)
    end
    return tuple
end

function workload.check(options, ctx)
    if WORKLOADS[options.workload].reading == 'scan' and ctx.index ~= 'TREE' then
        error('workload e scans in the order of keys, which a hash table does not have; take --index tree', 0)
    end
    local record = options.fieldcount * options.fieldlength + RECORD_BYTES
    if record > TUPLE_BYTES_MAX then
        error(('fieldcount and fieldlength make records of %.0f bytes; a tuple holds %d at most')
            :format(record, TUPLE_BYTES_MAX), 0)
    end
    local needed, quota = options.recordcount * record, box.cfg.memtx_memory
    if needed > quota then
        error(('%.0f records take at least %.0f MiB, more than --memory gives (%.0f MiB)')
            :format(options.recordcount, needed / MIB, quota / MIB), 0)
    end
end

function workload.prepare(ctx)
    local options = ctx.options
    local definition = WORKLOADS[options.workload]
    local format = {{'key', 'string'}}
    for field = 1, options.fieldcount do
        table.insert(format, {'field' .. field - 1, 'string'})
    end
    ctx.space = box.schema.space.create('usertable', {format = format})
    ctx.space:create_index('primary', {type = ctx.index, parts = {{1, 'string'}}})
    ctx.random = random.generator(ctx.seed)
    for number = 0, options.recordcount - 1 do
        local generator = ctx.random:seed(ctx.seed, FIRST_RECORDS + number)
        ctx.space:insert(record_of(ctx, generator, number))
    end

    local distribution = options.distribution
    ctx.choose = CHOOSERS[distribution == 'own' and definition.distribution or distribution]
    ctx.definition, ctx.expected_records = definition, options.recordcount
    if definition.writing == 'insert' then
        -- Twice the inserts that are to be expected, as in YCSB, and no more than there are records.
        local inserts = math.ceil(2 * (ctx.records or math.huge) * (1 - definition.share))
        ctx.expected_records = options.recordcount + math.min(inserts, options.recordcount)
    end
    ctx.inserted = {}
    ctx.segments = {{first = 1, last = 0}}
end

local EXECUTE = {}

local function read(ctx, generator)
    local key = key_of(choose(ctx, generator))
    if ctx.space:get(key) == nil then
        error(('%s is not there'):format(key), 0)
    end
    return key
end

local set_field = {{'=', 0, ''}}

local function write_field(ctx, generator, key)
    set_field[1][2] = generator:uniform(2, ctx.options.fieldcount + 1)
    set_field[1][3] = generator:string(ctx.options.fieldlength)
    ctx.space:update(key, set_field)
end

EXECUTE.read = read

function EXECUTE.update(ctx, generator)
    write_field(ctx, generator, key_of(choose(ctx, generator)))
end

function EXECUTE.modify(ctx, generator)
    write_field(ctx, generator, read(ctx, generator))
end

function EXECUTE.insert(ctx, generator, operation)
    ctx.space:insert(record_of(ctx, generator, ctx.options.recordcount + operation))
    table.insert(ctx.inserted, operation)
end

local scan_options = {iterator = 'GE', limit = 0}

function EXECUTE.scan(ctx, generator)
    local key = key_of(choose(ctx, generator))
    scan_options.limit = generator:uniform(1, ctx.options.maxscanlength)
    local found = ctx.space:select(key, scan_options)
    if found[1] == nil or found[1][1] ~= key then
        error(('a scan from %s does not begin there'):format(key), 0)
    end
end

function workload.transaction(ctx, fiber_id, n, first)
    box.begin()
    for operation = first, first + n - 1 do
        local kind, generator = begin(ctx, operation)
        EXECUTE[kind](ctx, generator, operation)
    end
    box.commit()
    local segment = ctx.segments[#ctx.segments]
    if segment.last + 1 == first then
        segment.last = first + n - 1
    else
        table.insert(ctx.segments, {first = first, last = first + n - 1})
    end
end

-- The operations that last wrote each field of the first records, 0 where none did, by record and field; which
-- operations inserted; and how many there were. Replays what was done.
local function replay(ctx)
    local fieldcount = ctx.options.fieldcount
    local writers = ffi.new('double[?]', ctx.options.recordcount * fieldcount)
    local inserted, count = {}, 0
    for _, segment in ipairs(ctx.segments) do
        for operation = segment.first, segment.last do
            local kind, generator = begin(ctx, operation)
            if kind == 'update' or kind == 'modify' then
                local number = choose(ctx, generator)
                local field = generator:uniform(2, fieldcount + 1)
                writers[number * fieldcount + field - 2] = operation
            elseif kind == 'insert' then
                table.insert(inserted, operation)
            end
            count = count + 1
        end
    end
    return writers, inserted, count
end

-- The value that an operation wrote into a field.
local function written_by(ctx, operation)
    local _, generator = begin(ctx, operation)
    choose(ctx, generator)
    generator:uniform(2, ctx.options.fieldcount + 1)
    return generator:string(ctx.options.fieldlength)
end

-- Compares a record with what it must be, and adds it to the checksum; answers with what is wrong.
local function check_record(ctx, number, expected)
    local tuple = ctx.space:get(expected[1])
    if tuple == nil then
        return ('record %d, %s, is not there'):format(number, expected[1])
    end
    for field = 2, #expected do
        if tuple[field] ~= expected[field] then
            return ('field %d of record %d, %s, is not what was last written'):format(
                field - 2, number, expected[1])
        end
        ctx.checksum:add(number, field, checksum.of_text(expected[field]))
    end
end

function workload.verify(ctx)
    local options = ctx.options
    local recordcount, fieldcount = options.recordcount, options.fieldcount
    local writers, inserted, count = replay(ctx)
    local done = ctx.done_ops
    if count ~= done then
        return nil, ('%d operations left a trace, not %d'):format(count, done)
    elseif ctx.space:len() ~= recordcount + #inserted then
        return nil, ('there are %d records, not %d'):format(ctx.space:len(), recordcount + #inserted)
    end
    ctx.checksum = checksum.new()
    for number = 0, recordcount - 1 do
        local expected = record_of(ctx, ctx.random:seed(ctx.seed, FIRST_RECORDS + number), number)
        for field = 2, fieldcount + 1 do
            local operation = writers[number * fieldcount + field - 2]
            if operation ~= 0 then
                expected[field] = written_by(ctx, operation)
            end
        end
        local wrong = check_record(ctx, number, expected)
        if wrong ~= nil then
            return nil, wrong
        end
    end
    for _, operation in ipairs(inserted) do
        local _, generator = begin(ctx, operation)
        local number = recordcount + operation
        local wrong = check_record(ctx, number, record_of(ctx, generator, number))
        if wrong ~= nil then
            return nil, wrong
        end
    end
    return ctx.checksum:text()
end

function workload.cleanup(ctx)
    ctx.space:drop()
end

return workload
