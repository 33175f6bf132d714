-- Parts of `box` are there even if they were first touched where no stack was left.
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function deep(touch, depth)
    if depth == 0 then
        return touch()
    end
    local result = deep(touch, depth - 1)
    return result
end

-- From too deep to deep enough.
local function climb(touch)
    local failures = 0
    for depth = 60000, 0, -100 do
        local ok, result = pcall(deep, touch, depth)
        if ok then
            return result, failures > 0
        end
        failures = failures + 1
    end
end

show('stat', climb(function() return type(box.stat().INSERT.total) end))
show('session', climb(function() return type(box.session.id()) end))
show('a code', climb(function() return box.error.NO_SUCH_SPACE end))
show('a sequence', climb(function() return box.schema.sequence.create('s', {if_not_exists = true}).name end))
show('a user', climb(function() return box.schema.user.exists('admin') end))
show('a function', climb(function() return box.schema.func.exists('absent') end))
show('a system space', climb(function() return box.space._user.id end))
show('slab', climb(function() return type(box.slab.info().quota_size) end))
show('names', box.stat.INSERT ~= nil, box.session.user(), box.error.UNKNOWN, box.sequence.s:next(),
    box.space._user:get(1)[3])
os.exit(0)
