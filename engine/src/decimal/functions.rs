//! Roots, powers, exponentials and logarithms of decimals, to all 38 digits.
//!
//! They are computed in fixed point with 130 digits behind the point, by series and Newton's method,
//! and rounded half up at the end: the last digit is right unless the true value lies within 10^-50 of
//! the middle between two decimals. A call takes some ten microseconds to a millisecond.

use std::sync::OnceLock;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::{FromPrimitive, One, Signed, ToPrimitive, Zero};
use bigdecimal::{BigDecimal, RoundingMode};

use super::arithmetic::{decimal_digits, quotient};
use super::{Decimal, MAXIMUM_DIGITS, bounded};

/// Digits behind the point of the numbers computed with.
const WORKING_SCALE: i64 = 130;

/// Halvings of the argument before the series of the exponential: about one term of it for each.
const HALVINGS: u32 = 40;

/// Powers whose exponent is an integer beyond this are decided by their magnitude, or computed by way
/// of logarithms.
const LARGEST_EXPONENT: i64 = 999_999_999;

impl Decimal {
    /// e to the power of the number; nothing when the magnitude reaches 10^38.
    pub fn checked_exp(&self) -> Option<Self> {
        if self.0.is_zero() {
            return Some(Self::from(1_u64));
        }
        significant(&exponential(&self.0)?)
    }

    /// The natural logarithm, to 37 digits behind the point; nothing for numbers that are not
    /// positive.
    pub fn checked_ln(&self) -> Option<Self> {
        if !self.0.is_positive() {
            return None;
        }
        if self.0.is_one() {
            return Some(Self::from(0_u64));
        }
        significant(&logarithm(&self.0)?)?.rounded(MAXIMUM_DIGITS - 1)
    }

    /// The logarithm to base 10, an integer for a power of ten; nothing for numbers that are not
    /// positive.
    pub fn checked_log10(&self) -> Option<Self> {
        if !self.0.is_positive() {
            return None;
        }
        let (coefficient, scale) = self.0.normalized().into_bigint_and_scale();
        if coefficient.is_one() {
            return Some(Self::from(-scale));
        }
        let ratio = quotient(&logarithm(&self.0)?, ln_10()?, 2 * MAXIMUM_DIGITS)?;
        significant(&ratio)
    }

    /// The square root; nothing for negative numbers.
    pub fn checked_sqrt(&self) -> Option<Self> {
        if self.0.is_negative() {
            return None;
        }
        let (coefficient, scale) = self.0.as_bigint_and_scale();
        // Half the scale, the exponent rounded down, is what an exact root has.
        let ideal_scale = scale.div_euclid(2) + scale.rem_euclid(2);
        let root_scale = ideal_scale + 2 * MAXIMUM_DIGITS;
        let shift = 2 * root_scale - scale;
        let shifted = coefficient.as_ref() * BigInt::from(10_u8).pow(shift as u32);
        let root = shifted.sqrt();
        let exact = BigDecimal::new(root.clone(), root_scale).with_scale(ideal_scale);
        if &exact * &exact == self.0 {
            return bounded(exact);
        }
        significant(&BigDecimal::new(root, root_scale))
    }

    /// The number to a power; nothing when that has no real value, is infinite, or reaches 10^38.
    pub fn checked_pow(&self, exponent: &Self) -> Option<Self> {
        if self.0.is_zero() {
            return exponent.0.is_positive().then(|| Self::from(0_u64));
        }
        if exponent.0.is_integer()
            && let Some(power) = exponent.0.to_i64()
            && power.abs() <= LARGEST_EXPONENT
        {
            return integer_power(&self.0, power).and_then(bounded);
        }
        if self.0.is_negative() {
            return None;
        }
        significant(&exponential(&(logarithm(&self.0)? * &exponent.0))?)
    }
}

/// Rounds half up to exactly 38 digits, of which zeros at the end are kept: the result is not exact.
fn significant(value: &BigDecimal) -> Option<Decimal> {
    let digits = value.digits() as i64;
    let scale = value.fractional_digit_count() + MAXIMUM_DIGITS - digits;
    let scale = scale.min(MAXIMUM_DIGITS);
    bounded(value.with_scale_round(scale, RoundingMode::HalfUp))
}

