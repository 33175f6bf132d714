-- Tarantool's fiber module over the primitives in the chunk's argument.
--
-- Functions that may yield call a primitive that is a C function, never through an FFI call. Fibers
-- are known by id; the visible object is a userdata, one per fiber while anyone holds it.

-- `add_queues` is the chunk that adds channels and condition variables.
local primitives, add_queues = ...

local ffi = require('ffi')
local text_of = require('lycosa.thrown').text_of

local error, getmetatable, rawequal, rawset, select = error, debug.getmetatable, rawequal, rawset, select
local setmetatable, tonumber, tostring, type, unpack = setmetatable, tonumber, tostring, type, unpack
local switch, sleep, is_cancelled = primitives.yield, primitives.sleep, primitives.is_cancelled
local exists, current_id, object_id = primitives.exists, primitives.current_id, primitives.object_id
local start, kept_object, mark = primitives.start, primitives.object, primitives.mark

local NAME_LIMIT_BYTES = 255

local fiber = {}
local methods = {}
local fiber_metatable = {__metatable = 'fiber'}

local objects = setmetatable({}, {__mode = 'v'}) -- id -> object of an ended joinable fiber
local storages = {} -- id -> table that the fiber keeps until it ends
local locals = {} -- the same for other modules
local outcomes = {} -- id -> {n =, ok, values...} of an ended joinable fiber, until the join

-- id -> function that runs when the fiber's own has ended; whoever sets one takes it out.
local exits = setmetatable({}, {
    __newindex = function(all, id, at_exit)
        mark(id)
        rawset(all, id, at_exit)
    end,
})
package.loaded['lycosa.fiber_exits'] = exits

--- Errors.

-- An error object of the named type when box can make one, else the value itself.
local function as_error(type_name, value)
    local make = package.loaded['internal.box_error']
    if make ~= nil then
        return make(type_name, value)
    end
    return value
end

local function raise_cancelled()
    error(as_error('FiberIsCancelled', 'fiber is cancelled'), 0)
end

local function is_cancel_error(value)
    return (type(value) == 'string' or type(value) == 'cdata') and text_of(value) == 'fiber is cancelled'
end

--- Objects.

local set_metatable = debug.setmetatable

local function with_metatable(userdata, metatable)
    set_metatable(userdata, metatable)
    return userdata
end

local function object_of(id)
    local object = kept_object(id) or objects[id]
    if object == nil then
        object = primitives.new_object(id)
        objects[id] = object
    end
    return object
end

local function is_fiber(value)
    return type(value) == 'userdata' and rawequal(getmetatable(value), fiber_metatable)
end

-- `level` counts as for `error`, from the caller of this.
local function bad_fiber(value, given, level)
    local got = given and type(value) or 'no value'
    error(("bad argument #1 to '?' (fiber expected, got %s)"):format(got), level + 1)
end

-- The id of a living fiber, given as an object or an id.
local function living_id(...)
    local value = ...
    local id = value
    if is_fiber(value) then
        id = object_id(value)
    elseif type(value) ~= 'number' then
        bad_fiber(value, select('#', ...) > 0, 3)
    end
    if not exists(id) then
        error('the fiber is dead', 3)
    end
    return id
end

--- Life.

-- Says what nobody caught, by the log when there is one.
local function log_line(level, text)
    local log = package.loaded.log
    if log ~= nil then
        log[level]('%s', text)
    else
        io.stderr:write(text, '\n')
    end
end

local function log_error(value)
    local is_object = type(value) == 'cdata' and rawequal(as_error('LuajitError', value), value)
    log_line('error', is_object and text_of(value) or 'LuajitError: ' .. text_of(value))
end

