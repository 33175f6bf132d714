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
-- and the word `sample`. With a prefix, a byte on standard input is the wish that no more transactions
-- begin: what was done is verified then, behind the prefix and the word `verifying`, and the line says
-- what was `stopped`.

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
        local has_ended, err = fibers[fiber_id]:join()
        -- Without memory even the guard fails.
        if not has_ended then
            failed = failed or {kind = 'workload', hook = 'transaction', message = text_of(err)}
            has_failed[0] = 1
        end
    end
    return failed
end

local function check_ended()
    if box.is_in_txn() then
        error('transaction() returned without box.commit() or box.rollback()', 0)
    end
end

-- Runs a known number of operations as fast as they go. Answers with wall time, CPU time, operations
-- done, the latency of each transaction in nanoseconds, and the failure if there was one. `host.stop[0]`
-- becomes 1 when the user wants no more transactions.
local function run_all(workload, ctx, course, host)
    local stop, observe = host.stop, course and course.observe
    local records, ops_per_txn = ctx.records, ctx.ops_per_txn
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
    if course then
        origin = clock.monotonic64()
        course.begin(0)
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
    if course then
        course.finish(tonumber(clock.monotonic64() - origin))
    end
    return measured, failed
end

-- Runs operations by the clock: for a time, at a rate, or both, counting from the first transaction
-- that ends after the warm-up. Answers as `run_all` does, with histograms instead of latencies.
local function run_by_clock(workload, ctx, pace, course, host)
    local histogram, schedules = require('lycosa.histogram'), require('lycosa.schedule')
    local transaction, stop = workload.transaction, host.stop
    local has_failed = ffi.new('uint8_t[1]')
    local function is_stopped()
        return stop[0] ~= 0 or has_failed[0] ~= 0
    end

    collectgarbage()
    collectgarbage()
    local origin = clock.monotonic64()
    local function now_ns()
        return tonumber(clock.monotonic64() - origin)
    end
    local schedule =
        schedules.new(ctx.records or math.huge, ctx.ops_per_txn, pace.rate_per_s, now_ns)
    local latencies = histogram.new()
    local corrected = pace.rate_per_s and histogram.new()
    local done_ops, counted_ops = 0, 0
    local warmup_ns, duration_ns = pace.warmup_s * 1e9, (pace.duration_s or math.huge) * 1e9
    local counted_from, cpu_started, ends_ns

    -- As fast as it goes, at least one transaction counts, however slow it is. At a rate, what the
    -- warm-up left undone is not worked off in the time that counts.
    local function start_counting(now)
        schedule.forget_backlog(now)
        host.begin()
        counted_from, cpu_started, ends_ns = now, clock.proc(), now + duration_ns
        schedule.ends_ns = corrected and ends_ns or math.huge
        if course then
            course.begin(now)
        end
    end

    -- What is counted of a transaction, all of it; the corrected latency runs from the time at which
    -- it was due, however late it began.
    local function observe(latency_ns, corrected_ns, ops, finished)
        counted_ops = counted_ops + ops
        schedule.ends_ns = ends_ns
        histogram.record(latencies, latency_ns)
        if corrected then
            histogram.record(corrected, corrected_ns)
        end
        if course then
            course.observe(latency_ns, ops, finished)
        end
    end

    local function work(fiber_id)
        -- Here and not before, so that nothing is late for the making of the fibers.
        if counted_from == nil and warmup_ns == 0 then
            start_counting(now_ns())
        end
        while true do
            local first, n, due_ns, started = schedule.take(is_stopped)
            if first == nil then
                return
            end
            transaction(ctx, fiber_id, n, first)
            local finished = now_ns()
            check_ended()
            done_ops = done_ops + n
            if counted_from ~= nil and (not corrected or due_ns >= counted_from) then
                observe(finished - started, finished - due_ns, n, finished)
            elseif counted_from == nil and finished >= warmup_ns then
                start_counting(finished)
            end
            if not corrected then
                fiber.yield()
            end
        end
    end

    -- At a rate the next transaction may be due long after all is over.
    schedule.ends_ns = corrected and warmup_ns + duration_ns or math.huge
    local failed = run_fibers(ctx.fibers, work, has_failed)
    local ended = now_ns()
    counted_from, cpu_started = counted_from or ended, cpu_started or clock.proc()
    local measured = {
        wall_s = (ended - counted_from) / 1e9,
        cpu_s = clock.proc() - cpu_started,
        ops = counted_ops,
        done_ops = done_ops,
        backlog_ops = schedule.backlog_ops(ended),
        histogram = latencies,
        corrected = corrected or nil,
    }
    if course then
        course.finish(ended)
    end
    return measured, failed
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
    local series = require('lycosa.series')
    local course = pace.report_interval_s and series.new(pace.report_interval_s, host.sample)
    host.enter('transactions')
    local measured, failed
    if is_by_clock then
        measured, failed = run_by_clock(workload, ctx, pace, course, host)
    else
        measured, failed = run_all(workload, ctx, course, host)
    end
    measured.resources = host.finish(series.memory_levels())
    host.enter('verification')
    ctx.done_ops = measured.done_ops
    ctx.complete = measured.done_ops == ctx.records
    measured.is_stopped = host.stop[0] ~= 0 and not ctx.complete
    return measured, failed
