-- differs from 2.6: the module is newer
local show = require('show')
local trigger = require('trigger')

-- Events of the script's own.
local function add(name)
    return function(...) show(name, ...) end
end
local a, b, c = add('a'), add('b'), add('c')
show('none', trigger.info(), trigger.info('my.event'))
show('set', trigger.set('my.event', 'first', a) == a)
trigger.set('my.event', 'second', b)
trigger.set('other', 'only', c)
trigger.call('my.event')
trigger.call('my.event', 1, nil, 'three')
trigger.call('nobody listens')
-- The same name keeps its place.
show('again', trigger.set('my.event', 'first', c) == c)
trigger.call('my.event', 'x')
local names = {}
for name, callable in trigger.pairs('my.event') do
    names[#names + 1] = name
    show(name, callable == b, callable == c)
end
show('order', names)
for _ in trigger.pairs('nobody listens') do
    show('never')
end
show('info of one', trigger.info('my.event'))
show('info of all', trigger.info())
show('delete', trigger.del('my.event', 'first') == c, trigger.del('my.event', 'first'))
show('of no event', trigger.del('no event', 'x'))
trigger.del('my.event', 'second')
show('empty', trigger.info('my.event'))
-- The first error ends the calls.
trigger.set('failing', 'first', a)
trigger.set('failing', 'second', function() error({code = 7}) end)
trigger.set('failing', 'third', b)
show.try('call', trigger.call, 'failing')
show.try('string', function()
    trigger.set('failing', 'second', function() error('text', 0) end)
    trigger.call('failing')
end)
-- Triggers that change their own event.
local event = 'changing'
trigger.set(event, 'last', function() show('last') end)
trigger.set(event, 'middle', function() show('middle') end)
trigger.set(event, 'first', function()
    show('first')
    trigger.del(event, 'middle')
    trigger.del(event, 'first')
    trigger.set(event, 'new', function() show('new') end)
end)
trigger.call(event)
trigger.call(event)
-- What can be called.
local callable = setmetatable({}, {__call = function(_, ...) show('called', ...) end})
trigger.set('callable', 'table', callable)
trigger.call('callable', 1)
-- Wrong arguments.
show.try('set', trigger.set, 'event', 'name')
show.try('set', trigger.set, 'event', 'name', 5)
show.try('set', trigger.set, 'event', 'name', {})
show.try('set', trigger.set, nil, 'name', a)
show.try('set', trigger.set, 'event', {}, a)
show.try('del', trigger.del, 'event')
show.try('del', trigger.del, {}, 'name')
show.try('call', trigger.call)
show.try('call', trigger.call, {})
show.try('info', trigger.info, 'a', 'b')
show.try('info', trigger.info, {})
show.try('pairs', trigger.pairs)
