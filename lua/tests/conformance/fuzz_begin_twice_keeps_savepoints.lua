local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

show.try('1', function() return box.begin() end)
show.try('2', function() savepoint = box.savepoint() end)
show.try('3', function() return box.begin() end)
show.try('4', function() return box.rollback_to_savepoint(savepoint) end)
show.try('5', function() return box.rollback() end)
show.try('6', function() return box.begin() end)
show.try('7', function() return box.rollback_to_savepoint(savepoint) end)
show.try('8', function() return box.rollback() end)

os.exit(0)