fn fixed(value: &BigDecimal) -> BigInt {
    value.with_scale(WORKING_SCALE).into_bigint_and_scale().0
}

fn one() -> BigInt {
    BigInt::from(10_u8).pow(WORKING_SCALE as u32)
}

fn multiply(left: &BigInt, right: &BigInt) -> BigInt {
    left * right / one()
}

/// e to the power of a number in fixed point.
fn exponential_fixed(value: &BigInt) -> BigInt {
    let reduced = value >> HALVINGS;
    let mut sum = one() + &reduced;
    let mut term = reduced.clone();
    let mut count = 2_u32;
    while !term.is_zero() && term != BigInt::from(-1) {
        term = multiply(&term, &reduced) / count;
        sum += &term;
        count += 1;
    }
    for _ in 0..HALVINGS {
        sum = multiply(&sum, &sum);
    }
    sum
}

/// e to the power of `value`, unless that reaches 10^38.
fn exponential(value: &BigDecimal) -> Option<BigDecimal> {
    // e^88 is more than 10^38, and e^-90 less than half of 10^-38.
    let magnitude = value.to_f64()?;
    if magnitude > 88.0 {
        return None;
    }
    if magnitude < -90.0 {
        return Some(BigDecimal::new(BigInt::zero(), MAXIMUM_DIGITS));
    }
    let result = exponential_fixed(&fixed(value));
    Some(BigDecimal::new(result, WORKING_SCALE))
}

/// The natural logarithm of a positive number, by Halley's method from the logarithm of the double.
fn logarithm(value: &BigDecimal) -> Option<BigDecimal> {
    let estimate = BigDecimal::from_f64(value.to_f64()?.ln())?;
    let wanted = fixed(value);
    let mut result = fixed(&estimate);
    // Each step triples the number of right digits, of which the estimate has 15.
    for _ in 0..4 {
        let reached = exponential_fixed(&result);
        let difference: BigInt = &wanted - &reached;
        result += difference * 2 * one() / (&wanted + reached);
    }
    Some(BigDecimal::new(result, WORKING_SCALE))
}

fn ln_10() -> Option<&'static BigDecimal> {
    static LN_10: OnceLock<Option<BigDecimal>> = OnceLock::new();
    LN_10
        .get_or_init(|| logarithm(&BigDecimal::from(10)))
        .as_ref()
}

/// The power of a number other than zero; nothing when it is far beyond 10^38.
fn integer_power(base: &BigDecimal, power: i64) -> Option<BigDecimal> {
    let one = BigDecimal::one();
    let base = if power < 0 {
        quotient(&one, base, 2 * MAXIMUM_DIGITS)?
    } else {
        base.clone()
    };
    // Squarings never end for numbers that grow or shrink without limit, so those are decided here.
    let estimate = power.unsigned_abs() as f64 * decimal_exponent(&base);
    if estimate > 40.0 {
        return None;
    }
    if estimate < -45.0 {
        return Some(BigDecimal::new(BigInt::zero(), MAXIMUM_DIGITS));
    }
    let mut result = one;
    let mut square = base;
    let mut rest = power.unsigned_abs();
    while rest > 0 {
        if rest & 1 == 1 {
            result = shortened(result * &square);
        }
        rest >>= 1;
        if rest > 0 {
            square = shortened(&square * &square);
        }
    }
    Some(result)
}

/// The logarithm to base 10 of the magnitude, roughly.
fn decimal_exponent(value: &BigDecimal) -> f64 {
    let (coefficient, scale) = value.as_bigint_and_scale();
    let excess = (decimal_digits(&coefficient) - 18).max(0);
    let leading = coefficient.as_ref() / BigInt::from(10_u8).pow(excess as u32);
    let leading = leading.abs().to_f64().unwrap_or(1.0);
    leading.log10() + (excess - scale) as f64
}

/// Cut to more digits than any decimal has, if it has more.
fn shortened(value: BigDecimal) -> BigDecimal {
    let excess = value.digits() as i64 - 3 * MAXIMUM_DIGITS;
    if excess > 0 {
        let scale = value.fractional_digit_count() - excess;
        return value.with_scale(scale);
    }
    value
}
