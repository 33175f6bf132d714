-- Tarantool's socket module, of which one function works: `iowait`, which waits for a file descriptor
-- while other fibers run. Sockets themselves are not supported.

local wait_for_descriptor = require('lycosa.fiber').wait_for_descriptor
local fiber = require('fiber')

local EVENTS = {r = 1, w = 2}
local NAMES = {[0] = '', 'R', 'W', 'RW'}
local USAGE = "Usage: iowait(fd, 1 | 'r' | 2 | 'w' | 3 | 'rw' [, timeout])"

local function checked_number(position, value)
    local number = tonumber(value)
    if type(value) ~= 'string' and type(value) ~= 'number' or number == nil then
        error(("bad argument #%d to '?' (number expected, got %s)"):format(position, type(value)), 0)
    end
    return number
end

-- The sum of the events that a string names, or nothing.
local function parse_events(text)
    local events = 0
    for letter in text:lower():gmatch('.') do
        events = bit.bor(events, EVENTS[letter] or 4)
    end
    return events
end

-- With neither descriptor nor events this is a sleep. Whatever wakes the fiber ends the wait.
local function iowait(descriptor, events, timeout)
    if timeout ~= nil then
        timeout = checked_number(3, timeout)
    end
    if descriptor == nil and events == nil then
        return fiber.sleep(timeout or math.huge)
    end
    descriptor = descriptor ~= nil and math.modf(checked_number(1, descriptor)) or -1
    local wanted = events
    if type(events) == 'string' then
        wanted = parse_events(events)
    elseif type(events) == 'number' then
        wanted = math.modf(events)
    end
    if descriptor < 0 or wanted ~= 1 and wanted ~= 2 and wanted ~= 3 then
        error(USAGE, 0)
    end
    local came = wait_for_descriptor(descriptor, wanted, timeout)
    if came == false then
        fiber.testcancel()
    elseif type(came) == 'string' then
        box.error(box.error.PROC_LUA, 'iowait: ' .. came)
    end
    if type(events) == 'string' then
        return NAMES[came]
    end
    return came
end

local function refuse(name)
    return function()
        box.error(box.error.UNSUPPORTED, 'Lycosa', name)
    end
end

local socket = {iowait = iowait}
for _, name in ipairs({'tcp_connect', 'tcp_server', 'getaddrinfo', 'bind', 'connect'}) do
    socket[name] = refuse(('socket.%s()'):format(name))
end
return setmetatable(socket, {__call = refuse('socket()')})
