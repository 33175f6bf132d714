//! Decimals in Lua: a cdata of 24 bytes that holds the body of the `MsgPack` extension, so that
//! encoding copies it and only arithmetic unpacks it (some hundred nanoseconds for each operand).

use std::cmp::Ordering;

use lycosa_engine::decimal::Decimal;
use mlua::{Lua, Table};

use crate::state::address;

/// `struct decimal` in Lua.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecimalCdata {
    size: u8,
    payload: [u8; 23],
}

impl DecimalCdata {
    /// The body of the extension. Lua may not write here, but a wrong size must do no harm.
    pub(crate) fn body(&self) -> &[u8] {
        &self.payload[..usize::from(self.size).min(self.payload.len())]
    }

    fn get(&self) -> Option<Decimal> {
        Decimal::from_extension_body(self.body()).ok()
    }

    fn set(&mut self, body: &[u8]) -> i32 {
        let Some(target) = self.payload.get_mut(..body.len()) else {
            return 0;
        };
        target.copy_from_slice(body);
        self.size = body.len() as u8;
        1
    }

    fn store(&mut self, value: Option<Decimal>) -> i32 {
        let Some(value) = value else { return 0 };
        self.set(&value.extension_body())
    }
}

/// Makes a decimal of a body; 0 when it is none.
unsafe extern "C" fn unpack(target: *mut DecimalCdata, body: *const u8, size: u32) -> i32 {
    // SAFETY: Lua passes a new decimal and a string with its length.
    let (target, body) = unsafe {
        (
            &mut *target,
            std::slice::from_raw_parts(body, size as usize),
        )
    };
    if Decimal::from_extension_body(body).is_err() {
        return 0;
    }
    target.set(body)
}

/// Makes a decimal of its text; 0 when it is none.
unsafe extern "C" fn parse(target: *mut DecimalCdata, text: *const u8, size: u32) -> i32 {
    // SAFETY: Lua passes a new decimal and a string with its length.
    let (target, text) = unsafe {
        (
            &mut *target,
            std::slice::from_raw_parts(text, size as usize),
        )
    };
    let value = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok());
    target.store(value)
}

/// Makes a decimal of a double; 0 when it is out of range.
unsafe extern "C" fn from_double(target: *mut DecimalCdata, value: f64) -> i32 {
    // SAFETY: Lua passes a new decimal.
    unsafe { &mut *target }.store(Decimal::from_f64(value))
}

/// Makes a decimal of a signed integer.
unsafe extern "C" fn from_signed(target: *mut DecimalCdata, value: i64) -> i32 {
    // SAFETY: Lua passes a new decimal.
    unsafe { &mut *target }.store(Some(Decimal::from(value)))
}

/// Makes a decimal of an unsigned integer.
unsafe extern "C" fn from_unsigned(target: *mut DecimalCdata, value: u64) -> i32 {
    // SAFETY: Lua passes a new decimal.
    unsafe { &mut *target }.store(Some(Decimal::from(value)))
}

/// Operations on one or two decimals; the numbers are known to `decimal.lua`.
fn operate(operation: i32, left: &Decimal, right: &Decimal) -> Option<Decimal> {
    match operation {
        1 => left.checked_add(right),
        2 => left.checked_sub(right),
        3 => left.checked_mul(right),
        4 => left.checked_div(right),
        5 => left.checked_rem(right),
        6 => left.checked_pow(right),
        7 => Some(left.negated()),
        8 => Some(left.absolute()),
        9 => left.checked_exp(),
        10 => left.checked_ln(),
        11 => left.checked_log10(),
        12 => left.checked_sqrt(),
        13 => Some(left.trimmed()),
        _ => None,
    }
}

/// Computes; 0 when there is no result.
unsafe extern "C" fn compute(
    target: *mut DecimalCdata,
    operation: i32,
    left: *const DecimalCdata,
    right: *const DecimalCdata,
) -> i32 {
    // SAFETY: Lua passes a new decimal and two live ones, which may be the same.
    let (target, left, right) = unsafe { (&mut *target, &*left, &*right) };
    let result = left
        .get()
        .zip(right.get())
        .and_then(|(left, right)| operate(operation, &left, &right));
    target.store(result)
}

/// Rounds (`exactly` 0) or changes the scale to `scale`; 0 when that cannot be.
unsafe extern "C" fn rescale(
    target: *mut DecimalCdata,
    source: *const DecimalCdata,
    scale: i32,
    exactly: i32,
) -> i32 {
    // SAFETY: Lua passes a new decimal and a live one.
    let (target, source) = unsafe { (&mut *target, &*source) };
    let result = source.get().and_then(|value| {
        if exactly == 0 {
            value.rounded(scale.into())
        } else {
            value.rescaled(scale.into())
        }
    });
    target.store(result)
}

/// The order of two decimals: -1, 0 or 1.
unsafe extern "C" fn compare(left: *const DecimalCdata, right: *const DecimalCdata) -> i32 {
    // SAFETY: Lua passes two live decimals.
    let (left, right) = unsafe { (&*left, &*right) };
    match left.get().cmp(&right.get()) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// The scale of a decimal, or (`precision` 1) its precision.
unsafe extern "C" fn measure(source: *const DecimalCdata, precision: i32) -> i32 {
    // SAFETY: Lua passes a live decimal.
    let Some(value) = unsafe { &*source }.get() else {
        return 0;
    };
    (if precision == 1 {
        value.precision()
    } else {
        value.scale()
    }) as i32
}

/// Writes the text of a decimal, without a zero behind it, and answers with its length.
unsafe extern "C" fn text(source: *const DecimalCdata, target: *mut u8, size: u32) -> u32 {
    // SAFETY: Lua passes a live decimal and a buffer of that size.
    let (source, target) = unsafe {
        (
            &*source,
            std::slice::from_raw_parts_mut(target, size as usize),
        )
    };
    let text = source
        .get()
        .map(|value| value.to_string())
        .unwrap_or_default();
    match target.get_mut(..text.len()) {
        Some(target) => {
            target.copy_from_slice(text.as_bytes());
            text.len() as u32
        }
        None => 0,
    }
}

/// What `decimal.lua` calls.
pub(crate) fn native(lua: &Lua) -> mlua::Result<Table> {
    let native = lua.create_table()?;
    native.set("unpack", address(unpack as *const ()))?;
    native.set("parse", address(parse as *const ()))?;
    native.set("from_double", address(from_double as *const ()))?;
    native.set("from_signed", address(from_signed as *const ()))?;
    native.set("from_unsigned", address(from_unsigned as *const ()))?;
    native.set("compute", address(compute as *const ()))?;
    native.set("rescale", address(rescale as *const ()))?;
    native.set("compare", address(compare as *const ()))?;
    native.set("measure", address(measure as *const ()))?;
    native.set("text", address(text as *const ()))?;
    Ok(native)
}
