-- differs from 2.6: there errors are their text unless a session setting says otherwise
local json = require('json')
local msgpack = require('msgpack')
local yaml = require('yaml')
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function facts(err)
    return err.type, err.base_type, err.custom_type, err.code, err.message, err.errno
end
local function again(err)
    return msgpack.decode(msgpack.encode(err))
end

local cause = box.error.new({code = 5, reason = 'the cause', type = 'Custom', note = 'noted', list = {1, 2}})
local client = box.error.new(box.error.NO_SUCH_SPACE, 'absent')
client:set_prev(cause)
local decoded = again(client)
show('an object', type(decoded), box.error.is(decoded), decoded == client)
show('client error', facts(decoded))
show('details', decoded.name, decoded.space)
show('its cause', facts(decoded.prev))
show('details of the cause', decoded.prev.note, decoded.prev.list, decoded.prev.prev)
show('place', decoded.trace[1].file:match('[^/]*$'), decoded.trace[1].line == client.trace[1].line)
local _, text = pcall(error, 'plain')
local lua = select(2, pcall(box.atomic, function() error(box.error.new({reason = 'thrown'})) end))
show('thrown', again(lua).message, text)

-- The bytes: an extension of type 3, with a map of a stack.
local bytes = msgpack.encode(box.error.new({reason = 'r'}))
show('extension', bytes:byte(1) == 0xc7, bytes:byte(2) == #bytes - 3, bytes:byte(3))
local body = msgpack.decode(bytes:sub(4))
local one = body[0][1]
show('stack', #body[0], one[0], one[2] > 0, type(one[1]), one[3], one[4], one[5], one[6])

-- In tuples, in spaces, in tables.
local tuple = box.tuple.new({1, client, {inner = cause}})
show('tuple', tuple[2].space, tuple[2].prev.note, tuple[3].inner.message)
show('text of a tuple', tostring(tuple))
show('as json and yaml', json.encode({client}), json.encode(tuple), yaml.encode({cause}))
local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'what', 'any'}}})
s:create_index('pk')
s:insert{1, client}
show('stored', s:get(1).what.space, s:update(1, {{'=', 2, cause}}).what.note)
print('in a message: ' .. (select(2, pcall(s.insert, s, {1, box.error.new({reason = 'new'})})).message
    :gsub('"line": %d+', '"line": N'):gsub('"file": "[^"]*"', '"file": "F"')))
show.try('no key', s.get, s, client)

-- What has no MsgPack is left out; what nests deeper than anyone needs is text.
show('a function', again(box.error.new({reason = 'r', fine = 1, bad = print})).fine,
    again(box.error.new({reason = 'r', bad = print})).bad)
local cycle = {}
local cyclic = box.error.new({reason = 'round and round', cycle = cycle})
cycle[1] = cyclic
local at, depth = again(cyclic), 1
while box.error.is(at.cycle[1]) do
    at, depth = at.cycle[1], depth + 1
end
show('a cycle', depth, at.cycle[1])
local long
for number = 1, 1000 do
    local err = box.error.new({reason = 'number ' .. number})
    err:set_prev(long)
    long = err
end
long = again(long)
depth = 1
while long.prev ~= nil do
    long, depth = long.prev, depth + 1
end
show('a long stack', depth, long.message)

-- Types that nobody knows, and bytes that are no error.
local function extension(content)
    return string.char(0xc8, bit.rshift(#content, 8), bit.band(#content, 255), 3) .. content
end
local function with(parts)
    return extension('\129\0' .. msgpack.encode({setmetatable(parts, {__serialize = 'map'})}))
end
local odd = msgpack.decode(with({[0] = 'OddError', [1] = 'f', [3] = 'odd', [5] = 77, [6] = {k = 'v'}, [9] = 1}))
show('unknown type', odd.type, odd.code, odd.k, odd.trace)
for label, wrong in pairs({['no message'] = {[0] = 'ClientError', [1] = 'f'}, ['no file'] = {[0] = 'x', [3] = 'm'},
    ['no type'] = {[1] = 'f', [3] = 'm'}, ['number as type'] = {[0] = 1, [1] = 'f', [3] = 'm'},
    ['text as code'] = {[0] = 't', [1] = 'f', [3] = 'm', [5] = 'c'},
    ['list of details'] = {[0] = 't', [1] = 'f', [3] = 'm', [6] = {1}}}) do
    show('refused', label ~= nil, pcall(msgpack.decode, with(wrong)))
end
for _, wrong in ipairs({'', '\128', '\129\0\144', '\129\0\1', '\129\161a\144', '\192', '\129\0', bytes}) do
    show('refused', pcall(msgpack.decode, extension(wrong)))
end
local refused = 0
for position = 1, #bytes - 1 do
    refused = refused + (pcall(msgpack.decode, bytes:sub(1, position)) and 0 or 1)
end
show('cut short', refused == #bytes - 1)

msgpack.cfg{encode_error_as_ext = false}
show('as text', again(client), box.tuple.new({client}))
os.exit(0)
