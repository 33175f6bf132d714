local show = require('show')
local uuid = require('uuid')

local text = '64d22e4d-ac92-4a23-899a-e59f34af5479'
local function hex(bytes)
    return (bytes:gsub('.', function(c) return ('%02x'):format(c:byte()) end))
end
local u = uuid.fromstr(text)
show('text', u, u:str(), tostring(u))
show('upper case', uuid.fromstr(text:upper()))
show('bytes', hex(u:bin()), hex(u:bin('l')), hex(u:bin('h')), hex(u:bin('host')))
show('network', hex(u:bin('b')), hex(u:bin('n')), hex(u:bin('network')))
show.try('no such order', u.bin, u, 'x')
show('back', uuid.frombin(u:bin()) == u, uuid.frombin(u:bin('n'), 'n') == u, uuid.frombin(u:bin('n')))
for _, wrong in ipairs({'', 'x', text .. '0', text:sub(1, 35), text:gsub('%-', ''), '{' .. text .. '}',
    (text:gsub('6', 'g')), 'c8b8d5a2-7f0e-4b5c-fc3a-1b2c3d4e5f60', 'c8b8d5a27f0e4b5c9c3a1b2c3d4e5f60----'}) do
    show.try(tostring(wrong), uuid.fromstr, wrong)
end
show.try('fromstr of a number', uuid.fromstr, 1)
show.try('fromstr of nothing', uuid.fromstr)
show.try('frombin of text', uuid.frombin, 'x')
show.try('frombin of a number', uuid.frombin, 5)
show('null', uuid.NULL, uuid.NULL:isnil(), u:isnil(), uuid.fromstr('00000000-0000-0000-0000-000000000000'):isnil())
show('equality', u == uuid.fromstr(text), u == uuid.NULL, u ~= uuid.NULL, u == nil, u == 1, u == box.NULL)
show.try('str without a uuid', u.str)
show.try('bin without a uuid', u.bin, 1)
show.try('isnil without a uuid', u.isnil, {})
show('members', u.time_low, u.time_mid, u.time_hi_and_version, u.clock_seq_low, u.node[0], u.node[5])
show.fails('no such member', function() return u.foo end)
show.fails('no concatenation', function() return u .. '' end)
local made = {uuid.new(), uuid(), uuid.fromstr(uuid.str()), uuid.frombin(uuid.bin())}
for position = 1, 4 do
    local string = made[position]:str()
    show('made ' .. position, #string, string:sub(15, 15), ('89ab'):find(string:sub(20, 20)) ~= nil)
end
show('different', made[1] ~= made[2], uuid.str() ~= uuid.str())
show('bytes made', #uuid.bin(), #uuid.bin('n'))
show('types', type(u), type(uuid.NULL))
