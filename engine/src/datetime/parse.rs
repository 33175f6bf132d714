//! Times out of text: ISO 8601 in its basic and extended forms, and formats of `strptime`.

use super::format::{MONTHS, WEEKDAYS, expansion};
use super::{
    Date, Datetime, OFFSET_RANGE_MINUTES, SECONDS_PER_DAY, Zone, ZoneError, days_in_month,
};

/// A position in the text.
#[derive(Debug, Clone, Copy)]
struct Reader<'a> {
    text: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.position).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.text[self.position..]
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self
            .peek()
            .is_some_and(|next| next.eq_ignore_ascii_case(&byte));
        self.position += usize::from(found);
        found
    }

    fn digit_count(&self) -> usize {
        self.rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    }

    /// A number of exactly `count` digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        self.digits_up_to(count)
            .filter(|&(_, found)| found == count)
            .map(|(value, _)| value)
    }

    /// A number of one to `most` digits, and how many it has.
    fn digits_up_to(&mut self, most: usize) -> Option<(i64, usize)> {
        let count = self.digit_count().min(most);
        if count == 0 {
            return None;
        }
        let digits = &self.rest()[..count];
        self.position += count;
        let value = digits
            .iter()
            .fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
        Some((value, count))
    }

    /// A fraction of a second behind its point, in nanoseconds; digits past the ninth are cut.
    fn fraction(&mut self) -> Option<i32> {
        let count = self.digit_count();
        let (value, used) = self.digits_up_to(9)?;
        self.position += count - used;
        Some(value as i32 * 10_i32.pow(9 - used as u32))
    }
}

/// The first day there may be by month and day.
fn checked(year: i64, month: i64, day: i64) -> Option<i64> {
    let fits = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    fits.then(|| Date { year, month, day }.days())
}

/// A date in one of the forms of ISO 8601, as days since 1970.
fn iso_date(reader: &mut Reader<'_>) -> Option<i64> {
    let negative = reader.eat(b'-');
    if !negative {
        reader.eat(b'+');
    }
    let count = reader.digit_count();
    let follows = reader.rest().get(count).copied();
    // In the basic forms the year has four digits, and the rest stands right behind it.
    let year_digits = match (count, follows) {
        (8 | 7, next) if next != Some(b'-') => 4,
        (4..=7, _) => count,
        _ => return None,
    };
    let year = reader.digits(year_digits)?;
    let year = if negative { -year } else { year };
    let extended = reader.eat(b'-');
    let separate = |reader: &mut Reader<'_>| !extended || reader.eat(b'-');
    if reader.eat(b'W') {
        let week = reader.digits(2)?;
        let day = separate(reader).then(|| reader.digits(1))??;
        let fourth = Date {
            year,
            month: 1,
            day: 4,
        };
        let first = fourth.days() + 1 - fourth.weekday();
        let days = first + (week - 1) * 7 + day - 1;
        let fits = (1..=7).contains(&day) && Date::of_days(days).iso_week() == (year, week);
        return fits.then_some(days);
    }
    if reader.eat(b'Q') {
        let quarter = reader.digits(1)?;
        let day = separate(reader).then(|| reader.digits(2))??;
        if !(1..=4).contains(&quarter) {
            return None;
        }
        let first = Date {
            year,
            month: quarter * 3 - 2,
            day: 1,
        }
        .days();
        let length = (quarter * 3 - 2..=quarter * 3).map(|month| days_in_month(year, month));
        return (1..=length.sum()).contains(&day).then_some(first + day - 1);
    }
    let left = reader.digit_count();
    if left == 3 {
        let day = reader.digits(3)?;
        let length = if days_in_month(year, 2) == 29 {
            366
        } else {
            365
        };
        let first = Date {
            year,
            month: 1,
            day: 1,
        }
        .days();
        return (1..=length).contains(&day).then_some(first + day - 1);
    }
    let month = reader.digits(2)?;
    let day = separate(reader).then(|| reader.digits(2))??;
    checked(year, month, day)
}

/// A time of day in seconds and nanoseconds.
fn iso_time(reader: &mut Reader<'_>) -> Option<(i64, i32)> {
    let hour = reader.digits(2)?;
    let (mut minute, mut second, mut nanoseconds) = (0, 0, 0);
    let extended = reader.eat(b':');
    if extended || reader.digit_count() >= 2 {
        minute = reader.digits(2)?;
        let more = if extended {
            reader.eat(b':')
        } else {
            reader.digit_count() >= 2
        };
        if more {
            second = reader.digits(2)?;
            if reader.eat(b'.') || reader.eat(b',') {
                nanoseconds = reader.fraction()?;
            }
        }
    }
    let seconds = hour * 3600 + minute * 60 + second;
    let fits = minute < 60
        && second < 60
        && (hour < 24 || (seconds == SECONDS_PER_DAY && nanoseconds == 0));
    fits.then_some((seconds, nanoseconds))
}

