-- The module `datetime`: points in time and intervals, as cdata. What they hold is checked here; the
-- calendar, the text and the time zones are FFI calls.

local native = ...
local ffi = require('ffi')
local calendar = require('lycosa.datetime_calendar')
local checks = require('lycosa.datetime_checks')
local intervals = require('lycosa.datetime_interval')
local values = require('lycosa.values')

local datetime_t, interval_t = ffi.typeof('struct datetime'), ffi.typeof('struct interval')

local function declared(signature, name)
    return ffi.cast(signature, native[name])
end

local datetime_text = declared('uint32_t (*)(const struct datetime *, char *, uint32_t)', 'datetime_text')
local write_format = declared(
    'uint32_t (*)(const struct datetime *, const char *, uint32_t, char *, uint32_t)', 'format')
local parse_text = declared(
    'int32_t (*)(struct datetime *, const char *, uint32_t, const char *, uint32_t)', 'parse')
local parse_day = declared('int32_t (*)(struct datetime *, const char *, uint32_t)', 'parse_date')
local parse_zone = declared('int32_t (*)(struct datetime *, const char *, uint32_t, double)', 'parse_zone')
local parse_offset = declared('int32_t (*)(const char *, uint32_t)', 'parse_offset')
local shift = declared('int32_t (*)(struct datetime *, int32_t, const struct interval *)', 'shift')
local subtract = declared(
    'int32_t (*)(struct interval *, const struct datetime *, const struct datetime *)', 'subtract')
local is_daylight_saving = declared('int32_t (*)(const struct datetime *)', 'is_daylight_saving')
local fill_now = declared('void (*)(struct datetime *)', 'now')
local unpack_datetime = declared('int32_t (*)(struct datetime *, const char *, uint32_t)', 'unpack_datetime')

local floor = math.floor
local expect, check_integer, check_range = checks.expect, checks.integer, checks.range
local date_of, days_of, checked_days = calendar.date_of, calendar.days_of, calendar.checked_days
local is_interval, to_interval, text_of = intervals.is, intervals.convert, intervals.text_of
local combined, checked_interval = intervals.combined, intervals.checked

local SECONDS_PER_DAY = 86400
local NO_OFFSET = 32767

local MIN_DATE, MAX_DATE = '-5879610-06-22', '5879611-07-11'

local function is_datetime(value)
    return type(value) == 'cdata' and ffi.istype(datetime_t, value)
end

-- Seconds from 1970 to the shown time as if it were UTC.
local function local_seconds(datetime)
    return datetime.epoch + datetime.tzoffset * 60
end

local function local_days(datetime)
    return floor(local_seconds(datetime) / SECONDS_PER_DAY)
end

-- Tables of fields -----------------------------------------------------------------------------

local RANGES = {
    {'year', calendar.min_year, calendar.max_year}, {'month', 1, 12}, {'day', 1, 31, -1},
    {'hour', 0, 23}, {'min', 0, 59}, {'sec', 0, 60},
}

local function check_fields(fields, level)
    for _, range in ipairs(RANGES) do
        local name, least, greatest, special = unpack(range)
        local value = fields[name]
        if value ~= nil then
            check_range(value, name, least, greatest, level + 1, special)
            check_integer(value, name, level + 1)
        end
    end
    return fields.year ~= nil or fields.month ~= nil or fields.day ~= nil,
        fields.hour ~= nil or fields.min ~= nil or fields.sec ~= nil
end

-- The nanoseconds that a table gives in one of three units; nil when it gives none.
local function fraction_of(fields, level)
    local given = (fields.nsec ~= nil and 1 or 0) + (fields.usec ~= nil and 1 or 0)
        + (fields.msec ~= nil and 1 or 0)
    if given > 1 then
        error('only one of nsec, usec or msecs may be defined simultaneously', level + 1)
    end
    for _, unit in ipairs({{'usec', 1e6, 1e3}, {'msec', 1e3, 1e6}, {'nsec', 1e9, 1}}) do
        local name, greatest, factor = unpack(unit)
        local value = fields[name]
        if value ~= nil then
            check_range(value, name, 0, greatest, level + 1)
            check_integer(value, name, level + 1)
            return value * factor
        end
    end
end

