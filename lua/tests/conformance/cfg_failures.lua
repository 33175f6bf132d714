-- differs from 2.6: a first box.cfg that fails changes nothing, and may be called anew
local show = require('show')

show.try('work_dir', box.cfg, {work_dir = '/no/such/directory'})
show.try('pid_file', box.cfg, {pid_file = '/no/such/directory/pid'})
show.try('log', box.cfg, {log = '/no/such/directory/log'})
show.try('syslog', box.cfg, {log = 'syslog:identity=x'})
show.try('memory', box.cfg, {memtx_memory = 1})
show.try('no table', box.cfg, 5)
show.try('a table as a name', box.cfg, {[{}] = 1})
show('still a function', type(box.cfg))
show.try('box is closed', function() return box.space end)
show.try('at last', box.cfg, {log_level = 0, read_only = true})
show('open', box.info.status, box.info.ro, type(box.space))
show('identity', box.info.uuid == box.space._cluster:get(1)[2])
show.try('not with a dot', function() return box.cfg.nothing end)
local old = box.cfg
box.cfg{read_only = false}
show('the same table', old == box.cfg, old.read_only)

os.exit(0)
