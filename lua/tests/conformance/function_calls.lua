local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

-- Functions by a global name, found when they are called.
box.schema.func.create('later')
show.try('not there', box.func.later.call, box.func.later)
function later(...) return 'later', select('#', ...), ... end
show('no arguments', box.func.later:call())
show('arguments', box.func.later:call({1, 'two', {3}}))
show('null', box.func.later:call({box.NULL, 1}))
local module = {inner = {}}
function module.inner.plain(...) return 'plain', ... end
function module.inner:method(...) return self == module.inner, ... end
module.inner.callable = setmetatable({}, {__call = function(_, ...) return 'called', ... end})
module.inner.number = 5
_G.module = module
for _, name in ipairs({'module.inner.plain', 'module.inner:method', 'module.inner.callable',
    'module.inner.number', 'module.inner.absent', 'module.absent.plain', 'absent'}) do
    box.schema.func.create(name)
    show.try(name, box.func[name].call, box.func[name], {1, 2})
end
-- Functions with a body.
box.schema.func.create('sum', {body = 'function(a, b) return a + b, a - b end'})
show('sum', box.func.sum:call({5, 3}))
show.fails('too few', box.func.sum.call, box.func.sum, {1})
local ok, err = pcall(box.func.sum.call, box.func.sum, {1, {}})
show('error', ok, err.type, err.message)
box.schema.func.create('kind', {body = 'function(v) return type(v), v end'})
show('tuple', box.func.kind:call({box.tuple.new{1, 2}}))
show('nothing', box.func.kind:call({}))
box.schema.func.create('raises', {body = 'function(...) box.error(box.error.ILLEGAL_PARAMS, ...) end'})
show.try('error object', box.func.raises.call, box.func.raises, {'mine'})
box.schema.func.create('inserts', {body = 'function(...) return box.space.s:insert{...} end'})
box.schema.space.create('s'):create_index('pk')
show.try('insert', box.func.inserts.call, box.func.inserts, {1, 2})
show.try('insert again', box.func.inserts.call, box.func.inserts, {1, 2})
-- What a sandbox has.
local names = [[function()
    local all = {assert = assert, box = box, error = error, io = io, ipairs = ipairs, math = math, next = next,
        os = os, pairs = pairs, pcall = pcall, print = print, require = require, select = select,
        setmetatable = setmetatable, string = string, table = table, tonumber = tonumber, tostring = tostring,
        type = type, unpack = unpack, xpcall = xpcall, _G = _G, rawget = rawget, loadstring = loadstring,
        jit = jit, debug = debug}
    local list = {}
    for name in pairs(all) do list[#list + 1] = name end
    table.sort(list)
    return table.concat(list, ' ')
end]]
box.schema.func.create('sandboxed', {body = names, is_sandboxed = true})
print('sandboxed: ' .. box.func.sandboxed:call())
box.schema.func.create('open', {body = names})
print('open: ' .. box.func.open:call())
box.schema.func.create('isolated', {is_sandboxed = true, body = [[function(value)
    local seen = string.mark
    string.mark = value
    return seen
end]]})
show('isolated', box.func.isolated:call({1}))
show('keeps its own', box.func.isolated:call({2}), string.mark)
show.fails('no table', box.func.sum.call, box.func.sum, 5)
show.fails('dot', box.func.sum.call)

os.exit(0)
