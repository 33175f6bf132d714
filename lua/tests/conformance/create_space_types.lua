-- differs from 2.6: it has no types of spaces
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

for _, kind in ipairs({'normal', 'data-temporary', 'temporary'}) do
    local s = box.schema.space.create(kind, {type = kind})
    show(kind, s.type, s.temporary, s.id >= 2^30, box.space._space:get(s.id).flags)
end
show('next', box.schema.space.create('next', {type = 'temporary'}).id - box.space.temporary.id)
show('gaps stay', box.schema.space.create('numbered', {id = 1000}).id, box.schema.space.create('behind').id)
show('normal ones go on', box.schema.space.create('s').id < 2^30)
show('temporary', box.schema.space.create('t', {temporary = true}).type)
show('sync', box.schema.space.create('y', {is_sync = true}).is_sync)
show.try('unknown', box.schema.space.create, 'x', {type = 'other'})
show.try('both', box.schema.space.create, 'x', {type = 'normal', temporary = true})
show.try('upgrade', box.space.s.upgrade, box.space.s)

os.exit(0)
