-- Which spaces have code of the user's run around their statements. Their statements go through
-- `hooked_statements.lua`, which is loaded with the first of them; all others are as they were.

local native = ...
local database = require('lycosa.database')
local events = require('lycosa.events')
local objects = require('lycosa.space')

local spaces = {}
database.api.space = spaces

-- What else happens around statements, by space id: `apply_defaults(bytes)` answers with the tuple
-- that is put, `check(bytes)` fails for one that must not be (`has_constraints` tells that there is
-- such a check), `changed(old, new)` hears of a change. `functions` tells what uses a function.
local rules = {}

-- Spaces whose triggers were switched off.
local silent = {}

-- Number of the first space that is no system space.
local FIRST_USER_ID = 512

-- Whether triggers are on system spaces, whose rows change with the schema.
local hears_schema = false

for _, name in next, {
    'create_space', 'drop_space', 'alter_space', 'truncate', 'create_index', 'alter_index',
    'rename_index', 'drop_index', 'drop_sequence', 'attach_sequence', 'detach_sequence',
} do
    local change = native[name]
    native[name] = function(...)
        if hears_schema then
            return require('lycosa.hooked_statements').change_schema(change, ...)
        end
        return change(...)
    end
end

-- Events of transactions begin so, whichever space they are about.
local function is_of_transactions(name)
    return name:find('^box%.before_commit') ~= nil or name:find('^box%.on_commit') ~= nil
        or name:find('^box%.on_rollback') ~= nil
end

local hears_transactions, refreshed = function() end, function() end

local function refresh()
    hears_schema = false
    local hooked, hooks_all, has_triggers = {}, false, false
    for id in next, rules do
        hooked[id] = true
    end
    for name in events.each() do
        has_triggers = true
        if is_of_transactions(name) then
            hooks_all = true
        end
        local key, is_number = name:match('^box%.space%[(%d+)%]%.'), true
        if key == nil then
            key, is_number = name:match('^box%.space%.(.*)%.[%a_]+$'), false
        end
        local space = key ~= nil and spaces[is_number and tonumber(key) or key]
        if space then
            hooked[space.id] = true
            hears_schema = hears_schema or space.id < FIRST_USER_ID
        end
    end
    local list = {}
    for id in next, hooked do
        list[#list + 1] = id
    end
    native.set_hooked(list, hooks_all, has_triggers)
    hears_transactions(hooks_all)
    refreshed()
end

events.on_change(refresh)

local function space_event(space, method)
    if type(space) ~= 'table' then
        error(('usage: space:%s(function | nil, [function | nil], [string])'):format(method), 0)
    elseif space.id == nil or spaces[space.id] == nil then
        box.error(box.error.NO_SUCH_SPACE, tostring(space.name or space.id))
    end
    return events.event(('box.space[%d].%s'):format(space.id, method))
end

function objects.space_methods.on_replace(space, new, old, name)
    return events.reset(space_event(space, 'on_replace'), new, old, name)
end

function objects.space_methods.before_replace(space, new, old, name)
    if type(space) == 'table' and type(space.id) == 'number' and space.id < FIRST_USER_ID then
        box.error(box.error.UNSUPPORTED, 'Lycosa', 'before_replace triggers of system spaces')
    end
    return events.reset(space_event(space, 'before_replace'), new, old, name)
end

-- Switches the triggers of a space off or on.
function objects.space_methods.run_triggers(space, is_on)
    objects.check_space(space, 'run_triggers')
    if spaces[space.id] == nil then
        box.error(box.error.NO_SUCH_SPACE, space.name)
    end
    silent[space.id] = not is_on or nil
end

-- What is dropped takes with it the triggers that were set through the space.
local function forget(id)
    silent[id] = nil
    for _, event in next, {'on_replace', 'before_replace'} do
        local name = ('box.space[%d].%s'):format(id, event)
        for trigger in events.list_of(name):each() do
            events.set(name, trigger, nil)
        end
    end
end

return {
    spaces = spaces,
    format_ids = objects.format_ids,
    rules = rules,
    silent = silent,
    refresh = refresh,
    forget = forget,
    -- Calls back when lists of triggers or names of spaces may have changed.
    on_refresh = function(callback) refreshed = callback end,
    -- Calls back with whether triggers on transactions are there.
    on_transactions_heard = function(callback) hears_transactions = callback end,
}
