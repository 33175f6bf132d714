-- What text means to the decoder, and what it says of text that means nothing.
local yaml = require('yaml')
local show = require('show')

local texts = {
    '', '1', 'a', '1.5', 'true', 'yes', 'no', 'on', '~', 'null', 'Null', '0x10', '010', '1e3', '-inf', '.inf',
    '18446744073709551615', '18446744073709551616', '-9223372036854775808', '9223372036854775807',
    '123456789012345', '-100000000000000', '99999999999999', '+5', '-5', '1:30', '1_000', '2001-01-01',
    '"1"', "'1'", '"a\\nb\\u00e9"', "'it''s'", '[1, 2]', '{a: 1}', '- 1\n- 2\n', 'a: 1\nb:\n  c: 2\n',
    '---\n1\n...\n---\n2\n...\n', '--- &x [1]\n...', '- &x [1]\n- *x\n', '- &x a\n- *x\n',
    '!!str 1', '!!int "5"', '!!float "5.5"', '!!bool "yes"', '!!binary YWJj', '!local 5', '!!null ""',
    'a: |\n  x\n  y\n', 'a: |-\n  x\n', 'a: >\n  x\n  y\n', 'a:', '- ', '# only a comment', '%YAML 1.1\n---\n1',
    '- *missing', '[a', '{a: ]', 'a: b: c', '\tx', '%FOO\n', '"\\x"', 'a\nb: c', '- a\nb',
}
for _, text in ipairs(texts) do
    show.try(('%q'):format(text), yaml.decode, text)
end

for _, text in ipairs({'[1]', '{a: 1}', '[]', '{}'}) do
    show(text, getmetatable(yaml.decode(text)).__serialize)
end
local twice = yaml.decode('- &x [1]\n- *x\n')
show('an alias is the same table', twice[1] == twice[2])
show('documents', select('#', yaml.decode('--- 1\n--- 2\n--- 3\n')))
show.try('tag', yaml.decode, '%TAG !push! tag:example.com,2026\n--- 1\n...\n', {tag_only = true})
show.try('no tag', yaml.decode, '--- 1\n...\n', {tag_only = true})
show.fails('no text', yaml.decode)
show.fails('a table', yaml.decode, {})
show.fails('nil', yaml.decode, nil)
