-- What Tarantool adds to the libraries `string`, `table`, `os` and `ffi`. Loaded with every state.

local native = ...

require('table.clear')
require('table.new')

-- C types and functions of the system that Tarantool declares for itself, and that scripts therefore
-- use without declaring them.
require('ffi').cdef([[
typedef int32_t pid_t;
typedef int32_t uid_t;
typedef int32_t gid_t;
typedef long time_t;
typedef uint32_t socklen_t;
pid_t getpid(void);
uid_t getuid(void);
ssize_t read(int descriptor, void *buffer, size_t size);
ssize_t write(int descriptor, const char *bytes, size_t size);
char *strerror(int number);
int setenv(const char *name, const char *value, int overwrite);
int memcmp(const void *left, const void *right, size_t size);
void *memmem(const void *haystack, size_t haystack_size, const void *needle, size_t needle_size);
]])

local type, getmetatable, setmetatable, pairs, error = type, getmetatable, setmetatable, pairs, error

-- Throws, for the caller of the function that checks, what is wrong with an argument.
local function bad_argument(position, name, expected, got)
    error(("bad argument #%d to '%s' (%s expected, got %s)"):format(position, name, expected, got), 3)
end

local WHITESPACE = ' \t\n\v\f\r'

-- A pattern's set of the characters of a string, or nil for the empty one.
local function set_of(characters)
    return characters ~= '' and '[' .. characters:gsub('[%^%]%%%-]', '%%%0') .. ']' or nil
end

