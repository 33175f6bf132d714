local show = require('show')
local digest = require('digest')

for _, size in ipairs({0, 1, 2, 3, 53, 54, 55, 100, 108}) do
    local text = ('x'):rep(size)
    local encoded = digest.base64_encode(text)
    print(size, #encoded, (encoded:gsub('\n', '|')))
    show('back', digest.base64_decode(encoded) == text)
    show('in one line', #digest.base64_encode(text, {nowrap = true}))
end
show('options', digest.base64_encode('\255\254'), digest.base64_encode('\255\254', {nopad = true}),
    digest.base64_encode('\255\254', {urlsafe = true}))
print(digest.base64_encode(('\255\254'):rep(50), {urlsafe = true}))
print((digest.base64_encode(('x'):rep(100), {nopad = true}):gsub('\n', '|')))
for _, text in ipairs({
    'YWJj', 'YWI=', 'YWI', 'YQ', 'YQ==', '__4=', '//4=', 'YW Jj', 'YW\nJj', '!!', 'YW$Jj', '', 'Y', 'YWJjY',
    '=', 'YQ==YQ==',
}) do
    show('decode ' .. text, digest.base64_decode(text):hex())
end
show.try('encode', digest.base64_encode, 5)
show.try('encode', digest.base64_encode)
show.try('options', digest.base64_encode, 'a', 5)
show.try('decode', digest.base64_decode)

os.exit(0)
