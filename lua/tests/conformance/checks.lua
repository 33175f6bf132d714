-- differs from 2.6: there it is no part of Tarantool.
--
-- A function names the types of its arguments; options are tables of types.

local checks = require('checks')
local show = require('show')

-- As pcall, but the error without the place where it was thrown.
local function outcome(call, ...)
    local ok, answer = pcall(call, ...)
    if ok then
        return ok, answer
    end
    return ok, (answer:gsub('^[^ ]*:%d+: ', ''))
end

local function find(name, count, options)
    checks('string', '?number', {timeout = '?number', by = {'string|number', field = '?string'}, [2] = '?boolean'})
    return 'found'
end

-- Calls in a frame that gives the function a name.
local function try(...)
    local count, arguments = select('#', ...), {...}
    print(outcome(function()
        local answer = find(unpack(arguments, 1, count))
        return answer
    end))
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
print(outcome(unchecked, 'a', 'b'))
local function excess() checks('string') end
print(outcome(excess))
local function odd(name) checks(true) return name end
print(outcome(odd, 'a'))
local function odd_inside(options) checks({x = 5}) return options end
print(outcome(odd_inside, {}))

-- Anything, and alternatives with nil.
local function anything(first, second) checks('?', 'any') return first, second end
print(outcome(function() return (anything(nil)) end))
local function either(value) checks('?string|number') return value end
print(outcome(function() local value = either(nil) return value end))
print(outcome(function() local value = either(true) return value end))

-- Whose arguments: the second nearest caller's.
local function inner() checks(2, 'string') end
local function outer(name) inner() return name end
print(outcome(function() local name = outer('a') return name end))
print(outcome(function() local name = outer(1) return name end))

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

-- Arguments are those of the caller, however often it is called.
local function hot(first, second)
    checks('number', 'string')
    return first
end
local total = 0
for number = 1, 20000 do
    total = total + hot(number, 'text')
end
print(total)
local wrong = 0
for number = 1, 20000 do
    wrong = wrong + (pcall(hot, 'text', number) and 0 or 1)
end
print(wrong)

os.exit()
