-- differs from 2.6: it has no xxHash
local show = require('show')
local xxhash = require('digest').xxhash

show('xxh32', xxhash.xxh32(''), xxhash.xxh32('abc'), xxhash.xxh32('abc', 5))
show('xxh64', xxhash.xxh64(''), xxhash.xxh64('abc'), xxhash.xxh64('abc', 5))
for _, name in ipairs({'xxh32', 'xxh64'}) do
    local stream = xxhash[name].new(5)
    stream:update('a')
    local copy = stream:copy()
    stream:update('bc')
    show(name, stream:result() == xxhash[name]('abc', 5), copy:result() == xxhash[name]('a', 5))
    stream:clear()
    show('cleared', stream:result() == xxhash[name]('', 5))
    stream:clear(7)
    show('another seed', stream:result() == xxhash[name]('', 7))
    show.try('update', stream.update, stream, 5)
    show.fails('text', xxhash[name], 5)
    show.fails('seed', xxhash[name], 'abc', 'x')
end

os.exit(0)
