-- differs from 2.6: constraints are newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function make(name, body)
    box.schema.func.create(name, {body = body, is_deterministic = true})
end
local function message(label, callable, ...)
    local ok, err = pcall(callable, ...)
    show(label, ok, ok or err.code)
    if not ok then
        print('  ' .. err.message:gsub('function %d+', 'function N'))
    end
end
make('ordered', 'function(tuple, name) return tuple.low <= tuple.high and tuple[1] ~= nil end')
make('named', 'function(tuple, name) return name == "by_name" end')
local s = box.schema.space.create('s', {
    format = {{'id', 'unsigned'}, {'low', 'integer'}, {'high', 'integer'}},
    constraint = 'ordered',
})
s:create_index('pk')
show('shown', s.constraint.ordered == box.func.ordered.id)
show('good', s:insert{1, 1, 2})
message('bad', s.insert, s, {2, 2, 1})
message('replace', s.replace, s, {1, 3, 2})
message('update', s.update, s, 1, {{'+', 'low', 5}})
message('upsert', s.upsert, s, {1, 0, 0}, {{'=', 'high', -5}})
show('rows', s:select())
-- Others in their place.
s:alter({constraint = {by_name = 'named', also = 'ordered'}})
show('names', s.constraint.by_name == box.func.named.id, s.constraint.also == box.func.ordered.id)
show('good', s:replace{1, 2, 3})
message('bad', s.replace, s, {1, 3, 2})
message('rows that do not fit', s.alter, s, {constraint = {other_name = 'named'}})
show('is as it was', s.constraint.by_name == box.func.named.id)
s:alter({constraint = {}})
show('none', s.constraint, s:replace{1, 3, 2})
message('rows that do not fit', s.alter, s, {constraint = 'ordered'})
s:truncate()
s:alter({constraint = {'ordered'}})
message('bad', s.insert, s, {1, 2, 1})
-- In a transaction.
box.begin()
s:alter({constraint = {}})
show('free', s.constraint, s:insert{1, 2, 1})
box.rollback()
message('bad', s.insert, s, {1, 2, 1})
-- With a field's constraint, that of the tuple comes first.
make('positive', 'function(value) return value > 0 end')
s:format({{'id', 'unsigned'}, {'low', 'integer', constraint = 'positive'}, {'high', 'integer'}})
message('both', s.insert, s, {1, -1, -2})
message('field', s.insert, s, {1, -2, -1})
show('good', s:insert{1, 1, 2})

os.exit(0)
