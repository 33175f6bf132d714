-- The module `trigger`: named functions on named events. Events of spaces and transactions, such as
-- `box.space.test.on_replace` or `box.on_commit`, run with them; any other runs by `trigger.call()`.

local errors = require('lycosa.error')
local events = require('lycosa.events')

local trigger = {}

local function check_string(value, position)
    if type(value) ~= 'string' and type(value) ~= 'number' then
        local got = value == nil and type(value) ~= 'cdata' and 'nil' or type(value)
        error(("bad argument #%d to '?' (string expected, got %s)"):format(position, got), 3)
    end
    return tostring(value)
end

-- Sets the function of a name: in the place of the one that it had, or before all others.
function trigger.set(...)
    if select('#', ...) ~= 3 then
        error('Usage: trigger.set(event, trigger, function)', 2)
    end
    local event, name, callable = ...
    event, name = check_string(event, 1), check_string(name, 2)
    if not events.is_callable(callable) then
        error(("bad argument #3 to '?' (callable expected, got %s)"):format(type(callable)), 2)
    end
    events.set(event, name, callable)
    return callable
end

-- Takes a name out and answers with its function, if there is one.
function trigger.del(...)
    if select('#', ...) ~= 2 then
        error('Usage: trigger.del(event, trigger)', 2)
    end
    local event, name = ...
    event, name = check_string(event, 1), check_string(name, 2)
    local entry = events.list_of(event):find(name)
    if entry ~= nil then
        local callable = entry[2]
        events.set(event, name, nil)
        return callable
    end
end

-- Calls the functions of an event, up to the first that throws; what it throws becomes an error
-- object.
function trigger.call(...)
    if select('#', ...) < 1 then
        error('Usage: trigger.call(event, [args...])', 2)
    end
    local event = check_string((...), 1)
    for _, callable in events.list_of(event):each() do
        local ok, failure = pcall(callable, select(2, ...))
        if not ok then
            error(errors.wrap(failure), 0)
        end
    end
end

local function describe(list)
    local described = {}
    for name, callable in list:each() do
        described[#described + 1] = {name, callable}
    end
    return described
end

-- Lists of {name, function} by event, in the order of their calls.
function trigger.info(...)
    local count = select('#', ...)
    if count > 1 then
        error('Usage: trigger.info([event])', 2)
    end
    local result = {}
    if count == 1 then
        local event = check_string((...), 1)
        if events.has(event) then
            result[event] = describe(events.list_of(event))
        end
        return result
    end
    for event, list in events.each() do
        result[event] = describe(list)
    end
    return result
end

-- Walks over the names and functions of an event.
function trigger.pairs(...)
    if select('#', ...) ~= 1 then
        error('Usage: trigger.pairs(event)', 2)
    end
    return events.list_of(check_string((...), 1)):each()
end

return trigger
