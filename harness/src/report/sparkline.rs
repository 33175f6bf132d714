//! A row of block characters, one for each value, as high as the value is beside the largest.

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The last `columns` values, from 0 at the bottom to the largest of them at the top, so that half
/// as much is half as high. What is no number is a blank.
pub(crate) fn sparkline(values: &[f64], columns: usize) -> String {
    let shown = &values[values.len().saturating_sub(columns)..];
    let largest = shown.iter().copied().filter(|value| value.is_finite());
    let largest = largest.fold(0.0, f64::max);
    let block = |value: &f64| {
        if !value.is_finite() {
            return ' ';
        }
        if largest <= 0.0 {
            return BLOCKS[0];
        }
        let eighths = (value.max(0.0) / largest * 8.0).ceil();
        BLOCKS[(eighths as usize).clamp(1, 8) - 1]
    };
    shown.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_shares_of_the_largest() {
        assert_eq!(sparkline(&[0.0, 1.0, 2.0, 4.0, 8.0], 10), "▁▁▂▄█");
        assert_eq!(sparkline(&[5.0, 5.0], 10), "██");
        assert_eq!(sparkline(&[1e-300, 2e-300], 10), "▄█");
    }

    #[test]
    fn only_the_last_values_are_shown_and_they_alone_set_the_scale() {
        assert_eq!(sparkline(&[100.0, 1.0, 2.0], 2), "▄█");
        assert_eq!(sparkline(&[1.0, 2.0], 0), "");
        assert_eq!(sparkline(&[], 5), "");
    }

    #[test]
    fn what_is_no_number_breaks_nothing() {
        assert_eq!(sparkline(&[f64::NAN, 1.0, f64::INFINITY, -1.0], 9), " █ ▁");
        assert_eq!(sparkline(&[0.0, 0.0], 9), "▁▁");
        assert_eq!(sparkline(&[f64::NAN], 9), " ");
    }
}