/// An offset from UTC in minutes: `Z`, `+3`, `+03`, `+0300`, `+03:00`.
fn iso_offset(reader: &mut Reader<'_>) -> Option<i64> {
    if reader.eat(b'Z') {
        return Some(0);
    }
    let sign = if reader.eat(b'-') {
        -1
    } else if reader.eat(b'+') {
        1
    } else {
        return None;
    };
    let count = reader.digit_count();
    let hours = match count {
        1 | 2 => reader.digits(count)?,
        3 => reader.digits(1)?,
        4 => reader.digits(2)?,
        _ => return None,
    };
    let minutes = if count > 2 || reader.eat(b':') {
        reader.digits(2)?
    } else {
        0
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// An offset in one of the forms of ISO 8601, if that is all of the text.
pub(super) fn whole_offset(text: &[u8]) -> Option<i64> {
    let mut reader = Reader { text, position: 0 };
    let offset = iso_offset(&mut reader)?;
    (reader.position == text.len()).then_some(offset)
}

/// The zone or the offset at the front of a text, at a moment: number, minutes, bytes read.
fn zone_or_offset(text: &[u8], base: i64) -> Result<(i16, i64, usize), ZoneError> {
    if text.first().is_some_and(u8::is_ascii_alphabetic) {
        let length = text
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-'))
            .count();
        let name = std::str::from_utf8(&text[..length]).map_err(|_| ZoneError::Unknown)?;
        let zone = Zone::of_name(name)?;
        return Ok((zone.number(), zone.offset_minutes(base).into(), length));
    }
    let mut reader = Reader { text, position: 0 };
    let offset = iso_offset(&mut reader).ok_or(ZoneError::Unknown)?;
    Ok((0, offset, reader.position))
}

impl Datetime {
    /// The date at the front of a text in a form of ISO 8601, at midnight UTC, and how long it is.
    pub fn parse_date(text: &[u8]) -> Option<(Self, usize)> {
        let mut reader = Reader { text, position: 0 };
        let days = iso_date(&mut reader)?;
        let datetime = Self {
            epoch: days.checked_mul(SECONDS_PER_DAY)?,
            ..Self::default()
        };
        datetime.is_valid().then_some((datetime, reader.position))
    }

    /// The time at the front of a text in a form of ISO 8601, with its offset or its zone, and how
    /// long it is.
    pub fn parse(text: &[u8]) -> Result<(Self, usize), ZoneError> {
        let mut reader = Reader { text, position: 0 };
        let days = iso_date(&mut reader).ok_or(ZoneError::Unknown)?;
        let (mut seconds, mut nanoseconds) = (0, 0);
        let (mut zone, mut offset) = (0, 0);
        if reader.peek().is_some() {
            if !(reader.eat(b'T') || reader.eat(b' ')) {
                return Err(ZoneError::Unknown);
            }
            if reader.peek().is_some() {
                (seconds, nanoseconds) = iso_time(&mut reader).ok_or(ZoneError::Unknown)?;
            }
            reader.eat(b' ');
            if reader.peek().is_some() {
                let base = days * SECONDS_PER_DAY + seconds;
                let length;
                (zone, offset, length) = zone_or_offset(reader.rest(), base)?;
                reader.position += length;
            }
        }
        let local = days * SECONDS_PER_DAY + seconds;
        let datetime = at_offset(local, nanoseconds, offset, zone).ok_or(ZoneError::Unknown)?;
        Ok((datetime, reader.position))
    }

    /// The number and the offset of a zone, or an offset alone, given by name at a moment.
    pub fn parse_zone(text: &[u8], base: i64) -> Result<(i16, i16), ZoneError> {
        let (zone, offset, length) = zone_or_offset(text, base)?;
        let offset = i16::try_from(offset).map_err(|_| ZoneError::Unknown)?;
        if length < text.len() {
            return Err(ZoneError::Unknown);
        }
        Ok((zone, offset))
    }

    /// An offset in one of the forms of ISO 8601, in minutes.
    pub fn parse_offset(text: &[u8]) -> Option<i64> {
        whole_offset(text)
    }

    /// The time at the front of a text by a format of `strptime`, and how long it is.
    pub fn parse_format(text: &[u8], format: &[u8]) -> Option<(Self, usize)> {
        let mut reader = Reader { text, position: 0 };
        let mut found = Found::default();
        found.read(&mut reader, format)?;
        Some((found.datetime()?, reader.position))
    }
}

fn at_offset(local: i64, nanoseconds: i32, offset: i64, zone: i16) -> Option<Datetime> {
    let offset_minutes = i16::try_from(offset).ok()?;
    let datetime = Datetime {
        epoch: local - offset * 60,
        nanoseconds,
        offset_minutes,
        zone,
    };
    (OFFSET_RANGE_MINUTES.contains(&offset_minutes) && datetime.is_valid()).then_some(datetime)
}

/// What a format has read.
#[derive(Debug, Default)]
struct Found {
    year: Option<i64>,
    century: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    nanoseconds: i32,
    epoch: Option<i64>,
    offset: i64,
    zone: i16,
}

impl Found {
    fn read(&mut self, reader: &mut Reader<'_>, format: &[u8]) -> Option<()> {
        let mut format = format.iter().copied();
        while let Some(byte) = format.next() {
            if byte.is_ascii_whitespace() {
                skip_space(reader);
            } else if byte != b'%' {
                (reader.peek()? == byte).then(|| reader.position += 1)?;
            } else {
                let mut letter = format.next()?;
                while matches!(letter, b'E' | b'O') || letter.is_ascii_digit() {
                    letter = format.next()?;
                }
                match expansion(letter) {
                    Some(expanded) => self.read(reader, expanded)?,
                    None => self.read_field(reader, letter)?,
                }
            }
        }
        Some(())
    }

    fn read_field(&mut self, reader: &mut Reader<'_>, letter: u8) -> Option<()> {
        let mut number = |most: usize, range: std::ops::RangeInclusive<i64>| {
            let (value, _) = reader.digits_up_to(most)?;
            range.contains(&value).then_some(value)
        };
        match letter {
            b'Y' => {
                let negative = reader.eat(b'-');
                let (year, _) = reader.digits_up_to(if negative { 7 } else { 4 })?;
                self.year = Some(if negative { -year } else { year });
            }
            b'C' => self.century = Some(number(2, 0..=99)?),
            b'y' => {
                let year = number(2, 0..=99)?;
                self.year = Some(if year < 69 { 2000 + year } else { 1900 + year });
            }
            b'm' => self.month = Some(number(2, 1..=12)?),
            b'd' | b'e' => {
                skip_space(reader);
                let (day, _) = reader.digits_up_to(2)?;
                self.day = Some(day).filter(|day| (1..=31).contains(day));
                self.day?;
            }
            b'j' => self.day_of_year = Some(number(3, 1..=366)?),
            b'H' | b'k' => self.hour = number(2, 0..=23)?,
            b'I' | b'l' => self.hour = number(2, 1..=12)?,
            b'M' => self.minute = number(2, 0..=59)?,
            b'S' => self.second = number(2, 0..=60)?,
            b'f' => self.nanoseconds = reader.fraction()?,
            b'U' | b'W' | b'V' => drop(number(2, 0..=53)?),
            b'u' | b'w' => drop(number(1, 0..=7)?),
            b'G' => drop(number(4, 0..=9999)?),
            b'g' => drop(number(2, 0..=99)?),
            b'B' | b'b' | b'h' => self.month = Some(name_of(reader, &MONTHS)?),
            b'A' | b'a' => drop(name_of(reader, &WEEKDAYS)?),
            b'p' => self.is_afternoon = Some(name_of(reader, &["AM ", "PM "])? == 2),
            b's' => self.epoch = Some(number(12, 0..=999_999_999_999)?),
            b'n' | b't' => skip_space(reader),
            b'z' => self.offset = iso_offset(reader)?,
            b'Z' => {
                let length;
                (self.zone, self.offset, length) =
                    zone_or_offset(reader.rest(), self.epoch()).ok()?;
                reader.position += length;
            }
            other => (reader.peek()? == other).then(|| reader.position += 1)?,
        }
        Some(())
    }

    fn days(&self) -> Option<i64> {
        let year = match (self.year, self.century) {
            (Some(year), Some(century)) => century * 100 + year % 100,
            (Some(year), None) => year,
            (None, Some(century)) => century * 100,
            (None, None) => 1970,
        };
        if let (Some(day), None, None) = (self.day_of_year, self.month, self.day) {
            return Some(
                Date {
                    year,
                    month: 1,
                    day: 1,
                }
                .days()
                    + day
                    - 1,
            );
        }
        checked(year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    /// The seconds of what has been read, as if it were UTC.
    fn epoch(&self) -> i64 {
        let hour = match self.is_afternoon {
            Some(is_afternoon) => self.hour % 12 + if is_afternoon { 12 } else { 0 },
            None => self.hour,
        };
        let time = hour * 3600 + self.minute * 60 + self.second;
        self.days().unwrap_or(0) * SECONDS_PER_DAY + time
    }

    fn datetime(&self) -> Option<Datetime> {
        if let Some(epoch) = self.epoch {
            return at_offset(
                epoch + self.offset * 60,
                self.nanoseconds,
                self.offset,
                self.zone,
            );
        }
        self.days()?;
        at_offset(self.epoch(), self.nanoseconds, self.offset, self.zone)
    }
}

fn skip_space(reader: &mut Reader<'_>) {
    while reader.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
        reader.position += 1;
    }
}

/// Which of the names stands there, from 1: in full, or its first three letters without the space that
/// fills up a shorter one.
fn name_of(reader: &mut Reader<'_>, names: &[&str]) -> Option<i64> {
    let rest = reader.rest();
    let starts_with = |name: &str| {
        rest.get(..name.len())
            .is_some_and(|front| front.eq_ignore_ascii_case(name.as_bytes()))
    };
    for (number, name) in (1..).zip(names) {
        for form in [*name, name[..3].trim_end()] {
            if starts_with(form) {
                reader.position += form.trim_end().len();
                return Some(number);
            }
        }
    }
    None
}
