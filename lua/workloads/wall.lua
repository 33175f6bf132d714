-- Drives `lycosa wall`: fills a space step by step, and at each size measures reads and updates of
-- records drawn from all of it, until the throughput has halved or the quota ends it.
--
-- Called with the options, which hold what an earlier process has done if one has, and with `step`, which is told of every size that was measured. Answers with
-- how it ended, and with what the quota refused and still allowed where that was the end.

local clock = require('clock')
local ffi = require('ffi')
local fiber = require('fiber')
local random = require('lycosa.random')

-- A step may fill millions of tuples without a yield.
fiber.set_max_slice(math.huge)

-- Most records, and bytes, of one transaction while the space is filled.
local FILL_RECORDS, FILL_BYTES = 1000, 2 ^ 20

-- What a record takes beside its payload, about.
local RECORD_BYTES = 32

-- How much is deleted at the quota, of a hundred records.
local DELETED_OF_HUNDRED = 10

local function is_quota(err)
    return type(err) == 'cdata' and err.code == box.error.MEMORY_ISSUE
end

local function create_space(options)
    local space = box.schema.space.create('wall', {
        format = {{'id', 'unsigned'}, {'count', 'unsigned'}, {'payload', 'string'}},
    })
    space:create_index('primary', {type = options.index, parts = {{1, 'unsigned'}}})
    return space
end

