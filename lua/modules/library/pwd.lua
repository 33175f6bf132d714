-- The module `pwd`: users and groups of the system.

local native = ...

local pwd = {}

local function find(lookup, key, default)
    if type(key) == 'string' then
        return lookup(key, 0)
    elseif key ~= nil and type(key) ~= 'number' then
        error(('Bad type of uid (expected number or string, got %s)'):format(type(key)), 3)
    end
    return lookup(nil, key or default)
end

-- A user by number or name; without either the one that runs the process.
function pwd.getpw(key)
    local entry = find(native.user, key, native.uid)
    if entry ~= nil then
        entry.group = native.group(nil, entry.group_id)
        entry.group_id = nil
    end
    return entry
end

function pwd.getgr(key)
    return (find(native.group, key, native.gid))
end

return pwd
