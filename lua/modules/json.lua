-- The module `json`: encode, decode, and their configuration.

local native = ...
local values = require('lycosa.values')
local bit = require('bit')

local DEFAULTS = {
    encode_max_depth = 128,
    encode_number_precision = 14,
    encode_sparse_ratio = 2,
    encode_sparse_safe = 10,
    encode_sparse_convert = true,
    encode_invalid_numbers = true,
    encode_use_tostring = false,
    encode_invalid_as_nil = false,
    encode_deep_as_nil = false,
    encode_load_metatables = true,
    decode_max_depth = 128,
    decode_invalid_numbers = true,
    decode_save_metatables = true,
}

local FLAGS = {
    encode_sparse_convert = 1,
    encode_invalid_numbers = 2,
    encode_use_tostring = 4,
    encode_invalid_as_nil = 8,
    encode_deep_as_nil = 16,
    encode_load_metatables = 32,
}

local function flags_of(config)
    local flags = 0
    for name, flag in next, FLAGS do
        if config[name] then
            flags = bit.bor(flags, flag)
        end
    end
    return flags
end

-- A copy of `config` with `options` over it; what is no option is ignored.
local function with_options(config, options)
    if type(options) ~= 'table' then
        error(('json.cfg: options are a table, not a %s'):format(type(options)), 3)
    end
    local result = {}
    for name, default in next, DEFAULTS do
        local value = options[name]
        if value == nil then
            value = config[name]
        elseif type(value) ~= type(default) then
            error(('json.cfg: %s must be a %s, not %s'):format(name, type(default), type(value)), 3)
        end
        result[name] = value
    end
    result.flags = flags_of(result)
    return result
end

local function new()
    local config = with_options(DEFAULTS, DEFAULTS)
    local json = {
        NULL = box.NULL,
        null = box.NULL,
        array_mt = values.sequence_metatable,
        map_mt = values.map_metatable,
        new = new,
    }

    function json.encode(...)
        local count = select('#', ...)
        local value, options = ...
        if count < 1 or count > 2 then
            error('json.encode: 1 or 2 arguments are expected', 2)
        end
        local current = options == nil and config or with_options(config, options)
        return native.encode(value, current.encode_max_depth, current.encode_number_precision,
            current.encode_sparse_ratio, current.encode_sparse_safe, current.flags)
    end

    function json.decode(text, options)
        if type(text) == 'number' then
            text = tostring(text)
        elseif type(text) ~= 'string' then
            error(("bad argument #1 to 'json.decode' (string expected, got %s)"):format(type(text)), 2)
        end
        local current = options == nil and config or with_options(config, options)
        return native.decode(text, current.decode_max_depth, current.decode_invalid_numbers,
            current.decode_save_metatables)
    end

    json.cfg = setmetatable({}, {
        __index = function(_, name)
            return DEFAULTS[name] ~= nil and config[name] or nil
        end,
        __call = function(_, options)
            config = with_options(config, options)
        end,
        __pairs = function()
            local visible = {}
            for name in next, DEFAULTS do
                visible[name] = config[name]
            end
            return next, visible, nil
        end,
    })
    return json
end

return new()
