//! Decimal numbers of up to 38 significant digits, as Tarantool stores and computes them.
//!
//! The arithmetic is `bigdecimal`'s; this file adds the bounds and the `MsgPack` extension. The scale
//! is part of a value (1.50 stays 1.50) but not of its order: 1.5 and 1.50 are equal and hash alike.
//! There is no negative zero. Every operation allocates; nothing on the path of an insert comes here.
//! Products, quotients and rounding are in `arithmetic`, roots and logarithms in `functions`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use bigdecimal::num_bigint::{BigInt, Sign};
use bigdecimal::num_traits::{ToPrimitive, Zero};
use bigdecimal::{BigDecimal, RoundingMode};

use crate::msgpack::{self, EXTENSION_DECIMAL, Value};
use crate::{Error, ErrorKind, Result};

mod arithmetic;
mod functions;

/// Significant digits at most. Magnitudes stay below ten to this power, and there are no more
/// fractional digits than this.
const MAXIMUM_DIGITS: i64 = 38;
/// Significant decimal digits that a double holds for sure; its digits behind them are noise.
const DOUBLE_DIGITS: i64 = 15;

/// A decimal number: 38 significant digits, magnitude below 10^38, at most 38 fractional digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(BigDecimal);

impl Decimal {
    /// Reads the body of an extension of type 1: the scale as a `MsgPack` integer, then the digits in
    /// packed decimal with a sign in the last half byte. Fails with `InvalidMsgpack`.
    pub fn from_extension_body(body: &[u8]) -> Result<Self> {
        let (coefficient, scale) = unpack(body).ok_or(ErrorKind::InvalidMsgpack {
            reason: "cannot unpack decimal",
        })?;
        Ok(Self(BigDecimal::new(BigInt::from(coefficient), scale)))
    }

    /// Appends the number as a whole `MsgPack` extension value.
    pub fn write(&self, out: &mut Vec<u8>) {
        msgpack::write_extension(out, EXTENSION_DECIMAL, &self.extension_body());
    }

    /// The body of the extension of type 1 that holds the number; 22 bytes at most.
    pub fn extension_body(&self) -> Vec<u8> {
        let (coefficient, scale) = self.0.as_bigint_and_scale();
        let digits = coefficient.magnitude().to_string();
        let mut body = Vec::with_capacity(22);
        msgpack::write_integer(&mut body, scale);
        let sign = if coefficient.sign() == Sign::Minus {
            0x0d
        } else {
            0x0c
        };
        // The sign takes the last half byte, so that an even count of digits needs a zero in front.
        let padding = digits.len().is_multiple_of(2).then_some(0);
        let mut halves = padding
            .into_iter()
            .chain(digits.bytes().map(|digit| digit - b'0'))
            .chain([sign]);
        while let (Some(high), Some(low)) = (halves.next(), halves.next()) {
            body.push(high << 4 | low);
        }
        body
    }

    /// The decimal of a double, by its first 15 significant digits. Nothing for a magnitude of 10^38
    /// or more, for an infinity and for NaN.
    pub fn from_f64(value: f64) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let text = format!("{value:.*e}", DOUBLE_DIGITS as usize - 1);
        let rounded = BigDecimal::from_str(&text).ok()?.normalized();
        // Integers of up to 15 digits are written out, larger ones keep their zeros in the exponent.
        let scale = rounded.fractional_digit_count();
        if scale < 0 && rounded.digits() as i64 - scale <= DOUBLE_DIGITS {
            return bounded(rounded.with_scale(0));
        }
        bounded(rounded)
    }

    /// The double nearest to the number.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::NAN)
    }

    /// The sum, rounded half up to 38 digits; nothing when its magnitude reaches 10^38.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        arithmetic::sum(&self.0, &other.0, 1)
    }

    /// The difference, rounded half up to 38 digits; nothing when its magnitude reaches 10^38.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        arithmetic::sum(&self.0, &other.0, -1)
    }

    /// Exact order against an unsigned integer.
    pub fn compare_u64(&self, other: u64) -> Ordering {
        self.0.cmp(&BigDecimal::from(other))
    }

    /// Exact order against a signed integer.
    pub fn compare_i64(&self, other: i64) -> Ordering {
        self.0.cmp(&BigDecimal::from(other))
    }

    /// Exact order against a double, which stands for the binary fraction it is, not for its shortest
    /// text. NaN comes before every number.
    pub fn compare_f64(&self, other: f64) -> Ordering {
        if other.is_nan() {
            return Ordering::Greater;
        }
        // Infinities, and magnitudes that no decimal reaches, are decided by their sign alone.
        if other.abs() >= 1e39 {
            return 0.0_f64.total_cmp(&other);
        }
        match BigDecimal::try_from(other) {
            Ok(exact) => self.0.cmp(&exact),
            Err(_) => self.to_f64().total_cmp(&other),
        }
    }

    /// The value as an integer, if it has no fraction.
    pub fn to_integer(&self) -> Option<i128> {
        if self.0.is_integer() {
            self.0.to_i128()
        } else {
            None
        }
    }
}

