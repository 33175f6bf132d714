-- Drives one repetition of a workload, under Lycosa and under a real Tarantool alike: the timed
-- part below is the same text for both.
--
-- Lycosa calls the chunk with its options and gets the measurement back. Tarantool runs it:
--   tarantool run.lua --workload insert.lua --records 1000000 [--fibers 50] [--ops-per-txn 100]
--       [--index TREE] [--memory BYTES] [--jit on] [--seed N] [--set KEY=VALUE] [--prefix TEXT]
--       [--duration SECONDS] [--warmup SECONDS] [--rate OPERATIONS_A_SECOND]
--       [--report-interval SECONDS]
-- and it prints one line of JSON behind the prefix, shaped as the runs of `lycosa run --json`; the
-- arm `tarantool` of `lycosa compare` reads it. Each interval is a line before it, behind the prefix
-- and the word `sample`.

local bit = require('bit')
local clock = require('clock')
local ffi = require('ffi')
local fiber = require('fiber')
local json = require('json')

-- Hooks may fill and verify millions of tuples without a yield.
if fiber.set_max_slice ~= nil then
    fiber.set_max_slice(math.huge)
end

-- What an error says: the text of what was thrown, whatever it was.
local function text_of(err)
    if err == nil then
        return 'threw nil, which says nothing; throw a text'
    elseif type(err) == 'table' and getmetatable(err) == nil then
        local has_json, text = pcall(json.encode, err)
        return 'error object ' .. (has_json and text or tostring(err))
    end
    local has_text, text = pcall(tostring, err)
    if not has_text then
        return ('threw a %s without a text'):format(type(err))
    elseif type(err) == 'cdata' and err.code ~= nil then
        return ('%s (error %d)'):format(text, err.code)
    end
    return text
end

-- Calls a function on behalf of a hook; answers with the list of `true` and its results, or with
-- nil and the failure.
local function guard(hook, callable, ...)
    local traceback
    -- The handler does nothing else: it may run where the stack is all but full, or not at all.
    local results = {xpcall(callable, function(err)
        traceback = debug.traceback('', 2)
        return err
    end, ...)}
    if results[1] then
        return results
    end
    local err = results[2]
    local code = type(err) == 'cdata' and err.code or nil
    return nil, {
        kind = code == box.error.MEMORY_ISSUE and 'memory' or 'workload',
        hook = hook,
        message = text_of(err),
        fiber = fiber.self():name(),
        traceback = traceback,
    }
end

-- Calls a hook of the workload, if it has it.
local function call(workload, hook, ...)
    if workload[hook] == nil then
        return {true}
    end
    return guard(hook, workload[hook], ...)
end

-- Runs `work(fiber_id)` in each of the fibers to its end; answers with the first failure.
local function run_fibers(count, work, has_failed)
    local failed
    local function guarded(fiber_id)
        local _, own_failure = guard('transaction', work, fiber_id)
        if own_failure ~= nil then
            failed = failed or own_failure
            has_failed[0] = 1
        end
    end

    local fibers = {}
    for fiber_id = 1, count do
        local f = fiber.new(guarded, fiber_id)
        f:name('worker-' .. fiber_id)
        f:set_joinable(true)
        fibers[fiber_id] = f
    end
    for fiber_id = 1, count do
        fibers[fiber_id]:join()
    end
    return failed
end

local function check_ended()
    if box.is_in_txn() then
        error('transaction() returned without box.commit() or box.rollback()', 0)
    end
end

-- Memory by kind, in bytes.
local function memory_levels()
    local slab = box.slab.info()
    local used, tuples = tonumber(slab.arena_used), tonumber(slab.items_used)
    return {
        lua_heap_bytes = math.floor(collectgarbage('count') * 1024),
        quota_used_bytes = tonumber(slab.quota_used),
        index_bytes = used - tuples,
        tuple_bytes = tuples,
    }
end

-- Latencies whose number is not known beforehand: counts of values by their 11 leading bits, which
-- is what a histogram with three decimal digits tells apart. 53 doublings of 1,024 counts each; a
-- double holds its exponent and its leading bits side by side, which makes them the position.
local BUCKETS, FIRST_BUCKET = 53 * 1024, 1023 * 1024
local LATENCY_NS_MAX = 2 ^ 53 - 1
local split = ffi.new('union { double value; struct { uint32_t low, high; } words; }')

local function new_histogram()
    return {counts = ffi.new('double[?]', BUCKETS), max = 0, count = 0}
end

