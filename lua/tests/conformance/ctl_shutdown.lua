-- differs from 2.6: there a trigger that throws keeps the process from ending
local fiber = require('fiber')
box.cfg{log_level = 0}

box.ctl.on_shutdown(function() print('first') end)
box.ctl.on_shutdown(function() fiber.sleep(0.001) print('last, as it sleeps') end)
box.ctl.on_shutdown(function() error('of a trigger') end)
box.ctl.on_shutdown(function() print('newest first') end)
fiber.create(function() fiber.sleep(100) print('never') end)
print('before the end')

os.exit(0)
