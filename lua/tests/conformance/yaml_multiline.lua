-- differs from 2.6: strings of several lines are blocks unless compat asks for the old way
local yaml = require('yaml')
local compat = require('compat')

local texts = {'x\ny', 'x\n', '\n', 'a\n b', 'a \nb', {'x\ny', {k = 'x\ny'}}, box.tuple.new({'x\ny'})}
for _, text in ipairs(texts) do
    io.write(yaml.encode(text))
end
compat.yaml_pretty_multiline = 'old'
io.write(yaml.encode('x\ny'), yaml.encode('x\n\ny'))
compat.yaml_pretty_multiline = 'default'
io.write(yaml.encode('x\ny'))
