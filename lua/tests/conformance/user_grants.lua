local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local user = box.schema.user
user.create('u')
local s = box.schema.space.create('s')
local q = box.schema.sequence.create('q')
local id = box.space._user.index.name:get('u').id
local function grants()
    local list = {}
    for _, t in box.space._priv:pairs(id) do
        local object = t[4] == id and 'itself' or t[4] == s.id and 'the space' or t[4]
        list[#list + 1] = {t[3], object, t[5]}
    end
    return list
end
show('first', grants())
user.grant('u', 'read,write', 'universe')
user.grant('u', 'Read; WRITE', 'space', 's')
user.grant('u', 'create', 'space', s.id)
user.grant('u', 'read', 'space')
user.grant('u', 'read', 'sequence', 'q')
user.grant('u', 'alter', 'user', 'admin')
user.grant('u', 3, 'sequence', 'q', {if_not_exists = true})
show('more', grants())
show('info', user.info('u'))
show('info', user.info('guest'))
show.try('again', user.grant, 'u', 'read', 'universe')
show.try('again', user.grant, 'u', 'read', 'space', 's')
show.try('if not exists', user.grant, 'u', 'read', 'universe', nil, {if_not_exists = true})
show.try('one of two', user.grant, 'u', 'read,execute', 'universe')
show.try('grantor', user.grant, 'u', 'session', 'universe', nil, {grantor = 'guest', if_not_exists = true})
for _, kind in ipairs({'space', 'function', 'sequence', 'user', 'role'}) do
    show.try('no ' .. kind, user.grant, 'u', 'create', kind, 'nothing')
end
show.try('no user', user.grant, 'nobody', 'read', 'universe')
show.try('no role', user.grant, 'u', 'nothing')
show.try('unknown privilege', user.grant, 'u', 'reed', 'universe')
show.try('empty privilege', user.grant, 'u', '', 'universe')
show.try('no privilege', user.grant, 'u', {'read'}, 'universe')
show.try('of another type', user.grant, 'u', 'read', 'function')
show.try('unknown type', user.grant, 'u', 'read', 'planet')
show.try('name', user.grant, 'u', 'read', 'space', {})

user.revoke('u', 'read', 'universe')
show('revoked', grants()[6])
show.try('again', user.revoke, 'u', 'read', 'universe')
show.try('if exists', user.revoke, 'u', 'read', 'universe', nil, {if_exists = true})
show.try('never granted', user.revoke, 'u', 'read', 'sequence')
show.try('no space', user.revoke, 'u', 'read', 'space', 'nothing')
show.try('more than granted', user.revoke, 'u', 'write,read', 'universe')
user.disable('u')
show('disabled', user.info('u'))
user.enable('u')
s:drop()
q:drop()
show('with what is gone', user.info('u'))
user.drop('u')
show('with the user', box.space._priv:count(id))

os.exit(0)
