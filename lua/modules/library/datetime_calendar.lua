-- The Gregorian calendar in numbers: days since 1970 and dates, in both directions.

local floor = math.floor

-- From 0000-03-01, where the years that the calendar is computed in begin, to 1970-01-01.
local DAYS_FROM_MARCH_0 = 719468
local MIN_YEAR, MAX_YEAR = -5879610, 5879611

local function days_of(year, month, day)
    if month <= 2 then
        year = year - 1
    end
    local era = floor(year / 400)
    local year_of_era = year - era * 400
    local day_of_year = floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
    local day_of_era = year_of_era * 365 + floor(year_of_era / 4) - floor(year_of_era / 100) + day_of_year
    return era * 146097 + day_of_era - DAYS_FROM_MARCH_0
end

local function date_of(days)
    days = days + DAYS_FROM_MARCH_0
    local era = floor(days / 146097)
    local day_of_era = days - era * 146097
    local year_of_era = floor((day_of_era - floor(day_of_era / 1460) + floor(day_of_era / 36524)
        - floor(day_of_era / 146096)) / 365)
    local day_of_year = day_of_era - (365 * year_of_era + floor(year_of_era / 4) - floor(year_of_era / 100))
    local shifted_month = floor((5 * day_of_year + 2) / 153)
    local month = (shifted_month + 2) % 12 + 1
    local year = era * 400 + year_of_era + (month <= 2 and 1 or 0)
    return year, month, day_of_year - floor((153 * shifted_month + 2) / 5) + 1
end

local MIN_DAYS, MAX_DAYS = days_of(MIN_YEAR, 6, 22), days_of(MAX_YEAR, 7, 11)

local function days_in_month(year, month)
    return days_of(year + (month == 12 and 1 or 0), month % 12 + 1, 1) - days_of(year, month, 1)
end

-- Days to a date of which a day of -1 is the last one of its month.
local function checked_days(year, month, day, level)
    local last = days_in_month(year, month)
    if day < 0 then
        day = last
    elseif day > last then
        error(('invalid number of days %d in month %d for %d'):format(day, month, year), level + 1)
    end
    local days = days_of(year, month, day)
    if days < MIN_DAYS or days > MAX_DAYS then
        error(('date %4d-%02d-%02d is invalid'):format(year, month, day), level + 1)
    end
    return days
end

return {
    min_year = MIN_YEAR,
    max_year = MAX_YEAR,
    min_days = MIN_DAYS,
    max_days = MAX_DAYS,
    days_of = days_of,
    date_of = date_of,
    checked_days = checked_days,
}
