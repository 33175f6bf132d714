-- differs from 2.6: constraints are newer
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local function message(label, callable, ...)
    local ok, err = pcall(callable, ...)
    show(label, ok, ok or err.code)
    if not ok then
        print('  ' .. err.message:gsub('function %d+', 'function N'))
    end
end
local create = box.schema.space.create
box.schema.func.create('good', {body = 'function() return true end', is_deterministic = true})
box.schema.func.create('free', {body = 'function() return true end'})
box.schema.func.create('bodiless', {is_deterministic = true})
for _, constraint in ipairs({'absent', {'absent'}, {check = 'absent'}, {666}, {check = 666}, 'free', 'bodiless',
    {check = 'free'}, {check = 'bodiless'}, {[''] = 'good'}, {[('a'):rep(66666)] = 'good'}, 666, true}) do
    local label = type(constraint) == 'table' and 'table' or tostring(constraint)
    message('space: ' .. label, create, 's', {constraint = constraint})
    message('field: ' .. label, create, 's', {format = {{name = 'id', constraint = constraint}}})
end
show('nothing was made', box.space.s)
message('foreign key', create, 's', {foreign_key = {other = {space = 's', field = {id = 'id'}}}})
message('foreign key of a field', create, 's', {format = {{name = 'id', foreign_key = {space = 's', field = 'id'}}}})
-- A function that is used stays.
local s = create('s', {format = {{'id', 'unsigned', constraint = 'good'}}})
message('drop', box.func.good.drop, box.func.good)
s:format({{'id', 'unsigned'}})
s:alter({constraint = 'good'})
message('drop', box.schema.func.drop, 'good')
box.begin()
s:drop()
show('with its space', box.schema.func.drop('good'))
box.rollback()
message('drop', box.schema.func.drop, 'good')
s = box.space.s
s:alter({constraint = {}})
show('drop', box.schema.func.drop('good'))

os.exit(0)
