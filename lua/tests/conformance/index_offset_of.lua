-- differs from 2.6: it has no offset_of.
--
-- How many tuples an iterator passes before it comes to those of a key, whether these are there or not.

box.cfg({log_level = 1, wal_mode = 'none'})

local space = box.schema.space.create('s')
local primary = space:create_index('pk', {parts = {{1, 'unsigned'}, {2, 'unsigned'}}})
local secondary = space:create_index('s', {parts = {{3, 'string', sort_order = 'desc'}}, unique = false})
for first = 1, 9, 2 do
    for second = 1, 3, 2 do
        space:insert({first, second, 'abc'})
    end
end

-- What it stands for.
local function offset_by_walking(index, key, iterator)
    local matching = index:select(key, {iterator = iterator})
    local is_reverse = iterator == 'REQ' or iterator == 'LT' or iterator == 'LE'
    local all = index:select({}, {iterator = is_reverse and 'LE' or 'GE'})
    for position, tuple in ipairs(all) do
        if matching[1] == tuple then
            return position - 1
        end
    end
    return nil
end

local wrong = 0
for _, iterator in ipairs({'EQ', 'REQ', 'ALL', 'GE', 'GT', 'LE', 'LT'}) do
    for first = 0, 10 do
        for _, key in ipairs({{first}, {first, 1}, {first, 2}, {first, 3}}) do
            local expected = offset_by_walking(primary, key, iterator)
            if expected ~= nil and primary:offset_of(key, {iterator = iterator}) ~= expected then
                wrong = wrong + 1
            end
        end
    end
end
print('wrong', wrong)

print(space:offset_of(), space:offset_of({}), space:offset_of(3), space:offset_of({3}), space:offset_of({3}, {}))
print(space:offset_of({3}, {iterator = 'eq'}), space:offset_of({3}, {iterator = box.index.EQ}),
    space:offset_of({3}, 'eq'), space:offset_of({3}, box.index.GT), primary:offset_of({3}))
print(space:offset_of({4}), space:offset_of({4}, 'REQ'), space:offset_of({0}), space:offset_of({100}),
    space:offset_of({0}, 'LE'), space:offset_of({100}, 'LE'))
print(secondary:offset_of({'abc'}), secondary:offset_of({'b'}), secondary:offset_of({'aaa'}))

local view = box.read_view.open()
space:delete({1, 1})
print(space:offset_of({3}), view.space.s:offset_of({3}), view.space.s.index.pk:offset_of({3}, 'GT'))
view:close()

print(pcall(space.offset_of, space, {3}, 'bad'))
print(pcall(space.offset_of, space, {3}, true))
print(pcall(space.offset_of, space, {3}, 'NP'))
print(pcall(space.offset_of, space, {'x'}))
print(pcall(space.offset_of, space, {1, 2, 3}))
print(pcall(space.offset_of))
space:truncate()
print(space:offset_of({3}), space:offset_of({3}, 'LE'))

os.exit()
