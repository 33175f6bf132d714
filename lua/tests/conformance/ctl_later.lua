-- differs from 2.6: functions of 3.x
local show = require('show')
show('before', box.ctl.is_recovery_finished())
local configured
box.ctl.on_schema_init(function() configured = box.info.status end)
box.cfg{log_level = 0}

show('after', box.ctl.is_recovery_finished(), configured)
show.try('promote', box.ctl.promote)
show.try('demote', box.ctl.demote)
show.try('wal_sync', box.ctl.wal_sync)
show.try('timeout', box.ctl.set_on_shutdown_timeout, 1)
show.try('no timeout', box.ctl.set_on_shutdown_timeout)
show.try('zero', box.ctl.set_on_shutdown_timeout, 0)
show.try('text', box.ctl.set_on_shutdown_timeout, 'x')
local _, err = pcall(box.ctl.wait_ro, 0)
show('error', err.type, err.message)
show('on_election', type(box.ctl.on_election()), type(box.ctl.on_recovery_state()))
show('snapshot', box.snapshot())
show.try('backup', function() return box.backup.start() end)

os.exit(0)
