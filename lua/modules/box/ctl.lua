-- `box.ctl`: waiting for the read-only mode to change, and triggers of the instance's
-- life. One instance that has no log is always its own leader, so that promotions do nothing.

local fiber = require('fiber')
local cfg = require('lycosa.cfg')
local errors = require('lycosa.error')
local events = require('lycosa.events')
local log = require('log')
local text_of = require('lycosa.thrown').text_of

local mode_changed = fiber.cond()
cfg.on_change('read_only', function() mode_changed:broadcast() end)

local function wait_for(is_read_only, timeout)
    if timeout ~= nil and type(timeout) ~= 'number' then
        error(("bad argument #1 to '?' (number expected, got %s)"):format(type(timeout)), 3)
    end
    local deadline = fiber.clock() + (timeout or math.huge)
    while not cfg.is_configured() or cfg.is_read_only() ~= is_read_only do
        local left = deadline - fiber.clock()
        if left <= 0 then
            errors.throw_kind('TimedOut', 'timed out')
        end
        mode_changed:wait(left < math.huge and left or nil)
    end
end

local shutdown_timeout = 3

local ctl = box.ctl
ctl.is_recovery_finished = cfg.is_configured

for _, name in ipairs({'on_shutdown', 'on_schema_init', 'on_recovery_state', 'on_election'}) do
    local event = events.event('box.ctl.' .. name)
    ctl[name] = function(...) return events.reset(event, ...) end
end

function ctl.wait_ro(timeout)
    wait_for(true, timeout)
end

function ctl.wait_rw(timeout)
    wait_for(false, timeout)
end

function ctl.set_on_shutdown_timeout(...)
    local timeout = ...
    if select('#', ...) ~= 1 then
        box.error(box.error.ILLEGAL_PARAMS, 'function expected one argument')
    elseif type(timeout) ~= 'number' then
        error(("bad argument #1 to '?' (number expected, got %s)"):format(type(timeout)), 2)
    elseif not (timeout > 0) then
        box.error(box.error.ILLEGAL_PARAMS, 'on_shutdown timeout must be greater then zero')
    end
    shutdown_timeout = timeout
end

local function nothing() end

for _, name in ipairs({'promote', 'demote', 'clear_synchro_queue', 'make_bootstrap_leader', 'wal_sync'}) do
    ctl[name] = nothing
end

function ctl.replica_gc()
    box.error(box.error.UNSUPPORTED, 'Lycosa', 'box.ctl.replica_gc()')
end

function ctl.iproto_lockdown()
    box.error(box.error.ILLEGAL_PARAMS,
        'box.ctl.iproto_lockdown() is available only in Enterprise Edition builds.')
end

-- Runs each function in a fiber of its own, and waits for all of them for the time that was set.
-- Errors are logged. What is over when the process ends is not waited for.
local function run_shutdown_triggers()
    local running = {}
    for position, callable in ipairs(events.list_of('box.ctl.on_shutdown'):functions()) do
        local one = fiber.new(callable)
        one:set_joinable(true)
        running[position] = one
    end
    local deadline = fiber.clock() + shutdown_timeout
    for _, one in ipairs(running) do
        local ok, reason = one:join(math.max(deadline - fiber.clock(), 0))
        if not ok then
            log.error('on_shutdown trigger: %s', text_of(reason))
        end
    end
end

return {run_shutdown_triggers = run_shutdown_triggers}