end

-- Runs one repetition. `host` holds `peak_rss_bytes()`, `enter(phase)`, and `stop`, a pointer to a
-- byte that is not 0 once no more transactions shall begin; and what reads resources: `begin()` just
-- before the first transaction that counts, `sample(sample, memory_levels)` behind each interval that
-- was asked for, `finish(memory_levels)` just behind the last transaction.
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
        return nil, {kind = 'usage', message = 'no transaction was due and done within the '
            .. 'time of --duration; raise it, or --rate'}
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
            measured[name].counts = ffi.string(measured[name].counts, 8 * require('lycosa.histogram').BUCKETS)
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

-- Percentiles and counts of a list of latencies.
local function summarize_list(histogram, latencies, count)
    local recorded = histogram.new()
    for position = 0, count - 1 do
        histogram.record(recorded, tonumber(latencies[position]))
    end
    return histogram.summarize(recorded)
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

-- How long transactions may go on after the wish to stop; a workload may hold one for ever.
local STOP_GRACE_S = 1

-- Exit code where nothing was done that could be verified, or transactions do not end.
local STOPPED = 130

pcall(ffi.cdef, 'ssize_t read(int fd, void *buffer, size_t count);')

-- Waits for a byte on standard input, in a fiber that costs the others nothing, and sees that the
-- transactions end then. `progress.phase` is how far the run is.
local function stop_on_request(stop, progress)
    fiber.create(function()
        fiber.self():name('stopping')
        require('socket').iowait(0, 'R')
        -- The end of the input is no wish.
        if ffi.C.read(0, ffi.new('char[1]'), 1) ~= 1 then
            return
        end
        stop[0] = 1
        if progress.phase == 'transactions' then
            fiber.sleep(STOP_GRACE_S)
        end
        if progress.phase ~= 'verification' then
            os.exit(STOPPED)
        end
    end)
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
    local histogram = require('lycosa.histogram')
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
    local ctx = {
        records = pace.duration_s == nil and (parsed.records or defaults.records or 1000000) or nil,
        fibers = parsed.fibers, ops_per_txn = parsed['ops-per-txn'] or defaults.ops_per_txn or 100,
        index = parsed.index, seed = parsed.seed,
    }
    local samples = pace.report_interval_s and {}
    local function sample(interval, levels)
        interval.resources = levels
        table.insert(samples, interval)
        io.stdout:write(parsed.prefix, 'sample ', json.encode(interval), '\n')
        io.stdout:flush()
    end
    local stop, progress = ffi.new('uint8_t[1]'), {phase = 'preparation'}
    local function enter(phase)
        progress.phase = phase
        if stop[0] ~= 0 and phase == 'verification' then
            io.stdout:write(parsed.prefix, 'verifying\n')
            io.stdout:flush()
        end
    end
    if parsed.prefix ~= '' then
        stop_on_request(stop, progress)
    end
    local measured, failed = drive(workload, ctx, settings, pace, {
        peak_rss_bytes = peak_rss_bytes, enter = enter, stop = stop,
        begin = function() end, sample = sample, finish = function(levels) return levels end,
    })
    fio.rmtree(directory)
    if failed ~= nil and failed.kind == 'stopped' then
        local stopped = {done_ops = failed.done_ops, is_verified = failed.is_verified}
        print(parsed.prefix .. json.encode({stopped = stopped}))
        os.exit(0)
    elseif failed ~= nil then
        fail(('%s: %s%s'):format(failed.hook or failed.kind, failed.message, failed.traceback or ''))
    end
    local name = fio.basename(parsed.workload, '.lua')
    local percentiles, counts, corrected_percentiles, corrected_counts
    if measured.histogram ~= nil then
        percentiles, counts = histogram.summarize(measured.histogram)
    else
        percentiles, counts = summarize_list(histogram, measured.latencies, measured.txns)
    end
    if measured.corrected ~= nil then
        corrected_percentiles, corrected_counts = histogram.summarize(measured.corrected)
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
        resources = measured.resources, series = samples or nil,
    }))
    os.exit(0)
end

main()
