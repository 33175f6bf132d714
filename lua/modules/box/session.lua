-- `box.session`: who works in the running fiber. The main fiber has session 1; every other fiber gets
-- one of its own when it asks, with user admin. There are no connections.

local errors = require('lycosa.error')
local events = require('lycosa.events')
local fibers = require('lycosa.fiber')

local GUEST, ADMIN = 0, 1
local NAMES = {[GUEST] = 'guest', [ADMIN] = 'admin'}

local kind = 'background'
local next_id = 2
local living = setmetatable({}, {__mode = 'v'})

local function new_session(id)
    local session = {id = id, user = ADMIN, effective = ADMIN, storage = {}, settings = {}}
    living[id] = session
    return session
end

local main_session = new_session(1)

-- The session of the running fiber.
local function current()
    if fibers.is_main() then
        return main_session
    end
    local locals = fibers.locals()
    local session = locals.session
    if session == nil then
        session = new_session(next_id)
        next_id = next_id + 1
        locals.session = session
    end
    return session
end

local function find(method, id)
    if id == nil then
        return current()
    elseif type(id) ~= 'number' then
        error(('session.%s(sid): bad arguments'):format(method), 3)
    elseif living[id] == nil then
        error(('session.%s(): session does not exist'):format(method), 3)
    end
    return living[id]
end

local function users()
    local spaces = rawget(box, 'space')
    return spaces ~= nil and spaces._user or nil
end

local function user_name(id)
    local known = users()
    local row = known ~= nil and known:get(id) or nil
    return row ~= nil and row[3] or NAMES[id] or tostring(id)
end

-- The number of a user that is given by name or number.
local function user_id(given)
    local known = users()
    if known ~= nil then
        local row
        if type(given) == 'string' then
            row = known.index.name:get(given)
        else
            row = known:get(given)
        end
        if row ~= nil and row[4] == 'user' then
            return row[1]
        end
    else
        for id, name in pairs(NAMES) do
            if given == id or given == name then
                return id
            end
        end
    end
    box.error(box.error.NO_SUCH_USER, tostring(given))
end

local session = box.session

function session.id()
    return current().id
end

function session.type(id)
    find('type', id)
    return kind
end

function session.exists(id)
    if id == nil then
        return true
    elseif type(id) ~= 'number' then
        error('session.exists(sid): bad arguments', 2)
    end
    return living[id] ~= nil
end

function session.peer(id)
    find('peer', id)
    return nil
end

function session.fd(id)
    find('fd', id)
    return -1
end

function session.sync()
    return 0
end

function session.user(id)
    return user_name(find('user', id).user)
end

function session.uid(id)
    return find('uid', id).user
end

function session.euid()
    return current().effective
end

function session.effective_user()
    return user_name(current().effective)
end

local function finish_su(own, user, effective, ok, ...)
    own.user, own.effective = user, effective
    if not ok then
        error((...), 0)
    end
    return ...
end

-- Works as another user from now on, or with a function only while that runs.
function session.su(user, callable, ...)
    if type(user) ~= 'string' and type(user) ~= 'number' then
        error('session.su(): bad arguments', 2)
    end
    local id = user_id(user)
    if callable ~= nil and type(callable) ~= 'function' then
        error(("bad argument #2 to '?' (function expected, got %s)"):format(type(callable)), 2)
    end
    local own = current()
    local previous_user, previous_effective = own.user, own.effective
    own.effective = id
    if callable == nil then
        own.user = id
    else
        return finish_su(own, previous_user, previous_effective, pcall(callable, ...))
    end
end

function session.push()
    return nil, errors.new(box.error.UNSUPPORTED, ("Session '%s'"):format(kind), 'push()')
end

for _, name in ipairs({'on_connect', 'on_disconnect', 'on_auth', 'on_access_denied'}) do
    local event = events.event('box.session.' .. name)
    session[name] = function(...) return events.reset(event, ...) end
end

-- What the row of a setting in `_session_settings` says: the value that a session begins with.
local function initial_setting(name)
    local row = type(name) == 'string' and box.space._session_settings:get(name) or nil
    if row ~= nil then
        return row.value
    end
    return nil
end

local function setting(name)
    local initial = initial_setting(name)
    if initial == nil then
        box.error(box.error.PROC_LUA, ("Session setting %s doesn't exist"):format(tostring(name)))
    end
    local own = current().settings[name]
    if own == nil then
        return initial
    end
    return own
end

local function set_setting(name, value)
    local initial = initial_setting(name)
    if initial == nil then
        box.error(box.error.NO_SUCH_SESSION_SETTING, tostring(name))
    end
    local expected = type(initial)
    if type(value) ~= expected then
        box.error(box.error.SESSION_SETTING_INVALID_VALUE, name, expected)
    elseif name == 'sql_default_engine' and value ~= 'memtx' then
        box.error(box.error.NO_SUCH_ENGINE, value)
    end
    current().settings[name] = value
end

-- Settings of SQL, which nothing here asks, and how errors are encoded: each session has its own values.
session.settings = setmetatable({}, {
    __index = function(_, name) return setting(name) end,
    __newindex = function(_, name, value) set_setting(name, value) end,
    __serialize = function()
        local all = {}
        for _, row in box.space._session_settings:pairs() do
            all[row.name] = setting(row.name)
        end
        return all
    end,
})

setmetatable(session, {
    __index = function(_, name)
        if name == 'storage' then
            return current().storage
        end
    end,
})

return {
    -- What `box.session.type()` answers with from now on.
    set_type = function(name) kind = name end,
    effective_user_id = session.euid,
}
