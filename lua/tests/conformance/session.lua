local show = require('show')
local fiber = require('fiber')
box.cfg{log_level = 0, wal_mode = 'none'}

local session = box.session
show('main', session.id(), session.type(), session.user(), session.uid(), session.euid(), session.effective_user())
show('connection', session.peer(), session.sync(), session.fd())
show('exists', session.exists(session.id()), session.exists(123456789))
session.storage.x = 1
local ids = {}
for i = 1, 2 do
    fiber.create(function()
        ids[i] = session.id()
        show('fiber', session.type(), session.user(), session.storage.x, session.exists(session.id()))
        session.storage.x = i + 1
        fiber.create(function() show('within', session.user(), session.storage.x) end)
        show('own storage', session.storage.x)
    end)
end
show('different', ids[1] ~= ids[2], ids[1] ~= session.id(), session.storage.x)
show.try('fd of a number', session.fd, session.id())
show.try('fd of nobody', session.fd, 123456789)
show.try('peer of nobody', session.peer, 123456789)
show('push', (session.push(1)))
local function trigger() end
for _, name in ipairs({'on_connect', 'on_disconnect', 'on_auth'}) do
    show(name, session[name](trigger) == trigger, #session[name](), session[name](nil, trigger), #session[name]())
    show.try(name .. ' wrong', session[name], 1)
    show.try(name .. ' unknown', session[name], nil, trigger)
end
show('user after all', session.user())

os.exit(0)
