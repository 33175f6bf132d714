-- differs from 2.6: the module is newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local trigger = require('trigger')
-- Triggers may be there before their space.
trigger.set('box.space.test.on_replace', 'by name', function(old, new, name, operation)
    show('by name', old, new, name, operation)
end)
trigger.set('box.space[600].on_replace', 'by number', function(old, new, name, operation)
    show('by number', old, new, name, operation)
end)
local s = box.schema.space.create('test', {id = 600})
s:create_index('pk')
s:insert{1}
s:on_replace(function() show('set by the space') end, nil, 'mine')
s:replace{1, 'x'}
local names = {}
for name in trigger.pairs('box.space[600].on_replace') do
    names[#names + 1] = name
end
show('names', names)
trigger.set('box.space.test.before_replace', 'changes', function(_, new)
    return new and new:update{{'!', -1, 'changed'}}
end)
show('insert', s:insert{2})
-- A name follows its space, a number its own.
s:rename('renamed')
s:replace{3}
box.schema.space.create('test'):create_index('pk')
box.space.test:insert{1}
-- Deleting by either interface.
s:on_replace(nil, nil, 'by number')
show('deleted', trigger.del('box.space[600].on_replace', 'mine') ~= nil)
show('nothing', s:replace{4})
show('list', #s:on_replace())
s:rename('again')
trigger.del('box.space.test.on_replace', 'by name')
trigger.del('box.space.test.before_replace', 'changes')
show('nothing', box.space.test:replace{2})
show('none are left', trigger.info())

os.exit(0)
