-- How strings are written: plain where that is safe, quoted where it is not, base64 where it must be.
local yaml = require('yaml')

local strings = {
    '', 'a', 'two words', 'true', 'false', 'yes', 'no', 'null', '~', 'on', 'y', '123', '1.5', '1e5', '0x10', '+1',
    '-.5', '0777', '1:30', '1_000', '12abc', 'nan', 'inf', '.inf', '-', '- a', '-a', 'a: b', 'a:b', 'a:', ':',
    '#x', 'a #b', 'a#b', ' x', 'x ', '\t', 'a\tb', '\0', '\127', 'é', '\255', '---', '...',
    '--- a', '[a]', '{a}', 'a,b', '"q"', "'q'", "it's", '%a', '@a', '`a', '!a', '&a', '*a', '|', '>', '?', '? a',
    '~a', '=', '<<', '\\', 'a\\nb', 'http://x.y/z?a=b#c', '\r', '\27[0m', 'x\n\ny', ('word '):rep(40),
    ('word'):rep(40),
}
for _, text in ipairs(strings) do
    io.write(('%q'):format(text):sub(1, 40), ' ', yaml.encode(text))
end
print(yaml.encode(strings) == yaml.encode(yaml.decode(yaml.encode(strings))))
