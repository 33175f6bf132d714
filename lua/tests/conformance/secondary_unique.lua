local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local sk = s:create_index('sk', {parts = {2, 'string', 3, 'unsigned'}})
s:insert{1, 'a', 1}
s:insert{2, 'a', 2}
show.try('clash', s.insert, s, {3, 'a', 1})
show('untouched', s:len(), sk:len(), s:get(3))
show('get', sk:get{'a', 2}, sk:select{'a'})
show.try('partial get', sk.get, sk, {'a'})
local ok, err = pcall(s.insert, s, {3, 'a', 1})
show('names', err.code, err.message:find('sk', 1, true) ~= nil, err.message:find("'s'", 1, true) ~= nil or err.message:find('"s"', 1, true) ~= nil)
show('free again', s:delete(1), s:insert{3, 'a', 1})

os.exit(0)
