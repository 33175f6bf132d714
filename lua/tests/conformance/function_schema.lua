-- differs from 2.6: rows have one more field, and messages no prefix
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local create, drop, exists = box.schema.func.create, box.schema.func.drop, box.schema.func.exists
local function fields(func)
    local list = {}
    for name in pairs(func) do
        list[#list + 1] = name
    end
    table.sort(list)
    for _, name in ipairs(list) do
        if name ~= 'id' then
            show('  ' .. name, func[name])
        end
    end
end
local function message(label, callable, ...)
    local ok, err = pcall(callable, ...)
    show(label, ok, ok or err.code)
    if not ok then
        print('  ' .. err.message:gsub('function %d+', 'function N'))
    end
end
show('exists', exists('f'), exists(1e6), exists(nil))
show('create', create('f'))
show('exists', exists('f'), exists(box.func.f.id), box.func[box.func.f.id] == box.func.f)
fields(box.func.f)
local function row(name)
    local found = box.space._func.index.name:get(name)
    return found:transform(18, 2):transform(1, 1)
end
show('row', row('f'))
message('again', create, 'f')
show('if_not_exists', create('f', {if_not_exists = true}))
create('g', {language = 'lua', body = 'function(a) return a end', is_deterministic = true, is_sandboxed = true,
    setuid = true, comment = 'says', param_list = {'number', 'string'}, returns = 'number',
    exports = {'LUA', 'SQL'}, is_multikey = true})
fields(box.func.g)
show('row', row('g'))
message('name', create, 5)
message('no name', create)
message('empty name', create, '')
message('option', create, 'x', {nonsense = 1})
message('type of an option', create, 'x', {body = 1})
message('language', create, 'x', {language = 'PYTHON'})
message('returns', create, 'x', {returns = 'nonsense'})
message('parameters', create, 'x', {param_list = {'nonsense'}})
message('exports', create, 'x', {exports = {'nonsense'}})
message('body and C', create, 'x', {language = 'C', body = 'function() end'})
message('sandbox without a body', create, 'x', {is_sandboxed = true})
message('body that does not compile', create, 'x', {body = 'function( a'})
message('body that is no function', create, 'x', {body = '5'})
message('body that throws', create, 'x', {body = 'error("x")'})
message('body that looks around', create, 'x', {body = 'box.cfg.listen'})
show('nothing was made', exists('x'))
message('C', create, 'c.function', {language = 'C'})
message('call of C', box.func['c.function'].call, box.func['c.function'])
-- The end of a function.
show('drop', drop('f'))
show('gone', exists('f'), box.func.f)
message('drop again', drop, 'f')
show('if_exists', drop('f', {if_exists = true}))
local g = box.func.g
show('by its object', g:drop())
message('call', g.call, g)
message('drop', g.drop, g)
-- In a transaction.
create('kept')
box.begin()
create('undone')
drop('kept')
show('within', exists('undone'), exists('kept'))
box.rollback()
show('after', exists('undone'), exists('kept'))
box.begin()
create('a')
local saved = box.savepoint()
create('b')
box.rollback_to_savepoint(saved)
box.commit()
show('savepoint', exists('a'), exists('b'))
-- By rows.
local new = box.space._func.index.name:get('a'):update({{'=', 1, 1000}, {'=', 3, 'by row'}})
show('insert', box.space._func:insert(new)[3], box.func['by row'].id)
message('update', box.space._func.update, box.space._func, 1000, {{'=', 'setuid', 1}})
show('delete', box.space._func:delete(1000)[3], box.func['by row'])
message('bad row', box.space._func.insert, box.space._func, new:update({{'=', 5, 'COBOL'}}))

os.exit(0)
