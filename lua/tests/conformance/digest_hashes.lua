local show = require('show')
local digest = require('digest')

for _, name in ipairs({'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'}) do
    print(name, digest[name .. '_hex']('abc'))
    show(name, digest[name]('abc'):hex() == digest[name .. '_hex']('abc'), digest[name .. '_hex'](''))
    show.try(name, digest[name], 5)
    show.try(name, digest[name .. '_hex'])
end
print(digest.pbkdf2_hex('pass', 'salt', 10, 20))
print(digest.pbkdf2_hex('pass', 'salt', 10))
show('pbkdf2', #digest.pbkdf2('pass', 'salt', 1), digest.pbkdf2('a', 'b', 2, 5):hex())
show.fails('pbkdf2', digest.pbkdf2, 'pass')
show.fails('key too long', digest.pbkdf2, 'pass', 'salt', 10, 129)
show('guava', digest.guava(10863919174838991ULL, 11), digest.guava(1, 5), digest.guava(100, 1),
    digest.guava(2^40, 100000))
show('urandom', #digest.urandom(10), digest.urandom(16) ~= digest.urandom(16))
show.fails('urandom', digest.urandom)

os.exit(0)
