local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s', {field_count = 2})
s:create_index('pk')
show('field_count', s.field_count)
show.try('exact', s.insert, s, {1, 2})
show.try('more', s.insert, s, {2, 2, 3})
show.try('fewer', s.replace, s, {3})
show.try('update to more', s.update, s, 1, {{'!', 3, 1}})
show.try('same count', s.update, s, 1, {{'=', 2, 'x'}})

os.exit(0)