-- Inserts up to `count` records behind `last`, in transactions, until the quota in use reaches
-- `target_bytes`; one transaction at least into an empty space. Answers with the last id, and with the
-- error if the quota refused one, and what was in use then: that transaction has been rolled back.
local function fill(space, payload, last, count, target_bytes)
    local stop = last + count
    local each = math.floor(FILL_BYTES / (#payload + RECORD_BYTES))
    each = math.max(1, math.min(FILL_RECORDS, each))
    while last < stop and (last == 0 or box.slab.info().quota_used < target_bytes) do
        local up_to = math.min(stop, last + each)
        box.begin()
        local ok, err = pcall(function()
            for id = last + 1, up_to do
                space:insert({id, 0, payload})
            end
        end)
        if not ok then
            local used = tonumber(box.slab.info().quota_used)
            box.rollback()
            if is_quota(err) then
                return last, err, used
            end
            error(err, 0)
        end
        box.commit()
        last = up_to
        fiber.yield()
    end
    return last
end

-- Reads and updates in turn, of records drawn from 1 to `records`, over all fibers. Answers with the
-- figures, and with the error if the quota refused an update, and what was in use then.
local function measure(space, options, records, latencies, draws)
    local operations, ops_per_txn = options.operations, options.ops_per_txn
    local next_op, done_txns, failure, used = 0, 0, nil, nil

    local function transaction(n)
        box.begin()
        for op = 1, n do
            local id = draws:uniform(1, records)
            if op % 2 == 1 then
                space:get(id)
            else
                space:update(id, {{'+', 2, 1}})
            end
        end
        box.commit()
    end

    local function work()
        while next_op < operations and failure == nil do
            local n = math.min(ops_per_txn, operations - next_op)
            next_op = next_op + n
            local started = clock.monotonic64()
            local ok, err = pcall(transaction, n)
            if not ok then
                used = used or tonumber(box.slab.info().quota_used)
                box.rollback()
                failure = failure or err
                return
            end
            latencies[done_txns] = clock.monotonic64() - started
            done_txns = done_txns + 1
            fiber.yield()
        end
    end

    collectgarbage()
    local cpu_started, started = clock.proc(), clock.monotonic()
    local fibers = {}
    for position = 1, options.fibers do
        fibers[position] = fiber.new(work)
        fibers[position]:set_joinable(true)
    end
    for position = 1, options.fibers do
        local has_ended, err = fibers[position]:join()
        if not has_ended then
            failure = failure or err
        end
    end
    if failure ~= nil and not is_quota(failure) then
        error(failure, 0)
    end
    return {
        records = records,
        wall_s = clock.monotonic() - started,
        cpu_s = clock.proc() - cpu_started,
        ops = operations,
        txns = done_txns,
    }, failure, used
end

-- Memory is taken from the quota in blocks that hold many tuples.
local BLOCK_BYTES_MAX = 2 ^ 20

-- Whether there was room for what was refused while `used` bytes were in use: then the system, not the
-- quota, had no memory for it.
local function is_of_system(err, used)
    local info = box.slab.info()
    local bytes = tonumber(err.message:match('allocate (%d+) bytes'))
    used = used or tonumber(info.quota_used)
    return bytes ~= nil and used + 2 * bytes + BLOCK_BYTES_MAX <= info.quota_size
end

-- What the quota has refused, and what it still allows: deletes, and inserts into the room they make.
-- Answers with what ended it, too.
local function at_quota(space, payload, last, err, used)
    local ending = is_of_system(err, used) and 'system' or 'quota'
    local report = {
        records = last, code = err.code, message = err.message, records_kept = space:len(), deleted = 0,
    }
    local to_delete = math.floor(last * DELETED_OF_HUNDRED / 100)
    while report.deleted < to_delete do
        local n = math.min(FILL_RECORDS, to_delete - report.deleted)
        box.begin()
        for id = report.deleted + 1, report.deleted + n do
            space:delete(id)
        end
        box.commit()
        report.deleted = report.deleted + n
        fiber.yield()
    end
    local again = fill(space, payload, last, to_delete, math.huge)
    report.inserted_again = again - last
    report.records_at_end = space:len()
    return ending, report
end

local options, step = ...
local draws = random.generator(options.seed)
local space = create_space(options)
local payload = ('x'):rep(options.payload_bytes)
local transactions = math.ceil(options.operations / options.ops_per_txn)
local has_room, latencies = pcall(ffi.new, 'uint64_t[?]', transactions)
if not has_room then
    error(('no memory for the latencies of %.0f transactions'):format(transactions), 0)
end

-- A dip that a second look does not confirm is none.
local function measure_twice_if_halved(records, best)
    local measured, err, used = measure(space, options, records, latencies, draws)
    if err == nil and best ~= nil and measured.ops / measured.wall_s <= best / 2 then
        local again
        again, err, used = measure(space, options, records, latencies, draws)
        if err == nil and again.wall_s < measured.wall_s then
            measured = again
        end
    end
    return measured, err, used
end

-- Measures at a size, and tells of it. Answers with whether the throughput has halved, and with the
-- best one so far; or with nil, the error and what was in use if the quota refused something.
local is_warm = false
local function visit(records, best)
    if not is_warm then
        -- Compiles what is measured.
        is_warm = true
        local _, err, used = measure(space, options, records, latencies, draws)
        if err ~= nil then
            return nil, err, used
        end
    end
    local measured, err, used = measure_twice_if_halved(records, best)
    if err ~= nil then
        return nil, err, used
    end
    local info = box.slab.info()
    measured.quota_used_bytes = tonumber(info.quota_used)
    measured.data_bytes = tonumber(info.arena_used)
    measured.latencies = ffi.string(latencies, 8 * measured.txns)
    step(measured)
    local throughput = measured.ops / measured.wall_s
    return best ~= nil and throughput <= best / 2, math.max(best or 0, throughput)
end

local last, best, done_bytes = 0, options.best, options.done_quota_bytes or 0
local err, used
if options.done_records ~= nil then
    last, err, used = fill(space, payload, last, options.done_records, math.huge)
end
for position = 1, options.steps do
    local before, target_bytes = last, options.target_bytes * position / options.steps
    if err == nil and target_bytes > done_bytes then
        last, err, used = fill(space, payload, last, math.huge, target_bytes)
    end
    -- One transaction may have filled several small steps.
    if err == nil and last > before then
        local has_halved, found, in_use = visit(last, best)
        if has_halved then
            return 'halved'
        elseif has_halved == nil then
            err, used = found, in_use
        else
            best = found
        end
    end
    if err ~= nil then
        return at_quota(space, payload, last, err, used)
    end
end
last, err, used = fill(space, payload, last, math.huge, math.huge)
return at_quota(space, payload, last, err, used)
