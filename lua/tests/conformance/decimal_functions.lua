local show = require('show')
local decimal = require('decimal')
local new = decimal.new

for _, name in ipairs({'exp', 'ln', 'log10', 'sqrt', 'abs'}) do
    for _, value in ipairs({'0', '1', '2', '10', '100', '0.5', '0.01', '4.00', '1e-30', '1e20', '80', '123.456', '-1', '-2.50'}) do
        show.try(name .. ' ' .. value, decimal[name], value)
    end
    show.try(name .. ' of a number', decimal[name], 2)
    show.try(name .. ' of an int64', decimal[name], 2LL)
    show.try(name .. ' of nothing', decimal[name])
    show.try(name .. ' of text', decimal[name], 'x')
    show.try(name .. ' of a table', decimal[name], {})
end
for _, pair in ipairs({
    {2, 10}, {2, -1}, {2, 0.5}, {'1.5', 3}, {10, -38}, {10, 37}, {10, 38}, {0, 2}, {'-2', 3},
    {'-2', '0.5'}, {2, 200}, {4, '0.5'}, {3, -2}, {'0.5', 100}, {1, 1000000}, {'1.1', '2.2'},
}) do
    show.try(('%s ^ %s'):format(pair[1], pair[2]), function() return new(pair[1]) ^ new(pair[2]) end)
end
show.try('number ^ decimal', function() return 2 ^ new(3) end)
