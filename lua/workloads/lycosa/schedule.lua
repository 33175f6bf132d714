-- When operations begin: at once, or each when it is due by a rate, until there are no more or the
-- time is over. At most one fiber waits for the clock, the others for their turn, so that a rate costs
-- the same with any number of fibers. Runs under Tarantool too.

local fiber = require('fiber')

-- A fiber that waits for the time of a transaction sleeps until this long before it, or as long as
-- sleeping last took too long, and yields from then on: sleep alone would come too late.
local AWAKE_NS_MIN, AWAKE_NS_MAX = 50e3, 2e6
-- Longest sleep, so that a wish to stop is noticed.
local SLEEP_NS_MAX = 100e6

local schedules = {}

-- A schedule of operations that are handed out `ops_per_txn` at a time; `now_ns()` is the time since
-- its start. `ends_ns` may be set at any time.
function schedules.new(records, ops_per_txn, rate_per_s, now_ns)
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

return schedules