-- What is left to do when a fiber's function has returned or failed: called for those that failed, are
-- joinable, or are marked because one of the tables above knows them.
local function finish(id, ok, ...)
    local at_exit = exits[id]
    if at_exit ~= nil then
        at_exit()
    end
    storages[id], locals[id] = nil, nil
    if primitives.is_joinable(id) then
        objects[id] = kept_object(id)
        local value = ...
        if not ok then
            outcomes[id] = {n = 2, false, as_error('LuajitError', value)}
        else
            outcomes[id] = {n = select('#', ...) + 1, ok, ...}
        end
    elseif not ok and not is_cancel_error((...)) then
        log_error((...))
    end
end

primitives.prepare(fiber_metatable, finish)
coroutine.running = primitives.running_thread

function fiber.create(f, ...)
    if type(f) ~= 'function' then
        error('fiber.create(function, ...): bad arguments', 2)
    end
    local object, message = start(true, f, ...)
    if object == nil then
        error(as_error('OutOfMemory', message), 2)
    end
    return object
end

function fiber.new(f, ...)
    if type(f) ~= 'function' then
        error('fiber.new(function, ...): bad arguments', 2)
    end
    local object, message = start(false, f, ...)
    if object == nil then
        error(as_error('OutOfMemory', message), 2)
    end
    return object
end

function fiber.yield()
    if switch() then
        raise_cancelled()
    end
end

function fiber.sleep(...)
    local delay = tonumber((...))
    if delay == nil or select('#', ...) ~= 1 then
        error('fiber.sleep(delay): bad arguments', 2)
    end
    if sleep(delay) then
        raise_cancelled()
    end
end

function fiber.testcancel(...)
    if select('#', ...) ~= 0 then
        error('fiber.testcancel(): bad arguments', 2)
    end
    if is_cancelled() then
        raise_cancelled()
    end
end
methods.testcancel = function()
    if is_cancelled() then
        raise_cancelled()
    end
end

function fiber.cancel(...)
    local id = living_id(...)
    primitives.cancel(id)
    if is_cancelled() then
        raise_cancelled()
    end
end
fiber.kill, methods.cancel, methods.kill = fiber.cancel, fiber.cancel, fiber.cancel

function fiber.wakeup(...)
    local id = living_id(...)
    primitives.wakeup(id)
end
methods.wakeup = fiber.wakeup

function fiber.join(...)
    local object, timeout = ...
    if not is_fiber(object) then
        bad_fiber(object, select('#', ...) > 0, 2)
    end
    local id = living_id(object)
    if timeout ~= nil and (type(timeout) ~= 'number' or timeout < 0) then
        error('fiber:join(timeout): bad arguments', 2)
    end
    if not primitives.is_joinable(id) then
        error('the fiber is not joinable', 2)
    end
    local failure = primitives.join(id, timeout)
    if failure == false then
        return false, as_error('TimedOut', 'timed out')
    end
    local outcome = outcomes[id]
    outcomes[id] = nil
    if outcome == nil then
        return false, as_error('LuajitError', failure or 'the fiber ended without a result')
    end
    return unpack(outcome, 1, outcome.n)
end
methods.join = fiber.join

function fiber.set_joinable(...)
    local object, joinable = ...
    if not is_fiber(object) or type(joinable) ~= 'boolean' then
        error('fiber.set_joinable(id, yesno): bad arguments', 2)
    end
    local id = living_id(object)
    primitives.set_joinable(id, joinable)
    if not joinable then
        outcomes[id] = nil
    end
end
methods.set_joinable = fiber.set_joinable

--- Looking at fibers.

function fiber.self()
    return object_of(current_id())
end

function fiber.id(...)
    if select('#', ...) == 0 then
        return current_id()
    end
    local object = ...
    if not is_fiber(object) then
        bad_fiber(object, true, 2)
    end
    return object_id(object)
end
methods.id = fiber.id

function fiber.find(...)
    if select('#', ...) ~= 1 then
        error('fiber.find(id): bad arguments', 2)
    end
    local id = tonumber((...)) or 0
    return exists(id) and object_of(id) or nil
