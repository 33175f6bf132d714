local show = require('show')
local uri = require('uri')

local NAMES = {'scheme', 'login', 'password', 'host', 'service', 'path', 'query', 'fragment', 'ipv4', 'ipv6', 'unix'}
local function parts(text)
    local parsed = uri.parse(text)
    if parsed == nil then
        return 'incorrect'
    end
    local found = {}
    for _, name in ipairs(NAMES) do
        found[name] = parsed[name]
    end
    return found
end
for _, text in ipairs({
    'localhost', 'localhost:3301', 'user:pass@host:80/path?q=1#frag', 'http://www.tarantool.org/a/b?x=y',
    '3301', '/tmp/sock', 'unix/:/tmp/sock', 'user@unix/:/tmp/a.sock', '127.0.0.1:80', '[::1]:3301',
    '[2001:db8::1]', 'host:service', 'http://u:p@[::1]:80/', '', '?q', '#f', 'a b', 'host:', 'user@',
    'tcp://h:1/?a=b&c=d', '*:3301', '300.1.1.1:5', 'x:y:z', 'h/p?q=1&q=2#f', 'user@host',
}) do
    show(text, parts(text))
end
show.fails('nothing', uri.parse)
for _, text in ipairs({'user:pass@host:80/path?q=1#frag', 'unix/:/tmp/sock', '3301', 'user@host', 'a.b:1/c'}) do
    show('back ' .. text, uri.format(uri.parse(text)), uri.format(uri.parse(text), true))
end
show('format', uri.format({host = 'h', service = '1'}), uri.format({}))
show('format all', uri.format({
    scheme = 'http', host = 'h', path = '/p', query = 'q', fragment = 'f', login = 'l', password = 'p',
}, true))
show.fails('format', uri.format)

os.exit(0)
