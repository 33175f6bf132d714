-- digest.aes256cbc: what it writes is read back, whatever the length; keys and vectors have one size.

local cipher = require('digest').aes256cbc

local key, vector = ('k'):rep(32), ('v'):rep(16)
for _, length in ipairs({0, 1, 15, 16, 17, 31, 32, 100}) do
    local text = ('text'):rep(25):sub(1, length)
    local bytes = cipher.encrypt(text, key, vector)
    print(length, #bytes, bytes:sub(1, 16):hex(), cipher.decrypt(bytes, key, vector) == text)
end

print(cipher.decrypt(cipher.encrypt('zero \0 byte', key, vector), key, vector) == 'zero \0 byte')
print(cipher.encrypt('a', key, vector) == cipher.encrypt('a', key, ('w'):rep(16)))
print(cipher.encrypt('a', key, vector) == cipher.encrypt('a', ('l'):rep(32), vector))

print(pcall(cipher.encrypt, 'a', 'short', vector))
print(pcall(cipher.encrypt, 'a', ('k'):rep(33), vector))
print(pcall(cipher.encrypt, 'a', key, 'short'))
print(pcall(cipher.decrypt, cipher.encrypt('a', key, vector), key, ('v'):rep(17)))

-- The words of these errors are the library's.
print((pcall(cipher.encrypt, 'a')))
print((pcall(cipher.encrypt)))
print((pcall(cipher.encrypt, 1, key, vector)))
print((pcall(cipher.encrypt, 'a', 1, 2)))
print((pcall(cipher.decrypt, '', key, vector)))
print((pcall(cipher.decrypt, 'no block', key, vector)))
print((pcall(cipher.decrypt, ('x'):rep(16), key, vector)))
print((pcall(cipher.decrypt, cipher.encrypt('a', key, vector), ('l'):rep(32), vector)))

os.exit()