end

function fiber.status(...)
    local id
    if select('#', ...) == 0 then
        id = current_id()
    else
        local object = ...
        if not is_fiber(object) then
            bad_fiber(object, true, 2)
        end
        id = object_id(object)
    end
    if not exists(id) then
        return 'dead'
    end
    return primitives.is_running(id) and 'running' or 'suspended'
end
methods.status = fiber.status

function fiber.name(...)
    local first = ...
    local id, given, options, count = nil, first, select(2, ...), select('#', ...)
    local position = 1
    if type(first) == 'userdata' then
        id = living_id(first)
        given, options, count, position = options, select(3, ...), count - 1, 2
    else
        id = current_id()
    end
    if count < 1 then
        return primitives.name(id)
    end
    if type(given) ~= 'string' and type(given) ~= 'number' then
        error(("bad argument #%d to '?' (string expected, got %s)"):format(position, type(given)), 2)
    end
    local name = tostring(given)
    local truncates = type(options) == 'table' and options.truncate == true
    if #name > NAME_LIMIT_BYTES and not truncates then
        error('Fiber name is too long', 2)
    end
    primitives.set_name(id, name)
end
methods.name = fiber.name

function methods.csw(...)
    local id = living_id(...)
    return primitives.switches(id)
end

-- The Lua functions that a fiber is in, the innermost first, without those that are not the script's.
local function backtrace_of(id)
    local frames, thread = {}, primitives.thread(id)
    local level = 0
    while thread ~= nil do
        local frame = debug.getinfo(thread, level, 'Sln')
        if frame == nil then
            break
        elseif frame.what ~= 'C' and not frame.source:find('^@lycosa/') then
            frames[#frames + 1] = {L = ('%s in %s at line %d'):format(
                frame.name or '(unnamed)', frame.source, frame.currentline)}
        end
        level = level + 1
    end
    return frames
end

-- Times are measured from now on: a switch then reads the clock twice.
local top_enabled = false

function fiber.top_enable()
    top_enabled = true
    primitives.measure(true)
end

function fiber.top_disable()
    top_enabled = false
    primitives.measure(false)
end

local function usage_of(id)
    local instant, average, time = primitives.usage(id)
    return {instant = instant, average = average, time = time}
end

local function statistics(id, options)
    local entry = {
        fid = id,
        name = primitives.name(id),
        csw = primitives.switches(id),
        time = top_enabled and usage_of(id).time or 0,
        memory = {total = primitives.stack_size_bytes, used = 0},
    }
    local wanted = true
    if type(options) == 'table' then
        wanted = options.backtrace
        if wanted == nil then
            wanted = options.bt ~= false
        end
    end
    if wanted then
        entry.backtrace = backtrace_of(id)
    end
    return entry
end

function fiber.info(options)
    local all = setmetatable({}, {__serialize = 'mapping'})
    local id = primitives.next_id(0)
    while id ~= nil do
        all[id] = statistics(id, options)
        id = primitives.next_id(id)
    end
    return all
end

function methods.info(object, options)
    local id = living_id(object)
    return statistics(id, options)
end

function fiber.top()
    if not top_enabled then
        error('fiber.top() is disabled. Enable it with fiber.top_enable() first', 2)
    end
    local cpu = {['1/sched'] = usage_of(nil)}
    local id = primitives.next_id(0)
    while id ~= nil do
        cpu[('%d/%s'):format(id, primitives.name(id))] = usage_of(id)
        id = primitives.next_id(id)
    end
    return {cpu = cpu, cpu_misses = 0}
end

-- Where fibers were made is not recorded: there is nothing to switch on or off.
for _, name in ipairs({'leak_backtrace_enable', 'leak_backtrace_disable',
    'parent_backtrace_enable', 'parent_backtrace_disable'}) do
    fiber[name] = function() end
end

--- Time: the loop's, as in Tarantool; microseconds in the 64-bit forms.

