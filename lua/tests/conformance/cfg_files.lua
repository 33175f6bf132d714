local show = require('show')
local log = require('log')
os.execute('mkdir deep')
box.cfg{work_dir = 'deep', pid_file = 'my.pid', log = 'my.log', wal_mode = 'none'}

log.info('first %d', 1)
log.warn('second')
local file = io.open('my.log')
local text = file:read('*a')
file:close()
show('line', text:find('%d%d%d%d%-%d%d%-%d%d %d%d:%d%d:%d%d%.%d%d%d %[%d+%] main/%d+/[^ ]+ I> first 1\n') ~= nil)
show('place', text:find('cfg_files.lua:7 W> second\n', 1, true) ~= nil)
local pid_file = io.open('my.pid')
show('pid', tonumber(pid_file:read('*a')) == box.info.pid)
pid_file:close()
show('names', box.cfg.log, box.cfg.pid_file, box.cfg.work_dir)

os.exit(0)
