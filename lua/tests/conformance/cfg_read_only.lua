local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
s:insert{1, 'one'}
show('before', box.info.ro, box.cfg.read_only)
box.cfg{read_only = true}
show('now', box.info.ro, box.cfg.read_only)
show.try('insert', s.insert, s, {2})
show.try('replace', s.replace, s, {1})
show.try('update', s.update, s, 1, {{'=', 2, 'x'}})
show.try('upsert', s.upsert, s, {1}, {{'=', 2, 'x'}})
show.try('delete', s.delete, s, 1)
show.try('delete of nothing', s.delete, s, 7)
show.try('truncate', s.truncate, s)
show.try('create', box.schema.space.create, 't')
show.try('index', s.create_index, s, 'sk')
show.try('drop', s.drop, s)
show('reads', s:get(1), #s:select(), s:count(), s.index.pk:max())
show.try('begin', box.begin)
show.try('in a transaction', s.insert, s, {3})
show.try('commit', box.commit)
local ok, err = pcall(s.insert, s, {2})
show('error', ok, err.type, err.code, err.code == box.error.READONLY)
box.cfg{read_only = false}
show('again', s:insert{2}, box.info.ro)

os.exit(0)
