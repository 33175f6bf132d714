-- The module `digest`: hashes, checksums, a cipher, base64 and random bytes. Rust does the work.

local native = ...
local ffi = require('ffi')

local digest = {}

local function check_text(value, usage)
    if type(value) ~= 'string' then
        error(usage, 3)
    end
end

for name, hash in pairs(native.hashes) do
    local usage = ('Usage: digest.%s(string)'):format(name)
    local hex_usage = ('Usage: digest.%s_hex(string)'):format(name)
    digest[name] = function(text)
        check_text(text, usage)
        return hash(text)
    end
    digest[name .. '_hex'] = function(text)
        check_text(text, hex_usage)
        return hash(text):hex()
    end
end

--- AES with a key of 256 bits, in CBC mode.

local KEY_BYTES, BLOCK_BYTES = 32, 16

local function check_cipher(usage, text, key, vector)
    if type(text) ~= 'string' then
        error(usage, 3)
    elseif key == nil or vector == nil then
        error('Cipher not initialized', 3)
    elseif type(key) ~= 'string' or type(vector) ~= 'string' then
        error(usage, 3)
    elseif #key ~= KEY_BYTES then
        error(('key size expected %d, got %d'):format(KEY_BYTES, #key), 3)
    elseif #vector ~= BLOCK_BYTES then
        error(('IV size expected %d, got %d'):format(BLOCK_BYTES, #vector), 3)
    end
end

digest.aes256cbc = {}

function digest.aes256cbc.encrypt(text, key, vector)
    check_cipher('Usage: digest.aes256cbc.encrypt(string, key, IV)', text, key, vector)
    return native.encrypt(text, key, vector)
end

function digest.aes256cbc.decrypt(bytes, key, vector)
    check_cipher('Usage: digest.aes256cbc.decrypt(string, key, IV)', bytes, key, vector)
    if #bytes == 0 or #bytes % BLOCK_BYTES ~= 0 then
        error('wrong final block length', 2)
    end
    local text = native.decrypt(bytes, key, vector)
    if text == nil then
        error('bad decrypt', 2)
    end
    return text
end

--- CRC-32C, begun with all bits set and not inverted at the end.

local CRC_BEGIN = 4294967295
local crc_methods = {}
local crc_metatable = {__index = crc_methods}

local function new_crc()
    return setmetatable({value = CRC_BEGIN}, crc_metatable)
end

function crc_methods.update(stream, text)
    check_text(text, 'Usage crc32:update(string)')
    stream.value = native.crc32(stream.value, text)
end

function crc_methods.result(stream)
    return stream.value
end

function crc_methods.clear(stream)
    stream.value = CRC_BEGIN
end

function crc_methods.copy(stream)
    local copy = new_crc()
    copy.value = stream.value
    return copy
end

digest.crc32 = setmetatable({crc_begin = CRC_BEGIN, new = new_crc}, {
    __call = function(_, text)
        check_text(text, 'Usage digest.crc32(string)')
        return native.crc32(CRC_BEGIN, text)
    end,
})

-- A number as the 32 bits that C would make of it.
local function to_uint32(value)
    local number = tonumber(value)
    return number ~= nil and number == number and number % 4294967296 - number % 1 or nil
end

function digest.crc32_update(checksum, text)
    check_text(text, 'Usage: digest.crc32_update(string)')
    local value = to_uint32(checksum)
    if value == nil then
        error('Usage: digest.crc32_update(crc, string)', 2)
    end
    return native.crc32(value, text)
end

--- MurmurHash3.

local DEFAULT_SEED = 13
local murmur_methods = {}
local murmur_metatable = {__index = murmur_methods}

local function new_murmur(options)
    local seed = DEFAULT_SEED
    if type(options) == 'table' and options.seed ~= nil then
        seed = to_uint32(options.seed)
        if seed == nil then
            error('Usage: digest.murmur.new([{seed = number}])', 2)
        end
    end
    return setmetatable({seed = seed, hash = seed, tail = '', length = 0}, murmur_metatable)
end

function murmur_methods.update(stream, text)
    check_text(text, 'Usage: murhash:update(string)')
    local pending = stream.tail .. text
    local whole = #pending - #pending % 4
    stream.hash = native.murmur_blocks(stream.hash, pending:sub(1, whole))
    stream.tail = pending:sub(whole + 1)
    stream.length = stream.length + #text
end

function murmur_methods.result(stream)
    return native.murmur_finish(stream.hash, stream.tail, stream.length)
end

function murmur_methods.clear(stream)
    stream.hash, stream.tail, stream.length = stream.seed, '', 0
end

function murmur_methods.copy(stream)
    return setmetatable({
        seed = stream.seed, hash = stream.hash, tail = stream.tail, length = stream.length,
    }, murmur_metatable)
end

digest.murmur = setmetatable({default_seed = DEFAULT_SEED, new = new_murmur}, {
    __call = function(_, text)
        check_text(text, 'Usage: digest.murhash(string)')
        local stream = new_murmur()
        stream:update(text)
        return stream:result()
    end,
})

--- xxHash.

local function add_xxhash(bits)
    local name = 'xxh' .. bits
    local methods = {}
    local metatable = {__index = methods}

    local function native_stream(seed)
        if seed ~= nil and type(seed) ~= 'number' and tonumber(seed) == nil then
            error(('Usage: digest.xxhash.%s(string[, unsigned number])'):format(name), 3)
        end
        local number = ffi.cast('uint64_t', seed or 0)
        return native.xxhash(bits, tonumber(number / 4294967296), tonumber(number % 4294967296))
    end

    local function result_of(upper, lower)
        if bits == 32 then
            return lower
        end
        return ffi.cast('uint64_t', upper) * 4294967296ULL + lower
    end

    function methods.update(stream, text)
        check_text(text, ('Usage: %s:update(string)'):format(name))
        stream.stream:update(text)
    end

    function methods.result(stream)
        return result_of(stream.stream:result())
    end

    function methods.clear(stream, seed)
        stream.seed = seed or stream.seed
        stream.stream = native_stream(stream.seed)
    end

    function methods.copy(stream)
        return setmetatable({seed = stream.seed, stream = stream.stream:copy()}, metatable)
    end

    local function new(seed)
        return setmetatable({seed = seed or 0, stream = native_stream(seed)}, metatable)
    end

    digest.xxhash[name] = setmetatable({new = new}, {
        __call = function(_, text, seed)
            check_text(text, ('Usage: digest.xxhash.%s(string[, unsigned number])'):format(name))
            local stream = native_stream(seed)
            stream:update(text)
            return result_of(stream:result())
        end,
    })
end

digest.xxhash = {}
add_xxhash(32)
add_xxhash(64)

--- The rest.

function digest.base64_encode(text, options)
    if type(text) ~= 'string' or (options ~= nil and type(options) ~= 'table') then
        error('Usage: digest.base64_encode(string[, table])', 2)
    end
    options = options or {}
    local is_url_safe = options.urlsafe and true or false
    return native.base64_encode(text, not options.nopad, not (options.nowrap or is_url_safe), is_url_safe)
end

function digest.base64_decode(text)
    check_text(text, 'Usage: digest.base64_decode(string)')
    return native.base64_decode(text)
end

local DEFAULT_ITERATIONS, DEFAULT_KEY_BYTES = 100000, 128

local function derive(name, password, salt, iterations, size)
    iterations, size = iterations or DEFAULT_ITERATIONS, size or DEFAULT_KEY_BYTES
    if type(password) ~= 'string' or type(salt) ~= 'string' then
        error(('Usage: digest.%s(pass, salt[,iters[,digest_len]])'):format(name), 3)
    elseif type(iterations) ~= 'number' or not (iterations >= 1 and iterations < 2^31) then
        error('number of iterations must be positive', 3)
    elseif type(size) ~= 'number' or not (size >= 1 and size <= DEFAULT_KEY_BYTES) then
        error(('derived key length must be between 1 and %d'):format(DEFAULT_KEY_BYTES), 3)
    end
    return native.pbkdf2(password, salt, math.floor(iterations), math.floor(size))
end

function digest.pbkdf2(password, salt, iterations, size)
    local key = derive('pbkdf2', password, salt, iterations, size)
    return key
end

function digest.pbkdf2_hex(password, salt, iterations, size)
    local key = derive('pbkdf2_hex', password, salt, iterations, size)
    return key:hex()
end

function digest.guava(key, buckets)
    if tonumber(key) == nil or type(buckets) ~= 'number' or not (buckets >= 1 and buckets < 2^31) then
        error('Usage: digest.guava(state, buckets)', 2)
    end
    local number = ffi.cast('uint64_t', ffi.cast('int64_t', key))
    return native.guava(tonumber(number / 4294967296ULL), tonumber(number % 4294967296ULL), math.floor(buckets))
end

local RANDOM_LIMIT_BYTES = 2^30

function digest.urandom(size)
    if type(size) ~= 'number' or not (size >= 0 and size <= RANDOM_LIMIT_BYTES) then
        error('Usage: digest.urandom(len)', 2)
    end
    return native.random(math.floor(size))
end

return digest
