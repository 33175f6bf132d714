local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

for _, name in ipairs({'space', 'index', 'user', 'func', 'priv', 'sequence', 'collation'}) do
    local source, view = box.space['_' .. name], box.space['_v' .. name]
    show(view.name, view.id > source.id, view.engine, view.enabled, view:count() == source:count(), #view.index == #source.index)
end
local v = box.space._vspace
local s = box.schema.space.create('s')
show('sees a new space', v:get(s.id).name, v.index.name:get('s').id == s.id, v.index.name:select('s')[1].name)
show('walks', #v:select({s.id}, {iterator = 'GE'}), v.index.primary:max().name)
for _, method in ipairs({'insert', 'replace', 'upsert'}) do
    show.try(method, v[method], v, {1}, {})
end
show.try('delete', v.delete, v, s.id)
show.try('update', v.update, v, s.id, {{'=', 3, 'x'}})
show('still there', v:get(s.id).name)

os.exit(0)
