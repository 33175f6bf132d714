//! The Gregorian calendar: days since 1970 and dates, in both directions, and months added to dates.

use super::Adjust;

/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;
/// Days from the 1st of March of the year 0, where an era begins, to 1970-01-01.
const DAYS_FROM_MARCH_0: i64 = 719_468;

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year; the one before 1 is 0.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Date {
    /// The date a number of days after 1970-01-01.
    pub fn of_days(days: i64) -> Self {
        let days = days + DAYS_FROM_MARCH_0;
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        // The last day of 4, of 100 and of 400 years is the one that a year of 365 days leaves over.
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Counted from March, months have 31, 30, 31, 30, 31 days, over and over: 153 in five.
        let shifted_month = (5 * day_of_year + 2) / 153;
        let month = (shifted_month + 2) % 12 + 1;
        Self {
            year: days.div_euclid(DAYS_PER_ERA) * 400 + year_of_era + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * shifted_month + 2) / 5 + 1,
        }
    }

    /// Days from 1970-01-01 to the date; a day past the end of its month counts into the next one.
    pub fn days(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = (self.month + 9) % 12;
        let day_of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        year.div_euclid(400) * DAYS_PER_ERA + day_of_era - DAYS_FROM_MARCH_0
    }

    /// The day of the year, from 1.
    pub fn day_of_year(self) -> i64 {
        let new_year = Self {
            month: 1,
            day: 1,
            ..self
        };
        self.days() - new_year.days() + 1
    }

    /// The day of the week, Monday 1 to Sunday 7.
    pub fn weekday(self) -> i64 {
        // 1970-01-01 was a Thursday.
        (self.days() + 3).rem_euclid(7) + 1
    }

    /// The year and the number of the week by ISO 8601: weeks belong to the year of their Thursday.
    pub fn iso_week(self) -> (i64, i64) {
        let thursday = Self::of_days(self.days() + 4 - self.weekday());
        (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
    }

    /// Days from 1970-01-01 to the date with `months` added.
    pub(super) fn days_after_months(self, months: i64, adjust: Adjust) -> i64 {
        let total = self.year * 12 + self.month - 1 + months;
        let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
        let last = days_in_month(year, month);
        let was_last = self.day == days_in_month(self.year, self.month);
        let day = match adjust {
            Adjust::Excess => self.day,
            Adjust::Last if was_last => last,
            Adjust::Last | Adjust::None => self.day.min(last),
        };
        Self { year, month, day }.days()
    }
}

/// The number of days of a month, 1 to 12, in a year.
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
