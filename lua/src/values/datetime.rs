//! Times and intervals in Lua: cdata laid out as Tarantool's `struct datetime` and `struct interval`,
//! and the FFI functions behind the module `datetime`. Scripts may write any number into these
//! members, so each is brought into its range before it is used.

use lycosa_engine::datetime::{Adjust, Datetime, Interval, OutOfRange, Zone, ZoneError};
use mlua::{Lua, Table};

use crate::state::address;

/// `struct datetime` in Lua.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatetimeCdata {
    epoch: f64,
    nsec: i32,
    tzoffset: i16,
    tzindex: i16,
}

impl DatetimeCdata {
    /// The time, each part in its range.
    pub(crate) fn get(self) -> Datetime {
        // 2^48 seconds are more than the calendar has.
        let limit = (1_u64 << 48) as f64;
        let datetime = Datetime {
            epoch: self.epoch.clamp(-limit, limit) as i64,
            nanoseconds: self.nsec.clamp(0, 999_999_999),
            offset_minutes: self.tzoffset.clamp(-720, 840),
            zone: self.tzindex,
        };
        if datetime.is_valid() {
            return datetime;
        }
        let zoneless = Datetime {
            zone: 0,
            ..datetime
        };
        if zoneless.is_valid() {
            zoneless
        } else {
            Datetime::default()
        }
    }

    fn set(&mut self, datetime: &Datetime) {
        *self = Self {
            epoch: datetime.epoch as f64,
            nsec: datetime.nanoseconds,
            tzoffset: datetime.offset_minutes,
            tzindex: datetime.zone,
        };
    }
}

/// `struct interval` in Lua.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntervalCdata {
    sec: f64,
    min: f64,
    hour: f64,
    day: f64,
    week: i32,
    month: i32,
    year: i32,
    nsec: i32,
    adjust: i32,
}

impl IntervalCdata {
    /// The interval; counts that are no integers are cut.
    pub(crate) fn get(self) -> Interval {
        Interval {
            years: self.year.into(),
            months: self.month.into(),
            weeks: self.week.into(),
            days: self.day as i64,
            hours: self.hour as i64,
            minutes: self.min as i64,
            seconds: self.sec as i64,
            nanoseconds: self.nsec.into(),
            adjust: Adjust::of_number(self.adjust.into()).unwrap_or_default(),
        }
    }

    fn set(&mut self, interval: &Interval) {
        let narrow = |count: i64| count.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        *self = Self {
            sec: interval.seconds as f64,
            min: interval.minutes as f64,
            hour: interval.hours as f64,
            day: interval.days as f64,
            week: narrow(interval.weeks),
            month: narrow(interval.months),
            year: narrow(interval.years),
            nsec: narrow(interval.nanoseconds),
            adjust: interval.adjust as i32,
        };
    }
}

/// Bytes that Lua passes with their length.
///
/// # Safety
///
/// `data` must point to as many readable bytes, which stay while the answer is used.
unsafe fn bytes<'a>(data: *const u8, size: u32) -> &'a [u8] {
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, size as usize) }
}

/// Copies `text` to a buffer of `size` bytes if it has room, and answers with the length of the text.
///
/// # Safety
///
/// `target` must point to `size` writable bytes.
unsafe fn give(text: &[u8], target: *mut u8, size: u32) -> u32 {
    if text.len() <= size as usize {
        // SAFETY: as the caller promises, and the text fits.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), target, text.len()) };
    }
    text.len() as u32
}

/// The text of a time.
unsafe extern "C" fn datetime_text(
    source: *const DatetimeCdata,
    target: *mut u8,
    size: u32,
) -> u32 {
    // SAFETY: Lua passes a live time and a buffer of that size.
    unsafe { give(source.read().get().to_string().as_bytes(), target, size) }
}

