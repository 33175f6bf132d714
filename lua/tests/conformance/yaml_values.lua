-- How everything but strings is written.
local yaml = require('yaml')

local function try(...)
    local ok, text = pcall(yaml.encode, ...)
    io.write(ok and text or 'error: ' .. tostring(text) .. '\n')
end

for _, number in ipairs({0, -0.0, 1, -1, 1.5, 0.1, 1 / 3, 1e-10, 1e14, 1e15, 123456789012345, 2 ^ 53, -2 ^ 53, 1e20,
    1e300, 1 / 0, -1 / 0, 1LL, -5LL, 18446744073709551615ULL}) do
    try(number)
end
try(nil)
try(box.NULL)
try(true)
try({})
try({1, 2, {3}})
try({{{1}}})
try({a = {}})
try({a = {b = 1}})
try({{a = 1}})
try({a = {1, {b = 2}}})
try({1, nil, 3})
try({[100] = 1})
try({[-1] = 1})
try({[1.5] = 1})
try({[true] = 1})
try(print)
try(io.stdout)
try(coroutine.create(print))
try({a = print})

local shared = {1}
try({shared, shared})
local cyclic = {}
cyclic.itself = cyclic
try(cyclic)
local pair = {{}, {}}
pair[1].other, pair[2].other = pair[2], pair[1]
try(pair)

try(setmetatable({1, 2}, {__serialize = 'seq'}))
try(setmetatable({1, 2}, {__serialize = 'sequence'}))
try(setmetatable({1, 2}, {__serialize = 'map'}))
try(setmetatable({1, 2}, {__serialize = 'mapping'}))
try(setmetatable({}, {__serialize = 'map'}))
try(setmetatable({a = 1}, {__serialize = 'sequence'}))
try(setmetatable({}, {__serialize = function() return 'text' end}))
try(setmetatable({}, {__serialize = function() return {1} end}))
try(setmetatable({}, {__serialize = function() error('no', 0) end}))
try(setmetatable({}, {__serialize = 'bad'}))

try(box.tuple.new({1, 'a', {2, 'b'}, {c = 'd'}, box.NULL, true, ''}))
try({box.tuple.new({1, 'a'}), box.tuple.new({2})})
try({key = box.tuple.new({1})})
try()
try(1, 2)
try('a', {tag_prefix = 'tag:example.com,2026:', tag_handle = '!e!'})
try('a', {tag_prefix = 'tag:example.com,2026:'})
