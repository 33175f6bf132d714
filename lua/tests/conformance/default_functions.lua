-- differs from 2.6: defaults are newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function message(label, callable, ...)
    local ok, err = pcall(callable, ...)
    show(label, ok, ok or err.code)
    if not ok then
        print('  ' .. err.message:gsub('function %d+', 'function N'))
    end
end
local function make(name, body)
    box.schema.func.create(name, {body = body})
end
make('constant', "function() return 'constant' end")
make('adds', 'function(value) return (value or 0) + 42 end')
make('wraps', "function(value) return {'a', value, 'b'} end")
make('of_tuple', 'function(value, tuple) return tuple[1] * 10 end')
local s = box.schema.space.create('s', {format = {
    {name = 'id', type = 'unsigned'},
    {name = 'a', type = 'string', default_func = 'constant'},
    {name = 'b', type = 'unsigned', default = 100, default_func = 'adds'},
    {name = 'c', type = 'any', default = {'x', 'y'}, default_func = 'wraps'},
    {name = 'd', type = 'unsigned', default_func = 'adds'},
    {name = 'e', type = 'unsigned', default_func = 'of_tuple'},
}})
s:create_index('pk')
show('all', s:insert{1})
show('some', s:insert{2, 'x', box.NULL, 1, 2})
show('upsert', s:upsert({3}, {{'=', 2, 'y'}}))
show('row', s:get(3))
show('format', s:format()[3].default, s:format()[3].default_func == box.func.adds.id)
-- Functions that fail.
make('throws', "function() error('no') end")
make('nothing', 'function() end')
make('two', 'function() return 1, 2 end')
make('wrong', "function() return 'x' end")
for _, name in ipairs({'throws', 'nothing', 'two', 'wrong'}) do
    s:truncate()
    s:format({{'id', 'unsigned'}, {'f', 'unsigned', default_func = name}})
    message(name, s.insert, s, {1})
    show('without it', s:insert{1, 5})
end
-- What cannot be one.
message('number', s.format, s, {{'id', default_func = 666}})
message('absent', s.format, s, {{'id', default_func = 'absent'}})
box.schema.func.create('bodiless')
message('no body', s.format, s, {{'id', default_func = 'bodiless'}})
box.schema.func.create('c', {language = 'C'})
message('C', s.format, s, {{'id', default_func = 'c'}})
-- A function that is used stays.
message('drop', box.func.wrong.drop, box.func.wrong)
box.begin()
s:format({{'id', 'unsigned'}})
show('free', box.func.wrong:drop())
box.rollback()
message('drop', box.func.wrong.drop, box.func.wrong)
s:drop()
show('free', box.func.wrong:drop())

os.exit(0)
