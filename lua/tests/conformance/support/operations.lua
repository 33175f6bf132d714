-- One update operation under a sweep: every kind of field against every kind of argument, in a space
-- and on a tuple of its own.

local sweep = require('sweep')

local operations = {}

operations.fields = {
    '0', '5', '-5', '127', '255', '4294967295', '9007199254740993ULL', '9223372036854775807ULL',
    '18446744073709551615ULL', '-9223372036854775808LL', '1.5', '-0.25', '1e300', "''", "'text'",
    'true', 'box.NULL', '{1, 2}', '{a = 1}',
}

-- Results of `{operator, 2, argument}` on a field of each kind; fields with one result share a line.
function operations.over_fields(operator, arguments)
    local space = box.schema.space.create('fields')
    space:create_index('pk')
    for _, argument in ipairs(arguments) do
        local order, fields = {}, {}
        for _, field in ipairs(operations.fields) do
            space:replace{1, sweep.value(field), 'end'}
            local list = {operator, 2}
            for _, value in ipairs(sweep.value('{' .. argument .. '}')) do
                list[#list + 1] = value
            end
            local result = sweep.result(space.update, space, 1, {list})
            if fields[result] == nil then
                order[#order + 1], fields[result] = result, {}
            end
            table.insert(fields[result], field)
            local tuple = box.tuple.new{1, sweep.value(field), 'end'}
            local alone = sweep.result(tuple.update, tuple, {list})
            if alone ~= result then
                print('alone', field, argument, alone)
            end
        end
        for _, result in ipairs(order) do
            print(('%s %s on %s -> %s'):format(operator, argument, table.concat(fields[result], ' '), result))
        end
    end
end

return operations
