-- differs from 2.6: tables have the fields of 3.x
local show = require('show')
box.cfg{log_level = 0}

local function shape(value)
    if type(value) ~= 'table' then
        return type(value)
    end
    local result = {}
    for key, inner in pairs(value) do
        result[key] = shape(inner)
    end
    return result
end

show('stat', shape(box.stat()))
show('net', shape(box.stat.net()), shape(box.stat.net.CONNECTIONS))
show('vinyl', shape(box.stat.vinyl()))
show('memtx', shape(box.stat.memtx()))
show('tx', shape(box.stat.memtx.tx()))
show('sql', box.stat.sql())
show('slab', shape(box.slab.info()))
show('check', box.slab.check())
local s = box.schema.space.create('s')
s:create_index('pk')
for i = 1, 100 do s:insert{i} end
local stats = box.slab.stats()
show('stats', #stats > 0, shape(stats[1]))
show('memtx data', box.stat.memtx().data.total > 0, box.stat.memtx.index.total > 0)
show('runtime', shape(box.runtime.info()))
show('malloc', shape(box.malloc.info()))
show('json', type(require('json').encode(box.stat)), type(require('json').encode(box.stat.net)))
show('read', box.stat.INSERT.total, box.stat.BEGIN.total, box.stat.NOTHING)
box.stat.reset()
show('reset', box.stat.INSERT.total)

os.exit(0)
