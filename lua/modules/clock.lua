-- The module `clock`. Plain functions answer in seconds, those that end in 64 in nanoseconds, as
-- 64-bit unsigned integers.

local native = ...
local ffi = require('ffi')

local clock_ns = ffi.cast('uint64_t (*)(int32_t)', native.clock_ns)
local clock_seconds = ffi.cast('double (*)(int32_t)', native.clock_seconds)
local REALTIME, MONOTONIC, PROCESS, THREAD = 0, 1, 2, 3

local clock = {}

function clock.realtime() return clock_seconds(REALTIME) end
function clock.monotonic() return clock_seconds(MONOTONIC) end
function clock.proc() return clock_seconds(PROCESS) end
function clock.thread() return clock_seconds(THREAD) end

function clock.realtime64() return clock_ns(REALTIME) end
function clock.monotonic64() return clock_ns(MONOTONIC) end
function clock.proc64() return clock_ns(PROCESS) end
function clock.thread64() return clock_ns(THREAD) end

clock.time = clock.realtime
clock.time64 = clock.realtime64

-- Calls `action` and returns a list: the processor time it took in seconds, then its results.
function clock.bench(action, ...)
    local start = clock.proc()
    local result = {0, action(...)}
    result[1] = clock.proc() - start
    return result
end

return clock
