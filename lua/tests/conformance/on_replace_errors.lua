-- differs from 2.6: the code of an error that Lua has raised is 0
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- A trigger that fails undoes its statement with all that the triggers before it did.
local s = box.schema.space.create('s')
s:create_index('pk')
local log = box.schema.space.create('log')
log:create_index('pk')
local function attempt(label, thrown)
    local trigger = function() thrown() end
    local before = function(old, new) log:replace{(new or old)[1]} end
    s:on_replace(trigger)
    s:on_replace(before)
    local ok, err = pcall(s.replace, s, {1, label})
    show(label, ok, type(err), err.type, err.code, (err.message:gsub('^.-:%d+: ', ''):gsub('0x%x+', 'ADDRESS')))
    show('last error', box.error.last() == err)
    show('rows', s:select(), log:select(), box.is_in_txn())
    box.begin()
    log:insert{100}
    show.fails('in a transaction', s.replace, s, {2, label})
    show('rows', s:select(), log:select(), box.is_in_txn())
    box.rollback()
    s:on_replace(nil, trigger)
    s:on_replace(nil, before)
end
attempt('string', function() error('text') end)
attempt('string without a place', function() error('text', 0) end)
attempt('table', function() error({reason = 1}) end)
attempt('nil', function() error() end)
attempt('Lua error', function() local t = nil; return t.x end)
attempt('error object', function() box.error(box.error.ILLEGAL_PARAMS, 'mine') end)
attempt('failed statement', function() s:insert{1, {}, {}}; s:insert{1} end)
show('a trigger that fails later leaves the rest alone', s:replace{3})

os.exit(0)
