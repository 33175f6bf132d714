-- Spaces without an index can be walked over and counted; `pairs` answers with an iterator all the same.
local show = require('show')
box.cfg{wal_mode = 'none', log_level = 0}

local bare = box.schema.space.create('bare')
show('len', bare:len(), bare:count())
show('totable', bare:pairs():totable())
show('length', bare:pairs():map(function(tuple) return tuple[1] end):length())
for _ in bare:pairs() do
    show('not reached')
end
for _ in bare:pairs({1}, {iterator = 'GE'}) do
    show('not reached')
end
show.try('select', bare.select, bare)
show.try('get', bare.get, bare, 1)
show.try('insert', bare.insert, bare, {1})
show('truncated', bare:truncate())

bare:create_index('pk')
bare:insert{1}
show('with an index', bare:pairs():totable())
os.exit()
