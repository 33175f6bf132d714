local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- The last added runs first, and each sees what the one before has chosen.
local s = box.schema.space.create('s')
s:create_index('pk')
local function add(letter)
    return function(old, new, _, operation)
        show('trigger ' .. letter, old, new, operation)
        return new and new:update{{'!', -1, letter}}
    end
end
local a, b = add('a'), add('b')
s:before_replace(a)
s:before_replace(b)
s:on_replace(function(old, new, _, operation) show('changed', old, new, operation) end)
show('insert', s:insert{1})
show('replace', s:replace{1})
show('update', s:update(1, {{'!', -1, 'u'}}))
show('upsert', s:upsert({1}, {{'!', -1, 'v'}}))
show('delete', s:delete(1))
-- One that skips hides the new tuple from the next.
s:before_replace(nil, b)
local skip = function() return nil end
s:before_replace(skip)
show('skipped', s:insert{2})
show('rows', s:select())
-- A trigger may take itself out.
s:before_replace(nil, skip)
s:before_replace(nil, a)
local once
once = function(old, new)
    show('once', old, new)
    s:before_replace(nil, once)
end
s:before_replace(once)
show('first', s:insert{3})
show('second', s:insert{4})
-- Data that a trigger changes is part of the statement.
local log = box.schema.space.create('log')
log:create_index('pk')
local writes = function(old, new)
    log:auto_increment{tostring(new)}
end
s:before_replace(writes)
show('insert', s:insert{5})
show.try('failed insert', s.insert, s, {5})
show('log', log:select())

os.exit(0)
