local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string'}})
show('new', s:replace{1, 'a'})
show('over', s:replace{1, 'b'})
show('put', s:put{2, 'c'})
show.try('clash', s.replace, s, {3, 'b'})
show.try('clash of another row', s.replace, s, {2, 'b'})
show('rows', s:select{}, sk:select{})
show('own row', s:replace{2, 'c', 'more'})
show.try('missing secondary field', s.replace, s, {4})
show.try('wrong secondary type', s.replace, s, {4, 4})
show('len', s:len(), sk:len())

os.exit(0)