local function split_at_whitespace(text, limit)
    local parts = {}
    local at = text:find('%S')
    while at ~= nil and #parts < limit do
        local from, to = text:find('%s+', at)
        if from == nil then
            break
        end
        parts[#parts + 1] = text:sub(at, from - 1)
        at = text:find('%S', to + 1)
    end
    if at ~= nil then
        parts[#parts + 1] = text:sub(at)
    end
    return parts
end

local function split_at(text, separator, limit)
    local parts, at = {}, 1
    while #parts < limit do
        local from, to = text:find(separator, at, true)
        if from == nil then
            break
        end
        parts[#parts + 1] = text:sub(at, from - 1)
        at = to + 1
    end
    parts[#parts + 1] = text:sub(at)
    return parts
end

-- The parts between separators, at most `limit` of them cut off; without one, between whitespace.
function string.split(text, separator, limit)
    if type(text) ~= 'string' then
        bad_argument(1, 'string.split', 'string', type(text))
    elseif limit ~= nil and (type(limit) ~= 'number' or limit < 0) then
        bad_argument(3, 'string.split', 'positive integer', type(limit))
    end
    limit = limit or math.huge
    if separator == nil then
        return split_at_whitespace(text, limit)
    elseif type(separator) ~= 'string' then
        bad_argument(2, 'string.split', 'string', type(separator))
    elseif separator == '' then
        bad_argument(2, 'string.split', 'non-empty string', 'empty string')
    end
    return split_at(text, separator, limit)
end

local function add_strip(name, from_left, from_right)
    local full_name = 'string.' .. name
    string[name] = function(text, characters)
        if type(text) ~= 'string' then
            bad_argument(1, full_name, 'string', type(text))
        elseif characters ~= nil and type(characters) ~= 'string' then
            bad_argument(2, full_name, 'string', type(characters))
        end
        local set = set_of(characters or WHITESPACE)
        if set == nil then
            return text
        end
        local first, last = 1, #text
        if from_left then
            first = text:match('^' .. set .. '*()')
        end
        -- From the end by hand: a pattern would try each start.
        while from_right and last >= first and text:find(set, last) == last do
            last = last - 1
        end
        return text:sub(first, last)
    end
end

add_strip('strip', true, true)
add_strip('lstrip', true, false)
add_strip('rstrip', false, true)

local function add_justify(name, split_padding)
    local full_name = 'string.' .. name
    string[name] = function(text, width, character)
        if type(text) ~= 'string' then
            bad_argument(1, full_name, 'string', type(text))
        elseif type(width) ~= 'number' or width < 0 then
            bad_argument(2, full_name, 'positive integer', type(width))
        elseif character ~= nil and (type(character) ~= 'string' or #character ~= 1) then
            bad_argument(3, full_name, 'char', type(character))
        end
        character = character or ' '
        local padding = math.max(0, math.floor(width) - #text)
        local left = split_padding(padding)
        return character:rep(left) .. text .. character:rep(padding - left)
    end
end

add_justify('ljust', function() return 0 end)
add_justify('rjust', function(padding) return padding end)
add_justify('center', function(padding) return math.floor(padding / 2) end)

-- The borders of a part of a string as `string.sub` takes them, counted from the left.
local function resolve_range(length, first, last)
    first, last = first or 1, last or length
    if first < 0 then
        first = first + length + 1
    end
    if last < 0 then
        last = last + length + 1
    end
    return math.max(first, 1), math.min(last, length)
end

local function check_affix(name, text, affix, first, last)
    if type(text) ~= 'string' then
        error(("bad argument #1 to '%s' (string expected, got %s)"):format(name, type(text)), 3)
    elseif type(affix) ~= 'string' then
        error(("bad argument #2 to '%s' (string expected, got %s)"):format(name, type(affix)), 3)
    elseif first ~= nil and type(first) ~= 'number' then
        error(("bad argument #3 to '%s' (integer expected, got %s)"):format(name, type(first)), 3)
    elseif last ~= nil and type(last) ~= 'number' then
        error(("bad argument #4 to '%s' (integer expected, got %s)"):format(name, type(last)), 3)
    end
end

function string.startswith(text, head, first, last)
    check_affix('string.startswith', text, head, first, last)
    first, last = resolve_range(#text, first, last)
    return last - first + 1 >= #head and text:sub(first, first + #head - 1) == head
end

function string.endswith(text, tail, first, last)
    check_affix('string.endswith', text, tail, first, last)
    first, last = resolve_range(#text, first, last)
    return last - first + 1 >= #tail and text:sub(last - #tail + 1, last) == tail
end

function string.hex(text)
    if type(text) ~= 'string' then
        bad_argument(1, 'string.hex', 'string', type(text))
    end
    return (text:gsub('.', function(byte) return ('%02x'):format(byte:byte()) end))
end

function string.fromhex(text)
    if type(text) ~= 'string' then
        bad_argument(1, 'string.fromhex', 'string', type(text))
    elseif #text % 2 ~= 0 then
        bad_argument(1, 'string.fromhex', 'even amount of chars', 'odd amount')
    elseif text:find('%X') then
        bad_argument(1, 'string.fromhex', 'hex string', 'non hex chars')
    end
    return (text:gsub('..', function(pair) return string.char(tonumber(pair, 16)) end))
end

-- A table's own way to copy itself.
local function copier_of(value)
    local metatable = getmetatable(value)
    return type(metatable) == 'table' and metatable.__copy or nil, metatable
end

function table.copy(original)
    if type(original) ~= 'table' then
        return original
    end
    local copier, metatable = copier_of(original)
    if copier ~= nil then
        return copier(original)
    end
    local copy = {}
    for key, value in pairs(original) do
        copy[key] = value
    end
    return type(metatable) == 'table' and setmetatable(copy, metatable) or copy
end

-- `copies` has what was copied already, so that tables with cycles end and shared ones stay shared.
local function deep_copy(original, copies)
    if type(original) ~= 'table' then
        return original
    end
    local copier, metatable = copier_of(original)
    if copier ~= nil then
        return copier(original)
    end
    local copy = copies[original]
    if copy ~= nil then
        return copy
    end
    copy = {}
    copies[original] = copy
    for key, value in pairs(original) do
        copy[deep_copy(key, copies)] = deep_copy(value, copies)
    end
    return type(metatable) == 'table' and setmetatable(copy, metatable) or copy
end

function table.deepcopy(original)
    return deep_copy(original, {})
end

local function has_equals(value)
    local metatable = getmetatable(value)
    return type(metatable) == 'table' and metatable.__eq ~= nil
end

function table.equals(left, right)
    if type(left) ~= 'table' or type(right) ~= 'table' then
        return type(left) == type(right) and left == right
    elseif has_equals(left) or has_equals(right) then
        return left == right
    end
    for key, value in pairs(left) do
        if not table.equals(value, right[key]) then
            return false
        end
    end
    for key in pairs(right) do
        if type(left[key]) == 'nil' then
            return false
        end
    end
    return true
end

os.environ = native.environ

-- Sets a variable of the environment; nil takes it out.
function os.setenv(name, value)
    if type(name) ~= 'string' or (value ~= nil and type(value) ~= 'string') then
        error('Usage: os.setenv(name, value)', 2)
    elseif name == '' or name:find('[=%z]') or (value ~= nil and value:find('%z')) then
        error(('error setting %s: Invalid argument'):format(name), 2)
    end
    native.setenv(name, value)
end

-- The global `utf8` is empty until one of its functions is asked for: the module fills it.
utf8 = setmetatable({}, {
    __index = function(shell, name)
        require('utf8')
        return rawget(shell, name)
    end,
})

return {utf8 = utf8}
