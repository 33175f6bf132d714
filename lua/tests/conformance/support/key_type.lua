-- One key type under a sweep: its values at the borders, in TREE and HASH indexes, unique and not,
-- nullable and not, with every iterator.

local show = require('show')
local sweep = require('sweep')

local ITERATORS = {'EQ', 'REQ', 'LT', 'LE', 'GE', 'GT'}

-- The numbers of the values that a read gives, in its order, of many only the ends and how many there
-- are; of a HASH index, sorted.
local function join(list)
    if #list > 3 then
        return ('%d..%d (%d)'):format(list[1], list[#list], #list)
    end
    return table.concat(list, ' ')
end

local function numbers(index, key, iterator)
    return sweep.result(function()
        local list = {}
        for position, tuple in ipairs(index:select(key, {iterator = iterator})) do
            list[position] = tuple[2]
        end
        if index.type == 'HASH' then
            table.sort(list)
        end
        return join(list)
    end)
end

local function sweep_index(index, label, keys)
    local order = {}
    for position, tuple in ipairs(index.type == 'HASH' and {} or index:select()) do
        order[position] = tuple[2]
    end
    print(label, 'order', table.concat(order, ' '))
    local iterators = index.type == 'HASH' and {'EQ'} or ITERATORS
    for _, iterator in ipairs(iterators) do
        local parts = {}
        for position, key in ipairs(keys) do
            parts[position] = numbers(index, {key}, iterator)
        end
        print(label, iterator, table.concat(parts, ' | '))
    end
end

-- `values` go in, `wrong` ones must be refused, `strangers` are looked for but not there.
return function(kind, values, wrong, strangers)
    local space = box.schema.space.create('keys')
    local tree = space:create_index('tree', {parts = {{1, kind}}})
    local hash = space:create_index('hash', {type = 'HASH', parts = {{1, kind}}})
    local many = space:create_index('many', {unique = false, parts = {{3, kind, is_nullable = true}}})
    local maybe = space:create_index('maybe', {parts = {{4, kind, is_nullable = true}, {2, 'unsigned'}}})
    for number, value in ipairs(values) do
        local is_odd = number % 2 == 1
        show.try('insert ' .. number, function()
            local group = values[math.ceil(number / 3)]
            return space:insert{value, number, group, is_odd and value or box.NULL}:bsize()
        end)
    end
    for number, value in ipairs(wrong) do
        print('wrong ' .. number, sweep.result(space.insert, space, {value, 100}),
            sweep.result(space.replace, space, {values[1], 100, value}),
            sweep.result(space.get, space, {value}), sweep.result(many.select, many, {value}),
            sweep.result(hash.get, hash, {value}))
    end
    local keys = {}
    for _, list in ipairs{values, strangers} do
        for _, value in ipairs(list) do keys[#keys + 1] = value end
    end
    sweep_index(tree, 'tree', keys)
    sweep_index(hash, 'hash', keys)
    keys[#keys + 1] = box.NULL
    sweep_index(many, 'many', keys)
    sweep_index(maybe, 'maybe', keys)
    for number, value in ipairs(values) do
        print('twice ' .. number, sweep.result(space.insert, space, {value, 200}),
            sweep.result(tree.count, tree, {value}), sweep.result(many.count, many, {value}))
    end
    for number, value in ipairs(values) do
        local deleted = number % 2 == 0 and tree:delete{value} or hash:delete{value}
        print('delete ' .. number, deleted ~= nil and deleted[2], tree:len(), hash:len(), many:len())
    end
end
