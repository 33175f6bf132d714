-- The module `msgpack`: values to bytes and back, as Lua strings, in buffers and at pointers; and
-- objects that hold MsgPack undecoded.

local native = ...
local ffi = require('ffi')
local errors = require('lycosa.error')
local serializer = require('lycosa.serializer')
local objects = require('lycosa.msgpack_objects')

local NO_SOURCE = "msgpack.decode: a Lua string or 'char *' expected"

local bytes_t = ffi.typeof('const char *')
local POINTERS = {ffi.typeof('const char *'), ffi.typeof('char *')}

-- The address of a pointer to characters, and its type.
local function pointer_of(value)
    if type(value) == 'cdata' then
        for _, pointer_t in ipairs(POINTERS) do
            if ffi.istype(pointer_t, value) then
                return tonumber(ffi.cast('uintptr_t', value)), pointer_t
            end
        end
    end
end

local function check_number(value, name, level)
    local number = tonumber(value)
    if number == nil then
        local found = type(value) == 'nil' and 'no value' or type(value)
        error(("bad argument #2 to '%s' (number expected, got %s)"):format(name, found), level + 1)
    end
    return number
end

-- Appends to a buffer of the module `buffer`.
local function append(buffer, bytes)
    local is_buffer, target = pcall(function()
        return type(buffer) == 'cdata' and buffer:alloc(#bytes) or nil
    end)
    if not is_buffer or target == nil then
        error("msgpack.encode: argument 2 must be of type 'struct ibuf'", 3)
    end
    ffi.copy(target, bytes, #bytes)
    return #bytes
end

local function new(is_default)
    -- The options of the module itself hold for tuples as well.
    local holder = serializer.configuration(is_default and function(options)
        native.configure(options.encode_max_depth, options.encode_number_precision,
            options.encode_sparse_ratio, options.encode_sparse_safe, options.flags)
    end or nil)
    local msgpack = serializer.module(holder)

    local function encode(value)
        local options = holder.current
        return native.encode(value, options.encode_max_depth, options.encode_number_precision,
            options.encode_sparse_ratio, options.encode_sparse_safe, options.flags)
    end

    local function decode_string(bytes, offset)
        local options = holder.current
        local value, behind, reason = native.decode(bytes, offset, options.decode_invalid_numbers,
            options.decode_save_metatables)
        if behind == nil then
            errors.raise(errors.codes.INVALID_MSGPACK, reason)
        end
        return value, behind
    end

    local function decode_memory(address, size, pointer_t)
        local options = holder.current
        local value, read, reason = native.decode_memory(
            address, size, options.decode_invalid_numbers, options.decode_save_metatables)
        if read == nil then
            errors.raise(errors.codes.INVALID_MSGPACK, reason)
        end
        return value, ffi.cast(pointer_t, address + read)
    end

    local function decoder(name, is_checked)
        return function(source, position)
            if type(source) == 'string' then
                local offset = position == nil and 1 or check_number(position, name, 2)
                if not (offset >= 1 and (offset <= #source or position == nil)) then
                    error('msgpack.decode: offset is out of bounds', 2)
                end
                return decode_string(source, offset)
            end
            local address, pointer_t = pointer_of(source)
            if address == nil then
                error(NO_SOURCE, 2)
            elseif not is_checked then
                return decode_memory(address, -1, pointer_t)
            end
            local size = check_number(position, name, 2)
            if size < 0 then
                error("msgpack.decode: size can't be negative", 2)
            end
            return decode_memory(address, size, pointer_t)
        end
    end

    local function header_decoder(kind)
        local name = ('msgpack.decode_%s_header'):format(kind)
        return function(...)
            if select('#', ...) ~= 2 then
                error(('Usage: %s(ptr, size)'):format(name), 2)
            end
            local source, size = ...
            local address, pointer_t = pointer_of(source)
            if address == nil then
                error(("%s: 'char *' expected"):format(name), 2)
            end
            size = check_number(size, '?', 2)
            if size <= 0 then
                error(('%s: non-positive size'):format(name), 2)
            end
            local length, read = native.decode_header(address, size, kind)
            if length == nil then
                error(('%s: %s'):format(name, read), 2)
            end
            return length, ffi.cast(pointer_t, address + read)
        end
    end

    function msgpack.encode(...)
        local count = select('#', ...)
        if count < 1 then
            error('msgpack.encode: a Lua object expected', 2)
        end
        local value, buffer = ...
        local bytes = encode(value)
        if count == 1 then
            return bytes
        end
        return (append(buffer, bytes))
    end

    msgpack.decode = decoder('decode', true)
    msgpack.decode_unchecked = decoder('decode_unchecked', false)
    msgpack.decode_array_header = header_decoder('array')
    msgpack.decode_map_header = header_decoder('map')

    function msgpack.ibuf_decode(position)
        local address, pointer_t = pointer_of(position)
        if address == nil or address == 0 then
            error('msgpack.ibuf_decode: rpos is null', 2)
        end
        local value, behind = decode_memory(address, -1, pointer_t)
        return behind, value
    end

    function msgpack.object(...)
        if select('#', ...) ~= 1 then
            error('msgpack.object: a Lua object expected', 2)
        end
        return objects.new(encode((...)), decode_string)
    end

    function msgpack.object_from_raw(source, size)
        local address = pointer_of(source)
        if type(source) ~= 'string' and address == nil then
            error("msgpack.object_from_raw: a Lua string or 'char *' expected", 2)
        elseif address ~= nil then
            size = check_number(size, 'object_from_raw', 2)
            if size < 0 then
                error("msgpack.object_from_raw: size can't be negative", 2)
            end
            source = ffi.string(ffi.cast(bytes_t, address), size)
        end
        local length = native.measure(source, 1)
        if length ~= #source then
            errors.raise(errors.codes.INVALID_MSGPACK, length and 'junk after input' or 'truncated input')
        end
        return objects.new(source, decode_string)
    end

    msgpack.is_object = objects.is

    function msgpack.new()
        return new(false)
    end

    return msgpack
end

objects.install(native)
return new(true)