-- Counts a latency; answers with its bucket.
local function record(histogram, latency_ns)
    split.value = math.min(math.max(latency_ns, 1), LATENCY_NS_MAX)
    local bucket = bit.rshift(split.words.high, 10) - FIRST_BUCKET
    histogram.counts[bucket] = histogram.counts[bucket] + 1
    histogram.count = histogram.count + 1
    histogram.max = math.max(histogram.max, latency_ns)
    return bucket
end

-- Smallest value of a bucket.
local function value_of(bucket)
    split.words.low, split.words.high = 0, bit.lshift(bucket + FIRST_BUCKET, 10)
    return math.floor(split.value)
end

local SHARES = {{'p50', 0.5}, {'p95', 0.95}, {'p99', 0.99}, {'p999', 0.999}}

-- Percentiles of a histogram whose counts are in the buckets from `low` to `high`.
local function percentiles_of(histogram, low, high)
    local values = {max = histogram.max, count = histogram.count}
    local seen, position = 0, 1
    for bucket = low, high do
        seen = seen + histogram.counts[bucket]
        while position <= #SHARES and seen > 0 and seen >= SHARES[position][2] * histogram.count do
            values[SHARES[position][1]] = value_of(bucket)
            position = position + 1
        end
    end
    return values
end

-- Samples of a run at most, so that an interval far too short fills no memory; the last one holds
-- all the rest.
local SAMPLES_MAX = 10000

-- The course of a run: what each interval brought. One ends with the first transaction that ends
-- behind it, so that no other fiber and no timer disturbs the run. For a transaction this costs one
-- more entry in a histogram; for an interval the reading of the process's resources.
local function new_series(interval_s, host)
    local interval_ns = interval_s * 1e9
    local latencies, low, high = new_histogram(), BUCKETS, -1
    local began_ns, from_ns, until_ns, ops, samples = 0, 0, math.huge, 0, 0
    local series = {}

    local function sample(now_ns)
        host.sample({
            t_s = (now_ns - began_ns) / 1e9, interval_s = (now_ns - from_ns) / 1e9, ops = ops,
            txn_latency_ns = percentiles_of(latencies, low, high),
        }, memory_levels())
        ffi.fill(latencies.counts + low, 8 * (high - low + 1))
        latencies.count, latencies.max, low, high = 0, 0, BUCKETS, -1
        ops, samples, from_ns = 0, samples + 1, now_ns
        local passed = math.floor((now_ns - began_ns) / interval_ns)
        until_ns = samples < SAMPLES_MAX - 1 and began_ns + (passed + 1) * interval_ns or math.huge
    end

    function series.begin(now_ns)
        began_ns, from_ns, until_ns = now_ns, now_ns, now_ns + interval_ns
    end

    function series.observe(latency_ns, count, now_ns)
        local bucket = record(latencies, latency_ns)
        low, high = math.min(low, bucket), math.max(high, bucket)
        ops = ops + count
        if now_ns >= until_ns then
            sample(now_ns)
        end
    end

    function series.finish(now_ns)
        if ops > 0 then
            sample(now_ns)
        end
    end

    return series
end

-- Runs a known number of operations as fast as they go. Answers with wall time, CPU time, operations
-- done, the latency of each transaction in nanoseconds, and the failure if there was one.
-- `host.stop[0]` becomes 1 when the user wants no more transactions.
local function run_all(workload, ctx, series, host)
    local records, ops_per_txn, stop = ctx.records, ctx.ops_per_txn, host.stop
    local observe = series and series.observe
    local transaction = workload.transaction
    local has_room, latencies =
        pcall(ffi.new, 'uint64_t[?]', math.ceil(records / ops_per_txn))
    if not has_room then
        error(('no memory for the latencies of %.0f transactions'):format(records / ops_per_txn), 0)
    end
    local next_op, done_ops, done_txns = 1, 0, 0
    local has_failed = ffi.new('uint8_t[1]')
    local origin

    local function work(fiber_id)
        while next_op <= records and has_failed[0] == 0 and stop[0] == 0 do
            local first = next_op
            local n = math.min(ops_per_txn, records - first + 1)
            next_op = first + n
            local started = clock.monotonic64()
            transaction(ctx, fiber_id, n, first)
            local finished = clock.monotonic64()
            latencies[done_txns] = finished - started
            check_ended()
            done_txns = done_txns + 1
            done_ops = done_ops + n
            if observe then
                observe(tonumber(finished - started), n, tonumber(finished - origin))
            end
            fiber.yield()
        end
    end

    collectgarbage()
    collectgarbage()
    host.begin()
    if series then
        origin = clock.monotonic64()
        series.begin(0)
    end
    local cpu_started, started = clock.proc(), clock.monotonic()
    local failed = run_fibers(ctx.fibers, work, has_failed)
    local measured = {
        wall_s = clock.monotonic() - started,
        cpu_s = clock.proc() - cpu_started,
        ops = done_ops,
        done_ops = done_ops,
        txns = done_txns,
        latencies = latencies,
    }
    if series then
        series.finish(tonumber(clock.monotonic64() - origin))
    end
    measured.resources = host.finish(memory_levels())
    return measured, failed
