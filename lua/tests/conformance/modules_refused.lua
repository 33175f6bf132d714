-- differs from 2.6: what is for clusters and networks is refused here
local show = require('show')
for _, name in ipairs({'net.box', 'http.client', 'swim', 'xlog', 'metrics', 'config', 'iconv', 'crypto'}) do
    local module = require(name)
    local ok, err = pcall(module.anything, 1)
    show(name, type(module), ok, err.code, tostring(err))
end
show('same', require('net.box') == require('net.box'))
show.try('call', function() return require('metrics')() end)

os.exit(0)
