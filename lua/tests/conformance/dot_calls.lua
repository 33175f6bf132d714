local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
local pk = s:create_index('pk')
for _, method in ipairs{'insert', 'replace', 'get', 'select', 'delete', 'update', 'upsert', 'pairs', 'count', 'len',
    'truncate', 'drop', 'rename', 'format', 'create_index'} do
    show.fails('space.' .. method, s[method])
    show.fails('space.' .. method .. ' of a number', s[method], 5)
end
for _, method in ipairs{'get', 'select', 'delete', 'update', 'pairs', 'count', 'len', 'min', 'max', 'random', 'drop', 'rename'} do
    show.fails('index.' .. method, pk[method])
    show.fails('index.' .. method .. ' of a string', pk[method], 'x')
end
show('alive', s:len(), box.space.s == s)

os.exit(0)
