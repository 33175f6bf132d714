-- differs from 2.6: it has no module datetime
local show = require('show')
local datetime = require('datetime')
local new = datetime.new

show('epoch', new())
show('date', new({year = 2024, month = 2, day = 29}), new({year = 2024}), new({month = 12}), new({day = 31}))
show('last day', new({year = 2024, month = 2, day = -1}), new({year = 2023, month = 2, day = -1}))
show('time', new({hour = 23, min = 59, sec = 59}), new({sec = 60}))
show('fractions', new({nsec = 1}), new({usec = 1}), new({msec = 1}), new({msec = 500}), new({nsec = 1000000000}))
show('timestamp', new({timestamp = 1630359071}), new({timestamp = 1.5}), new({timestamp = -0.25}), new({timestamp = 1, nsec = 5}))
show('offset', new({hour = 3, tzoffset = 180}), new({tzoffset = '+03:00'}), new({tzoffset = '-0930'}), new({tzoffset = 'Z'}))
show('zone', new({year = 2021, month = 8, day = 31, tz = 'Europe/Moscow'}), new({tz = 'MSK'}), new({tz = 'Z'}), new({tz = 'UTC'}))
show('summer and winter', new({year = 2024, month = 7, tz = 'Europe/Berlin'}).tzoffset, new({year = 2024, month = 1, tz = 'Europe/Berlin'}).tzoffset)
show('far', new({year = -5879609}), new({year = 5879610}), new({year = 0}), new({year = 10000}))
local from_os = os.date('*t', 1700000000)
show('of os.date', new(from_os):format('%Y-%m-%d') == os.date('%Y-%m-%d', 1700000000))
show.try('29 February', new, {year = 2023, month = 2, day = 29})
show.try('31 April', new, {year = 2023, month = 4, day = 31})
for _, wrong in ipairs({
    {year = 'x'}, {year = 1.5}, {year = 1e9}, {month = 0}, {month = 13}, {day = 0}, {day = 32}, {day = -2}, {hour = 24}, {min = 60},
    {sec = 61}, {sec = 1.5}, {nsec = -1}, {nsec = 2e9}, {usec = 1e7}, {msec = 1e4}, {nsec = 1, usec = 1}, {timestamp = 'x'},
    {timestamp = 1, year = 1}, {timestamp = 1, hour = 1}, {timestamp = 1.5, nsec = 1}, {tzoffset = 841}, {tzoffset = -721},
    {tzoffset = 'x'}, {tzoffset = 1.5}, {tz = 'Nowhere'}, {tz = 'EST'}, {tz = 5}, {year = 5879612}, {year = 5879611, month = 12},
    {timestamp = 0 / 0}, {timestamp = 1 / 0}, {timestamp = 1e18},
}) do
    local ok, err = pcall(new, wrong)
    print(ok, type(err) == 'string' and (err:gsub('^[^\n]-:%d+: ', '')) or tostring(err))
end
show.try('a number', new, 5)
show.try('text', new, 'x')
show('is_datetime', datetime.is_datetime(new()), datetime.is_datetime(5), datetime.is_datetime({}), datetime.is_datetime(box.NULL))
local now = datetime.now()
show('now', math.abs(now.timestamp - os.time()) < 5, datetime.is_datetime(now), now.nsec % 1000)
show('TZ', datetime.TZ['Europe/Moscow'], datetime.TZ[947], datetime.TZ.MSK)
