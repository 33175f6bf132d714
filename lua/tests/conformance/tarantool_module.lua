-- The module tarantool: what scripts ask of the program that runs them.
local tarantool = require('tarantool')
local show = require('show')

show('version', type(tarantool.version), tarantool.version:match('^%d+%.%d+%.%d+') ~= nil)
show('target', tarantool.build.target:match('^(.+)-(.+)-(.+)$') ~= nil)
show('system', (tarantool.build.target:match('^[^-]+')))
for _, name in ipairs({'options', 'compiler', 'flags', 'mod_format'}) do
    show(name, type(tarantool.build[name]))
end
show('pid', type(tarantool.pid()), tarantool.pid() > 0)
show('uptime', tarantool.uptime() >= 0, tarantool.uptime() < 3600)
show('global', type(_TARANTOOL), _TARANTOOL == tarantool.version)