/// The text of an interval.
unsafe extern "C" fn interval_text(
    source: *const IntervalCdata,
    target: *mut u8,
    size: u32,
) -> u32 {
    // SAFETY: Lua passes a live interval and a buffer of that size.
    unsafe { give(source.read().get().to_string().as_bytes(), target, size) }
}

/// A time by a format of `strftime`.
unsafe extern "C" fn format(
    source: *const DatetimeCdata,
    format: *const u8,
    format_size: u32,
    target: *mut u8,
    size: u32,
) -> u32 {
    // SAFETY: Lua passes a live time, a string and a buffer of that size.
    unsafe {
        let text = source.read().get().format(bytes(format, format_size));
        give(&text, target, size)
    }
}

/// What an FFI function answers with for a name that is no zone; the numbers are known to
/// `datetime.lua`.
fn failure(error: ZoneError) -> i32 {
    match error {
        ZoneError::Unknown => -1,
        ZoneError::Ambiguous => -2,
    }
}

/// Reads a time in ISO 8601 (`format_size` 0) or by a format; answers with the length that was read,
/// or below zero.
unsafe extern "C" fn parse(
    target: *mut DatetimeCdata,
    text: *const u8,
    size: u32,
    format: *const u8,
    format_size: u32,
) -> i32 {
    // SAFETY: Lua passes a new time and strings with their lengths.
    let (target, text, format) =
        unsafe { (&mut *target, bytes(text, size), bytes(format, format_size)) };
    let parsed = if format.is_empty() {
        Datetime::parse(text)
    } else {
        Datetime::parse_format(text, format).ok_or(ZoneError::Unknown)
    };
    match parsed {
        Ok((datetime, length)) => {
            target.set(&datetime);
            length as i32
        }
        Err(error) => failure(error),
    }
}

/// Reads a date in ISO 8601; answers with the length that was read, or below zero.
unsafe extern "C" fn parse_date(target: *mut DatetimeCdata, text: *const u8, size: u32) -> i32 {
    // SAFETY: Lua passes a new time and a string with its length.
    let (target, text) = unsafe { (&mut *target, bytes(text, size)) };
    match Datetime::parse_date(text) {
        Some((datetime, length)) => {
            target.set(&datetime);
            length as i32
        }
        None => -1,
    }
}

/// Puts the zone or offset of a name into a time, its offset that of the moment `base`; 0, or below
/// zero.
unsafe extern "C" fn parse_zone(
    target: *mut DatetimeCdata,
    text: *const u8,
    size: u32,
    base: f64,
) -> i32 {
    // SAFETY: Lua passes a live time and a string with its length.
    let (target, text) = unsafe { (&mut *target, bytes(text, size)) };
    match Datetime::parse_zone(text, base as i64) {
        Ok((zone, offset)) => {
            target.tzindex = zone;
            target.tzoffset = offset;
            0
        }
        Err(error) => failure(error),
    }
}

/// An offset in minutes, or 32767 for a text that is none.
unsafe extern "C" fn parse_offset(text: *const u8, size: u32) -> i32 {
    // SAFETY: Lua passes a string with its length.
    let offset = Datetime::parse_offset(unsafe { bytes(text, size) });
    offset.map_or(i32::from(i16::MAX), |offset| offset as i32)
}

/// Adds an interval to a time (`sign` 1) or takes it away (-1); -1 and 1 when the sum is before the
/// first date or after the last.
unsafe extern "C" fn shift(target: *mut DatetimeCdata, sign: i32, by: *const IntervalCdata) -> i32 {
    // SAFETY: Lua passes a live time and a live interval.
    let (target, by) = unsafe { (&mut *target, by.read()) };
    match target.get().shifted(sign.into(), &by.get()) {
        Ok(datetime) => {
            target.set(&datetime);
            0
        }
        Err(OutOfRange::Below) => -1,
        Err(OutOfRange::Above) => 1,
    }
}