end

-- A fiber that waits for the time of a transaction sleeps until this long before it, or as long as
-- sleeping last took too long, and yields from then on: sleep alone would come too late.
local AWAKE_NS_MIN, AWAKE_NS_MAX = 50e3, 2e6
-- Longest sleep, so that a wish to stop is noticed.
local SLEEP_NS_MAX = 100e6

-- Hands out operations: at once, or each when it is due by a rate. At most one fiber waits for the
-- clock, the others for `turn`.
local function new_schedule(records, ops_per_txn, rate_per_s, now_ns)
    local schedule = {next_op = 1, ends_ns = math.huge}
    local interval_ns = rate_per_s and 1e9 / rate_per_s
    local turn, has_waiter, awake_ns = fiber.cond(), false, AWAKE_NS_MIN

    -- Comes back somewhat nearer to `due_ns`, or after it.
    local function wait_towards(due_ns, now)
        local pause = math.min(due_ns - now - awake_ns, SLEEP_NS_MAX)
        if pause <= 0 then
            fiber.yield()
            return now_ns()
        end
        fiber.sleep(pause / 1e9)
        local woken = now_ns()
        awake_ns = math.min(math.max(woken - now - pause, awake_ns * 0.9, AWAKE_NS_MIN), AWAKE_NS_MAX)
        return woken
    end

    -- The time at which the next operation is due: `now` without a rate.
    local function next_due(now)
        return interval_ns and (schedule.next_op - 1) * interval_ns or now
    end

    -- Takes operations; answers with the first one, their number, the time at which they were due
    -- and the time now, or with nothing at the end.
    function schedule.take(is_stopped)
        while true do
            local now = now_ns()
            local due_ns = next_due(now)
            local first = schedule.next_op
            if now >= schedule.ends_ns or is_stopped() or (first > records and now >= due_ns) then
                turn:broadcast()
                return nil
            elseif now >= due_ns then
                local n = math.min(ops_per_txn, records - first + 1)
                schedule.next_op = first + n
                if interval_ns ~= nil and not has_waiter then
                    turn:signal()
                end
                return first, n, due_ns, now
            elseif has_waiter then
                turn:wait()
            else
                has_waiter = true
                local until_ns = math.min(due_ns, schedule.ends_ns)
                while now < until_ns and not is_stopped() do
                    now = wait_towards(until_ns, now)
                end
                has_waiter = false
            end
        end
    end

    -- Operations that were due before the end and have not begun.
    function schedule.backlog_ops(now)
        if interval_ns == nil then
            return nil
        end
        local due_ops = math.min(math.ceil(math.min(now, schedule.ends_ns) / interval_ns), records)
        return math.max(0, due_ops - (schedule.next_op - 1))
    end

    return schedule
end

