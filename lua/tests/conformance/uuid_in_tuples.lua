-- differs from 2.6: it prints a decimal or a UUID in a tuple as null
local show = require('show')
local uuid = require('uuid')

box.cfg{log_level = 0, wal_mode = 'none'}
local function numbered(number)
    return uuid.fromstr(('%08x-0000-4000-8000-0000000000%02x'):format(number * 0x1010101 % 0x100000000, number))
end
for _, kind in ipairs({'TREE', 'HASH'}) do
    local s = box.schema.space.create('u' .. kind, {format = {{'id', 'uuid'}, {'n', 'unsigned'}}})
    s:create_index('pk', {type = kind})
    for number = 250, 1, -37 do
        s:insert({numbered(number), number})
    end
    show.try(kind .. ' twice', s.insert, s, {numbered(250), 0})
    show.try(kind .. ' text is none', s.insert, s, {tostring(numbered(1)), 1})
    show.try(kind .. ' nil is none', s.insert, s, {box.NULL, 1})
    show(kind .. ' get', s:get(numbered(250)), s:get(numbered(3)))
    show.try(kind .. ' get by text', s.get, s, tostring(numbered(250)))
    show(kind .. ' delete', s:delete(numbered(213)))
    if kind == 'TREE' then
        for _, tuple in s:pairs(numbered(100), {iterator = 'GE'}) do
            print(tuple)
        end
        show('min and max', s.index.pk:min(), s.index.pk:max())
    end
end
local scalar = box.schema.space.create('scalar', {format = {{'v', 'scalar'}}})
scalar:create_index('pk')
for _, value in ipairs({numbered(1), 'text', 5, true, numbered(7), -2.5, 'a'}) do
    scalar:insert({value})
end
show('scalars', scalar:select())
local tuple = box.tuple.new({numbered(9), {numbered(10)}})
show('tuple', tuple, tuple[1], type(tuple[1]), tuple[2][1])
show('update', tuple:update({{'=', 1, numbered(11)}}))
show('json', require('json').encode({numbered(1), a = 1}), require('json').encode(tuple))
os.exit(0)
