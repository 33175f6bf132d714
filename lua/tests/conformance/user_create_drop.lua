local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local user, role = box.schema.user, box.schema.role
local function row(name) return box.space._user.index.name:get(name):totable(2, 5) end
show('create', user.create('u'), row('u'))
show('password', user.create('p', {password = 'secret'}), row('p'))
show('role', role.create('r'), row('r'))
show.try('exists', user.create, 'u')
show.try('exists', role.create, 'r')
show.try('a role of that name', user.create, 'r')
show.try('a user of that name', role.create, 'u')
show.try('if not exists', user.create, 'u', {if_not_exists = true})
show.try('if not exists', role.create, 'r', {if_not_exists = true})
show.try('empty name', user.create, '')
show.try('control character', user.create, 'a\nb')
show.try('number', user.create, 5)
show.try('option', user.create, 'v', {other = 1})
show.try('option', user.create, 'v', {password = 5})
show('is there', user.exists('u'), user.exists('v'), user.exists('r'), role.exists('r'), role.exists('u'), role.exists('super'))
show('by number', user.exists(0), user.exists(2), role.exists(2), user.exists(999))
show('digest', user.password('secret'), user.password(''))
show('passwd', user.passwd('u', 'x'), row('u')[4])
show.try('passwd of none', user.passwd, 'v', 'x')
show.try('passwd of guest', user.passwd, 'guest', 'x')
show.try('own passwd', user.passwd, 'y')
show('own passwd', row('admin')[4])
for _, name in ipairs({'guest', 'admin', 'v', 'r', 'super'}) do show.try('drop ' .. name, user.drop, name) end
for _, name in ipairs({'public', 'super', 'v', 'u'}) do show.try('drop role ' .. name, role.drop, name) end
show.try('if exists', user.drop, 'v', {if_exists = true})
show.try('if exists', role.drop, 'v', {if_exists = true})
show('drop', user.drop('u'), user.exists('u'), role.drop('r'), role.exists('r'))
show.try('too many', function() for number = 1, 40 do user.create('m' .. number) end end)
show('count', box.space._user:count())

os.exit(0)
