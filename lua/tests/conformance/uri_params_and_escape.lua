-- differs from 2.6: it has neither parameters nor escapes
local show = require('show')
local uri = require('uri')

show('params', uri.parse('h?a=1&a=2&b=3&c').params, uri.parse('h').params)
show('table', uri.parse({'foo.bar?x=1', params = {x = {1, 2}}}).params)
show('by name', uri.parse({uri = 'foo.bar', login = 'me'}))
show('defaults', uri.parse({'foo.bar?x=1', default_params = {x = {2}, y = {3}}}).params)
show('incorrect', (uri.parse('a b')), (uri.parse({'a b'})))
show('many', uri.parse_many('a:1,b:2?x=y'))
show('many in a table', uri.parse_many({'a:1', {'b:2', params = {x = {'y'}}}, default_params = {z = {'1'}}}))
show('one is wrong', (uri.parse_many('a:1,b c')))
show('format', uri.format({host = 'h', params = {b = {2, 3}, a = 1, c = {}}}))
show('values', uri.values('a', 'b'))
show.try('parse', uri.parse)
show.try('parse_many', uri.parse_many)

show('escape', uri.escape('C++ ~100%'), uri.escape('тара'), uri.escape(''))
show('form', uri.escape('John Smith+', uri.FORM_URLENCODED))
show('unescape', uri.unescape('C%2B%2B+%7e'), uri.unescape('John+Smith%2B', uri.FORM_URLENCODED), uri.unescape('%zz%4'))
local options = {plus = true, unreserved = uri.unreserved('a-z')}
show('own', uri.escape('Hello World', options), uri.unescape('%48ello+%57orld', options))
local all = " !\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~"
for _, name in ipairs({'RFC3986', 'PATH', 'PATH_PART', 'QUERY', 'QUERY_PART', 'FRAGMENT', 'FORM_URLENCODED'}) do
    print(name, uri.escape(all, uri[name]))
    show('back', uri.unescape(uri.escape(all, uri[name]), uri[name]) == all)
end
show.try('escape', uri.escape, 5)
show.try('unescape', uri.unescape)
show.try('unreserved', uri.unreserved, 5)
show.try('unreserved', uri.escape, 'a', {unreserved = 'abc'})

os.exit(0)
