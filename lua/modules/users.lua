-- `box.schema.user` and `box.schema.role`: users, roles and what is granted to them.
--
-- All of it is checked and recorded in `_user` and `_priv`. Nothing is enforced: one process has one
-- user, who may do anything.

local native = ...
local checks = require('lycosa.schema_checks')
local database = require('lycosa.database')
local mirror = require('lycosa.schema')
local privileges = require('lycosa.privileges')

local spaces = database.api.space
local check_options, as_one = checks.options, checks.as_one
local current_user = mirror.current_user

local user, role = mirror.schema.user, mirror.schema.role

-- Most users and roles together.
local USERS_MAX = 32
local GUEST_ID, SUPER_ROLE_ID = mirror.schema.GUEST_ID, mirror.schema.SUPER_ROLE_ID
local SYSTEM_USER_ID_MAX = mirror.schema.SYSTEM_USER_ID_MAX

-- The row of a user or role by name or number, if it is of that kind (of any without one).
local function find(name, kind)
    local found
    if type(name) == 'string' then
        found = spaces._user.index.name:get(name)
    elseif name ~= nil then
        found = spaces._user:get(name)
    end
    if found ~= nil and (kind == nil or found.type == kind) then
        return found
    end
end

local function require_user(name)
    local found = find(name, 'user')
    if found == nil then
        box.error(box.error.NO_SUCH_USER, tostring(name))
    end
    return found.id
end

local function require_role(name)
    local found = find(name, 'role')
    if found == nil then
        box.error(box.error.NO_SUCH_ROLE, tostring(name))
    end
    return found.id
end

local function check_password(password)
    if type(password) ~= 'string' then
        checks.illegal('password should be a string')
    end
end

-- The digest of a password that `_user` keeps for the method chap-sha1.
function user.password(password)
    check_password(password)
    return native.password_digest(password)
end

local function auth_of(password)
    return {['chap-sha1'] = user.password(password)}
end

local EMPTY_MAP = setmetatable({}, {__serialize = 'map'})

local function add(name, kind, auth)
    if type(name) == 'string' and not native.is_identifier(name) then
        box.error(box.error.IDENTIFIER, name)
    elseif spaces._user:count() >= USERS_MAX then
        box.error(box.error.USER_MAX, USERS_MAX)
    end
    local row = {current_user(), name, kind, auth, {}, os.time()}
    return spaces._user:auto_increment(row).id
end

function user.create(name, options)
    options = check_options(options, {password = 'string', if_not_exists = 'boolean'})
    if find(name) ~= nil then
        if options.if_not_exists then
            return
        end
        box.error(box.error.USER_EXISTS, tostring(name))
    end
    as_one(function()
        local id = add(name, 'user', options.password and auth_of(options.password) or EMPTY_MAP)
        user.grant(id, 'public')
        user.grant(id, 'alter', 'user', id)
        user.grant(id, 'session,usage', 'universe', nil, {if_not_exists = true})
    end)
end

function role.create(name, options)
    options = check_options(options, {if_not_exists = 'boolean'})
    if find(name) ~= nil then
        if options.if_not_exists then
            return
        end
        box.error(box.error.ROLE_EXISTS, tostring(name))
    end
    add(name, 'role', EMPTY_MAP)
end

function user.exists(name)
    return find(name, 'user') ~= nil
end

function role.exists(name)
    return find(name, 'role') ~= nil
end

function user.passwd(name, password)
    if name == nil then
        checks.illegal('Usage: box.schema.user.passwd([user,] password)')
    end
    local id
    if password == nil then
        id, password = current_user(), name
    else
        id = require_user(name)
    end
    check_password(password)
    if id == GUEST_ID and password ~= '' then
        box.error(box.error.GUEST_USER_PASSWORD)
    end
    spaces._user:update(id, {{'=', 5, auth_of(password)}, {'=', 6, {}}, {'=', 7, os.time()}})
end

-- Whether a role has another one, by itself or through others.
local function has_role(id, sought)
    if id == sought then
        return true
    end
    for _, granted in ipairs(spaces._priv:select({id, 'role'})) do
        if type(granted.object_id) == 'number' and has_role(granted.object_id, sought) then
            return true
        end
    end
    return false
end

-- What is granted, in full: grant(name, 'role') and grant(name, 'privilege', 'entity') are short.
local function expand(privilege, object_type, object_name)
    if object_name ~= nil then
        return privilege, object_type, object_name
    elseif object_type == nil then
        return 'execute', 'role', privilege
    end
    return privilege, object_type, ''
end

local function refuse_grant(name, privilege, object_type, object_name)
    if object_type == 'role' and object_name ~= '' and privilege == 'execute' then
        box.error(box.error.ROLE_GRANTED, tostring(name), tostring(object_name))
    end
    local object = object_type
    if not privileges.is_single(object_type) then
        object = ("%s '%s'"):format(object_type, object_name)
    end
    box.error(box.error.PRIV_GRANTED, tostring(name), tostring(privilege), object)
end

