local show = require('show')
local decimal = require('decimal')
local new = decimal.new

for _, text in ipairs({
    '1.50', '-12.5', '+5', '.5', '5.', '1e5', '1e-5', '0.00', '1e37', '1e-38', '1e-39',
    '99999999999999999999999999999999999999', '0.123456789012345678901234567890123456789',
    '12345678901234567890123456789012345678.5',
}) do
    show(text, new(text))
end
for _, number in ipairs({1.5, 0.1, 1e22, 123456789012345678, 1.123456789123456789, -3, 1e-5}) do
    show(tostring(number), new(number))
end
show('int64', new(-5LL), new(18446744073709551615ULL), new(require('ffi').new('float', 0.5)))
local value = new('1.5')
show('copy', new(value), new(value) == value)

for _, wrong in ipairs({'', 'abc', ' 1', '1 ', '1_000', '0x10', '1e38', '1e400', 'nan', 'inf', '1.2.3',
    '123456789012345678901234567890123456789', 0 / 0, 1 / 0, 1e38}) do
    show.try(tostring(wrong), new, wrong)
end
show.try('nothing', new)
show.try('nil', new, nil)
show.try('boolean', new, true)
show.try('table', new, {})
show.try('null', new, box.NULL)
show('is_decimal', decimal.is_decimal(value), decimal.is_decimal(1), decimal.is_decimal('1'),
    decimal.is_decimal(box.NULL))
show.try('is_decimal of nothing', decimal.is_decimal)
show('type', type(value))
show.fails('no member', function() return value.abs end)
show.fails('no length', function() return #value end)
show.fails('no concatenation', function() return value .. 'x' end)
