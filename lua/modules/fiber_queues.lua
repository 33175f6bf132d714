-- Channels and condition variables of the fiber module.

local primitives, fiber, with_metatable, raise_cancelled = ...

local error, getmetatable, rawequal, select = error, debug.getmetatable, rawequal, select
local tonumber, type = tonumber, type

--- Condition variables.

local condition_metatable = {__metatable = 'fiber.cond', __gc = primitives.condition_free}
local condition_methods = {}
condition_metatable.__index = condition_methods

-- Checks the object of a method; without one the usage is told.
local function check_object(value, metatable, name, usage)
    if value == nil then
        error('usage: ' .. usage, 4)
    elseif type(value) ~= 'userdata' or not rawequal(getmetatable(value), metatable) then
        error(("bad argument #1 to '?' (%s expected, got %s)"):format(name, type(value)), 4)
    end
end

local function check_condition(value, usage)
    check_object(value, condition_metatable, 'fiber.cond', usage)
end

function fiber.cond()
    return with_metatable(primitives.condition_new(), condition_metatable)
end

function condition_methods.wait(self, timeout)
    check_condition(self, 'cond:wait([timeout])')
    if timeout ~= nil then
        timeout = tonumber(timeout)
        if timeout == nil or timeout < 0 then
            error('usage: cond:wait([timeout])', 2)
        end
    end
    local ok, reason = primitives.condition_wait(self, timeout)
    if reason == 'cancelled' then
        raise_cancelled()
    end
    return ok == true
end

function condition_methods.signal(self)
    check_condition(self, 'cond:signal()')
    primitives.condition_signal(self)
end

function condition_methods.broadcast(self)
    check_condition(self, 'cond:broadcast()')
    primitives.condition_broadcast(self)
end

function condition_metatable.__tostring()
    return 'cond'
end

--- Channels.

local channel_metatable = {__metatable = 'fiber.channel', __gc = primitives.channel_free}
local channel_methods = {}
channel_metatable.__index = channel_methods

local channel_info = primitives.channel_info

local function check_channel(value, usage)
    check_object(value, channel_metatable, 'fiber.channel', usage)
end

function fiber.channel(size)
    if size ~= nil then
        size = tonumber(size)
        if size == nil then
            error('fiber.channel(size): bad arguments', 2)
        end
        if size < 0 then
            error('fiber.channel(size): negative size', 2)
        end
    end
    return with_metatable(primitives.channel_new(size or 0), channel_metatable)
end

local function check_timeout(timeout, usage)
    if timeout == nil then
        return nil
    end
    local seconds = tonumber(timeout)
    if seconds == nil or seconds < 0 then
        error('usage: ' .. usage, 3)
    end
    return seconds
end

function channel_methods.put(self, ...)
    local usage = 'channel:put(var [, timeout])'
    check_channel(self, usage)
    local count = select('#', ...)
    if count < 1 or count > 2 then
        error('usage: ' .. usage, 2)
    end
    local value, timeout = ...
    timeout = check_timeout(timeout, usage)
    local ok, reason = primitives.channel_put(self, timeout, value)
    if reason == 'cancelled' then
        raise_cancelled()
    end
    return ok == true
end

function channel_methods.get(self, timeout)
    local usage = 'channel:get([timeout])'
    check_channel(self, usage)
    timeout = check_timeout(timeout, usage)
    local ok, value = primitives.channel_get(self, timeout)
    if ok then
        return value
    end
    if value == 'cancelled' then
        raise_cancelled()
    end
    return nil
end

function channel_methods.close(self)
    check_channel(self, 'channel:close()')
    primitives.channel_close(self)
end

-- Methods that answer with one of the facts, or one derived from them.
local facts = {
    size = function(capacity) return capacity end,
    count = function(_, count) return count end,
    is_full = function(capacity, count) return count >= capacity end,
    is_empty = function(_, count) return count == 0 end,
    has_readers = function(_, _, readers) return readers end,
    has_writers = function(_, _, _, writers) return writers end,
    is_closed = function(_, _, _, _, closed) return closed end,
}

for name, fact in pairs(facts) do
    local usage = ('channel:%s()'):format(name)
    channel_methods[name] = function(self)
        check_channel(self, usage)
        return fact(channel_info(self))
    end
end

function channel_metatable.__tostring(self)
    check_channel(self, 'tostring(channel)')
    local _, count, _, _, closed = channel_info(self)
    return closed and 'channel: closed' or ('channel: %d'):format(count)
end
