local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string'}})
local many = s:create_index('many', {parts = {3, 'unsigned'}, unique = false})
s:insert{1, 'a', 1}
s:insert{2, 'b', 1}
show('update', sk:update('a', {{'=', 3, 2}}))
show('move', sk:update('a', {{'=', 2, 'z'}}), sk:get('a'), sk:get('z'))
show.try('clash', sk.update, sk, 'z', {{'=', 2, 'b'}})
show.try('non-unique', many.update, many, 1, {{'=', 2, 'x'}})
show('rows', s:select{}, sk:select{}, many:select{})

os.exit(0)
