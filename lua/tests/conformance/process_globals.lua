-- What is a global and what is a module: `box` is both, `ffi` and `fiber` are modules alone; the code
-- that the process ends with is a number, else 0.
local show = require('show')

show('box', require('box') == box)
for _, name in ipairs{'ffi', 'fiber', 'fio', 'json', 'log', 'clock'} do
    show(name, type(rawget(_G, name)), type(require(name)))
end
for _, name in ipairs{'string', 'table', 'math', 'io', 'os', 'debug', 'coroutine', 'package', 'bit', 'jit', 'utf8'} do
    show(name, require(name) == _G[name])
end
box.cfg{wal_mode = 'none', log_level = 0}
show('after box.cfg', require('box') == box, require('box').space == box.space)
local s = box.schema.space.create('s')
local pk = s:create_index('pk')
show('figures of a memtx index', pk:stat())
show('compaction of one', pk:compact())
os.exit(false)
