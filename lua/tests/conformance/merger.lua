-- Sources of tuples, and merges of them, which are sources too.

local buffer = require('buffer')
local key_def = require('key_def')
local merger = require('merger')
local msgpack = require('msgpack')

local by_number = key_def.new({{fieldno = 1, type = 'unsigned'}})

local function source(...)
    return merger.new_source_fromtable({...})
end

local function text(list)
    local parts = {}
    for position, tuple in ipairs(list) do
        parts[position] = tostring(tuple)
    end
    return table.concat(parts, ' ')
end

local merged = merger.new(by_number, {source({1}, {3, 'a'}, {5}), source({2}, {4}), source(), source({0}, {9})})
local list = merged:select()
print(text(list), #list, type(list[1]), box.tuple.is(list[1]))
print('read to the end', #merged:select())
print(text(merger.new(by_number, {source({5}, {1}), source({4}, {2})}, {reverse = true}):select()))
print('reverse = false', text(merger.new(by_number, {source({1}), source({0})}, {reverse = false}):select()))

local by_name = key_def.new({{fieldno = 2, type = 'string'}, {fieldno = 1, type = 'unsigned', is_nullable = true}})
print(text(merger.new(by_name, {source({7, 'a'}, {1, 'b'}), source({3, 'a'}, {2, 'b'})}):select()))

-- Merges of merges, a piece at a time, and as iterators.
merged = merger.new(by_number, {merger.new(by_number, {source({1}, {4}), source({2})}), source({3}, {5})})
print('two', text(merged:select({limit = 2})))
print('one', text(merged:select({limit = 1})), #merged:select({limit = 0}))
for _, tuple in merged:pairs() do
    print('rest', tuple)
end
print(source({1}, {2}, {3}):pairs():map(function(tuple) return tuple[1] end):sum())

-- Generators of tuples, of tables and of buffers.
local function count_to(last, make)
    return function(_, state)
        if state < last then
            return state + 1, make(state)
        end
    end
end
print(text(merger.new_tuple_source(count_to(3, function(n) return {n} end), nil, 0):select()))
print(text(merger.new_tuple_source(count_to(2, function(n) return box.tuple.new(n, 'x') end), nil, 0):select()))
print(text(merger.new_table_source(count_to(3, function(n) return n == 1 and {} or {{n, 1}, {n, 2}} end), nil, 0):select()))
local function encoded(value)
    local result = buffer.ibuf()
    msgpack.encode(value, result)
    return result
end
print(text(merger.new_buffer_source(count_to(2, function(n) return encoded({{n}, {n, 'y'}}) end), nil, 0):select()))
local one = encoded({{1, {a = {2}}}, {3}})
print(text(merger.new_source_frombuffer(one):select()), one:size())
print(text(merger.new(by_number, {merger.new_source_frombuffer(encoded({{2}, {4}})), source({3})}):select()))

-- Into a buffer.
local out = buffer.ibuf()
print(select('#', merger.new(by_number, {source({2}), source({1, 'z'})}):select({buffer = out})))
local read_back = msgpack.decode(out.rpos, out:size())
print(#read_back, read_back[1][1], read_back[1][2], read_back[2][1])

print('--- errors')
print(pcall(merger.new))
print(pcall(merger.new, by_number))
print(pcall(merger.new, 1, {}))
print(pcall(merger.new, by_number, {}, 5))
print(pcall(merger.new, by_number, {}, {reverse = 5}))
print(pcall(merger.new, by_number, {}, {reverse = box.NULL}))
print((pcall(merger.new, by_number, {1})))
print(#merger.new(by_number, {}):select())
print(pcall(merger.new_source_fromtable))
print(pcall(merger.new_source_fromtable, 5))
print(pcall(merger.new_source_frombuffer, {}))
print(pcall(merger.new_tuple_source))
print(pcall(merger.new_table_source, 5))
print(pcall(merger.new_buffer_source))
merged = merger.new(by_number, {})
print(pcall(merged.select))
print(pcall(merged.select, merged, 5))
print(pcall(merged.select, merged, {limit = 'a'}))
print(pcall(merged.select, merged, {buffer = 5}))
print((pcall(merged.pairs)))

local function fails(new, ...)
    local made = new(...)
    local ok, err = pcall(made.select, made)
    print(ok, (tostring(err):gsub(' 0x%x+$', '')))
end
fails(merger.new_source_fromtable, {{1}, 5})
fails(merger.new_tuple_source, function() return 1, 'x' end)
fails(merger.new_tuple_source, function() error('broken', 0) end)
fails(merger.new_table_source, function() return 1, 5 end)
fails(merger.new_buffer_source, function() return 1, 5 end)
fails(merger.new_source_frombuffer, encoded(5))
fails(merger.new_source_frombuffer, encoded({[48] = {{1}}}))
print((pcall(function() return merger.new(by_number, {source({'x'}), source({1})}):select() end)))
print((pcall(function() return merger.new(by_number, {source({1}, {'x'})}):select() end)))
print((pcall(function() return merger.new(by_number, {source({})}):select() end)))

os.exit()
