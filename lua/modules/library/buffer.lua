-- The module `buffer`: memory that grows at its end and is read from its start, and memory to write
-- texts of a moment into.
--
-- What a buffer holds stands between `rpos` and `wpos`. Its memory comes from Lua's heap, so a pointer
-- into it is good until the buffer grows, is recycled or is collected.

local ffi = require('ffi')

ffi.cdef([[
struct ibuf { char *buf; char *rpos; char *wpos; char *epos; uint64_t start_capacity; };
]])

local READAHEAD = 16320
local LIMIT_BYTES = 2^40
local memory_t = ffi.typeof('char[?]')

-- The memory of each buffer, which its pointers alone would not keep.
local memories = setmetatable({}, {__mode = 'k'})

local methods = {}
local ibuf_t

local function check(buffer, name)
    if not ffi.istype(ibuf_t, buffer) then
        error(('Attempt to call method without object, use ibuf:%s()'):format(name), 3)
    end
end

local function check_size(size, name)
    local number = tonumber(size)
    if number == nil or not (number >= 0 and number <= LIMIT_BYTES) then
        error(('Usage: ibuf:%s(size)'):format(name), 3)
    end
    return number
end

local function used(buffer)
    return tonumber(buffer.wpos - buffer.rpos)
end

local function capacity(buffer)
    return tonumber(buffer.epos - buffer.buf)
end

local function unused(buffer)
    return tonumber(buffer.epos - buffer.wpos)
end

-- Makes room for `size` bytes more: moves what is held to the front, or into larger memory.
local function grow(buffer, size)
    local held = used(buffer)
    if held + size <= capacity(buffer) then
        ffi.copy(buffer.buf, buffer.rpos, held)
    else
        local wanted = math.max(capacity(buffer), tonumber(buffer.start_capacity), 1)
        while wanted < held + size do
            wanted = wanted * 2
        end
        local ok, memory = pcall(memory_t, wanted)
        if not ok then
            box.error(box.error.MEMORY_ISSUE, wanted, 'ibuf', 'buffer')
        end
        ffi.copy(memory, buffer.rpos, held)
        memories[buffer] = memory
        buffer.buf = memory
        buffer.epos = buffer.buf + wanted
    end
    buffer.rpos = buffer.buf
    buffer.wpos = buffer.buf + held
end

-- A variable-length cdata whose size the compiler could get wrong is made in here.
jit.off(grow)

function methods.reserve(buffer, size)
    check(buffer, 'reserve')
    size = check_size(size, 'reserve')
    if unused(buffer) < size or buffer.buf == nil then
        grow(buffer, size)
    end
    return buffer.wpos
end

function methods.alloc(buffer, size)
    check(buffer, 'alloc')
    size = check_size(size, 'alloc')
    if unused(buffer) < size or buffer.buf == nil then
        grow(buffer, size)
    end
    local start = buffer.wpos
    buffer.wpos = start + size
    return start
end

local function check_range(buffer, size)
    if size > used(buffer) then
        error(('Attempt to read out of range bytes: needed=%d size=%d'):format(size, used(buffer)), 3)
    end
end

function methods.checksize(buffer, size)
    check(buffer, 'checksize')
    size = check_size(size, 'checksize')
    check_range(buffer, size)
    return buffer.rpos
end

function methods.read(buffer, size)
    check(buffer, 'read')
    size = check_size(size, 'read')
    check_range(buffer, size)
    local start = buffer.rpos
    buffer.rpos = start + size
    return start
end

function methods.reset(buffer)
    check(buffer, 'reset')
    buffer.rpos, buffer.wpos = buffer.buf, buffer.buf
end

function methods.recycle(buffer)
    check(buffer, 'recycle')
    memories[buffer] = nil
    buffer.buf, buffer.rpos, buffer.wpos, buffer.epos = nil, nil, nil, nil
end

-- Takes `size` bytes off the end.
function methods.truncate(buffer, size)
    check(buffer, 'truncate')
    size = check_size(size, 'truncate')
    buffer.wpos = buffer.wpos - math.min(size, used(buffer))
end

for name, measure in pairs({
    size = used,
    capacity = capacity,
    unused = unused,
    pos = function(buffer) return tonumber(buffer.rpos - buffer.buf) end,
}) do
    methods[name] = function(buffer)
        check(buffer, name)
        return measure(buffer)
    end
end

ibuf_t = ffi.metatype('struct ibuf', {
    __index = methods,
    __tostring = function() return '<ibuf>' end,
})

local buffer = {READAHEAD = READAHEAD}

function buffer.ibuf(size)
    if size ~= nil and (type(size) ~= 'number' or not (size >= 0 and size <= LIMIT_BYTES)) then
        error('Usage: ibuf([size])', 2)
    end
    local object = ibuf_t()
    object.start_capacity = size ~= nil and size > 0 and size or READAHEAD + 16
    return object
end

-- A buffer of the process, empty at each request: `buffer.IBUF_SHARED`.
buffer.IBUF_SHARED = buffer.ibuf()

-- Memory for `count` elements of a type, for as long as it is referred to.
function buffer.static_alloc(kind, count)
    local number = count == nil and 1 or tonumber(count)
    if number == nil or not (number >= 0 and number <= LIMIT_BYTES) then
        error('Usage: static_alloc(type[, size])', 2)
    end
    return ffi.new(kind .. '[?]', number)
end
jit.off(buffer.static_alloc)

ffi.cdef([[
union lycosa_register {
    int8_t i8; uint8_t u8; int16_t i16; uint16_t u16; int32_t i32; uint32_t u32; int64_t i64;
    uint64_t u64; float f; double d; void *vp; const void *cvp; const char *ccp; const char **ccpp;
};
]])

-- Scratch registers, to pass values out of FFI calls by address.
buffer.reg_array = ffi.new('union lycosa_register[2]')
buffer.reg1, buffer.reg2 = buffer.reg_array[0], buffer.reg_array[1]

return buffer
