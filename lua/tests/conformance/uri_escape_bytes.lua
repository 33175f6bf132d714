-- differs from 2.6: escaping came with 2.11
-- Every byte there and back, alone and in long texts, whatever is left alone.
local uri = require('uri')

local all = {}
for code = 0, 255 do all[code + 1] = string.char(code) end
local bytes = table.concat(all)
local escaped = uri.escape(bytes)
print(#escaped, escaped:sub(1, 12), escaped:sub(-12))
print(escaped:gsub('%%%x%x', ''))
print(uri.unescape(escaped) == bytes)

for _, size in ipairs({0, 1, 341, 342, 1024, 100000, 2000000}) do
    local text = bytes:rep(math.ceil(size / 256)):sub(1, size)
    for _, options in ipairs({{}, {plus = true}, {unreserved = uri.unreserved('%c%w'), plus = true}}) do
        local there = uri.escape(text, options)
        if uri.unescape(there, options) ~= text then
            print('differs', size)
        end
    end
end
print('long texts', 'done')

print(uri.unescape('%'), uri.unescape('%4'), uri.unescape('%41'), uri.unescape('100%'), uri.unescape('%%41'), uri.unescape('%4%41'))
print(uri.unescape('%g1%1g%Aa%aA') == '%g1%1g\170\170')
print(uri.unescape('a+b'), uri.unescape('a+b%2B', {plus = true}))
print(uri.escape('a b'), uri.escape('a b', {plus = true}), uri.escape('a b', {plus = true, unreserved = {[' '] = true}}))

-- A set may be changed between calls.
local set = uri.unreserved('a')
print(uri.escape('ab', {unreserved = set}))
set.b = true
print(uri.escape('ab', {unreserved = set}))
os.exit()