-- Runs operations by the clock: for a time, at a rate, or both, counting from the first transaction
-- that ends after the warm-up. Answers as `run_all` does, with histograms instead of latencies.
local function run_by_clock(workload, ctx, pace, series, host)
    local transaction, stop = workload.transaction, host.stop
    local has_failed = ffi.new('uint8_t[1]')
    local function is_stopped()
        return stop[0] ~= 0 or has_failed[0] ~= 0
    end

    local warmup_ns, duration_ns = pace.warmup_s * 1e9, (pace.duration_s or math.huge) * 1e9
    collectgarbage()
    collectgarbage()
    if warmup_ns == 0 then
        host.begin()
    end
    local origin = clock.monotonic64()
    local function now_ns()
        return tonumber(clock.monotonic64() - origin)
    end
    local schedule =
        new_schedule(ctx.records or math.huge, ctx.ops_per_txn, pace.rate_per_s, now_ns)
    local latencies = new_histogram()
    local corrected = pace.rate_per_s and new_histogram()
    local done_ops, counted_ops = 0, 0
    local counted_from, cpu_started

    local function start_counting(now)
        counted_from, cpu_started = now, clock.proc()
        schedule.ends_ns = now + duration_ns
        if series then
            series.begin(now)
        end
    end

    -- What is counted of a transaction, all of it; the corrected latency runs from the time at which
    -- it was due, however late it began.
    local function observe(latency_ns, corrected_ns, ops, finished)
        counted_ops = counted_ops + ops
        record(latencies, latency_ns)
        if corrected then
            record(corrected, corrected_ns)
        end
        if series then
            series.observe(latency_ns, ops, finished)
        end
    end

    local function work(fiber_id)
        while true do
            local first, n, due_ns, started = schedule.take(is_stopped)
            if first == nil then
                return
            end
            transaction(ctx, fiber_id, n, first)
            local finished = now_ns()
            check_ended()
            done_ops = done_ops + n
            if counted_from ~= nil then
                observe(finished - started, finished - due_ns, n, finished)
            elseif finished >= warmup_ns then
                host.begin()
                start_counting(now_ns())
            end
            fiber.yield()
        end
    end

    if warmup_ns == 0 then
        start_counting(0)
    end
    local failed = run_fibers(ctx.fibers, work, has_failed)
    local ended = now_ns()
    counted_from, cpu_started = counted_from or ended, cpu_started or clock.proc()
    local cpu_s = clock.proc() - cpu_started
    if series then
        series.finish(ended)
    end
    return {
        wall_s = (ended - counted_from) / 1e9,
        cpu_s = cpu_s,
        resources = host.finish(memory_levels()),
        ops = counted_ops,
        done_ops = done_ops,
        backlog_ops = schedule.backlog_ops(ended),
        histogram = latencies,
        corrected = corrected or nil,
    }, failed
end

local BOOLEANS = {['true'] = true, ['false'] = false}

-- A setting as the option's default is: a number, a boolean or a string.
local function convert(option, text)
    local kind, value = type(option.default), text
    if kind == 'number' then
        value = tonumber(text)
    elseif kind == 'boolean' then
        value = BOOLEANS[text]
    end
    if value == nil then
        error(('option %s takes a %s, not %s'):format(option.name, kind, text), 0)
    end
    return value
end

local function contains(list, wanted)
    for _, value in ipairs(list) do
        if value == wanted then
            return true
        end
    end
    return false
end

-- Refuses a value outside what the option admits: a `range` of whole numbers, a list of `choices`.
local function check_value(option, value)
    local range, choices = option.range, option.choices
    if range ~= nil and not (value >= range[1] and value <= range[2] and value % 1 == 0) then
        error(('option %s takes a whole number from %.0f to %.0f, not %s')
            :format(option.name, range[1], range[2], tostring(value)), 0)
    elseif choices ~= nil and not contains(choices, value) then
        error(('option %s takes one of %s, not %s')
            :format(option.name, table.concat(choices, ', '), tostring(value)), 0)
    end
end

-- The values of the workload's options, all there.
local function resolve_options(workload, settings, ctx)
    local options = {}
    for _, option in ipairs(workload.options or {}) do
        local text = settings[option.name]
        if text == nil then
            options[option.name] = option.default
        else
            options[option.name] = convert(option, text)
            check_value(option, options[option.name])
        end
    end
    if workload.check ~= nil then
        workload.check(options, ctx)
    end
    return options
end

-- Runs the transactions and notes what came of them where `verify` finds it.
local function run_transactions(workload, ctx, pace, host)
    local is_by_clock = pace.duration_s ~= nil or pace.rate_per_s ~= nil
    local series = pace.report_interval_s and new_series(pace.report_interval_s, host)
    host.enter('transactions')
    local measured, failed
    if is_by_clock then
        measured, failed = run_by_clock(workload, ctx, pace, series, host)
    else
        measured, failed = run_all(workload, ctx, series, host)
    end
    host.enter('verification')
    ctx.done_ops = measured.done_ops
    ctx.complete = measured.done_ops == ctx.records
    measured.is_stopped = host.stop[0] ~= 0 and not ctx.complete
    return measured, failed
end