/// Stores an interval, and answers with 0, or with the number of the unit, from 1, that is out of
/// range.
fn store(target: &mut IntervalCdata, interval: &Interval) -> i32 {
    target.set(interval);
    interval
        .out_of_range()
        .map_or(0, |(unit, _)| unit as i32 + 1)
}

/// The sum of two intervals (`sign` 1) or their difference (-1).
unsafe extern "C" fn combine(
    target: *mut IntervalCdata,
    left: *const IntervalCdata,
    sign: i32,
    right: *const IntervalCdata,
) -> i32 {
    // SAFETY: Lua passes a new interval and two live ones.
    unsafe {
        let sum = left.read().get().combined(sign.into(), &right.read().get());
        store(&mut *target, &sum)
    }
}

/// The difference of two times.
unsafe extern "C" fn subtract(
    target: *mut IntervalCdata,
    left: *const DatetimeCdata,
    right: *const DatetimeCdata,
) -> i32 {
    // SAFETY: Lua passes a new interval and two live times.
    unsafe {
        let difference = left.read().get().since(&right.read().get());
        store(&mut *target, &difference)
    }
}

/// Whether daylight saving time holds: 1 or 0.
unsafe extern "C" fn is_daylight_saving(source: *const DatetimeCdata) -> i32 {
    // SAFETY: Lua passes a live time.
    unsafe { source.read() }.get().is_daylight_saving().into()
}

/// The time now, in the offset of the system's zone.
unsafe extern "C" fn now(target: *mut DatetimeCdata) {
    // SAFETY: Lua passes a new time.
    unsafe { &mut *target }.set(&Datetime::now());
}

/// The body of an extension; 0 when it is malformed.
unsafe extern "C" fn unpack_datetime(
    target: *mut DatetimeCdata,
    body: *const u8,
    size: u32,
) -> i32 {
    // SAFETY: Lua passes a new time and a string with its length.
    let (target, body) = unsafe { (&mut *target, bytes(body, size)) };
    Datetime::from_extension_body(body).map_or(0, |datetime| {
        target.set(&datetime);
        1
    })
}

/// The body of an extension; 0 when it is malformed.
unsafe extern "C" fn unpack_interval(
    target: *mut IntervalCdata,
    body: *const u8,
    size: u32,
) -> i32 {
    // SAFETY: Lua passes a new interval and a string with its length.
    let (target, body) = unsafe { (&mut *target, bytes(body, size)) };
    Interval::from_extension_body(body).map_or(0, |interval| {
        target.set(&interval);
        1
    })
}

/// What `datetime_interval.lua` calls.
pub(crate) fn interval_native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("interval_text", address(interval_text as *const ()))?;
    native.set("combine", address(combine as *const ()))?;
    native.set("unpack_interval", address(unpack_interval as *const ()))?;
    Ok(native)
}

/// What `datetime.lua` calls.
pub(crate) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("datetime_text", address(datetime_text as *const ()))?;
    native.set("format", address(format as *const ()))?;
    native.set("parse", address(parse as *const ()))?;
    native.set("parse_date", address(parse_date as *const ()))?;
    native.set("parse_zone", address(parse_zone as *const ()))?;
    native.set("parse_offset", address(parse_offset as *const ()))?;
    native.set("shift", address(shift as *const ()))?;
    native.set("subtract", address(subtract as *const ()))?;
    native.set(
        "is_daylight_saving",
        address(is_daylight_saving as *const ()),
    )?;
    native.set("now", address(now as *const ()))?;
    native.set("unpack_datetime", address(unpack_datetime as *const ()))?;
    let zones = lua.create_table()?;
    for zone in Zone::all() {
        zones.set(zone.name(), zone.number())?;
        zones.set(zone.number(), zone.name())?;
    }
    for (link, target) in Zone::links() {
        zones.set(link, zones.get::<i16>(target)?)?;
    }
    native.set("zones", zones)?;
    Ok(native)
}
