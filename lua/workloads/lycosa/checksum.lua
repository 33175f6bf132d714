-- Checksums over rows in any order, for the `verify` of workloads: the sum of a hash of each row, modulo
-- 2^64. The same on every architecture, under Lycosa and under Tarantool.

local bit = require('bit')
local ffi = require('ffi')

local bxor, rshift, rol = bit.bxor, bit.rshift, bit.rol
local words_p = ffi.typeof('const uint64_t *')
local bytes_p = ffi.typeof('const uint8_t *')

-- SplitMix64's.
local function mix(word)
    word = bxor(word, rshift(word, 30)) * 0xbf58476d1ce4e5b9ULL
    word = bxor(word, rshift(word, 27)) * 0x94d049bb133111ebULL
    return bxor(word, rshift(word, 31))
end

local function with(hash, number)
    return mix(bxor(rol(hash, 23), ffi.cast('uint64_t', ffi.cast('int64_t', number))))
end

local methods = {}

-- Adds a row of up to five whole numbers, at least one.
function methods.add(self, a, b, c, d, e)
    self.sum = self.sum
        + with(with(with(with(with(0x9e3779b97f4a7c15ULL, a), b or 0), c or 0), d or 0), e or 0)
end

-- 16 hexadecimal digits.
function methods.text(self)
    return bit.tohex(self.sum)
end

local new_checksum = ffi.metatype(ffi.typeof('struct { uint64_t sum; }'), {__index = methods})

local checksum = {}

function checksum.new()
    return new_checksum(0)
end

-- A whole number that stands for a text in a row.
function checksum.of_text(text)
    local length = #text
    local hash = with(0x9e3779b97f4a7c15ULL, length)
    local words, bytes = ffi.cast(words_p, text), ffi.cast(bytes_p, text)
    local is_little_endian = ffi.abi('le')
    for position = 0, math.floor(length / 8) - 1 do
        local word = words[position]
        hash = mix(bxor(rol(hash, 23), is_little_endian and word or bit.bswap(word)))
    end
    for position = length - length % 8, length - 1 do
        hash = with(hash, bytes[position])
    end
    return tonumber(rshift(hash, 11))
end

return checksum
