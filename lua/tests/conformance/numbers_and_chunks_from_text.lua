-- The globals tonumber64 and dostring.
local show = require('show')

for _, text in ipairs({'123', 'x', '', '0x10', '0X1f', '0b11', '-5', '-0x10', ' 12 ', '12 3', '1.5', '99999999999999',
    '100000000000000', '18446744073709551615', '18446744073709551616', '-9223372036854775808'}) do
    show.try(text, tonumber64, text)
end
show.try('number', tonumber64, 5.5)
show.try('cdata', tonumber64, 5LL)
show.try('nil', tonumber64, nil)
show.try('table', tonumber64, {})
show.fails('nothing', tonumber64)
show.try('base 16', tonumber64, 'ff', 16)
show.try('base 16 prefix', tonumber64, '0xff', 16)
show.try('base 2', tonumber64, '101', 2)
show.try('base 2 digit', tonumber64, '102', 2)
show.try('base 36', tonumber64, 'zz', 36)
show.fails('base 1', tonumber64, '1', 1)

show.try('values', dostring, 'return 1 + 1, ...', 5, nil, 7)
show.try('nothing', dostring, '')
show.try('syntax', dostring, 'x = = 1')
show.try('error', dostring, "error('no', 0)")
show.try('error object', dostring, 'error({1})')