-- Runs one repetition. `host` holds `peak_rss_bytes()`, `enter(phase)` and `stop`, a pointer to a
-- byte that is not 0 once no more transactions shall begin; and what reads resources: `begin()` just
-- before counting begins, `sample(sample, memory_levels)` behind each interval that was asked for,
-- `finish(memory_levels)` behind the last transaction.
local function drive(workload, ctx, settings, pace, host)
    local results, failed = guard('options', resolve_options, workload, settings, ctx)
    if failed ~= nil then
        return nil, {kind = 'usage', message = failed.message}
    end
    ctx.options = results[2]
    local _
    _, failed = call(workload, 'prepare', ctx)
    if failed ~= nil then
        return nil, failed
    end
    local used_before = box.slab.info().arena_used
    results, failed = guard('transaction', run_transactions, workload, ctx, pace, host)
    if failed ~= nil then
        return nil, failed
    end
    local measured = results[2]
    failed = results[3]
    if failed ~= nil then
        failed.records_done = measured.done_ops
        return nil, failed
    end
    measured.peak_rss_bytes = host.peak_rss_bytes()
    -- Deletes may leave less than there was: no bytes a record then.
    measured.bytes_per_record =
        math.max(0, tonumber(box.slab.info().arena_used - used_before)) / math.max(1, measured.done_ops)
    if workload.verify ~= nil then
        results, failed = call(workload, 'verify', ctx)
        if failed ~= nil then
            return nil, failed
        end
        local checksum, reason = results[2], results[3]
        if checksum == nil and reason ~= nil then
            return nil, {kind = 'verification', message = text_of(reason)}
        elseif type(checksum) ~= 'string' and type(checksum) ~= 'number' then
            return nil, {kind = 'workload', hook = 'verify', message = ('verify() returned %s; return '
                .. 'a checksum (a string or number), or nil and what is wrong'):format(tostring(checksum))}
        end
        measured.checksum = tostring(checksum)
    end
    _, failed = call(workload, 'cleanup', ctx)
    if failed ~= nil then
        return nil, failed
    elseif measured.is_stopped then
        local is_verified = workload.verify ~= nil
        return nil, {kind = 'stopped', done_ops = measured.done_ops, is_verified = is_verified}
    elseif measured.ops == 0 then
        return nil, {kind = 'usage', message = 'no transaction was counted within the time of '
            .. '--duration; give it more'}
    end
    return measured
end

local embedded = ...
if type(embedded) == 'table' then
    local host = embedded.host
    host.stop = ffi.cast('const uint8_t *', host.stop)
    local measured, failed =
        drive(embedded.workload, embedded.ctx, embedded.settings, embedded.pace, host)
    if measured ~= nil and measured.latencies ~= nil then
        measured.latencies = ffi.string(measured.latencies, 8 * measured.txns)
    end
    for _, name in ipairs({'histogram', 'corrected'}) do
        if measured ~= nil and measured[name] ~= nil then
            measured[name].counts = ffi.string(measured[name].counts, 8 * BUCKETS)
        end
    end
    return measured, failed
end

-- From here on: a real Tarantool.

local fio = require('fio')

local function fail(message)
    io.stderr:write('run.lua: ', message, '\n')
    os.exit(1)
end

local function parse_arguments(arguments)
    -- The workload may have defaults of its own for what is false here.
    local parsed = {
        records = false, fibers = 50, ['ops-per-txn'] = false, index = 'TREE',
        memory = 4 * 1024 * 1024 * 1024, jit = 'on', seed = 1, prefix = '',
        -- 0 is none.
        duration = 0, warmup = 0, rate = 0, ['report-interval'] = 0,
    }
    local settings = {}
    local position = 1
    while arguments[position] ~= nil do
        local key = arguments[position]:match('^%-%-(.+)$')
        local value = arguments[position + 1]
        if key == nil or value == nil then
            fail(('expected --OPTION VALUE, got %s'):format(arguments[position]))
        end
        if key == 'set' then
            local name, setting = value:match('^([^=]+)=(.*)$')
            if name == nil then
                fail(('--set takes KEY=VALUE, got %s'):format(value))
            end
            settings[name] = setting
        elseif type(parsed[key]) == 'number' or parsed[key] == false then
            parsed[key] = tonumber(value) or fail(('--%s takes a number'):format(key))
        elseif key == 'workload' or parsed[key] ~= nil then
            parsed[key] = value
        else
            fail(('unknown option --%s'):format(key))
        end
        position = position + 2
    end
    if parsed.workload == nil then
        fail('--workload FILE.lua is missing')
    end
    return parsed, settings
end

-- A histogram of a list of latencies.
local function histogram_of(latencies, count)
    local histogram = new_histogram()
    for position = 0, count - 1 do
        record(histogram, tonumber(latencies[position]))
    end
    return histogram
end