fiber.time = primitives.time
fiber.clock = primitives.clock

function fiber.time64()
    return ffi.cast('uint64_t', primitives.time() * 1e6)
end

function fiber.clock64()
    return ffi.cast('uint64_t', primitives.clock() * 1e6)
end

--- Slices. A slice counts from the fiber's first check after it got control, so that switches need
--- not read the clock.

local default_slice = {warn = 0.5, err = 1.0}
local slices = setmetatable({}, {__mode = 'k'}) -- object -> {warn =, err =} set for that fiber
local checked = {} -- the slice under way: fiber, its switches, start, limits, whether it was told

local function slice_of(value, where)
    if type(value) == 'number' and value >= 0 then
        return {warn = value, err = value}
    end
    if type(value) == 'table' and type(value.warn) == 'number' and type(value.err) == 'number'
        and value.warn >= 0 and value.err >= 0 then
        return {warn = value.warn, err = value.err}
    end
    error(where .. ': slice must be a non-negative number or a table {warn=, err=} of them', 3)
end

local function slice_under_way()
    local id = current_id()
    local count = primitives.switches(id)
    if checked.id ~= id or checked.switches ~= count then
        local limits = slices[object_of(id)] or default_slice
        checked = {
            id = id,
            switches = count,
            start = primitives.precise_clock(),
            warn = limits.warn,
            err = limits.err,
        }
    end
    return checked
end

function fiber.set_max_slice(...)
    local first, second = ...
    if is_fiber(first) then
        slices[first] = slice_of(second, 'fiber.set_max_slice(fiber, slice)')
    else
        default_slice = slice_of(first, 'fiber.set_max_slice(slice)')
    end
    checked = {}
end
methods.set_max_slice = fiber.set_max_slice

function fiber.set_slice(slice)
    local limits = slice_of(slice, 'fiber.set_slice(slice)')
    local present = slice_under_way()
    present.start, present.warned = primitives.precise_clock(), false
    present.warn, present.err = limits.warn, limits.err
end

function fiber.extend_slice(slice)
    local limits = slice_of(slice, 'fiber.extend_slice(slice)')
    local present = slice_under_way()
    present.warn, present.err = present.warn + limits.warn, present.err + limits.err
end

function fiber.check_slice()
    local present = slice_under_way()
    local used = primitives.precise_clock() - present.start
    if used > present.err then
        error(as_error('FiberSliceIsExceeded', 'fiber slice is exceeded'), 0)
    end
    if used > present.warn and not present.warned then
        present.warned = true
        log_line('warn', ('fiber has not yielded for more than %.3f seconds'):format(present.warn))
    end
end

--- The fiber object.

local function storage_of(id)
    local storage = storages[id]
    if storage == nil then
        storage = {}
        mark(id)
        storages[id] = storage
    end
    return storage
end

function fiber_metatable.__index(object, key)
    if key == 'storage' then
        local id = living_id(object)
        return storage_of(id)
    end
    return methods[key]
end

function fiber_metatable.__tostring(object)
    return ('fiber: %d'):format(object_id(object))
end

function fiber_metatable.__serialize(object)
    local id = living_id(object)
    return {id = id, name = primitives.name(id), status = fiber.status(object)}
end

add_queues(primitives, fiber, with_metatable, raise_cancelled)

--- What other modules keep for the running fiber.

local main_id = current_id()

package.loaded['lycosa.fiber'] = {
    wait_for_descriptor = primitives.wait_for_descriptor,
    is_main = function() return current_id() == main_id end,
    locals = function()
        local id = current_id()
        local own = locals[id]
        if own == nil then
            own = {}
            mark(id)
            locals[id] = own
        end
        return own
    end,
}

local log = package.loaded['lycosa.log']
if log ~= nil then
    log.hooks.fiber = function()
        local id = current_id()
        return id, primitives.name(id)
    end
end

return fiber
