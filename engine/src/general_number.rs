//! Numbers as C's `%.*g` prints them, for messages, JSON and the text of tuples. Costs two short
//! strings a number.

use std::fmt;

/// A number that displays with at most `precision` significant digits (1 to 17) and no trailing
/// zeros; infinities and NaN are `inf`, `-inf`, `nan` and `-nan`.
#[derive(Debug, Clone, Copy)]
pub struct GeneralNumber {
    /// The number.
    pub value: f64,
    /// Significant digits at most.
    pub precision: usize,
}

impl fmt::Display for GeneralNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value;
        if !value.is_finite() {
            let sign = if value.is_sign_negative() { "-" } else { "" };
            return write!(f, "{sign}{}", if value.is_nan() { "nan" } else { "inf" });
        }
        let precision = self.precision.clamp(1, 17);
        let scientific = format!("{value:.*e}", precision - 1);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if exponent < -4 || exponent >= precision as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            let mantissa = without_trailing_zeros(mantissa);
            write!(f, "{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        } else {
            let fixed = format!("{value:.*}", (precision as i32 - 1 - exponent) as usize);
            f.write_str(without_trailing_zeros(&fixed))
        }
    }
}

fn without_trailing_zeros(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

#[cfg(test)]
mod tests {
    use super::GeneralNumber;

    #[test]
    fn numbers_print_as_c_prints_them() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.33333333333333"),
            (1e100, "1e+100"),
            (1e-7, "1e-07"),
            (0.0001, "0.0001"),
            (123_456_789.123, "123456789.123"),
            (1e14, "1e+14"),
            (99_999_999_999_999.0, "99999999999999"),
            (18_446_744_073_709_551_616.0, "1.844674407371e+19"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, expected) in cases {
            let precision = 14;
            assert_eq!(GeneralNumber { value, precision }.to_string(), expected);
        }
    }
}