-- Percentiles, and the counts as a list of {value, count}.
local function summarize(histogram)
    local counts = {}
    for bucket = 0, BUCKETS - 1 do
        local count = histogram.counts[bucket]
        if count > 0 then
            table.insert(counts, {value_of(bucket), count})
        end
    end
    return percentiles_of(histogram, 0, BUCKETS - 1), counts
end

-- The names that results have for architectures.
local ARCHITECTURES = {x64 = 'x86_64', arm64 = 'aarch64'}

-- Peak resident memory from /proc; 0 where there is none.
local function peak_rss_bytes()
    local file = io.open('/proc/self/status')
    if file == nil then
        return 0
    end
    local kilobytes = file:read('*a'):match('VmHWM:%s+(%d+)')
    file:close()
    return (tonumber(kilobytes) or 0) * 1024
end

-- A number that was given.
local function given(number)
    return number > 0 and number or nil
end

local function main()
    local parsed, settings = parse_arguments(arg)
    local traces, aborts = 0, 0
    if parsed.jit == 'off' then
        jit.off()
    else
        jit.attach(function(event)
            if event == 'stop' then
                traces = traces + 1
            elseif event == 'abort' then
                aborts = aborts + 1
            end
        end, 'trace')
    end
    -- Lycosa's own modules, `lycosa.random` for one, are beside this file.
    local own_folder = fio.abspath(fio.dirname(arg[0]))
    package.path = fio.pathjoin(own_folder, '?.lua') .. ';' .. package.path
    -- Before box.cfg, which changes into the working directory.
    local workload = dofile(parsed.workload)
    local directory = fio.tempdir()
    box.cfg({
        memtx_memory = parsed.memory, wal_mode = 'none', work_dir = directory,
        log_level = 2, checkpoint_interval = 0,
    })
    local pace = {
        duration_s = given(parsed.duration), warmup_s = parsed.warmup, rate_per_s = given(parsed.rate),
        report_interval_s = given(parsed['report-interval']),
    }
    local defaults = workload.defaults or {}
    local records = parsed.records or defaults.records or 1000000
    local ctx = {
        records = pace.duration_s == nil and records or nil, fibers = parsed.fibers,
        ops_per_txn = parsed['ops-per-txn'] or defaults.ops_per_txn or 100,
        index = parsed.index, seed = parsed.seed,
    }
    local series = pace.report_interval_s and {}
    local function sample(interval, levels)
        interval.resources = levels
        table.insert(series, interval)
        io.stdout:write(parsed.prefix, 'sample ', json.encode(interval), '\n')
        io.stdout:flush()
    end
    local measured, failed = drive(workload, ctx, settings, pace, {
        peak_rss_bytes = peak_rss_bytes, enter = function() end, stop = ffi.new('uint8_t[1]'),
        begin = function() end, sample = sample, finish = function(levels) return levels end,
    })
    fio.rmtree(directory)
    if failed ~= nil then
        fail(('%s: %s%s'):format(failed.hook or failed.kind, failed.message, failed.traceback or ''))
    end
    local name = fio.basename(parsed.workload, '.lua')
    local percentiles, counts =
        summarize(measured.histogram or histogram_of(measured.latencies, measured.txns))
    local corrected_percentiles, corrected_counts
    if measured.corrected ~= nil then
        corrected_percentiles, corrected_counts = summarize(measured.corrected)
    end
    print(parsed.prefix .. json.encode({
        arm = 'tarantool', workload = name, records = ctx.records, fibers = ctx.fibers,
        ops_per_txn = ctx.ops_per_txn, index = parsed.index:lower(),
        wall_s = measured.wall_s, cpu_s = measured.cpu_s, ops = measured.ops,
        ops_per_s = measured.ops / measured.wall_s, peak_rss_bytes = measured.peak_rss_bytes,
        bytes_per_record = measured.bytes_per_record, checksum = measured.checksum,
        txn_latency_ns = percentiles, txn_latency_counts = counts,
        txn_latency_corrected_ns = corrected_percentiles,
        txn_latency_corrected_counts = corrected_counts, backlog_ops = measured.backlog_ops,
        duration_s = pace.duration_s, warmup_s = pace.warmup_s, rate_per_s = pace.rate_per_s,
        jit = (jit.status()), jit_traces = traces, jit_aborts = aborts,
        program = 'Tarantool ' .. _TARANTOOL, seed = ctx.seed, memory_bytes = parsed.memory,
        binary_arch = ARCHITECTURES[jit.arch] or jit.arch, os = jit.os,
        resources = measured.resources, series = series or nil,
    }))
    os.exit(0)
end

main()
