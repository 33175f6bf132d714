-- `box.watch`, `box.watch_once`, `box.broadcast`: values under keys, and functions that hear of them.
--
-- A watcher is called in a fiber of its own once it is registered and after each change, never twice
-- at one time; of changes that come while it runs it hears the last. Values are copied as MsgPack
-- copies them.

local cfg = require('lycosa.cfg')
local fiber = require('fiber')
local log = require('log')
local text_of = require('lycosa.thrown').text_of
local msgpack = require('msgpack')

local watch = {}

-- By key: {version =, data = MsgPack or nil, watchers = set}.
local keys = {}

local function entry_of(key)
    local entry = keys[key]
    if entry == nil then
        entry = {version = 1, watchers = {}}
        keys[key] = entry
    end
    return entry
end

local Watcher = {}
Watcher.__index = Watcher
Watcher.__tostring = function() return 'box.watcher' end

local function call(watcher, entry)
    local data = entry.data
    if data == nil then
        watcher.callback(watcher.key)
    else
        watcher.callback(watcher.key, (msgpack.decode(data)))
    end
end

-- Calls the watcher until it has heard of the present version.
local function run(watcher)
    local entry = entry_of(watcher.key)
    while watcher.is_registered and watcher.heard ~= entry.version do
        watcher.heard = entry.version
        local ok, reason = pcall(call, watcher, entry)
        if not ok then
            log.error('%s', text_of(reason))
        end
    end
    watcher.is_running = false
end

local function notify(watcher)
    if not watcher.is_running then
        watcher.is_running = true
        fiber.new(run, watcher)
    end
end

local function publish(key, value)
    local entry = entry_of(key)
    local data
    if value ~= nil then
        data = msgpack.encode(value)
    end
    entry.data = data
    entry.version = entry.version + 1
    for watcher in pairs(entry.watchers) do
        notify(watcher)
    end
end

local function check_key(key)
    if type(key) ~= 'string' and type(key) ~= 'number' then
        error(("bad argument #1 to '?' (string expected, got %s)"):format(type(key)), 3)
    end
    return tostring(key)
end

function watch.watch(...)
    if select('#', ...) ~= 2 then
        error('Usage: box.watch(key, function)', 2)
    end
    local key, callback = ...
    key = check_key(key)
    if type(callback) ~= 'function' then
        error(("bad argument #2 to '?' (function expected, got %s)"):format(type(callback)), 2)
    end
    local watcher = setmetatable({key = key, callback = callback, is_registered = true}, Watcher)
    entry_of(key).watchers[watcher] = true
    notify(watcher)
    return watcher
end

function Watcher:unregister()
    if getmetatable(self) ~= Watcher then
        error(("bad argument #1 to '?' (box.watcher expected, got %s)"):format(type(self)), 2)
    elseif not self.is_registered then
        error('Watcher is already unregistered', 2)
    end
    self.is_registered = false
    entry_of(self.key).watchers[self] = nil
end

-- The value under a key, without watching it.
function watch.watch_once(...)
    if select('#', ...) ~= 1 then
        error('Usage: box.watch_once(key)', 2)
    end
    local entry = keys[check_key((...))]
    if entry ~= nil and entry.data ~= nil then
        return (msgpack.decode(entry.data))
    end
end

function watch.broadcast(...)
    local count = select('#', ...)
    if count ~= 1 and count ~= 2 then
        error('Usage: box.broadcast(key[, value])', 2)
    end
    local key, value = ...
    key = check_key(key)
    if key:sub(1, 4) == 'box.' then
        error("System event can't be override", 2)
    end
    publish(key, value)
end

--- What box itself tells.

local function publish_status()
    publish('box.status', {
        is_ro = cfg.is_read_only() or not cfg.is_configured(),
        is_ro_cfg = cfg.is_read_only(),
        status = cfg.status(),
    })
end

local function publish_identity()
    publish('box.id', {
        id = box.info.id,
        instance_uuid = box.info.uuid,
        replicaset_uuid = box.info.replicaset.uuid,
        instance_name = box.info.name,
    })
end

local function publish_election()
    publish('box.election', {
        term = 1, role = box.info.election.state, is_ro = cfg.is_read_only(), leader = 0,
    })
end

local function publish_configured()
    publish_status()
    publish_identity()
    publish_election()
    publish('box.schema', {version = box.info.schema_version})
end

if cfg.is_configured() then
    publish_configured()
else
    publish_status()
    cfg.on_configured(publish_configured)
end
cfg.on_change('read_only', function()
    if cfg.is_configured() then
        publish_status()
        publish_election()
    end
end)

return watch
