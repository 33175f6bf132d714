-- differs from 2.6: it has no datetime.
--
-- Names of the tz database that lead to another zone: the time is in that zone, and shows its name.

local datetime = require('datetime')

for _, name in ipairs({'US/Eastern', 'us/eastern', 'GB', 'Asia/Calcutta', 'Iceland', 'Zulu', 'W-SU',
    'America/Argentina/ComodRivadavia', 'GMT0', 'NZ-CHAT', 'Europe/Vatican'}) do
    local ok, time = pcall(datetime.new, {year = 2024, month = 7, day = 1, tz = name})
    print(name, time, ok and time.tz, ok and time.tzoffset)
end

print(datetime.parse('2024-01-15T12:00:00 US/Pacific'))
print(datetime.parse('2024-07-15T12:00:00 US/Pacific').tzoffset)
print(datetime.new({year = 2024, tz = 'Singapore'}) == datetime.new({year = 2024, tz = 'Asia/Singapore'}))
print(datetime.TZ['US/Eastern'], datetime.TZ['America/New_York'], datetime.TZ[774])
print(datetime.TZ['Poland'], datetime.TZ['Europe/Warsaw'])

local time = datetime.new({year = 2024, month = 1, day = 1, tz = 'US/Central'})
time:set({tz = 'Japan'})
print(time, time.tz)
print(time:add({month = 6, day = 1}))

for _, name in ipairs({'US/Nowhere', 'US', 'EST', 'Factory'}) do
    print(name, pcall(datetime.new, {year = 2024, tz = name}))
end

os.exit()
