local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local info = box.info
show('running', info.status, info.ro, info.id, info.lsn, info.signature, info.vclock)
show('types', type(info.version), type(info.package), type(info.uptime), type(info.pid), type(info.uuid))
show('uuid', #info.uuid, info.uuid:match('^%x+%-%x+%-4%x+%-%x+%-%x+$') ~= nil, info.uuid == box.info.uuid)
show('replication', #info.replication, info.replication[1].id, info.replication[1].uuid == info.uuid, info.replication[1].lsn)
show('called', box.info().status, box.info().uuid == info.uuid, type(box.info().replication))
show('anonymous replicas', info.replication_anon.count, info.replication_anon())
show('unknown', info.no_such_field)
local memory = info.memory()
show('memory', type(memory.data), type(memory.index), memory.cache, memory.tx, type(memory.net), type(memory.lua))
local gc = info.gc()
show('gc', gc.vclock, gc.signature, gc.checkpoint_is_in_progress, gc.consumers, type(gc.checkpoints))
show('sql', info.sql())
local vinyl = info.vinyl()
show('vinyl', vinyl.disk, vinyl.memory.level0, vinyl.tx.commit, vinyl.scheduler.tasks_completed)
box.cfg{read_only = true}
show('read-only', info.ro)
show('json', type(require('json').encode(box.info)), type(require('json').encode(box.info())))
show.fails('not writable', function() box.info.memory.x.y = 1 end)

os.exit(0)
