//! Points in time and intervals between them, as Tarantool stores, prints and computes them.
//!
//! A [`Datetime`] counts seconds from 1970 in UTC, and remembers the offset and the zone that it is
//! shown in; these two take no part in comparisons. An [`Interval`] is a list of counts, years to
//! nanoseconds, that are never converted into one another. Dates are those of the Gregorian calendar,
//! before its adoption too, in the years -5879610 to 5879611.

mod calendar;
mod format;
mod interval;
mod parse;
mod zone;

pub use calendar::{Date, days_in_month};
pub use interval::{Adjust, Interval, OutOfRange};
pub use zone::{Zone, ZoneError};

use std::cmp::Ordering;
use std::fmt;

/// Seconds in a day without leap seconds, which do not exist here.
pub const SECONDS_PER_DAY: i64 = 86_400;
/// The first and the last day there is, counted from 1970-01-01: those of a 32-bit count from the
/// year 1.
pub const DAY_RANGE: std::ops::RangeInclusive<i64> =
    i32::MIN as i64 - DAYS_BEFORE_1970..=i32::MAX as i64 - DAYS_BEFORE_1970;
/// Days from 0000-12-31 to 1970-01-01.
const DAYS_BEFORE_1970: i64 = 719_163;
/// Offsets from UTC there are, in minutes.
pub const OFFSET_RANGE_MINUTES: std::ops::RangeInclusive<i16> = -720..=840;

const NANOSECONDS_PER_SECOND: i32 = 1_000_000_000;

/// A point in time and how it is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Datetime {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub epoch: i64,
    /// Nanoseconds on top of them, below a billion.
    pub nanoseconds: i32,
    /// What the shown time is ahead of UTC.
    pub offset_minutes: i16,
    /// The number of the time zone it is shown in; 0 for none.
    pub zone: i16,
}

impl Datetime {
    /// Reads the body of a `MsgPack` extension of type 4: eight bytes of seconds, and where one of the
    /// rest is not zero another eight. Nothing when it is malformed or out of range.
    pub fn from_extension_body(body: &[u8]) -> Option<Self> {
        let (epoch, rest) = body.split_first_chunk::<8>()?;
        let mut datetime = Self {
            epoch: i64::from_le_bytes(*epoch),
            ..Self::default()
        };
        if !rest.is_empty() {
            let (nanoseconds, rest) = rest.split_first_chunk()?;
            let (offset, zone) = rest.split_first_chunk()?;
            datetime.nanoseconds = i32::from_le_bytes(*nanoseconds);
            datetime.offset_minutes = i16::from_le_bytes(*offset);
            datetime.zone = i16::from_le_bytes(zone.try_into().ok()?);
        }
        datetime.is_valid().then_some(datetime)
    }

    /// The body of the extension of type 4 that holds the value.
    pub fn extension_body(&self) -> Vec<u8> {
        let mut body = self.epoch.to_le_bytes().to_vec();
        if self.nanoseconds != 0 || self.offset_minutes != 0 || self.zone != 0 {
            body.extend_from_slice(&self.nanoseconds.to_le_bytes());
            body.extend_from_slice(&self.offset_minutes.to_le_bytes());
            body.extend_from_slice(&self.zone.to_le_bytes());
        }
        body
    }

    /// Whether all parts are in their ranges.
    pub fn is_valid(&self) -> bool {
        DAY_RANGE.contains(&self.epoch.div_euclid(SECONDS_PER_DAY))
            && (0..NANOSECONDS_PER_SECOND).contains(&self.nanoseconds)
            && OFFSET_RANGE_MINUTES.contains(&self.offset_minutes)
            && (self.zone == 0 || Zone::of_number(self.zone).is_some())
    }

    /// Seconds from 1970 to the shown time as if that were UTC.
    pub fn local_seconds(&self) -> i64 {
        self.epoch + i64::from(self.offset_minutes) * 60
    }

    /// The shown date.
    pub fn date(&self) -> Date {
        Date::of_days(self.local_seconds().div_euclid(SECONDS_PER_DAY))
    }

    /// Whether daylight saving time holds in its zone then.
    pub fn is_daylight_saving(&self) -> bool {
        Zone::of_number(self.zone).is_some_and(|zone| zone.is_daylight_saving(self.epoch))
    }

    /// The zone that it is shown in, if it has one.
    pub fn zone_name(&self) -> &'static str {
        Zone::of_number(self.zone).map_or("", Zone::name)
    }
}

impl PartialEq for Datetime {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Datetime {}

impl PartialOrd for Datetime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Datetime {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.epoch, self.nanoseconds).cmp(&(other.epoch, other.nanoseconds))
    }
}

impl fmt::Display for Datetime {
    /// ISO 8601, with a fraction of 3, 6 or 9 digits where there is one, then the zone or the offset:
    /// `2024-02-29T12:00:00.500+0300`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.date();
        let seconds = self.local_seconds().rem_euclid(SECONDS_PER_DAY);
        write!(
            f,
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            date.year,
            date.month,
            date.day,
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )?;
        match self.nanoseconds {
            0 => {}
            n if n % 1_000_000 == 0 => write!(f, ".{:03}", n / 1_000_000)?,
            n if n % 1_000 == 0 => write!(f, ".{:06}", n / 1_000)?,
            n => write!(f, ".{n:09}")?,
        }
        match self.zone_name() {
            "" if self.offset_minutes == 0 => f.write_str("Z"),
            "" => format::write_offset(f, self.offset_minutes),
            letter if letter.len() == 1 => f.write_str(letter),
            name => write!(f, " {name}"),
        }
    }
}

#[cfg(test)]
mod tests;
