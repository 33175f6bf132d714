-- Sweeps: the same calls over every kind of index and every shape of key, one short line each.

local show = require('show')

local sweep = {}

-- What a call gives, on one line: tuples, numbers, nothing, or the code of the error.
function sweep.result(callable, ...)
    local function collect(ok, ...)
        if not ok then
            return 'error ' .. show.error_text((...)):gsub('^ClientError ', '')
        end
        local parts = {}
        for position = 1, select('#', ...) do
            parts[position] = show.text((select(position, ...)))
        end
        return #parts == 0 and '(nothing)' or table.concat(parts, ', ')
    end
    return collect(pcall(callable, ...))
end

-- A space with one index of each kind over the same rows: {id, text, number, maybe}.
function sweep.space(rows)
    local space = box.schema.space.create('sweep')
    space:create_index('tree', {parts = {{1, 'unsigned'}}})
    space:create_index('hash', {type = 'HASH', parts = {{1, 'unsigned'}}})
    space:create_index('text', {unique = false, parts = {{2, 'string'}}})
    space:create_index('pair', {parts = {{2, 'string'}, {1, 'unsigned'}}})
    space:create_index('hash_pair', {type = 'HASH', parts = {{2, 'string'}, {1, 'unsigned'}}})
    space:create_index('maybe', {parts = {{4, 'integer', is_nullable = true}}})
    space:create_index('maybe_many', {unique = false,
        parts = {{4, 'integer', is_nullable = true}, {3, 'number'}}})
    for _, row in ipairs(rows or {
        {1, 'a', 1.5, 10}, {2, 'b', -1, box.NULL}, {3, 'a', 7, -5}, {4, 'c', 1.5, box.NULL},
    }) do
        space:insert(row)
    end
    return space
end

sweep.indexes = {'tree', 'hash', 'text', 'pair', 'hash_pair', 'maybe', 'maybe_many'}

-- Keys as text and value: right, partial, empty, too long, of wrong types, with nulls.
sweep.keys = {
    'nil', 'box.NULL', '{}', '1', '{1}', '9', "'a'", "{'a'}", "{'a', 1}", "{'a', 9}", "{'z', 1}",
    '{1, 2}', "{'a', 1, 1}", '10', '{-5}', '{10, 1.5}', '{box.NULL}', '{box.NULL, 1.5}',
    "{'a', box.NULL}", '{nil, 1}', '-1', '1.5', '2^63', 'true', '{true}', '{{}}', '{{1}}',
    "{{a = 1}}", "''", "{''}", "{1, 'a'}", 'box.tuple.new{1}', "box.tuple.new{'a', 1}",
}

function sweep.value(text)
    return loadstring('return ' .. text)()
end

-- Calls `callable(index, key)` for every index and key; keys with the same result share a line.
function sweep.over_keys(space, callable)
    for _, name in ipairs(sweep.indexes) do
        local order, keys = {}, {}
        for _, text in ipairs(sweep.keys) do
            local result = sweep.result(callable, space.index[name], sweep.value(text), text)
            if keys[result] == nil then
                order[#order + 1], keys[result] = result, {}
            end
            table.insert(keys[result], text)
        end
        for _, result in ipairs(order) do
            print(('%s: %s -> %s'):format(name, table.concat(keys[result], ' '), result))
        end
    end
end

return sweep
