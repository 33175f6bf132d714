local show = require('show')
local decimal = require('decimal')
local new = decimal.new

for _, text in ipairs({'1.5', '1.55', '1.45', '-1.55', '123.456', '0.001', '100', '1.500', '99.99', '0', '0.00', '1e5'}) do
    local value = new(text)
    show(text, decimal.scale(value), decimal.precision(value), decimal.trim(value))
    for scale = -1, 4 do
        show(('%s to %d'):format(text, scale), decimal.round(value, scale), decimal.rescale(value, scale))
    end
    show(text .. ' far', decimal.round(value, 38), decimal.rescale(value, 36), decimal.rescale(value, 37),
        decimal.rescale(value, 39), decimal.round(value, 100))
end
for _, name in ipairs({'round', 'rescale', 'trim', 'scale', 'precision'}) do
    show.try(name .. ' of nothing', decimal[name])
    show.try(name .. ' of a number', decimal[name], 1.5, 1)
    show.try(name .. ' of text', decimal[name], '1.5', 1)
    show.try(name .. ' of an int64', decimal[name], 1LL, 1)
end
show.try('round without a scale', decimal.round, new(1))
show.try('rescale without a scale', decimal.rescale, new(1))
show('fractional scale', decimal.round(new('1.2345'), 2.7), decimal.round(new('1.2345'), '2'))
