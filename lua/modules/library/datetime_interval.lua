-- Intervals: counts of years to nanoseconds that are not converted into one another. What adds them
-- to times comes from `datetime`, which sets `add` and `subtract` here.

local native = ...
local ffi = require('ffi')
local calendar = require('lycosa.datetime_calendar')
local checks = require('lycosa.datetime_checks')
local values = require('lycosa.values')

local interval_t = ffi.typeof('struct interval')
local buffer_t = ffi.typeof('char[?]')
local write_text = ffi.cast(
    'uint32_t (*)(const struct interval *, char *, uint32_t)', native.interval_text)
local combine = ffi.cast(
    'int32_t (*)(struct interval *, const struct interval *, int32_t, const struct interval *)',
    native.combine)
local unpack_interval = ffi.cast(
    'int32_t (*)(struct interval *, const char *, uint32_t)', native.unpack_interval)

local expect, check_integer = checks.expect, checks.integer
local floor = math.floor

local LONGEST_TEXT = 192
local SECONDS_PER_DAY = 86400
local YEARS = calendar.max_year - calendar.min_year
local DAYS = YEARS * 365.25

-- What an interval may hold of each unit, in the order that they compare in.
local UNITS = {
    {'year', YEARS}, {'month', YEARS * 12}, {'week', YEARS * (365.25 / 7)}, {'day', DAYS},
    {'hour', DAYS * 24}, {'min', DAYS * 24 * 60}, {'sec', DAYS * SECONDS_PER_DAY},
    {'nsec', 2147483647},
}
local FRACTIONS = {usec = 1e3, msec = 1e6}

local ADJUST = {excess = 0, none = 1, last = 2}
local ADJUST_NAMES = {[0] = 'excess', 'none', 'last'}

local module = {}

local function is_interval(value)
    return type(value) == 'cdata' and ffi.istype(interval_t, value)
end

-- Calls a native writer of text with a buffer that is large enough.
local function text_of(write, value, ...)
    local size = LONGEST_TEXT
    while true do
        local buffer = ffi.new(buffer_t, size)
        local length
        if ... then
            length = write(value, ..., #(...), buffer, size)
        else
            length = write(value, buffer, size)
        end
        if length <= size then
            return ffi.string(buffer, length)
        end
        size = length
    end
end
-- Not compiled: see `from_bytes` in tuple.lua.
jit.off(text_of)

local function interval_limit(value, name, limit, level)
    if type(value) ~= 'number' then
        error(('numeric value expected, but received %s'):format(type(value)), level + 1)
    elseif not (value >= -limit and value <= limit) then
        error(('value %s of %s is out of allowed range [%s, %s]'):format(value, name, -limit, limit),
            level + 1)
    end
end

-- The interval that a table describes, or an interval itself.
local function to_interval(fields, level)
    if is_interval(fields) then
        return fields
    end
    local interval = ffi.new(interval_t)
    interval.adjust = ADJUST[fields.adjust] or ADJUST.none
    local nanoseconds, given = 0, 0
    for _, unit in ipairs(UNITS) do
        local name, limit = unpack(unit)
        local value = fields[name]
        if value ~= nil then
            interval_limit(value, name, limit, level + 1)
            if name == 'nsec' then
                nanoseconds, given = value, 1
            else
                check_integer(value, name, level + 1)
                interval[name] = value
            end
        end
    end
    for name, factor in pairs(FRACTIONS) do
        local value = fields[name]
        if value ~= nil then
            interval_limit(value, name, floor(2147483647 / factor), level + 1)
            nanoseconds, given = value * factor, given + 1
        end
    end
    if given > 1 then
        error('only one of nsec, usec or msecs may be defined simultaneously', level + 1)
    end
    interval.nsec = nanoseconds
    return interval
end

local function new_interval(fields)
    if fields == nil then
        fields = {}
    end
    expect(type(fields) == 'table', 'table', 'interval.new()', fields, 2)
    return (to_interval(fields, 2))
end

local function checked_interval(interval, status, operation, level)
    if status ~= 0 then
        local name, limit = unpack(UNITS[status])
        error(('%s moves value %s of %s out of allowed range [%s, %s]'):format(
            operation, interval[name], name, -limit, limit), level + 1)
    end
    return interval
end

local function combined(left, sign, right, level)
    local result = ffi.new(interval_t)
    local status = combine(result, to_interval(left, level + 1), sign, to_interval(right, level + 1))
    return (checked_interval(result, status, sign > 0 and 'addition' or 'subtraction', level + 1))
end

local function interval_to_table(interval)
    expect(is_interval(interval), 'interval', 'interval.totable()', interval, 2)
    local result = {adjust = ADJUST_NAMES[interval.adjust]}
    for _, unit in ipairs(UNITS) do
        result[unit[1]] = interval[unit[1]]
    end
    return result
end

local function compare_intervals(left, right)
    if not is_interval(left) or not is_interval(right) then
        return nil
    end
    for _, unit in ipairs(UNITS) do
        local order = left[unit[1]] - right[unit[1]]
        if order ~= 0 then
            return order
        end
    end
    return 0
end

local function order_of_intervals(left, right)
    return compare_intervals(left, right) or error('incompatible types for interval comparison', 3)
end

local function interval_to_string(interval)
    expect(is_interval(interval), 'interval', 'datetime.interval.tostring', interval, 2)
    return (text_of(write_text, interval))
end

local interval_methods = {totable = interval_to_table, __serialize = interval_to_string}

ffi.metatype(interval_t, {
    __tostring = interval_to_string,
    __eq = function(left, right) return compare_intervals(left, right) == 0 end,
    __lt = function(left, right) return order_of_intervals(left, right) < 0 end,
    __le = function(left, right) return order_of_intervals(left, right) <= 0 end,
    __add = function(left, right) return (module.add(left, right)) end,
    __sub = function(left, right) return (module.subtract(left, right)) end,
    __index = function(interval, name)
        local factor = FRACTIONS[name]
        if factor then
            return floor(interval.nsec / factor)
        end
        return interval_methods[name]
    end,
})

values.makers[6] = function(body)
    local interval = ffi.new(interval_t)
    if unpack_interval(interval, body, #body) == 0 then
        error('Invalid MsgPack - cannot unpack interval', 0)
    end
    return interval
end

module.is = is_interval
module.new = new_interval
module.convert = to_interval
module.checked = checked_interval
module.combined = combined
module.text_of = text_of

return module
