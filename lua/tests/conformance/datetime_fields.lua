-- differs from 2.6: it has no module datetime
local show = require('show')
local datetime = require('datetime')

local function fields(d)
    show(tostring(d), d.year, d.month, d.day, d.hour, d.min, d.sec, d.nsec, d.usec, d.msec, d.wday, d.yday, d.isdst, d.tz, d.tzoffset, d.tzindex, d.epoch, d.timestamp)
end
fields(datetime.new())
fields(datetime.new({year = 2021, month = 8, day = 18, hour = 16, min = 57, sec = 8, nsec = 981725000, tzoffset = 180}))
fields(datetime.new({year = 2024, month = 12, day = 31, hour = 23, min = 59, sec = 59, msec = 999}))
fields(datetime.new({year = 1900, month = 3, day = 1, tzoffset = -60}))
fields(datetime.new({year = -1, month = 12, day = 31}))
fields(datetime.new({year = 2024, month = 7, day = 1, hour = 12, tz = 'Europe/Berlin'}))
show('no such field', datetime.new().foo)
local t = datetime.new({year = 2021, month = 8, day = 18, hour = 16, min = 57, sec = 8, nsec = 5, tzoffset = 180}):totable()
show('totable', t)

local d = datetime.new({year = 2021, month = 8, day = 18, hour = 16, min = 57, sec = 8, tzoffset = 180})
show('set returns it', d:set({hour = 1}) == d, d)
show('set date', d:set({year = 2020, month = 2, day = 29}))
show('set last day', d:set({month = 1, day = -1}))
show('set nanoseconds', d:set({nsec = 5}), d:set({usec = 7}), d:set({msec = 9}))
show('set offset keeps the time shown', d:set({tzoffset = 60}), d.epoch)
show('set zone', d:set({tz = 'Europe/Moscow'}), d.tzoffset)
show('set timestamp', d:set({timestamp = 1600000000.5}))
show('set nothing', d:set({}))
for _, wrong in ipairs({{day = 31, month = 2}, {hour = 25}, {year = 'x'}, {timestamp = 1, year = 1}, {nsec = 1, msec = 1}, {tz = 'xx'}}) do
    local before = tostring(d)
    local ok, err = pcall(d.set, d, wrong)
    print(ok, (err:gsub('^[^\n]-:%d+: ', '')), tostring(d) == before)
end
show.try('set a number', d.set, d, 5)
show.try('set of no datetime', d.set, 5, {})
