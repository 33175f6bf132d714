local show = require('show')
local json = require('json')

-- What is thrown may be text or an error object.
local function try(label, ...)
    local ok, result = pcall(...)
    print(label .. ': ' .. (tostring(result):gsub('^[^\n]-:%d+: ', '')))
end

local function ser(rule, value)
    return setmetatable(value or {}, {__serialize = rule})
end
for _, rule in ipairs({'seq', 'sequence', 'array', 'map', 'mapping', 'other', 5}) do
    try(tostring(rule), json.encode, ser(rule))
    try(tostring(rule) .. ' of a list', json.encode, ser(rule, {1, 2}))
    try(tostring(rule) .. ' of a map', json.encode, ser(rule, {a = 1}))
end
try('function', json.encode, ser(function(self) return {self.a, 2} end, {a = 1}))
try('function giving nil', json.encode, ser(function() return nil end))
try('function giving nothing', json.encode, ser(function() end))
try('function giving text', json.encode, {ser(function() return 'text' end)})
try('function giving a map', json.encode, ser(function() return ser('map', {1}) end))
try('function that throws', json.encode, ser(function() error('broken', 0) end))
try('inside', json.encode, {1, {ser('map'), ser('seq')}})
try('sparse seq', json.encode, ser('seq', {[3] = 1}))
try('inherited is not seen', json.encode, setmetatable({1}, {__index = {__serialize = 'map'}}))
try('array_mt', json.encode, setmetatable({}, json.array_mt))
try('map_mt', json.encode, setmetatable({}, json.map_mt))
try('keys', json.encode, {[1LL] = 1})
try('fraction as key', json.encode, {[1.5] = 1})
try('boolean as key', json.encode, {[true] = 1})
try('table as key', json.encode, {[{}] = 1})
try('mixed', json.encode, {1, a = 2})
try('holes', json.encode, {1, nil, 3})
try('null', json.encode, {box.NULL, a = box.NULL})
try('tuple', json.encode, {box.tuple.new({1, {2}, 'x', box.NULL})})
local object = require('ffi').metatype('struct { int number; }', {
    __index = {__serialize = function(self) return {number = self.number} end},
})
try('cdata', json.encode, {object(7)})
try('plain cdata', json.encode, require('ffi').new('struct { int number; }'))
try('thread', json.encode, coroutine.create(print))
try('file', json.encode, io.stdout)
