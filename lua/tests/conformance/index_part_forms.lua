local show = require('show')
box.cfg{log_level = 0, wal_mode = 'none'}

local format = {{'a', 'unsigned'}, {'b', 'string', is_nullable = true}, {'c'}, {'d', 'integer'}}
local number = 0
local function rows(label, options, with)
    number = number + 1
    local s = box.schema.space.create('s' .. number, {format = with})
    s:create_index('pk')
    local ok, err = pcall(s.create_index, s, 'i', options)
    if ok then
        local parts = {}
        for position, part in ipairs(s.index.i.parts) do
            parts[position] = {part.fieldno, part.type, part.is_nullable}
        end
        show(label, parts, box.space._index:get({s.id, 1}).parts)
    else
        print(label .. ': ' .. show.error_text(err))
    end
end
rows('flat', {parts = {2, 'string'}})
rows('flat, several', {parts = {2, 'string', 1, 'unsigned'}})
rows('list', {parts = {{2, 'string'}, {1, 'unsigned'}}})
rows('named', {parts = {{field = 2, type = 'string', is_nullable = true}}})
rows('mixed', {parts = {{2, 'string', is_nullable = true}, {field = 1, type = 'unsigned'}}})
rows('field name', {parts = {'b'}}, format)
rows('field names', {parts = {{'d'}, {'a'}}}, format)
rows('name and type', {parts = {{'c', 'string'}}}, format)
rows('number alone', {parts = {{4}}}, format)
rows('any in the format', {parts = {{'c'}}}, format)
rows('old type names', {parts = {2, 'str', 3, 'uint', 4, 'int', 5, 'num'}})
rows('default parts', {}, format)
rows('default parts without a format', {})
rows('no such name', {parts = {'x'}}, format)
rows('no such type', {parts = {2, 'thing'}})
rows('zero', {parts = {0, 'unsigned'}})
rows('odd', {parts = {{}}})
rows('unknown key', {parts = {{2, 'string', other = 1}}})
rows('type is no text', {parts = {{2, 5}}})
rows('twice', {parts = {2, 'string', 2, 'string'}})

os.exit(0)
