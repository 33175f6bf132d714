local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local t = box.tuple.new{1, 'a', {2, 3}, true, box.NULL}
show('tuple', t, #t, type(t), box.tuple.is(t), box.tuple.is{})
show('fields', t[1], t[2], t[3], t[4], t[5], t[6], t[0], t[-1])
show('totable', t:totable(), t:totable(2, 3))
show('unpack', t:unpack())
show('unpack part', t:unpack(2, 3))
show('bsize', t:bsize())
show('find', t:find('a'), t:find('b'), t:findall('a'))
show('slice', t:slice(1, 3))
show('transform', t:transform(2, 1, 'x', 'y'))
show('update', t:update{{'=', 2, 'b'}}, t[2])
show('upsert', t:upsert{{'=', 2, 'c'}})
local walked = {}
for i, v in t:pairs() do walked[#walked + 1] = show.text(v) end
show('pairs', walked)
show('empty', box.tuple.new(), box.tuple.new{}, #box.tuple.new{})
show('scalars', box.tuple.new(1, 2, 'x'), box.tuple.new(5))
show.fails('map', box.tuple.new, {a = 1})
show.fails('assign', function() t[1] = 2 end)
show('of a tuple', box.tuple.new(t))

os.exit(0)
