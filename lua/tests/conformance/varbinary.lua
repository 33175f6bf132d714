-- differs from 2.6: it has no module varbinary, and gives bytes as strings
local show = require('show')
local varbinary = require('varbinary')
local msgpack = require('msgpack')
local ffi = require('ffi')

local function hex(bytes)
    return (tostring(bytes):gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end
local v = varbinary.new('ab\0c')
show('bytes', hex(v), #v, type(v), varbinary.is(v))
show('is', varbinary.is('ab'), varbinary.is(1), varbinary.is(nil), varbinary.is(box.NULL))
show('empty', #varbinary.new(), #varbinary.new(''), hex(varbinary.new(nil)), varbinary.new() == '')
show('copy', varbinary.new(v) == v, hex(varbinary.new(v)))
show('of a pointer', hex(varbinary.new(ffi.cast('const char *', 'abcdef'), 3)))
show('equality', v == 'ab\0c', 'ab\0c' == v, v == varbinary.new('ab\0c'), v == 'ab', v ~= 'ab', v == 5, v == nil, v == {})
for _, wrong in ipairs({5, {}, true}) do
    show.try(type(wrong), varbinary.new, wrong)
end
show.try('pointer without a size', varbinary.new, ffi.cast('const char *', 'abc'))
show.try('negative size', varbinary.new, ffi.cast('const char *', 'abc'), -1)
show('msgpack', hex(msgpack.encode(v)), hex(msgpack.encode(varbinary.new(('x'):rep(300)))):sub(1, 8))
local back = msgpack.decode(msgpack.encode(v))
show('back', varbinary.is(back), back == v, hex(back))
show('json', require('json').encode({varbinary.new('text')}))
show('tuple', box.tuple.new({v}), varbinary.is(box.tuple.new({v})[1]), varbinary.is(box.tuple.new({{v}})[1][1]), box.tuple.new({v}):totable()[1] == v)

box.cfg{log_level = 0}
for _, kind in ipairs({'TREE', 'HASH'}) do
    local s = box.schema.space.create(kind, {format = {{'b', 'varbinary'}}})
    s:create_index('pk', {type = kind})
    for _, text in ipairs({'b', '', 'a', 'ab', '\255', 'a\0'}) do
        s:insert({varbinary.new(text)})
    end
    show.try(kind .. ' twice', s.insert, s, {varbinary.new('ab')})
    show.try(kind .. ' text is none', s.insert, s, {'x'})
    show(kind .. ' get', s:get(varbinary.new('ab')), s:get({varbinary.new('zz')}))
    show.try(kind .. ' get by text', s.get, s, 'ab')
    if kind == 'TREE' then
        show('order', s:select(varbinary.new('a'), {iterator = 'GE'}))
    end
end
local strings = box.schema.space.create('strings', {format = {{'s', 'string'}}})
strings:create_index('pk')
show.try('bytes are no text', strings.insert, strings, {varbinary.new('x')})
os.exit(0)
