-- The module `json`: encode, decode, and their configuration.

local native = ...
local serializer = require('lycosa.serializer')

local function new()
    local holder = serializer.configuration()
    local json = serializer.module(holder)
    json.null = box.NULL
    json.new = new

    function json.encode(...)
        local count = select('#', ...)
        local value, options = ...
        if count < 1 or count > 2 then
            error("bad argument #1 to '?' (expected 1 or 2 arguments)", 2)
        end
        local current = serializer.for_call(holder, options)
        return native.encode(value, current.encode_max_depth, current.encode_number_precision,
            current.encode_sparse_ratio, current.encode_sparse_safe, current.flags)
    end

    function json.decode(...)
        local count = select('#', ...)
        local text, options = ...
        if count < 1 or count > 2 then
            error("bad argument #1 to '?' (expected 1 or 2 arguments)", 2)
        elseif type(text) == 'number' then
            text = tostring(text)
        elseif type(text) ~= 'string' then
            error(("bad argument #1 to '?' (string expected, got %s)"):format(type(text)), 2)
        end
        local current = serializer.for_call(holder, options)
        return native.decode(text, current.decode_max_depth, current.decode_invalid_numbers,
            current.decode_save_metatables)
    end

    return json
end

return new()
