-- differs from 2.6: it has no hints to ask for
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk', {hint = true})
local plain = s:create_index('plain', {parts = {2, 'unsigned'}, hint = false})
local function options(index) return box.space._index:get({s.id, index.id}).opts end
show('shown', options(pk), options(plain))
plain:alter({hint = true})
show('altered', options(plain))
s:insert{1, 2}
show('works', plain:get(2))
show.try('hash', s.create_index, s, 'hash', {type = 'HASH', hint = true})
show.try('wrong type', s.create_index, s, 'x', {hint = 'yes'})
show('hash without', options(s:create_index('hash', {type = 'HASH', parts = {1, 'unsigned'}, hint = false})))

os.exit(0)
