-- differs from 2.6: errors of 3.x have details
local show = require('show')
box.cfg{log_level = 0}

local function details(label, callable, ...)
    local _, err = pcall(callable, ...)
    local unpacked = err:unpack()
    unpacked.trace, unpacked.base_type = nil, nil
    show(label, unpacked)
end

local s = box.schema.space.create('s', {format = {{'id', 'unsigned'}, {'name', 'string'}}})
local pk = s:create_index('pk')
s:insert{1, 'one'}
details('duplicate', s.insert, s, {1, 'two'})
local _, err = pcall(s.insert, s, {1, 'two'})
show('tuples', box.tuple.is(err.old_tuple), err.old_tuple:totable(), err.new_tuple:totable())
details('type', s.insert, s, {'x', 'y'})
details('missing', s.insert, s, {1})
details('key type', s.get, s, 'x')
details('key parts', pk.select, pk, {1, 2})
details('exact', pk.get, pk, {})
details('no tuple', s.insert, s, 5)
details('no space', box.schema.space.drop, 7777)
details('space exists', box.schema.space.create, 's')
details('index exists', s.create_index, s, 'pk')
details('primary key', s.update, s, 1, {{'=', 1, 2}})
details('operation', s.update, s, 1, {{'?', 1, 2}})
details('field', s.update, s, 1, {{'+', 2, 2}})
details('illegal', box.begin, 5)
details('engine', box.schema.space.create, 'v', {engine = 'v'})

os.exit(0)
