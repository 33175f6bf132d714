local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- What a trigger may do with the transaction that it runs in.
local fiber = require('fiber')
local s = box.schema.space.create('s')
s:create_index('pk')
local function attempt(label, action)
    local trigger = function() action() end
    s:on_replace(trigger)
    show.try(label, s.replace, s, {1})
    show('then', s:select(), box.is_in_txn())
    s:on_replace(nil, trigger)
    box.begin()
    s:insert{9}
    s:on_replace(trigger)
    show.try(label .. ' in a transaction', s.replace, s, {1})
    show('then', box.is_in_txn())
    box.rollback()
    show('undone', s:select())
    s:on_replace(nil, trigger)
    s:truncate()
end
attempt('begin', box.begin)
attempt('commit', box.commit)
attempt('rollback', box.rollback)
attempt('atomic', function() box.atomic(function() end) end)
attempt('yield', fiber.yield)
attempt('sleep', function() fiber.sleep(0) end)
attempt('savepoint', box.savepoint)
local saved
box.begin()
saved = box.savepoint()
local back = function() box.rollback_to_savepoint(saved) end
s:on_replace(back)
show.try('savepoint of the outside', s.replace, s, {1})
box.rollback()
s:on_replace(nil, back)
local own = function()
    local here = box.savepoint()
    s:run_triggers(false)
    s:replace{2}
    s:run_triggers(true)
    box.rollback_to_savepoint(here)
end
s:on_replace(own)
show.try('savepoint of its own', s.replace, s, {1})
show('rows', s:select())

os.exit(0)
