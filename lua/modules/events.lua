-- Triggers by the event that they run on: lists of named functions, the last added first. What is
-- set by `space:on_replace()` and by the module `trigger` stands here; `box.on_commit()` has a list
-- for each transaction.
--
-- A list changes by getting a new array, so that a walk over the old one goes on undisturbed; the
-- entry of a trigger that is gone has no function.

local events = {}

local function is_callable(value)
    local kind = type(value)
    if kind == 'function' then
        return true
    elseif kind == 'table' or kind == 'userdata' then
        local metatable = debug.getmetatable(value)
        return metatable ~= nil and metatable.__call ~= nil
    end
    return false
end

local List = {}
List.__index = List

local function new_list()
    return setmetatable({entries = {}}, List)
end

function List:find(name)
    for _, entry in next, self.entries do
        if entry[1] == name then
            return entry
        end
    end
end

-- Sets the function of a name, where it stands or in front; nil takes the trigger out.
function List:set(name, callable)
    local known = self:find(name)
    if known ~= nil and callable ~= nil then
        known[2] = callable
        return
    end
    local entries = {}
    if callable ~= nil then
        entries[1] = {name, callable}
    end
    for position = 1, #self.entries do
        local entry = self.entries[position]
        if entry ~= known then
            entries[#entries + 1] = entry
        end
    end
    if known ~= nil then
        known[2] = nil
    end
    self.entries = entries
end

function List:is_empty()
    return self.entries[1] == nil
end

local function next_trigger(state)
    while true do
        local position = state.position + 1
        state.position = position
        local entry = state.entries[position]
        if entry == nil then
            return nil
        elseif entry[2] ~= nil then
            return entry[1], entry[2]
        end
    end
end

-- Walks over names and functions in the order of their calls.
function List:each()
    return next_trigger, {entries = self.entries, position = 0}
end

function List:functions()
    local functions = {}
    for _, callable in self:each() do
        functions[#functions + 1] = callable
    end
    return functions
end

local function is_given(value)
    return value ~= nil
end

local function reset_by_name(target, name, callable)
    if type(name) ~= 'string' then
        error('name must be a string', 0)
    elseif not is_given(callable) then
        target:set(name, nil)
        return
    elseif not is_callable(callable) then
        error('func must be a callable object or nil', 0)
    end
    target:set(name, callable)
    return callable
end

-- What `on_replace(new, old, name)` and its like do to a list: lists, adds, replaces or deletes. A
-- trigger without a name is known by its function. The target is a list, or an event.
local function reset(target, new, old, name)
    if type(new) == 'table' and not is_callable(new) and old == nil and name == nil then
        return reset_by_name(target, new.name, new.func)
    elseif is_given(new) and not is_callable(new) or is_given(old) and not is_callable(old)
        or is_given(name) and type(name) ~= 'string' then
        error('trigger reset: incorrect arguments', 0)
    elseif is_given(name) then
        return reset_by_name(target, name, new)
    elseif not is_given(new) and not is_given(old) then
        return target:functions()
    end
    local old_name = is_given(old) and ('%p'):format(old)
    local new_name = is_given(new) and ('%p'):format(new)
    if old_name and target:find(old_name) == nil then
        error('trigger reset: Trigger is not found', 0)
    elseif old_name and old_name ~= new_name then
        target:set(old_name, nil)
        if new_name then
            -- So that it comes first, even if it is there.
            target:set(new_name, nil)
        end
    end
    if new_name then
        target:set(new_name, new)
        return new
    end
end

local changed = function() end

-- Calls back after every change of any event.
local function on_change(callback)
    changed = callback
end

local no_list = new_list()

local function list_of(event)
    return events[event] or no_list
end

local function set(event, name, callable)
    local list = events[event]
    if list == nil then
        list = new_list()
        events[event] = list
    end
    list:set(name, callable)
    if list:is_empty() then
        events[event] = nil
    end
    changed()
end

-- An event as the target of `reset`: there is no list while there is no trigger.
local Event = {}
Event.__index = Event

function Event:find(name)
    return list_of(self.name):find(name)
end

function Event:set(name, callable)
    set(self.name, name, callable)
end

function Event:functions()
    return list_of(self.name):functions()
end

local function event(name)
    return setmetatable({name = name}, Event)
end

return {
    is_callable = is_callable,
    new_list = new_list,
    reset = reset,
    on_change = on_change,
    list_of = list_of,
    set = set,
    event = event,
    has = function(name) return events[name] ~= nil end,
    -- Walks over the names of events that have triggers, and their lists.
    each = function() return next, events end,
    is_empty = function() return next(events) == nil end,
}
