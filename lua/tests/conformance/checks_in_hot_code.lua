-- differs from 2.6: there it is no part of Tarantool.
--
-- Arguments that nothing uses after their check are those that were given, once the code is hot, too: the
-- compiler does not keep them.

local checks = require('checks')

local function find(name, count, options)
    checks('string', '?number', {timeout = '?number', by = {'string|number', field = '?string'}, [2] = '?boolean'})
    return 'found'
end

local cases = {
    {'a'}, {'a', 1}, {'a', 1, {by = {1}}}, {}, {1}, {'a', 'b'}, {'a', 1, 2}, {'a', 1, {timeout = 'x', by = {1}}},
    {'a', 1, {by = {true}}}, {'a', 1, {by = 5}}, {'a', 1, {by = {1}, other = 1}}, {'a', 1, {by = {1}, [3] = 1}},
}
local first, wrong = {}, 0
for _ = 1, 400 do
    for number, arguments in ipairs(cases) do
        local ok, answer = pcall(function()
            local found = find(unpack(arguments, 1, 3))
            return found
        end)
        local told = tostring(ok) .. answer
        first[number] = first[number] or told
        if told ~= first[number] then
            wrong = wrong + 1
        end
    end
end
print('wrong', wrong)

os.exit()
