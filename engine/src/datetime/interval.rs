//! Intervals: counts of years to nanoseconds, their sums, and adding them to points in time.

use std::fmt;

use super::{DAY_RANGE, Datetime, NANOSECONDS_PER_SECOND, SECONDS_PER_DAY, Zone};
use crate::msgpack::{self, Value};

/// What becomes of the 31st in a month of 30 days, when months are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Adjust {
    /// It runs over into the next month.
    Excess = 0,
    /// It becomes the last day of the month.
    #[default]
    None = 1,
    /// So it does, and the last day of a month stays the last one.
    Last = 2,
}

impl Adjust {
    /// The one with that number in `MsgPack`.
    pub fn of_number(number: i64) -> Option<Self> {
        [Self::Excess, Self::None, Self::Last]
            .into_iter()
            .find(|adjust| *adjust as i64 == number)
    }
}

/// A duration by units that are not converted into one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval {
    /// Years.
    pub years: i64,
    /// Months.
    pub months: i64,
    /// Weeks.
    pub weeks: i64,
    /// Days.
    pub days: i64,
    /// Hours.
    pub hours: i64,
    /// Minutes.
    pub minutes: i64,
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds.
    pub nanoseconds: i64,
    /// How months are added.
    pub adjust: Adjust,
}

/// Why a sum cannot be: it would come before the first date there is, or after the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutOfRange {
    /// Before the first.
    Below,
    /// After the last.
    Above,
}

/// Years from the first date to the last one; the other limits are as many in their units.
const YEAR_LIMIT: f64 = 11_759_221.0;
const DAY_LIMIT: f64 = YEAR_LIMIT * 365.25;

impl Interval {
    /// The counts in the order that they are stored and compared in.
    pub fn counts(&self) -> [i64; 8] {
        [
            self.years,
            self.months,
            self.weeks,
            self.days,
            self.hours,
            self.minutes,
            self.seconds,
            self.nanoseconds,
        ]
    }

    fn count_mut(&mut self, number: u64) -> Option<&mut i64> {
        Some(match number {
            0 => &mut self.years,
            1 => &mut self.months,
            2 => &mut self.weeks,
            3 => &mut self.days,
            4 => &mut self.hours,
            5 => &mut self.minutes,
            6 => &mut self.seconds,
            7 => &mut self.nanoseconds,
            _ => return None,
        })
    }

    /// Reads the body of a `MsgPack` extension of type 6: the number of counts that are not zero, then
    /// each behind the number of its unit. Nothing when it is malformed.
    pub fn from_extension_body(body: &[u8]) -> Option<Self> {
        let (&count, mut rest) = body.split_first()?;
        let mut interval = Self {
            adjust: Adjust::Excess,
            ..Self::default()
        };
        for _ in 0..count {
            let (&unit, after) = rest.split_first()?;
            let value;
            (value, rest) = match msgpack::read(after).ok()? {
                (Value::Unsigned(value), rest) => (i64::try_from(value).ok()?, rest),
                (Value::Negative(value), rest) => (value, rest),
                _ => return None,
            };
            if unit == 8 {
                interval.adjust = Adjust::of_number(value)?;
            } else {
                *interval.count_mut(unit.into())? = value;
            }
        }
        let narrow = [
            interval.years,
            interval.months,
            interval.weeks,
            interval.nanoseconds,
        ];
        let fits = narrow.iter().all(|&count| i32::try_from(count).is_ok());
        (rest.is_empty() && fits).then_some(interval)
    }

    /// The body of the extension of type 6 that holds the value.
    pub fn extension_body(&self) -> Vec<u8> {
        let mut body = vec![0];
        let counts = self.counts().into_iter().chain([self.adjust as i64]);
        for (unit, value) in (0..).zip(counts) {
            if value != 0 {
                body[0] += 1;
                body.push(unit);
                msgpack::write_integer(&mut body, value);
            }
        }
        body
    }

    /// The sum, or with `sign` -1 the difference, count by count; the way months are added is that of
    /// the first.
    #[must_use]
    pub fn combined(mut self, sign: i64, other: &Self) -> Self {
        for (unit, count) in (0..).zip(other.counts()) {
            if let Some(own) = self.count_mut(unit) {
                *own = own.saturating_add(sign.saturating_mul(count));
            }
        }
        self
    }

