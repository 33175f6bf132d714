-- Privileges: their names and bits, which objects they can be on, and how objects are named.

local bit = require('bit')
local database = require('lycosa.database')
local sequences = require('lycosa.sequence')

local spaces = database.api.space

local BITS = database.api.priv
for name, value in pairs({
    R = 1, W = 2, X = 4, S = 8, U = 16, C = 32, D = 64, A = 128, REFERENCE = 256, TRIGGER = 512,
    INSERT = 1024, UPDATE = 2048, DELETE = 4096, GRANT = 8192, REVOKE = 16384, ALL = 4294967295,
}) do
    BITS[name] = value
end

-- In the order in which `info` lists them.
local NAMES = {
    {'read', BITS.R}, {'write', BITS.W}, {'execute', BITS.X}, {'session', BITS.S},
    {'usage', BITS.U}, {'create', BITS.C}, {'drop', BITS.D}, {'alter', BITS.A},
    {'reference', BITS.REFERENCE}, {'trigger', BITS.TRIGGER}, {'insert', BITS.INSERT},
    {'update', BITS.UPDATE}, {'delete', BITS.DELETE},
}

local BY_NAME = {}
for _, entry in ipairs(NAMES) do
    BY_NAME[entry[1]] = entry[2]
end

local CREATE_DROP = BITS.C + BITS.D

-- Which privileges there can be on an object.
local ALLOWED = {
    universe = BITS.ALL,
    lua_call = BITS.X + BITS.U,
    lua_eval = BITS.X + BITS.U,
    sql = BITS.X + BITS.U,
    space = BITS.R + BITS.W + BITS.U + CREATE_DROP + BITS.A + BITS.REFERENCE + BITS.TRIGGER
        + BITS.INSERT + BITS.UPDATE + BITS.DELETE,
    sequence = BITS.R + BITS.W + BITS.U + CREATE_DROP + BITS.A,
    ['function'] = BITS.X + BITS.U + CREATE_DROP,
    role = BITS.X + BITS.U + CREATE_DROP,
    user = CREATE_DROP + BITS.A,
}

-- Types of which there is one object.
local SINGLE = {universe = true, lua_eval = true, sql = true}

local privileges = {}

-- The operations of `bit` answer with signed numbers.
local function unsigned(number)
    return number % 4294967296
end

function privileges.union(left, right)
    return unsigned(bit.bor(left, right))
end

function privileges.difference(left, right)
    return unsigned(bit.band(left, bit.bnot(right)))
end

function privileges.is_single(object_type)
    return SINGLE[object_type] or false
end

-- The bits of names that anything but letters separates; 0 when one of them is unknown.
local function parse(text)
    local bits = 0
    for name in text:lower():gmatch('%a+') do
        local known = BY_NAME[name]
        if known == nil then
            return 0
        end
        bits = bit.bor(bits, known)
    end
    return bits
end

-- The bits of a privilege, given by names or as a number, on objects of a type.
function privileges.check(privilege, object_type)
    local allowed = ALLOWED[object_type]
    if allowed == nil then
        box.error(box.error.UNKNOWN_SCHEMA_OBJECT, tostring(object_type))
    end
    local bits = 0
    if type(privilege) == 'string' then
        bits = parse(privilege)
    elseif type(privilege) == 'number' and privilege % 1 == 0 and privilege > 0
        and privilege <= BITS.ALL then
        bits = privilege
    end
    if bits == 0 or unsigned(bit.band(bits, allowed)) ~= bits then
        box.error(box.error.UNSUPPORTED_PRIV, object_type, tostring(privilege))
    end
    return bits
end

function privileges.names(bits)
    local names = {}
    for _, entry in ipairs(NAMES) do
        if bit.band(bits, entry[2]) ~= 0 then
            names[#names + 1] = entry[1]
        end
    end
    return table.concat(names, ',')
end

local ABSENT = {space = 'NO_SUCH_SPACE', ['function'] = 'NO_SUCH_FUNCTION',
    sequence = 'NO_SUCH_SEQUENCE', role = 'NO_SUCH_ROLE', user = 'NO_SUCH_USER'}

local function find_number(object_type, name)
    if object_type == 'space' then
        local space = spaces[name]
        return space ~= nil and space.id or nil
    elseif object_type == 'sequence' then
        return sequences.resolve(name)
    end
    local source = object_type == 'function' and spaces._func or spaces._user
    local found
    if type(name) == 'string' then
        found = source.index.name:get(name)
    else
        found = source:get(name)
    end
    if found ~= nil and (object_type == 'function' or found.type == object_type) then
        return found.id
    end
end

-- How `_priv` names an object: by its number; the empty text stands for all of the type.
function privileges.object_number(object_type, name)
    if type(name) ~= 'string' and type(name) ~= 'number' then
        box.error(box.error.ILLEGAL_PARAMS, 'wrong object name type')
    elseif SINGLE[object_type] then
        return 0
    elseif name == '' or object_type == 'lua_call' then
        return name
    end
    local number = find_number(object_type, name)
    if number == nil then
        box.error(box.error[ABSENT[object_type]], tostring(name))
    end
    return number
end

local SOURCES = {space = '_space', sequence = '_sequence', ['function'] = '_func', role = '_user',
    user = '_user'}

function privileges.object_name(object_type, number)
    if SINGLE[object_type] or number == '' then
        return ''
    elseif object_type == 'lua_call' then
        return number
    end
    local source = SOURCES[object_type]
    local found = source ~= nil and spaces[source]:get(number) or nil
    return found ~= nil and found.name or tostring(number)
end

return privileges
