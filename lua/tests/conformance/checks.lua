-- differs from 2.6: there it is no part of Tarantool.
--
-- A function names the types of its arguments; options are tables of types.

local checks = require('checks')
local show = require('show')

local function find(name, count, options)
    checks('string', '?number', {timeout = '?number', by = {'string|number', field = '?string'}, [2] = '?boolean'})
    -- The compiler keeps arguments only as long as they are used.
    return 'found', name == nil and count == nil and options == nil
end

-- A message without the folder of the script.
local function plain(ok, message, ...)
    if type(message) == 'string' then
        message = message:gsub('^.*/', '')
    end
    return ok, message, ...
end

-- Calls in a frame that gives the function a name.
local function try(...)
    local count, arguments = select('#', ...), {...}
    print(plain(pcall(function()
        local answer = find(unpack(arguments, 1, count))
        return answer
    end)))
end

try('a')
try('a', 1)
try('a', nil, nil)
try('a', box.NULL, box.NULL)
try('a', 1, {by = {1}})
try('a', 1, {by = {'x', field = 'y'}, timeout = 2, [2] = true})
try()
try(1)
try('a', 'b')
try('a', 1, 2)
try('a', 1, {timeout = 'x', by = {1}})
try('a', 1, {by = {true}})
try('a', 1, {by = 5})
try('a', 1, {by = {1, field = 1}})
try('a', 1, {by = {1}, other = 1})
try('a', 1, {by = {1, other = 1}})
try('a', 1, {by = {1}, [3] = 1})
try('a', 1, {by = {1}, [true] = 1})
try('a', 1, {by = {1}, ['%s %d'] = 1})

-- Mistakes in the checks themselves.
local function unchecked(name, other) checks('string') return name, other end
print(plain(pcall(unchecked, 'a', 'b')))
local function excess() checks('string') end
print(plain(pcall(excess)))
local function odd(name) checks(true) return name end
print(plain(pcall(odd, 'a')))
local function odd_inside(options) checks({x = 5}) return options end
print(plain(pcall(odd_inside, {})))

-- Anything, and alternatives with nil.
local function anything(first, second) checks('?', 'any') return first, second end
print(plain(pcall(function() return (anything(nil)) end)))
local function either(value) checks('?string|number') return value end
print(plain(pcall(function() local value = either(nil) return value end)))
print(plain(pcall(function() local value = either(true) return value end)))

-- Whose arguments: the second nearest caller's.
local function inner() checks(2, 'string') end
local function outer(name) inner() return name end
print(plain(pcall(function() local name = outer('a') return name end)))
print(plain(pcall(function() local name = outer(1) return name end)))

-- Types beyond Lua's.
local datetime = require('datetime')
local values = {
    {'number', 1}, {'fraction', 1.5}, {'negative', -1}, {'beyond', 2 ^ 53}, {'unsigned', 1ULL}, {'signed', -1LL},
    {'large', 18446744073709551615ULL}, {'text', 'x'}, {'uuid', require('uuid')()}, {'uuid text', require('uuid').str()},
    {'uuid bytes', require('uuid').bin()}, {'decimal', require('decimal').new(1)}, {'datetime', datetime.now()},
    {'interval', datetime.interval.new({day = 1})}, {'varbinary', require('varbinary').new('x')},
    {'tuple', box.tuple.new({1})}, {'error', box.error.new(box.error.UNKNOWN)}, {'table', {}},
}
for _, kind in ipairs({'int64', 'uint64', 'uuid', 'uuid_str', 'uuid_bin', 'decimal', 'datetime', 'interval',
    'varbinary', 'tuple', 'error'}) do
    local function check(value) checks(kind) return value end
    local passing = {}
    for _, pair in ipairs(values) do
        if pcall(check, pair[2]) then
            passing[#passing + 1] = pair[1]
        end
    end
    print(kind, table.concat(passing, ', '))
end

-- One's own: by metatable, or by a function.
local function thing(value) checks('Thing') return value end
print((pcall(thing, setmetatable({}, {__type = 'Thing'}))), (pcall(thing, {})))
function checkers.even(value) return type(value) == 'number' and value % 2 == 0 end
local function even(value) checks('even') return value end
print((pcall(even, 2)), (pcall(even, 3)), (pcall(even, 'x')))
show('global', rawget(_G, 'checks') == checks)

os.exit()