    /// The number, from 0, of the first unit whose count is out of range, and whether it is too large.
    pub fn out_of_range(&self) -> Option<(usize, OutOfRange)> {
        let limits = [
            YEAR_LIMIT,
            YEAR_LIMIT * 12.0,
            DAY_LIMIT / 7.0,
            DAY_LIMIT,
            DAY_LIMIT * 24.0,
            DAY_LIMIT * 1440.0,
            DAY_LIMIT * 86_400.0,
            f64::from(i32::MAX),
        ];
        let counts = self.counts();
        let unit = (0..counts.len()).find(|&unit| (counts[unit] as f64).abs() > limits[unit])?;
        let side = if counts[unit] < 0 {
            OutOfRange::Below
        } else {
            OutOfRange::Above
        };
        Some((unit, side))
    }
}

impl fmt::Display for Interval {
    /// The counts that are not zero, the first one with its sign: `+1 years, -2 days`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 8] = [
            "years",
            "months",
            "weeks",
            "days",
            "hours",
            "minutes",
            "seconds",
            "nanoseconds",
        ];
        let mut is_first = true;
        for (count, unit) in self.counts().into_iter().zip(UNITS) {
            let stands_for_nothing = unit == "seconds" && is_first;
            if count == 0 && !stands_for_nothing {
                continue;
            }
            if is_first {
                write!(f, "{count:+} {unit}")?;
            } else {
                write!(f, ", {count} {unit}")?;
            }
            is_first = false;
        }
        Ok(())
    }
}

impl Datetime {
    /// The time with an interval added, or with `sign` -1 taken away. Years and months come first,
    /// then weeks and days, then the rest; the offset becomes that of its zone at the new time.
    pub fn shifted(&self, sign: i64, by: &Interval) -> Result<Self, OutOfRange> {
        let local = self.local_seconds();
        let mut days = local.div_euclid(SECONDS_PER_DAY);
        for months in [by.years.saturating_mul(12), by.months] {
            if months != 0 {
                let months = sign * months;
                check_days(days.saturating_add((months as f64 * 365.25 / 12.0) as i64))?;
                days = super::Date::of_days(days).days_after_months(months, by.adjust);
            }
        }
        for added in [by.weeks.saturating_mul(7), by.days] {
            days = check_days(days.saturating_add(sign.saturating_mul(added)))?;
        }
        let mut seconds = days * SECONDS_PER_DAY + local.rem_euclid(SECONDS_PER_DAY);
        let rest = [
            by.hours.saturating_mul(3600),
            by.minutes.saturating_mul(60),
            by.seconds,
        ];
        for added in rest {
            seconds = check_seconds(seconds.saturating_add(sign.saturating_mul(added)))?;
        }
        let nanoseconds = i64::from(self.nanoseconds) + sign * by.nanoseconds;
        let per_second = i64::from(NANOSECONDS_PER_SECOND);
        seconds = check_seconds(seconds + nanoseconds.div_euclid(per_second))?;
        let offset_minutes = match Zone::of_number(self.zone) {
            Some(zone) => zone.offset_minutes(seconds),
            None => self.offset_minutes,
        };
        let shifted = Self {
            epoch: seconds - i64::from(offset_minutes) * 60,
            nanoseconds: nanoseconds.rem_euclid(per_second) as i32,
            offset_minutes,
            zone: self.zone,
        };
        check_seconds(shifted.epoch)?;
        Ok(shifted)
    }

    /// The interval between two times as the difference of what they show, each unit by itself.
    pub fn since(&self, other: &Self) -> Interval {
        let mut difference = self.parts().combined(-1, &other.parts());
        difference.minutes -= i64::from(self.offset_minutes - other.offset_minutes);
        difference
    }

    fn parts(&self) -> Interval {
        let date = self.date();
        let seconds = self.local_seconds().rem_euclid(SECONDS_PER_DAY);
        Interval {
            years: date.year,
            months: date.month,
            weeks: 0,
            days: date.day,
            hours: seconds / 3600,
            minutes: seconds / 60 % 60,
            seconds: seconds % 60,
            nanoseconds: self.nanoseconds.into(),
            adjust: Adjust::None,
        }
    }
}

fn check_days(days: i64) -> Result<i64, OutOfRange> {
    if days < *DAY_RANGE.start() {
        Err(OutOfRange::Below)
    } else if days > *DAY_RANGE.end() {
        Err(OutOfRange::Above)
    } else {
        Ok(days)
    }
}

fn check_seconds(seconds: i64) -> Result<i64, OutOfRange> {
    check_days(seconds.div_euclid(SECONDS_PER_DAY)).map(|_| seconds)
}
