-- differs from 2.6: it has no space:alter()
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local user = box.schema.user
user.create('u')
local id = box.space._user.index.name:get('u').id
local function owner(space) return box.space._space:get(space.id).owner == id end
local s = box.schema.space.create('s', {user = 'u'})
local t = box.schema.space.create('t', {user = id})
local a = box.schema.space.create('a')
show('owner', owner(s), owner(t), owner(a))
a:alter({user = 'u'})
show('altered', owner(a), box.space._space.index.owner:count(id))
show.try('no user', box.schema.space.create, 'x', {user = 'nobody'})
show.try('no user', box.schema.space.create, 'x', {user = 777})
show.try('no user', a.alter, a, {user = 'nobody'})
show.try('wrong type', box.schema.space.create, 'x', {user = {}})
user.drop('u')
show('dropped with the user', box.space.s, box.space.t, box.space.a, box.space._space.index.owner:count(id))
show('numbers', box.schema.ADMIN_ID, box.schema.GUEST_ID, box.schema.PUBLIC_ROLE_ID, box.schema.SUPER_ROLE_ID, box.schema.SYSTEM_USER_ID_MIN, box.schema.SYSTEM_USER_ID_MAX)
show('bits', box.priv.R, box.priv.W, box.priv.X, box.priv.S, box.priv.U, box.priv.C, box.priv.D, box.priv.A, box.priv.ALL)

os.exit(0)
