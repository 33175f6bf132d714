local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show.try('hole', s.insert, s, {1, nil, 3})
show.try('holes', s.insert, s, {[1] = 2, [5] = 5})
show.try('ten', s.insert, s, {[1] = 3, [10] = 10})
show.try('too sparse', s.insert, s, {[1] = 4, [100] = 100})
show.try('mixed', s.insert, s, {5, name = 'x'})
show.try('text keys', s.insert, s, {name = 'x'})
show.try('seq', s.insert, s, setmetatable({6, 7}, {__serialize = 'seq'}))
show.try('nested map', s.insert, s, {7, {a = {b = {1, 2}}}})
show.try('nested sparse', s.insert, s, {8, {[1] = 1, [3] = 3}})
show.try('nested empty', s.insert, s, {9, {}, setmetatable({}, {__serialize = 'map'})})
show.try('fraction key', s.insert, s, {10, {[1.5] = 2}})
show('rows', s:select{})

os.exit(0)
