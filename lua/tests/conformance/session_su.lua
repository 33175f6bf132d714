local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local session = box.session
local function who(...)
    return session.user(), session.effective_user(), session.uid(), session.euid(), ...
end

show('before', who())
show('as guest', session.su('guest', who, 1, nil, 2))
show('again', who())
show('by number', session.su(0, who))
show.try('throws', session.su, 'guest', function() error('inside') end)
show('after an error', who())
show('nested', session.su('guest', function() return session.su('admin', who) end))
show.try('nothing', session.su)
show.try('nobody', session.su, 'nobody')
show.try('no number', session.su, 99)
show.try('no function', session.su, 'admin', 5)
show('for good', session.su('guest'))
show('now', who())
show('and back', session.su('admin'))
show('then', who())

os.exit(0)
