local show = require('show')
local json = require('json')

for _, number in ipairs({0, 1, -1, 1.5, 0.1, 1e14, 1e15, 1e16, 2 ^ 53, 2 ^ 53 + 2, -2 ^ 53, 2 ^ 63, -2 ^ 63, 2 ^ 64,
    1e100, 1e-7, 123456.789, 1 / 3, -0.0, 1 / 0, -1 / 0, 100, 1e5}) do
    show(('%.17g'):format(number), json.encode(number))
end
show('int64', json.encode({5LL, -5LL, 9223372036854775807LL, 18446744073709551615ULL}))
show('float', json.encode(require('ffi').new('float', 0.5)))
for _, text in ipairs({'0', '-0', '1', '-1', '1.5', '1e2', '1E2', '1e+2', '1e-2', '1.5e3', '99999999999999',
    '100000000000000', '-99999999999999', '-100000000000000', '9223372036854775807', '9223372036854775808',
    '18446744073709551615', '-9223372036854775808', 'inf', '-inf', '0.1', '1e400'}) do
    show.try(text, json.decode, text)
end
show('nan', tostring(json.decode('nan')):gsub('-', '') == 'nan')
for _, text in ipairs({'01', '+1', '.5', '0x10', '-', '1e', 'NaN', 'Infinity', '1a', '--1', '- 1'}) do
    show.fails(text, json.decode, text)
end
