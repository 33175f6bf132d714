local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local user, role = box.schema.user, box.schema.role
user.create('u')
for _, name in ipairs({'a', 'b', 'c'}) do role.create(name) end
show('grant', user.grant('u', 'a'), role.grant('a', 'b'), role.grant('b', 'execute', 'role', 'c'))
show('to a role', role.grant('c', 'read', 'universe'))
show('info', user.info('u'))
show('info', role.info('a'), role.info('c'))
show.try('again', user.grant, 'u', 'a')
show.try('again', role.grant, 'a', 'b')
show.try('if not exists', user.grant, 'u', 'a', nil, nil, {if_not_exists = true})
show.try('loop', role.grant, 'c', 'a')
show.try('itself', role.grant, 'a', 'a')
show.try('no role', role.grant, 'nothing', 'a')
show.try('of a user', role.grant, 'u', 'a')
show.try('to a role', user.grant, 'a', 'b')
show.try('no such', role.grant, 'a', 'nothing')
show.try('info', role.info, 'nothing')
show.try('info', user.info, 'a')
show('revoke', user.revoke('u', 'a'))
show.try('again', user.revoke, 'u', 'a')
show.try('if exists', user.revoke, 'u', 'a', nil, nil, {if_exists = true})
show('drop', role.drop('b'), role.info('a'))
show('roles', role.exists('a'), role.exists('b'), role.exists('c'))

os.exit(0)
