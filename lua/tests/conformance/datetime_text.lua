-- differs from 2.6: it has no module datetime
local show = require('show')
local datetime = require('datetime')

local d = datetime.new({year = 2021, month = 8, day = 8, hour = 16, min = 7, sec = 8, nsec = 981725000, tzoffset = -570})
for letter in ('aAbBcCdDeFgGhHIjklmMnprRsStTuUvVwWxXyYzZ%+qQ'):gmatch('.') do
    show(letter, d:format('%' .. letter))
end
show('fractions', d:format('%f %1f %3f %6f %9f %12f'), datetime.new():format('%f'), datetime.new({nsec = 5}):format('%f'))
show('text around', d:format('on %d.%m. at %H o\'clock'), d:format(''), d:format('%'), d:format('100%'))
show('long', #d:format(('%Y'):rep(1000)))
show('default', d:format() == tostring(d))
show('weeks', datetime.new({year = 2021, month = 1, day = 3}):format('%G %V %U %W'), datetime.new({year = 2020, month = 12, day = 31}):format('%G %V %U %W'))
show('years', datetime.new({year = 5}):format('%Y %y %C'), datetime.new({year = -5}):format('%Y %y'), datetime.new({year = 12345}):format('%Y'))
show.try('format of a number', d.format, d, 5)
show.try('format of no datetime', d.format, 5)

for _, text in ipairs({
    '2012-12-24', '20121224', '2012-359', '2012359', '2012-W52-1', '2012W521', '2012-Q4-85', '2012Q485',
    '2024-02-29T12:00', '2024-02-29 12:00:30', '2024-02-29T120030', '2024-02-29T12:00:30.5Z', '2024-02-29T12:00:30,123456789+03',
    '2024-02-29T12:00:30 +0330', '2024-02-29T12:00:30-03:30', '2024-02-29T24:00:00', '2024-02-29T12:00:30 MSK', '2024-02-29T12 Europe/Paris',
    '2024-02-29T12:00:30Z and more', '12345-01-01', '-0001-01-01', '2024-02-30', '2023-366', '2024-13-01', '2024-W54-1', '2024-02-29T25:00',
    '2024-02-29T12:60', '2024-02-29x', '', 'x', '2024', '24-02-29', '2024-02-29T12:00 EST', '2024-02-29T12:00 Nowhere', '2024-02-29T12:00+25',
}) do
    show.try(text, datetime.parse, text)
end
show('with a zone', datetime.parse('2024-02-29T12:00', {tz = 'Europe/Moscow'}), datetime.parse('2024-02-29T12:00', {tzoffset = 60}))
show('its own zone wins', datetime.parse('2024-02-29T12:00+02:00', {tzoffset = 60}))
for _, case in ipairs({
    {'18.08.2021', '%d.%m.%Y'}, {'Aug 18 2021', '%b %d %Y'}, {'Wednesday, 18 August 2021', '%A, %d %B %Y'}, {'16:57:08.5', '%H:%M:%S.%f'},
    {'04:57 PM', '%I:%M %p'}, {'12:30 AM', '%I:%M %p'}, {'2021-230', '%Y-%j'}, {'1630359071', '%s'}, {'2021-08-18T16:57:08+0300', '%FT%T%z'},
    {'18/08/21', '%d/%m/%y'}, {'18/08/70', '%d/%m/%y'}, {'2021 MSK', '%Y %Z'}, {'2021-13-01', '%Y-%m-%d'}, {'2021', '%Y-%m'}, {'x', '%Y'}, {'100%', '100%%'},
}) do
    show.try(case[1] .. ' by ' .. case[2], datetime.parse, case[1], {format = case[2]})
end
show('named formats', datetime.parse('2021-08-18', {format = 'iso8601'}), datetime.parse('2021-08-18', {format = 'rfc3339'}))
show('parse_date', datetime.parse_date('2012-12-24T10'), datetime.parse_date('2012W521'))
show.try('parse_date of text', datetime.parse_date, 'x')
show.try('parse a number', datetime.parse, 5)
show.try('parse with a number', datetime.parse, '2012-12-24', 5)
show.try('format must be text', datetime.parse, '2012-12-24', {format = 5})
show.try('both zones', datetime.parse, '2012-12-24', {tz = 'MSK', tzoffset = 5})
