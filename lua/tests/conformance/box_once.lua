local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local calls = 0
box.once('setup', function(...) calls = calls + select('#', ...) end, 'a', 'b')
box.once('setup', function() calls = calls + 100 end)
show('calls', calls)
box.once('other', function() calls = calls + 1000 end)
show('calls', calls)
show.fails('key type', box.once, 1, print)
show.fails('function type', box.once, 'third', 'x')
show.fails('error inside', box.once, 'fourth', function() error('no') end)

os.exit(0)
