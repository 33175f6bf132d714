-- The module `decimal`: numbers of up to 38 significant digits. The cdata holds the number as MsgPack
-- does; each operation is one FFI call.

local native = ...
local ffi = require('ffi')
local values = require('lycosa.values')

local decimal_t = ffi.typeof('struct decimal')
local int64_t, uint64_t = ffi.typeof('int64_t'), ffi.typeof('uint64_t')

local unpack_body = ffi.cast('int32_t (*)(struct decimal *, const char *, uint32_t)', native.unpack)
local parse = ffi.cast('int32_t (*)(struct decimal *, const char *, uint32_t)', native.parse)
local from_double = ffi.cast('int32_t (*)(struct decimal *, double)', native.from_double)
local from_signed = ffi.cast('int32_t (*)(struct decimal *, int64_t)', native.from_signed)
local from_unsigned = ffi.cast('int32_t (*)(struct decimal *, uint64_t)', native.from_unsigned)
local compute = ffi.cast(
    'int32_t (*)(struct decimal *, int32_t, const struct decimal *, const struct decimal *)',
    native.compute)
local rescale = ffi.cast(
    'int32_t (*)(struct decimal *, const struct decimal *, int32_t, int32_t)', native.rescale)
local compare = ffi.cast(
    'int32_t (*)(const struct decimal *, const struct decimal *)', native.compare)
local measure = ffi.cast('int32_t (*)(const struct decimal *, int32_t)', native.measure)
local write_text = ffi.cast(
    'uint32_t (*)(const struct decimal *, char *, uint32_t)', native.text)

local ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, POWER, NEGATE, ABSOLUTE = 1, 2, 3, 4, 5, 6, 7, 8
local EXPONENTIAL, LOGARITHM, LOGARITHM_10, SQUARE_ROOT, TRIM = 9, 10, 11, 12, 13

-- A sign, 38 digits, as many zeros, a point.
local LONGEST_TEXT = 80
local text_t = ffi.typeof('char[80]')

local function is_decimal(value)
    return type(value) == 'cdata' and ffi.istype(decimal_t, value)
end

-- nil or a null pointer; comparing a decimal with nil would ask __eq again.
local function is_null(value)
    return type(value) == 'nil'
        or type(value) == 'cdata' and ffi.istype('void *', value) and value == nil
end

-- The decimal of a number, a string, a 64-bit integer or a decimal; `position` is what messages call
-- the argument, `level` where they say that it was.
local function convert(value, position, level)
    if is_decimal(value) then
        return value
    end
    local kind, decimal, status = type(value), ffi.new(decimal_t), nil
    if kind == 'number' then
        status = from_double(decimal, value)
    elseif kind == 'string' then
        status = parse(decimal, value, #value)
    elseif kind == 'cdata' then
        if ffi.istype(int64_t, value) then
            status = from_signed(decimal, value)
        elseif ffi.istype(uint64_t, value) then
            status = from_unsigned(decimal, value)
        else
            local number = tonumber(value)
            status = number and from_double(decimal, number)
        end
    end
    if status == nil then
        error(('expected decimal, number or string as %d argument'):format(position), level + 1)
    elseif status == 0 then
        error(('incorrect value to convert to decimal as %d argument'):format(position), level + 1)
    end
    return decimal
end

local function check(value, position, level)
    if type(value) ~= 'cdata' then
        error(('expected cdata as %d argument'):format(position), level + 1)
    elseif not is_decimal(value) then
        error(('expected decimal as %d argument'):format(position), level + 1)
    end
end

local function calculate(operation, left, right, level)
    local result = ffi.new(decimal_t)
    if compute(result, operation, left, right) == 0 then
        error('decimal operation failed', level + 1)
    end
    return result
end

local function binary(operation)
    return function(left, right)
        left, right = convert(left, 1, 2), convert(right, 2, 2)
        local result = calculate(operation, left, right, 2)
        return result
    end
end

local function compared(test)
    return function(left, right)
        if type(left) == 'nil' or type(right) == 'nil' then
            error('attempt to compare decimal with nil', 2)
        end
        left, right = convert(left, 1, 2), convert(right, 2, 2)
        return test(compare(left, right))
    end
end

local decimal = {is_decimal = function(...)
    if select('#', ...) < 1 then
        error('usage: decimal.is_decimal(value)', 2)
    end
    return is_decimal((...))
end}

function decimal.new(...)
    if select('#', ...) < 1 then
        error('usage: decimal.new(value)', 2)
    end
    local value = convert((...), 1, 2)
    return is_decimal((...)) and ffi.new(decimal_t, value) or value
end

for name, operation in pairs({
    abs = ABSOLUTE, exp = EXPONENTIAL, ln = LOGARITHM, log10 = LOGARITHM_10, sqrt = SQUARE_ROOT,
}) do
    decimal[name] = function(...)
        if select('#', ...) < 1 then
            error(('usage: decimal.%s(decimal)'):format(name), 2)
        end
        local value = convert((...), 1, 2)
        local result = calculate(operation, value, value, 2)
        return result
    end
end

function decimal.trim(...)
    if select('#', ...) < 1 then
        error('usage: decimal.trim(decimal)', 2)
    end
    local value = ...
    check(value, 1, 2)
    local result = calculate(TRIM, value, value, 2)
    return result
end

-- A scale that the number cannot have leaves it as it is.
for name, exactly in pairs({round = 0, rescale = 1}) do
    decimal[name] = function(...)
        if select('#', ...) < 2 then
            error(('usage: decimal.%s(decimal, scale)'):format(name), 2)
        end
        local value, scale = ...
        check(value, 1, 2)
        scale = tonumber(scale) or 0
        local result = ffi.new(decimal_t, value)
        if scale > -1 and scale < 1000 then
            rescale(result, value, scale, exactly)
        end
        return result
    end
end

for name, precision in pairs({scale = 0, precision = 1}) do
    decimal[name] = function(...)
        if select('#', ...) < 1 then
            error(('usage: decimal.%s(decimal)'):format(name), 2)
        end
        local value = ...
        check(value, 1, 2)
        return measure(value, precision)
    end
end

ffi.metatype(decimal_t, {
    __add = binary(ADD),
    __sub = binary(SUBTRACT),
    __mul = binary(MULTIPLY),
    __div = binary(DIVIDE),
    __mod = binary(REMAINDER),
    __pow = binary(POWER),
    __unm = function(value) return calculate(NEGATE, value, value, 2) end,
    __lt = compared(function(order) return order < 0 end),
    __le = compared(function(order) return order <= 0 end),
    __eq = function(left, right)
        if is_null(left) or is_null(right) then
            return false
        end
        left, right = convert(left, 1, 2), convert(right, 2, 2)
        return compare(left, right) == 0
    end,
    __tostring = function(value)
        check(value, 1, 2)
        local buffer = ffi.new(text_t)
        local size = write_text(value, buffer, LONGEST_TEXT)
        return ffi.string(buffer, size)
    end,
})

values.makers[1] = function(body)
    local value = ffi.new(decimal_t)
    if unpack_body(value, body, #body) == 0 then
        error('Invalid MsgPack - cannot unpack decimal', 0)
    end
    return value
end

return decimal
