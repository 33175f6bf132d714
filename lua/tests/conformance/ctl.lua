local show = require('show')
local fiber = require('fiber')
box.cfg{log_level = 0, wal_mode = 'none'}

local ctl = box.ctl
show.try('wait_rw', ctl.wait_rw)
show.fails('wait_ro for a moment', ctl.wait_ro, 0.001)
show.fails('wait_ro text', ctl.wait_ro, 'x')
local waited
fiber.create(function() ctl.wait_ro() waited = box.info.ro end)
show('still waiting', waited)
box.cfg{read_only = true}
fiber.yield()
show('waited', waited)
show.fails('wait_rw for a moment', ctl.wait_rw, 0.001)
show.try('wait_ro', ctl.wait_ro)
box.cfg{read_only = false}
show.try('wait_rw', ctl.wait_rw, 1)
local function first() end
local function second() end
show('no triggers', ctl.on_shutdown())
show('set', ctl.on_shutdown(first) == first, #ctl.on_shutdown())
show('another', ctl.on_shutdown(second) == second, #ctl.on_shutdown())
show('replaced', ctl.on_shutdown(print, first) == print, #ctl.on_shutdown())
show('removed', ctl.on_shutdown(nil, print), #ctl.on_shutdown())
show.try('unknown', ctl.on_shutdown, nil, print)
show.try('wrong', ctl.on_shutdown, 5)
show('on_schema_init', ctl.on_schema_init(first) == first)

os.exit(0)
