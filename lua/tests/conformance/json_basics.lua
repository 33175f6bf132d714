local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local json = require('json')
show('encode', json.encode{1, 'a', true, box.NULL, {x = 1}}, json.encode{}, json.encode'x', json.encode(1.5))
show('decode', json.decode('[1, "a", true, null, {"x": [1.5]}]'))
show('null', json.decode('null') == nil, json.NULL == nil)
show('tuple', json.encode(box.tuple.new{1, {2, 3}}))
show('round', json.decode(json.encode{a = {b = {1, 2, 'ü'}}}))
show.fails('broken', json.decode, '[1, 2')
show.fails('function', json.encode, print)

os.exit(0)
