//! Numbers as C's `%.*g` prints them, for JSON and for the text of tuples.

use std::io::Write as _;

/// Appends `value` with at most `precision` significant digits and no trailing zeros; infinities
/// and NaN are `inf`, `-inf`, `nan` and `-nan`.
pub(crate) fn write_general(text: &mut Vec<u8>, value: f64, precision: usize) {
    if !value.is_finite() {
        let name: &[u8] = if value.is_nan() { b"nan" } else { b"inf" };
        if value.is_sign_negative() {
            text.push(b'-');
        }
        text.extend_from_slice(name);
        return;
    }
    let precision = precision.clamp(1, 17);
    let scientific = format!("{value:.*e}", precision - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    // Writing into a vector cannot fail.
    let _ = if exponent < -4 || exponent >= precision as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(
            text,
            "{}e{sign}{:02}",
            without_trailing_zeros(mantissa),
            exponent.unsigned_abs()
        )
    } else {
        let fixed = format!("{value:.*}", (precision as i32 - 1 - exponent) as usize);
        write!(text, "{}", without_trailing_zeros(&fixed))
    };
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
    use super::write_general;

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
            let mut text = Vec::new();
            write_general(&mut text, value, 14);
            assert_eq!(String::from_utf8_lossy(&text), expected);
        }
    }
}