-- Seconds and nanoseconds of a timestamp.
local function split_timestamp(timestamp, nanoseconds, has_date, has_time, level)
    if has_date then
        error('timestamp is not allowed if year/month/day provided', level + 1)
    elseif has_time then
        error('timestamp is not allowed if hour/min/sec provided', level + 1)
    elseif type(timestamp) ~= 'number' then
        error(("bad timestamp ('number' expected, got '%s')"):format(type(timestamp)), level + 1)
    end
    local seconds = floor(timestamp)
    local fraction = timestamp - seconds
    if nanoseconds == nil then
        nanoseconds = floor(fraction * 1e9)
    elseif fraction ~= 0 then
        error('only integer values allowed in timestamp if nsec, usec, or msecs provided', level + 1)
    end
    -- NaN is in no range.
    if not (seconds >= calendar.min_days * SECONDS_PER_DAY and seconds < (calendar.max_days + 1) * SECONDS_PER_DAY) then
        error(('timestamp %s is out of range'):format(timestamp), level + 1)
    end
    return seconds, nanoseconds
end

local function offset_of(value, level)
    local offset = value
    if type(value) == 'string' then
        offset = parse_offset(value, #value)
        if offset == NO_OFFSET then
            error(('invalid time-zone format %s'):format(value), level + 1)
        end
    elseif type(value) ~= 'number' then
        error(('tzoffset: string or number expected, but received %s'):format(tostring(value)), level + 1)
    end
    check_integer(offset, 'tzoffset', level + 1)
    check_range(offset, 'tzoffset', -720, 840, level + 1)
    return offset
end

-- Puts a zone and its offset into a time.
local function set_zone(datetime, name, base, level)
    expect(type(name) == 'string', 'string', 'parse_tzname()', name, level + 1)
    local status = parse_zone(datetime, name, #name, base)
    if status == -2 then
        error(("could not parse '%s' - ambiguous timezone"):format(name), level + 1)
    elseif status < 0 then
        error(("could not parse '%s'"):format(name), level + 1)
    end
end

-- Nanoseconds of a full second, which are allowed, count as one.
local function finish(datetime, local_time, nanoseconds)
    if nanoseconds >= 1e9 then
        local_time, nanoseconds = local_time + 1, nanoseconds - 1e9
    end
    datetime.epoch = local_time - datetime.tzoffset * 60
    datetime.nsec = nanoseconds
    return datetime
end

local function new(fields)
    local datetime = ffi.new(datetime_t)
    if fields == nil then
        return datetime
    end
    expect(type(fields) == 'table', 'table', 'datetime.new()', fields, 2)
    local has_date, has_time = check_fields(fields, 2)
    local nanoseconds = fraction_of(fields, 2)
    local days, seconds = 0, 0
    if fields.timestamp ~= nil then
        seconds, nanoseconds = split_timestamp(fields.timestamp, nanoseconds, has_date, has_time, 2)
    end
    if fields.tzoffset ~= nil then
        datetime.tzoffset = offset_of(fields.tzoffset, 2)
    end
    if has_date then
        days = checked_days(fields.year or 1970, fields.month or 1, fields.day or 1, 2)
    end
    if has_time then
        seconds = (fields.hour or 0) * 3600 + (fields.min or 0) * 60 + (fields.sec or 0)
    end
    if fields.tz ~= nil then
        set_zone(datetime, fields.tz, days * SECONDS_PER_DAY, 2)
    end
    return finish(datetime, days * SECONDS_PER_DAY + seconds, nanoseconds or 0)
end

local function set(datetime, fields)
    expect(is_datetime(datetime), 'datetime', 'datetime.set()', datetime, 2)
    expect(type(fields) == 'table', 'table', 'datetime.set()', fields, 2)
    local has_date, has_time = check_fields(fields, 2)
    local nanoseconds = fraction_of(fields, 2)
    local offset = fields.tzoffset ~= nil and offset_of(fields.tzoffset, 2) or datetime.tzoffset
    local result = ffi.new(datetime_t, datetime)
    if fields.timestamp ~= nil then
        local seconds
        seconds, nanoseconds = split_timestamp(fields.timestamp, nanoseconds, has_date, has_time, 2)
        result.tzoffset = offset
        if fields.tz ~= nil then
            set_zone(result, fields.tz, seconds, 2)
        end
        finish(result, seconds, nanoseconds)
    else
        local shown = local_seconds(datetime)
        local days, seconds = local_days(datetime), shown % SECONDS_PER_DAY
        if has_date then
            local year, month, day = date_of(days)
            days = checked_days(fields.year or year, fields.month or month, fields.day or day, 2)
        end
        result.tzoffset = offset
        if fields.tz ~= nil then
            set_zone(result, fields.tz, days * SECONDS_PER_DAY + seconds, 2)
        end
        if has_time then
            seconds = (fields.hour or floor(seconds / 3600)) * 3600
                + (fields.min or floor(seconds / 60) % 60) * 60 + (fields.sec or seconds % 60)
        end
        finish(result, days * SECONDS_PER_DAY + seconds, nanoseconds or datetime.nsec)
    end
    ffi.copy(datetime, result, ffi.sizeof(datetime_t))
    return datetime
end

-- Adds an interval to a time in place.
local function move(datetime, sign, interval, level)
    local status = shift(datetime, sign, interval)
    if status ~= 0 then
        error(('%s makes date %s allowed %s'):format(sign > 0 and 'addition' or 'subtraction',
            status < 0 and 'less than minimum' or 'greater than maximum',
            status < 0 and MIN_DATE or MAX_DATE), level + 1)
    end
    return datetime
end

local function add(left, right)
    if is_datetime(right) then
        left, right = right, left
    end
    expect(is_datetime(left) or is_interval(left), 'datetime or interval', 'operator +', left, 2)
    expect(is_interval(right) or type(right) == 'table', 'interval or table', 'operator +', right, 2)
    if is_datetime(left) then
        return (move(ffi.new(datetime_t, left), 1, to_interval(right, 2), 2))
    end
    return (combined(left, 1, right, 2))
end

local function difference(left, right)
    expect(is_datetime(left) or is_interval(left), 'datetime or interval', 'operator -', left, 2)
    local is_span = is_interval(right) or type(right) == 'table'
    expect(is_span or is_datetime(right), 'datetime, interval or table', 'operator -', right, 2)
    if is_datetime(left) and is_span then
        return (move(ffi.new(datetime_t, left), -1, to_interval(right, 2), 2))
    elseif is_datetime(left) then
        local result = ffi.new(interval_t)
        return (checked_interval(result, subtract(result, left, right), 'subtraction', 2))
    elseif is_span then
        return (combined(left, -1, right, 2))
    end
    error('datetime:operator -() - incompatible type of arguments', 2)
end

-- Text -----------------------------------------------------------------------------------------

local function format(datetime, pattern)
    expect(is_datetime(datetime), 'datetime', 'datetime.format()', datetime, 2)
    if pattern == nil then
        return (text_of(datetime_text, datetime))
    end
    expect(type(pattern) == 'string', 'string', 'datetime.strftime()', pattern, 2)
    return (text_of(write_format, datetime, pattern))
end

local function parse(text, options)
    expect(type(text) == 'string', 'string', 'datetime.parse()', text, 2)
    local pattern = ''
    if options ~= nil then
        expect(type(options) == 'table', 'table', 'datetime.parse()', options, 2)
        pattern = options.format == nil and '' or options.format
        expect(type(pattern) == 'string', 'string', 'datetime.parse()', pattern, 2)
        if options.tzoffset ~= nil then
            offset_of(options.tzoffset, 2)
        end
        expect(options.tz == nil or type(options.tz) == 'string', 'string', 'datetime.parse()', options.tz, 2)
        if options.tzoffset ~= nil and options.tz ~= nil then
            error('ambiguous timezone: both tzoffset and tz are specified', 2)
        end
    end
    local is_iso = pattern == '' or pattern == 'iso8601' or pattern == 'rfc3339'
    local used = is_iso and '' or pattern
    local datetime = ffi.new(datetime_t)
    local length = parse_text(datetime, text, #text, used, #used)
    if length == -2 then
        error(("could not parse '%s' - ambiguous timezone"):format(text), 2)
    elseif length < 0 or (length == 0 and is_iso) then
        error(is_iso and ("could not parse '%s'"):format(text)
            or ("could not parse '%s' using '%s' format"):format(text, pattern), 2)
    end
    if options ~= nil and datetime.tzindex == 0 and datetime.tzoffset == 0 then
        set(datetime, {tzoffset = options.tzoffset, tz = options.tz})
    end
    return datetime, length
end

local function parse_date(text)
    expect(type(text) == 'string', 'string', 'datetime.parse_date()', text, 2)
    local datetime = ffi.new(datetime_t)
    local length = parse_day(datetime, text, #text)
    if length < 0 then
        error(('invalid date format %s'):format(text), 2)
    end
    return datetime, length
end

-- Members --------------------------------------------------------------------------------------

local fields = {
    timestamp = function(datetime) return datetime.epoch + datetime.nsec / 1e9 end,
    year = function(datetime) return (date_of(local_days(datetime))) end,
    month = function(datetime) return (select(2, date_of(local_days(datetime)))) end,
    day = function(datetime) return (select(3, date_of(local_days(datetime)))) end,
    yday = function(datetime)
        local days = local_days(datetime)
        return days - days_of(date_of(days), 1, 1) + 1
    end,
    wday = function(datetime) return (local_days(datetime) + 4) % 7 + 1 end,
    hour = function(datetime) return floor(local_seconds(datetime) / 3600) % 24 end,
    min = function(datetime) return floor(local_seconds(datetime) / 60) % 60 end,
    sec = function(datetime) return datetime.epoch % 60 end,
    usec = function(datetime) return datetime.nsec / 1e3 end,
    msec = function(datetime) return datetime.nsec / 1e6 end,
    isdst = function(datetime) return is_daylight_saving(datetime) == 1 end,
    tz = function(datetime) return (text_of(write_format, datetime, '%Z')) end,
}

local function to_table(datetime)
    expect(is_datetime(datetime), 'datetime', 'datetime.totable()', datetime, 2)
    local result = {nsec = datetime.nsec, tzoffset = datetime.tzoffset}
    for _, name in ipairs({
        'year', 'month', 'day', 'yday', 'wday', 'hour', 'min', 'sec', 'isdst', 'tz', 'timestamp',
    }) do
        result[name] = fields[name](datetime)
    end
    return result
end

local function shifted(sign, name)
    return function(datetime, interval)
        expect(is_interval(interval) or type(interval) == 'table', 'interval or table', name, interval, 2)
        expect(is_datetime(datetime), 'datetime', name, datetime, 2)
        return (move(datetime, sign, to_interval(interval, 2), 2))
    end
end

local methods = {
    format = format,
    totable = to_table,
    set = set,
    add = shifted(1, 'datetime.add'),
    sub = shifted(-1, 'datetime.sub'),
}

-- -1, 0 or 1; nil when one of the two is no time.
local function compare(left, right)
    if not is_datetime(left) or not is_datetime(right) then
        return nil
    end
    local order = left.epoch - right.epoch
    return order ~= 0 and order or left.nsec - right.nsec
end

local function order_of(left, right)
    return compare(left, right) or error('incompatible types for datetime comparison', 3)
end

ffi.metatype(datetime_t, {
    __tostring = function(datetime) return (text_of(datetime_text, datetime)) end,
    __eq = function(left, right) return compare(left, right) == 0 end,
    __lt = function(left, right) return order_of(left, right) < 0 end,
    __le = function(left, right) return order_of(left, right) <= 0 end,
    __add = add,
    __sub = difference,
    __index = function(datetime, name)
        local field = fields[name]
        if field ~= nil then
            return field(datetime)
        end
        return methods[name]
    end,
})

values.makers[4] = function(body)
    local datetime = ffi.new(datetime_t)
    if unpack_datetime(datetime, body, #body) == 0 then
        error('Invalid MsgPack - cannot unpack datetime', 0)
    end
    return datetime
end

intervals.add, intervals.subtract = add, difference

return {
    new = new,
    now = function()
        local datetime = ffi.new(datetime_t)
        fill_now(datetime)
        return datetime
    end,
    parse = parse,
    parse_date = parse_date,
    is_datetime = is_datetime,
    interval = {new = intervals.new, is_interval = is_interval},
    TZ = native.zones,
}
