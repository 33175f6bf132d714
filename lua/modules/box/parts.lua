-- The parts of `box` that are loaded when they are first used: their tables, empty until then, and the
-- functions that load them.

local database = require('lycosa.database')
local lazy = require('lycosa.lazy')
local log = require('log')

local api = database.api

box.session = lazy.table('lycosa.box_session')
box.info = lazy.table('lycosa.box_info')
box.ctl = lazy.table('lycosa.box_ctl')
box.runtime = lazy.table('lycosa.box_stat')
box.malloc = lazy.table('lycosa.box_stat')
api.stat = lazy.table('lycosa.box_stat')
api.slab = lazy.table('lycosa.box_stat')
api.read_view = lazy.table('lycosa.box_read_view')
api.sequence = lazy.table('lycosa.sequence')
api.func = lazy.table('lycosa.functions')
api.priv = lazy.table('lycosa.privileges')

for _, name in ipairs({'watch', 'watch_once', 'broadcast'}) do
    box[name] = lazy.call('lycosa.box_watch', name)
end

local has_told = false

-- There is no disk, so that there is nothing to write; scripts go on as if there were.
function api.snapshot()
    if not has_told then
        has_told = true
        log.warn('box.snapshot() has no effect: nothing is written to disk')
    end
    return 'ok'
end

return {}