local function grant(id, name, privilege, object_type, object_name, options)
    options = check_options(options, {grantor = 'string, number', if_not_exists = 'boolean'})
    privilege, object_type, object_name = expand(privilege, object_type, object_name)
    local bits = privileges.check(privilege, object_type)
    local object = privileges.object_number(object_type, object_name)
    local grantor = current_user()
    if options.grantor ~= nil then
        local found = find(options.grantor)
        if found == nil then
            box.error(box.error.NO_SUCH_USER, tostring(options.grantor))
        end
        grantor = found.id
    end
    if object_type == 'role' and object ~= '' and has_role(object, id) then
        box.error(box.error.ROLE_LOOP, spaces._user:get(object).name, spaces._user:get(id).name)
    end
    local known = spaces._priv:get({id, object_type, object})
    local old = known ~= nil and known.privilege or 0
    local new = privileges.union(old, bits)
    if new == old then
        if options.if_not_exists then
            return
        end
        refuse_grant(name, privilege, object_type, object_name)
    end
    spaces._priv:replace({grantor, id, object_type, object, new})
end

local function revoke(id, name, privilege, object_type, object_name, options)
    options = check_options(options, {if_exists = 'boolean'})
    privilege, object_type, object_name = expand(privilege, object_type, object_name)
    local bits = privileges.check(privilege, object_type)
    local object = privileges.object_number(object_type, object_name)
    local known = spaces._priv:get({id, object_type, object})
    local old = known ~= nil and known.privilege or 0
    local new = privileges.difference(old, bits)
    if new == old then
        if options.if_exists then
            return
        elseif object_type == 'role' and object_name ~= '' and privilege == 'execute' then
            box.error(box.error.ROLE_NOT_GRANTED, tostring(name), tostring(object_name))
        end
        box.error(box.error.PRIV_NOT_GRANTED, tostring(name), tostring(privilege), object_type,
            tostring(object_name))
    elseif new == 0 then
        spaces._priv:delete({id, object_type, object})
    else
        spaces._priv:replace({known.grantor, id, object_type, object, new})
    end
end

function user.grant(name, ...)
    return grant(require_user(name), name, ...)
end

function user.revoke(name, ...)
    return revoke(require_user(name), name, ...)
end

function role.grant(name, ...)
    return grant(require_role(name), name, ...)
end

function role.revoke(name, ...)
    return revoke(require_role(name), name, ...)
end

function user.enable(name)
    user.grant(name, 'session,usage', 'universe', nil, {if_not_exists = true})
end

function user.disable(name)
    user.revoke(name, 'session,usage', 'universe', nil, {if_exists = true})
end

local function list(id)
    local granted = {}
    for position, row in ipairs(spaces._priv:select(id)) do
        granted[position] = {privileges.names(row.privilege), row.object_type,
            privileges.object_name(row.object_type, row.object_id)}
    end
    return granted
end

function user.info(name)
    return list(name == nil and current_user() or require_user(name))
end

function role.info(name)
    return list(require_role(name))
end

-- Drops a user or role with what belongs to it and what was granted to it or of it.
local function drop(id)
    for _, owned in ipairs(spaces._space.index.owner:select(id)) do
        spaces[owned.id]:drop()
    end
    for _, owned in ipairs(spaces._func.index.owner:select(id)) do
        mirror.schema.func.drop(owned.id)
    end
    for _, owned in ipairs(spaces._sequence.index.owner:select(id)) do
        mirror.schema.sequence.drop(owned.id)
    end
    for _, kind in ipairs({'role', 'user'}) do
        for _, granted in ipairs(spaces._priv.index.object:select({kind, id})) do
            spaces._priv:delete({granted.grantee, kind, id})
        end
    end
    for _, granted in ipairs(spaces._priv:select(id)) do
        spaces._priv:delete({id, granted.object_type, granted.object_id})
    end
    spaces._user:delete(id)
end

local function refuse_drop(name, reason)
    box.error(box.error.DROP_USER, tostring(name), reason)
end

function user.drop(name, options)
    options = check_options(options, {if_exists = 'boolean'})
    local found = find(name, 'user')
    if found == nil then
        if options.if_exists then
            return
        end
        box.error(box.error.NO_SUCH_USER, tostring(name))
    elseif found.id <= SYSTEM_USER_ID_MAX then
        refuse_drop(name, 'the user or the role is a system')
    elseif found.id == current_user() or found.id == box.session.uid() then
        refuse_drop(name, 'the user is active in the current session')
    end
    as_one(drop, found.id)
end

function role.drop(name, options)
    options = check_options(options, {if_exists = 'boolean'})
    local found = find(name, 'role')
    if found == nil then
        if options.if_exists then
            return
        end
        box.error(box.error.NO_SUCH_ROLE, tostring(name))
    elseif found.id <= SYSTEM_USER_ID_MAX or found.id == SUPER_ROLE_ID then
        refuse_drop(name, 'the user or the role is a system')
    end
    as_one(drop, found.id)
end

return {}
