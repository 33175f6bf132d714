//! Times as text by a format of `strftime`, in the locale C, with `%f` for the fraction of a second.

use std::fmt::{self, Write};

use super::{Date, Datetime, SECONDS_PER_DAY};

pub(super) const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// An offset as `+0300`.
pub(super) fn write_offset(out: &mut impl Write, minutes: i16) -> fmt::Result {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    write!(out, "{sign}{:02}{:02}", minutes / 60, minutes % 60)
}

/// The parts of a time that formats ask for.
struct Parts {
    datetime: Datetime,
    date: Date,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Datetime {
    /// The time in a format of `strftime`. A letter that means nothing stands for itself.
    pub fn format(&self, format: &[u8]) -> Vec<u8> {
        let seconds = self.local_seconds().rem_euclid(SECONDS_PER_DAY);
        let parts = Parts {
            datetime: *self,
            date: self.date(),
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
        };
        let mut out = Vec::with_capacity(2 * format.len());
        parts.append(format, &mut out);
        out
    }
}

impl Parts {
    fn append(&self, mut format: &[u8], out: &mut Vec<u8>) {
        while let Some((&byte, rest)) = format.split_first() {
            format = rest;
            if byte != b'%' {
                out.push(byte);
                continue;
            }
            while let Some((b'E' | b'O', rest)) = format.split_first() {
                format = rest;
            }
            let digits = format
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            let (width, rest) = format.split_at(digits);
            let Some((&letter, rest)) = rest.split_first() else {
                out.extend_from_slice(width);
                return;
            };
            format = rest;
            if digits > 0 && letter != b'f' {
                out.push(b'%');
                out.extend_from_slice(width);
                out.push(letter);
            } else if letter == b'f' {
                self.append_fraction(width, out);
            } else if let Some(expansion) = expansion(letter) {
                self.append(expansion, out);
            } else {
                let mut text = String::new();
                if self.write(letter, &mut text).is_ok() {
                    out.extend_from_slice(text.as_bytes());
                } else {
                    out.push(letter);
                }
            }
        }
    }

    fn append_fraction(&self, width: &[u8], out: &mut Vec<u8>) {
        let nanoseconds = self.datetime.nanoseconds;
        let given = width.iter().fold(0_usize, |width, digit| {
            (width * 10 + usize::from(digit - b'0')).min(9)
        });
        let width = match given {
            0 if nanoseconds % 1_000_000 == 0 => 3,
            0 if nanoseconds % 1_000 == 0 => 6,
            0 => 9,
            given => given,
        };
        out.extend_from_slice(&format!("{nanoseconds:09}").as_bytes()[..width]);
    }

    /// Writes what one letter stands for; an error for a letter without meaning.
    fn write(&self, letter: u8, out: &mut String) -> fmt::Result {
        let date = self.date;
        let twelve = (self.hour + 11) % 12 + 1;
        let weekday = date.weekday();
        let day_of_year = date.day_of_year() - 1;
        match letter {
            b'A' => out.write_str(WEEKDAYS[weekday as usize - 1]),
            b'a' => out.write_str(&WEEKDAYS[weekday as usize - 1][..3]),
            b'B' => out.write_str(MONTHS[date.month as usize - 1]),
            b'b' | b'h' => out.write_str(&MONTHS[date.month as usize - 1][..3]),
            b'C' => write_year(out, date.year, true, false),
            b'd' => write!(out, "{:02}", date.day),
            b'e' => write!(out, "{:2}", date.day),
            b'G' => write_year(out, date.iso_week().0, true, true),
            b'g' => write_year(out, date.iso_week().0, false, true),
            b'H' => write!(out, "{:02}", self.hour),
            b'I' => write!(out, "{twelve:02}"),
            b'j' => write!(out, "{:03}", day_of_year + 1),
            b'k' => write!(out, "{:2}", self.hour),
            b'l' => write!(out, "{twelve:2}"),
            b'M' => write!(out, "{:02}", self.minute),
            b'm' => write!(out, "{:02}", date.month),
            b'n' => out.write_str("\n"),
            b'p' => out.write_str(if self.hour >= 12 { "PM" } else { "AM" }),
            b'S' => write!(out, "{:02}", self.second),
            b's' => write!(out, "{}", self.datetime.local_seconds()),
            b't' => out.write_str("\t"),
            b'U' => write!(out, "{:02}", (day_of_year + 7 - weekday % 7) / 7),
            b'u' => write!(out, "{weekday}"),
            b'V' => write!(out, "{:02}", date.iso_week().1),
            b'W' => write!(out, "{:02}", (day_of_year + 7 - (weekday - 1)) / 7),
            b'w' => write!(out, "{}", weekday % 7),
            b'Y' => write_year(out, date.year, true, true),
            b'y' => write_year(out, date.year, false, true),
            b'Z' => out.write_str(self.datetime.zone_name()),
            b'z' => write_offset(out, self.datetime.offset_minutes),
            _ => Err(fmt::Error),
        }
    }
}

/// The format that a letter is short for.
pub(super) fn expansion(letter: u8) -> Option<&'static [u8]> {
    Some(match letter {
        b'c' => b"%a %b %e %H:%M:%S %Y",
        b'D' | b'x' => b"%m/%d/%y",
        b'F' => b"%Y-%m-%d",
        b'R' => b"%H:%M",
        b'r' => b"%I:%M:%S %p",
        b'T' | b'X' => b"%H:%M:%S",
        b'v' => b"%e-%b-%Y",
        b'+' => b"%a %b %e %H:%M:%S %Z %Y",
        _ => return None,
    })
}

/// The century, the year in it, or both: a year has four digits at least.
fn write_year(out: &mut String, year: i64, century: bool, rest: bool) -> fmt::Result {
    let (lead, trail) = (year / 100, year % 100);
    if century {
        if lead == 0 && trail < 0 {
            out.write_str("-0")?;
        } else {
            write!(out, "{lead:02}")?;
        }
    }
    if rest {
        write!(out, "{:02}", trail.abs())?;
    }
    Ok(())
}
