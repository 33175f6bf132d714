-- Results of statements that a hot loop drops, looks into, or keeps once in a while.
box.cfg({memtx_memory = 134217728, wal_mode = 'none', log_level = 2})
local space = box.schema.space.create('results')
space:create_index('primary', {parts = {{1, 'unsigned'}}})
space:format({{name = 'id'}, {name = 'text'}, {name = 'count', is_nullable = true}})

-- Bytes around the size at which objects change their kind: 1 + 3 + header + text.
local texts = {}
for size = 0, 60 do
    texts[size] = ('x'):rep(size)
end

local function checked(name, operation)
    local kept, sum = {}, 0
    for number = 1, 6000 do
        local result = operation(number)
        if number % 599 == 0 then
            kept[#kept + 1] = result
        elseif number % 7 == 0 then
            sum = sum + #result.text + result[1]
        end
    end
    local lines = {}
    for position, tuple in ipairs(kept) do
        lines[position] = ('%d:%d:%d:%s'):format(tuple.id, #tuple.text, #tuple, tostring(tuple[3]))
    end
    print(name, sum, table.concat(lines, ' '))
    return kept
end

local inserted = checked('insert', function(number) return space:insert({number, texts[number % 61]}) end)
local got = checked('get', function(number) return space:get(number) end)
local replaced = checked('replace', function(number) return space:replace({number, texts[number % 37], number}) end)
checked('update', function(number) return space:update(number, {{'+', 3, 1}, {'=', 2, texts[number % 33]}}) end)
checked('get by index', function(number) return space.index.primary:get({number}) end)
checked('min', function() return space.index.primary:min() end)

for position, tuple in ipairs(inserted) do
    assert(tuple == got[position] and tuple ~= replaced[position])
    assert(tuple:totable()[2] == got[position]:unpack(2, 2))
    assert(box.tuple.is(tuple) and tuple:bsize() == got[position]:bsize())
end
checked('delete', function(number) return space:delete(number) end)
print(space:len())
os.exit(0)
