-- The configuration of `json`, `msgpack` and `yaml`: options with Tarantool's names, and the table `cfg` that
-- is called to change them. A value of another type than the option's is converted, as there.

local bit = require('bit')
local values = require('lycosa.values')

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
    encode_error_as_ext = true,
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
    encode_error_as_ext = 64,
}

-- Numbers are integers, none below zero.
local function convert(value, default)
    if type(default) == 'boolean' then
        return not not value
    end
    return math.max(0, math.modf(tonumber(value) or 0))
end

local function flags_of(options)
    local flags = 0
    for name, flag in next, FLAGS do
        if options[name] then
            flags = bit.bor(flags, flag)
        end
    end
    return flags
end

-- A copy of `base` with `options` over it; what is no option is ignored.
local function with_options(base, options)
    local result = {}
    for name, default in next, DEFAULTS do
        local value = options[name]
        if value == nil then
            value = base[name]
        else
            value = convert(value, default)
        end
        result[name] = value
    end
    result.flags = flags_of(result)
    return result
end

local function check_table(options, level)
    if type(options) ~= 'table' then
        error(("bad argument #2 to '?' (table expected, got %s)"):format(
            type(options) == 'nil' and 'no value' or type(options)), level + 1)
    end
end

local serializer = {}

-- The options of a serializer and the module's `cfg`, which shows them and calls `changed` when they
-- have changed.
function serializer.configuration(changed)
    local current = with_options(DEFAULTS, DEFAULTS)
    local holder = {current = current}
    local visible = {}
    for name in next, DEFAULTS do
        visible[name] = current[name]
    end
    holder.cfg = setmetatable(visible, {
        __call = function(shown, options)
            check_table(options, 2)
            holder.current = with_options(holder.current, options)
            for name in next, DEFAULTS do
                if options[name] ~= nil then
                    shown[name] = options[name]
                end
            end
            if changed then
                changed(holder.current)
            end
        end,
    })
    return holder
end

-- The options of one call.
function serializer.for_call(holder, options)
    if options == nil then
        return holder.current
    end
    check_table(options, 3)
    return with_options(holder.current, options)
end

-- The members that every serializer has.
function serializer.module(holder)
    return {
        NULL = box.NULL,
        array_mt = values.sequence_metatable,
        map_mt = values.map_metatable,
        cfg = holder.cfg,
    }
end

return serializer
