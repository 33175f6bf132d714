-- differs from 2.6: NP and PP came with 3.x
local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local s = box.schema.space.create('s')
s:create_index('pk', {parts = {{1, 'string'}}})
local down = s:create_index('down', {parts = {{1, 'string', sort_order = 'desc'}}})
local pair = s:create_index('pair', {parts = {{2, 'unsigned'}, {1, 'string'}}})
for number, word in ipairs{'', 'a', 'ab', 'abc', 'abd', 'b', 'ba', '\255', '\255\255'} do
    s:insert{word, number % 2}
end
for _, iterator in ipairs{'NP', 'PP', box.index.NP, box.index.PP} do
    for _, key in ipairs{'', 'a', 'ab', 'abc', 'ac', 'b', '\255', 'zz'} do
        show(('%s %q'):format(iterator, key), s:select(key, {iterator = iterator}))
        show('descending', down:select(key, {iterator = iterator}))
    end
    show('all', s:select({}, {iterator = iterator}))
    show('number', pair:select({0}, {iterator = iterator}))
    show('pair', pair:select({1, 'a'}, {iterator = iterator}))
    show('count', s:count('a', {iterator = iterator}))
end
local hash = s:create_index('hash', {type = 'HASH', parts = {{1, 'string'}}})
show.try('hash', hash.select, hash, 'a', {iterator = 'NP'})

os.exit(0)