impl From<u64> for Decimal {
    fn from(value: u64) -> Self {
        Self(BigDecimal::from(value))
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self(BigDecimal::from(value))
    }
}

impl FromStr for Decimal {
    type Err = Error;

    /// Reads `-12.50` or `1.5e-7`, rounding half up to what fits. Fails with `IllegalParams` on other
    /// text and on magnitudes of 10^38 or more.
    fn from_str(text: &str) -> Result<Self> {
        // The crate also reads underscores and padding between digits, which Tarantool does not.
        let plain = text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        let value = BigDecimal::from_str(text).ok().filter(|_| plain);
        value.and_then(bounded).ok_or_else(|| {
            let reason = format!(
                "incorrect value '{text}' to convert to decimal: give a number of up to 38 digits"
            );
            ErrorKind::IllegalParams { reason }.into()
        })
    }
}

impl fmt::Display for Decimal {
    /// Plain notation with the number's own scale, never an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (coefficient, scale) = self.0.as_bigint_and_scale();
        let digits = coefficient.magnitude().to_string();
        if coefficient.sign() == Sign::Minus {
            f.write_str("-")?;
        }
        if scale <= 0 {
            let zeros = scale.unsigned_abs() as usize;
            return write!(f, "{digits}{:0<zeros$}", "");
        }
        let scale = scale as usize;
        match digits.len().checked_sub(scale) {
            Some(point) if point > 0 => write!(f, "{}.{}", &digits[..point], &digits[point..]),
            _ => write!(f, "0.{digits:0>scale$}"),
        }
    }
}

/// Whether the body of a decimal extension is well-formed. Allocates nothing.
pub(crate) fn is_valid_extension_body(body: &[u8]) -> bool {
    unpack(body).is_some()
}

/// Coefficient and scale out of an extension's body; nothing when it is malformed or out of bounds.
fn unpack(body: &[u8]) -> Option<(i128, i64)> {
    let (scale, packed) = match msgpack::read(body).ok()? {
        (Value::Unsigned(scale), packed) => (i64::try_from(scale).ok()?, packed),
        (Value::Negative(scale), packed) => (scale, packed),
        _ => return None,
    };
    let (&last, front) = packed.split_last()?;
    let mut coefficient = 0_i128;
    let mut digits = 0;
    let halves = front.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    for digit in halves.chain([last >> 4]) {
        if digit > 9 {
            return None;
        }
        digits += i64::from(digits > 0 || digit > 0);
        if digits > MAXIMUM_DIGITS {
            return None;
        }
        coefficient = coefficient * 10 + i128::from(digit);
    }
    let coefficient = match last & 0x0f {
        0x0a | 0x0c | 0x0e | 0x0f => coefficient,
        0x0b | 0x0d => -coefficient,
        _ => return None,
    };
    let fits = scale <= MAXIMUM_DIGITS && scale >= digits.max(1) - MAXIMUM_DIGITS;
    fits.then_some((coefficient, scale))
}

/// Rounds half up to the digits that a decimal has room for; nothing when the magnitude is too large.
fn bounded(mut value: BigDecimal) -> Option<Decimal> {
    let scale = value.fractional_digit_count();
    if value.is_zero() {
        return Some(Decimal(BigDecimal::new(
            BigInt::ZERO,
            scale.clamp(1 - MAXIMUM_DIGITS, MAXIMUM_DIGITS),
        )));
    }
    // Too small for any digit, with an exponent that is not worth computing with.
    if scale.saturating_sub(value.digits() as i64) > MAXIMUM_DIGITS {
        return Some(Decimal(BigDecimal::new(BigInt::ZERO, MAXIMUM_DIGITS)));
    }
    loop {
        let scale = value.fractional_digit_count();
        let digits = value.digits() as i64;
        if digits - scale > MAXIMUM_DIGITS {
            return None;
        }
        let excess = (digits - MAXIMUM_DIGITS).max(scale - MAXIMUM_DIGITS);
        if excess <= 0 {
            return Some(Decimal(value));
        }
        // Rounding 9.99...9 up yields one digit more than asked for: hence the loop.
        value = value.with_scale_round(scale - excess, RoundingMode::HalfUp);
    }
}

#[cfg(test)]
mod tests;
