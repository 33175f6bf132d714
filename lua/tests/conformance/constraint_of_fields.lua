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
make('positive', 'function(value) return value > 0 end')
make('short', 'function(value, name) return #value < 5 and name == "is_short" end')
make('throws', 'function() error("no") end')
make('nothing', 'function() end')
make('truthy', 'function() return 1 end')
local s = box.schema.space.create('s', {format = {
    {name = 'id', type = 'integer', constraint = 'positive'},
    {name = 'text', type = 'string', constraint = {is_short = 'short'}, is_nullable = true},
    {name = 'number', type = 'integer', constraint = {'positive'}, is_nullable = true},
}})
s:create_index('pk')
show('good', s:insert{1, 'abc', 1})
message('first', s.insert, s, {-1, 'abc', 1})
message('second', s.insert, s, {2, 'abcdef', 1})
message('third', s.insert, s, {2, 'abc', 0})
message('type before it', s.insert, s, {2, 'abc', 'x'})
show('nulls pass', s:insert{2, box.NULL, box.NULL})
show('absent fields pass', s:insert{3})
message('replace', s.replace, s, {1, 'abcdef'})
message('update', s.update, s, 1, {{'=', 'number', -5}})
message('update that adds a field', s.update, s, 3, {{'=', 3, -5}})
message('upsert that inserts', s.upsert, s, {-4}, {{'=', 2, 'x'}})
message('upsert that updates', s.upsert, s, {1}, {{'=', 3, -1}})
message('clash comes later', s.insert, s, {1, 'abcdef'})
show('delete needs none', s:delete(3))
show('update', s:update(1, {{'=', 'number', 7}}))
show('rows', s:select())
s:truncate()
-- Only true is yes.
for _, name in ipairs({'throws', 'nothing', 'truthy'}) do
    s:format({{'id', 'integer', constraint = name}})
    message(name, s.insert, s, {1})
end
-- Several on one field, in the order of their names.
make('even', 'function(value) return value % 2 == 0 end')
s:format({{name = 'id', type = 'integer', constraint = {b_even = 'even', a_positive = 'positive'}}})
message('both', s.insert, s, {-1})
message('one', s.insert, s, {1})
show('none', s:insert{2})
-- Triggers choose before the check, and after it.
s:before_replace(function(_, new)
    return new and new[1] == 4 and new:update{{'+', 1, 1}} or new
end)
message('changed to a bad one', s.insert, s, {4})
message('not seen by the trigger', s.insert, s, {-4})
-- The rows that are there are checked.
s:before_replace(nil, s:before_replace()[1])
message('format', s.format, s, {{'id', 'integer', constraint = 'throws'}})
show('is as it was', s:format()[1].constraint.b_even == box.func.even.id)
message('still checked', s.insert, s, {3})
box.begin()
s:format({{'id', 'integer'}})
show('free', s:insert{3})
box.rollback()
message('checked again', s.insert, s, {3})
s:format({})
show('free', s:insert{3})

os.exit(0)
