//! Exact arithmetic on decimals: products, quotients, remainders, and changes of the scale.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::Zero;
use bigdecimal::{BigDecimal, RoundingMode};

use super::{Decimal, MAXIMUM_DIGITS, bounded};

impl Decimal {
    /// The product, rounded half up to 38 digits; nothing when its magnitude reaches 10^38.
    pub fn checked_mul(&self, other: &Self) -> Option<Self> {
        let (left, left_scale) = self.0.as_bigint_and_scale();
        let (right, right_scale) = other.0.as_bigint_and_scale();
        // The crate's own product of one and a number loses the scale of the one.
        bounded(BigDecimal::new(
            left.as_ref() * right.as_ref(),
            left_scale + right_scale,
        ))
    }

    /// The quotient, rounded half up to 38 digits, with no more trailing zeros than the difference of
    /// the scales asks for; nothing when the divisor is zero or the magnitude reaches 10^38.
    pub fn checked_div(&self, other: &Self) -> Option<Self> {
        quotient(&self.0, &other.0, MAXIMUM_DIGITS).and_then(bounded)
    }

    /// The remainder, which has the sign of the dividend; nothing when the divisor is zero or the
    /// quotient has more than 38 digits.
    pub fn checked_rem(&self, other: &Self) -> Option<Self> {
        if other.0.is_zero() {
            return None;
        }
        let scale = self.0.fractional_digit_count();
        let scale = scale.max(other.0.fractional_digit_count());
        let left = self.0.with_scale(scale).into_bigint_and_scale().0;
        let right = other.0.with_scale(scale).into_bigint_and_scale().0;
        let whole = &left / &right;
        if decimal_digits(&whole) > MAXIMUM_DIGITS {
            return None;
        }
        bounded(BigDecimal::new(left % right, scale))
    }

    /// The number with the other sign.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self(-&self.0)
    }

    /// The number without its sign.
    #[must_use]
    pub fn absolute(&self) -> Self {
        Self(self.0.abs())
    }

    /// The count of digits behind the point.
    pub fn scale(&self) -> i64 {
        self.0.fractional_digit_count().max(0)
    }

    /// The count of digits that it takes to write the number, those behind the point included.
    pub fn precision(&self) -> i64 {
        let scale = self.0.fractional_digit_count();
        let digits = self.0.digits() as i64;
        if scale >= 0 {
            digits.max(scale)
        } else {
            digits - scale
        }
    }

    /// The number rounded half up to `scale` digits behind the point, if it has more, in the count of
    /// digits that it has up to there; nothing when
    /// `scale` is not between 0 and 38.
    pub fn rounded(&self, scale: i64) -> Option<Self> {
        if !(0..=MAXIMUM_DIGITS).contains(&scale) {
            return None;
        }
        if scale >= self.scale() {
            return Some(self.clone());
        }
        let digits = (self.precision() - self.scale() + scale).max(1);
        let rounded = self.0.with_scale_round(scale, RoundingMode::HalfUp);
        // 99.99 to one digit becomes 100: a carry takes the place of a digit of the fraction.
        let carried = rounded.digits() as i64 > digits;
        bounded(rounded.with_scale(scale - i64::from(carried)))
    }

    /// The number with exactly `scale` digits behind the point, rounded half up; nothing when it would
    /// take more than 38 digits.
    pub fn rescaled(&self, scale: i64) -> Option<Self> {
        if scale <= self.scale() {
            return self.rounded(scale);
        }
        let added = scale - self.0.fractional_digit_count();
        let fits = scale <= MAXIMUM_DIGITS && self.0.digits() as i64 + added <= MAXIMUM_DIGITS;
        fits.then(|| Self(self.0.with_scale(scale)))
    }

    /// The number without the zeros at the end of its fraction.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        Self(without_zeros(self.0.clone(), 0))
    }
}

/// The sum, or with `sign` -1 the difference, at the greater of the two scales.
pub(super) fn sum(left: &BigDecimal, right: &BigDecimal, sign: i8) -> Option<Decimal> {
    let scale = left
        .fractional_digit_count()
        .max(right.fractional_digit_count());
    let left = left.with_scale(scale).into_bigint_and_scale().0;
    let right = right.with_scale(scale).into_bigint_and_scale().0;
    bounded(BigDecimal::new(left + right * sign, scale))
}

/// The count of decimal digits of an integer; zero has one.
pub(super) fn decimal_digits(integer: &BigInt) -> i64 {
    BigDecimal::new(integer.clone(), 0).digits() as i64
}

/// Takes zeros off the end of the fraction until `scale` digits of it are left, or no zero is.
fn without_zeros(value: BigDecimal, scale: i64) -> BigDecimal {
    let (mut coefficient, mut current) = value.into_bigint_and_scale();
    if coefficient.is_zero() {
        return BigDecimal::new(coefficient, current.min(scale));
    }
    while current > scale && (&coefficient % 10_u8).is_zero() {
        coefficient /= 10_u8;
        current -= 1;
    }
    BigDecimal::new(coefficient, current)
}

/// The quotient to at least `digits` significant digits, one more than that being cut off so that
/// rounding half up is right; nothing when the divisor is zero.
pub(super) fn quotient(left: &BigDecimal, right: &BigDecimal, digits: i64) -> Option<BigDecimal> {
    if right.is_zero() {
        return None;
    }
    let (dividend, dividend_scale) = left.as_bigint_and_scale();
    let (divisor, divisor_scale) = right.as_bigint_and_scale();
    let ideal_scale = dividend_scale - divisor_scale;
    let longer = left.digits() as i64 - right.digits() as i64;
    let shift = (digits + 2 - longer).max(0);
    let shifted = dividend.as_ref() * BigInt::from(10_u8).pow(shift as u32);
    let whole = &shifted / divisor.as_ref();
    let is_exact = (&shifted % divisor.as_ref()).is_zero();
    let result = BigDecimal::new(whole, ideal_scale + shift);
    Some(if is_exact {
        without_zeros(result, ideal_scale)
    } else {
        result
    })
}
