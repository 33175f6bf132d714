-- When operations begin: at once, or each when it is due by a rate, until there are no more or the
-- time is over. At a rate one fiber has the turn and waits for the clock, the others wait in a queue for
-- the turn, so that a rate costs the same with any number of fibers. The wait is a sleep only where the
-- time is far: its last milliseconds keep the thread busy. Runs under Tarantool too.

local fiber = require('fiber')

-- A fiber that waits for the time of a transaction sleeps until this long before it, or as long as
-- sleeping last took too long, and stays awake from then on: a sleep alone comes too late, under
-- Tarantool by up to a millisecond, and this lateness would be part of the corrected latency.
local AWAKE_NS_MIN, AWAKE_NS_MAX = 1e6, 5e6
-- Longest sleep, so that a wish to stop is noticed.
local SLEEP_NS_MAX = 100e6

local schedules = {}

-- A schedule of operations that are handed out `ops_per_txn` at a time; `now_ns()` is the time since
-- its start. `ends_ns` may be set at any time.
function schedules.new(records, ops_per_txn, rate_per_s, now_ns)
    local schedule = {next_op = 1, ends_ns = math.huge}
    local interval_ns = rate_per_s and 1e9 / rate_per_s
    -- The operation that is due at `base_ns`.
    local base_op, base_ns = 1, 0
    local turn, is_taken, waiting = fiber.cond(), false, 0
    local awake_ns = AWAKE_NS_MIN

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

    -- Comes back once it is this fiber's turn. Only who has the turn yields, which lets other fibers and
    -- the event loop run: where several fibers yield, Tarantool's loop may wait a millisecond.
    local function take_turn()
        if is_taken then
            waiting = waiting + 1
            turn:wait()
        end
        is_taken = true
        fiber.yield()
    end

    -- The turn goes to the fiber that waits for it longest.
    local function pass_turn()
        if waiting > 0 then
            waiting = waiting - 1
            turn:signal()
        else
            is_taken = false
        end
    end

    -- The time at which the next operation is due: `now` without a rate.
    local function next_due(now)
        return interval_ns and base_ns + (schedule.next_op - base_op) * interval_ns or now
    end

    -- Lets what is due and has not begun be due from now on, at the rate; where nothing is late,
    -- nothing changes.
    function schedule.forget_backlog(now)
        if next_due(now) < now then
            base_op, base_ns = schedule.next_op, now
        end
    end

    -- Comes back when operations are due or nothing is left to do; answers with the time, and with
    -- whether there is something.
    local function await(is_stopped)
        local now = now_ns()
        while true do
            local due_ns = next_due(now)
            local is_due = now >= due_ns
            if now >= schedule.ends_ns or is_stopped() or (is_due and schedule.next_op > records) then
                return now, false
            elseif is_due then
                return now, true
            end
            now = wait_towards(math.min(due_ns, schedule.ends_ns), now)
        end
    end

    -- Takes operations; answers with the first one, their number, the time at which they were due
    -- and the time now, or with nothing at the end. At a rate it yields before it does so.
    function schedule.take(is_stopped)
        if interval_ns ~= nil then
            take_turn()
        end
        local now, is_due = await(is_stopped)
        local first, due_ns = schedule.next_op, next_due(now)
        local n = math.min(ops_per_txn, records - first + 1)
        if is_due then
            schedule.next_op = first + n
        end
        if interval_ns ~= nil then
            pass_turn()
        end
        if is_due then
            return first, n, due_ns, now
        end
    end

    -- Operations that were due before the end and have not begun.
    function schedule.backlog_ops(now)
        if interval_ns == nil then
            return nil
        end
        local since_base = math.ceil((math.min(now, schedule.ends_ns) - base_ns) / interval_ns)
        return math.max(0, math.min(base_op - 1 + since_base, records) - (schedule.next_op - 1))
    end

    return schedule
end

return schedules
