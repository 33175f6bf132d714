local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local clock, log = require('clock'), require('log')
show('types', type(clock.time()), type(clock.monotonic()), type(clock.proc()), type(clock.monotonic64()))
local before = clock.monotonic()
show('forward', clock.monotonic() >= before, clock.time() > 1.5e9)
show('bench', #clock.bench(function() return 'a' end) , clock.bench(function(x) return x end, 7)[2])
log.info('silent at level 0: %d', 1)
log.error('%s', 'silent too')
show('done')

os.exit(0)
