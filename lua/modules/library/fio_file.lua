-- Part of the module `fio`: open files and the status of files.
--
-- An open file is a cdata with its descriptor, which it closes when it is collected.

local ffi = require('ffi')
local fail = require('lycosa.fio_failure').fail

ffi.cdef([[struct fio_handle { int32_t __descriptor; };]])

local READ_SIZE_BYTES = 65536
local CLOSED = -1
local BAD_DESCRIPTOR = require('errno').EBADF

local KINDS = {
    is_reg = 'S_IFREG', is_dir = 'S_IFDIR', is_link = 'S_IFLNK', is_fifo = 'S_IFIFO',
    is_sock = 'S_IFSOCK', is_blk = 'S_IFBLK', is_chr = 'S_IFCHR',
}

return function(native)
    local transfer_t = 'int64_t (*)(int32_t, uint8_t *, size_t, int64_t)'
    local ffi_read, ffi_write = ffi.cast(transfer_t, native.read), ffi.cast(transfer_t, native.write)
    local ffi_seek = ffi.cast('int64_t (*)(int32_t, int64_t, int32_t)', native.seek)
    local ffi_truncate = ffi.cast('int64_t (*)(int32_t, int64_t)', native.truncate)
    local ffi_synchronize = ffi.cast('int64_t (*)(int32_t)', native.synchronize)
    local ffi_close = ffi.cast('int64_t (*)(int32_t)', native.close)
    local mode = native.constants.mode

    local status_methods = {}
    for name, kind in pairs(KINDS) do
        status_methods[name] = function(status)
            return bit.band(status.mode, mode.S_IFMT) == mode[kind]
        end
    end
    local status_metatable = {__index = status_methods}

    local function status_of(status, number)
        if status == nil then
            return nil, fail(number)
        end
        return setmetatable(status, status_metatable)
    end

    local buffer_t, pointer_t = ffi.typeof('uint8_t[?]'), ffi.typeof('uint8_t *')
    local methods = {}

    local function is_memory(value)
        return type(value) == 'cdata' and tonumber(value) == nil
    end

    local function check_size(value, usage)
        if type(value) ~= 'number' or not (value >= 0 and value <= 2^47) then
            error('Usage: ' .. usage, 3)
        end
    end

    -- Reads `size` bytes, fewer at the file's end, at `offset` or, when that is -1, where it stands.
    local function read_text(descriptor, size, offset)
        local parts, left = {}, size
        while left > 0 do
            local wanted = math.min(left, READ_SIZE_BYTES)
            local buffer = buffer_t(wanted)
            local count = tonumber(ffi_read(descriptor, buffer, wanted, offset))
            if count < 0 then
                return nil, fail(-count)
            elseif count == 0 then
                break
            end
            parts[#parts + 1] = ffi.string(buffer, count)
            left = left - count
            if offset >= 0 then
                offset = offset + count
            end
        end
        return table.concat(parts)
    end

    local function read_into(descriptor, memory, size, offset)
        local count = tonumber(ffi_read(descriptor, ffi.cast(pointer_t, memory), size, offset))
        if count < 0 then
            return nil, fail(-count)
        end
        return count
    end

    -- `fh:read()`, `fh:read(size)`, `fh:read(memory, size)`.
    function methods.read(file, memory, size)
        local usage = 'fh:read([buf, ]size)'
        if is_memory(memory) then
            check_size(size, usage)
            return read_into(file.__descriptor, memory, size, -1)
        end
        size = memory == nil and 2^47 or memory
        check_size(size, usage)
        return read_text(file.__descriptor, size, -1)
    end

    function methods.pread(file, memory, size, offset)
        local usage = 'fh:pread([buf, ]size, offset)'
        if is_memory(memory) then
            check_size(size, usage)
            check_size(offset, usage)
            return read_into(file.__descriptor, memory, size, offset)
        end
        check_size(memory, usage)
        check_size(size, usage)
        return read_text(file.__descriptor, memory, size)
    end

    local function write(file, memory, size, offset)
        local source = type(memory) == 'string' and ffi.cast('const uint8_t *', memory) or memory
        local at, from = 0, ffi.cast(pointer_t, source)
        while at < size do
            local count = tonumber(ffi_write(file.__descriptor, from + at, size - at,
                offset < 0 and -1 or offset + at))
            if count < 0 then
                return false, fail(-count)
            end
            at = at + count
        end
        return true
    end

    function methods.write(file, memory, size)
        if not is_memory(memory) then
            memory = tostring(memory)
            size = #memory
        end
        check_size(size, 'fh:write(buf[, count])')
        return write(file, memory, size, -1)
    end

    function methods.pwrite(file, memory, size, offset)
        local usage = 'fh:pwrite(buf[, count], offset)'
        if not is_memory(memory) then
            memory, offset = tostring(memory), size
            size = #memory
        end
        check_size(size, usage)
        check_size(offset, usage)
        return write(file, memory, size, offset)
    end

    -- The answers of calls on a descriptor that say no more than whether they succeeded.
    local function is_done(result)
        result = tonumber(result)
        if result < 0 then
            return false, fail(-result)
        end
        return true
    end

    function methods.seek(file, offset, whence)
        local from = whence or 'SEEK_SET'
        if type(from) == 'string' then
            from = native.constants.seek[from]
        end
        if type(from) ~= 'number' then
            error('fio.seek(): unknown whence: ' .. tostring(whence), 2)
        elseif type(offset) ~= 'number' then
            error('Usage: fh:seek(offset[, whence])', 2)
        end
        local position = tonumber(ffi_seek(file.__descriptor, offset, from))
        if position < 0 then
            fail(-position)
            return -1
        end
        return position
    end

    function methods.truncate(file, length)
        if length ~= nil and type(length) ~= 'number' then
            error('Usage: fh:truncate([length])', 2)
        end
        return is_done(ffi_truncate(file.__descriptor, length or 0))
    end

    function methods.fsync(file)
        return is_done(ffi_synchronize(file.__descriptor))
    end
    methods.fdatasync = methods.fsync

    function methods.stat(file)
        if file.__descriptor == CLOSED then
            return nil, fail(BAD_DESCRIPTOR)
        end
        return status_of(native.file_status(file.__descriptor))
    end

    function methods.close(file)
        local descriptor = file.__descriptor
        file.__descriptor = CLOSED
        return is_done(ffi_close(descriptor))
    end

    local handle_t = ffi.metatype('struct fio_handle', {
        __index = function(file, name)
            return name == 'fh' and file.__descriptor or methods[name]
        end,
        __gc = function(file)
            if file.__descriptor ~= CLOSED then
                ffi_close(file.__descriptor)
            end
        end,
        __tostring = function(file) return ('fh: %d'):format(file.__descriptor) end,
        __serialize = function(file) return {fh = file.__descriptor} end,
    })

    return {adopt = handle_t, status = status_of}
end
