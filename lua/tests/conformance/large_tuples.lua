local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
show('half a megabyte', #s:insert{1, ('x'):rep(500000)}[2])
show.try('more than a megabyte', s.insert, s, {2, ('x'):rep(1100000)})
show('replace', #s:replace{1, ('y'):rep(1000000)}[2])
local wide = {}
for i = 1, 1000 do wide[i] = i end
wide[1] = 3
local t = s:insert(wide)
show('wide', #t, t[1000], t[500], #t:totable())
local twenty = {4}
for i = 2, 20 do twenty[i] = i % 2 == 0 and ('f' .. i) or i end
show('twenty', s:insert(twenty))
show('select', #s:select{}, #s:get(1)[2], s:get(1)[2]:sub(1, 3))
show('update', s:update(4, {{'=', 20, 'last'}})[20])
show('append', #s:update(1, {{':', 2, 1, 999990, 'short'}})[2])

os.exit(0)
