-- differs from 2.6: a trigger that is set again stays where it is, and triggers may have names
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk')
local function trigger(name)
    return function() show('ran', name) end
end
local a, b, c = trigger('a'), trigger('b'), trigger('c')
local function order(label)
    local names = {}
    for position, known in ipairs(s:on_replace()) do
        names[position] = known == a and 'a' or known == b and 'b' or known == c and 'c' or '?'
    end
    show(label, names)
end
s:on_replace(a)
s:on_replace(b)
order('the last added first')
s:replace{1}
show('the same again', s:on_replace(a) == a)
order('no change')
show('another in its place', s:on_replace(c, a) == c)
order('comes first')
show('takes its own place', s:on_replace(b, b) == b)
order('no change')
show('delete', s:on_replace(nil, c))
order('without c')
show('null deletes too', s:on_replace(box.NULL, b))
order('none')
show.try('delete what is not there', s.on_replace, s, nil, b)
show.try('number', s.on_replace, s, 5)
show.try('string', s.on_replace, s, 'a')
show.try('old is no function', s.on_replace, s, a, 5)
show.try('name is no string', s.on_replace, s, a, nil, 5)
show.try('no space', s.on_replace)
-- Names.
show('named', s:on_replace(a, nil, 'first') == a)
show('same name', s:on_replace(b, nil, 'first') == b)
order('b took its place')
show('by a table', s:on_replace({name = 'second', func = c}) == c)
order('both')
show('delete by name', s:on_replace(nil, nil, 'first'))
show('delete by a table', s:on_replace({name = 'second'}))
order('none')
show.try('table without a name', s.on_replace, s, {func = a})
show.try('table without a function', s.on_replace, s, {name = 'x', func = 1})
-- Anything that can be called.
local callable = setmetatable({}, {__call = function(_, old, new) show('called', old, new) end})
show('callable table', s:on_replace(callable) == callable)
s:replace{2}

os.exit(0)
