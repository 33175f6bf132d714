-- differs from 2.6: objects of what was dropped still know their indexes, so that the space is missed first
local sweep = require('sweep')
box.cfg{log_level = 0, wal_mode = 'none'}

local space = box.schema.space.create('gone')
local index = space:create_index('pk')
space:insert{1}
space:drop()
local calls = {
    'space:get{1}', 'space:select{1}', 'space:insert{1}', 'space:replace{1}', 'space:delete{1}',
    "space:update(1, {{'=', 2, 1}})", 'space:upsert({1}, {})', 'space:truncate()', 'space:bsize()', 'space:drop()',
    "space:rename('x')", "space:create_index('x')", 'index:get{1}', 'index:select{1}', 'index:count()', 'index:len()',
    'index:delete{1}', "index:update(1, {{'=', 2, 1}})", 'index:min()', 'index:max()', 'index:random(1)',
    'index:bsize()', 'index:alter({unique = true})', 'index:pairs()',
}
for _, call in ipairs(calls) do
    print(call, sweep.result(loadstring('local space, index = ... return ' .. call), space, index))
end
-- A map is no key, and a name has its limit.
local keyed = box.schema.space.create('keyed')
keyed:create_index('pk')
print(sweep.result(keyed.get, keyed, {a = 1}), sweep.result(keyed.select, keyed, {a = 1}),
    sweep.result(keyed.delete, keyed, {a = 1}), sweep.result(keyed.count, keyed, {a = 1}))
print(sweep.result(box.schema.space.create, ('x'):rep(65001)), sweep.result(box.schema.space.create, ''))

os.exit(0)
