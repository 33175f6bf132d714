-- differs from 2.6: messages end with the place in the text, and call tokens by other names
local show = require('show')
local json = require('json')

for _, text in ipairs({
    '', ' ', '{', '}', '[', ']', '[1', '[1,', '[1,]', '[,1]', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}',
    '{a:1}', '{1:2}', '{"a" 1}', '[1 2]', '[1.5 "x"]', '[1:2]', '"abc', '"\\x"', '"\\u12"', '"\\ud800"', 'nul', 'tru',
    'True', '[1] 2', '{} {}', '[\n1,\n  2,\n  x]', '{"key": [1, 2, {"deep": wrong}]}', "'a'", '[1,2,3,4,5,6,7,8,9 10]',
}) do
    show.try(text, json.decode, text)
end
