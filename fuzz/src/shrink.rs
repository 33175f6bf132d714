//! Makes a script smaller while its last line still differs.

use anyhow::Result;

use crate::comparison::{Comparison, Difference};

/// Drops steps, half of them at once at first, then fewer, as long as the step that differs first
/// still does. Answers with what is left, and nothing when the steps do not differ.
pub(crate) fn shrink(
    comparison: &Comparison,
    mut steps: Vec<String>,
) -> Result<Option<(Vec<String>, Difference)>> {
    let Some(mut difference) = comparison.steps(&steps)? else {
        return Ok(None);
    };
    steps.truncate(difference.step + 1);
    let mut size = steps.len() / 2;
    while size > 0 {
        let mut start = 0;
        let mut has_changed = false;
        while start + 1 < steps.len() {
            let end = (start + size).min(steps.len() - 1);
            let fewer = [&steps[..start], &steps[end..]].concat();
            match comparison.steps(&fewer)? {
                Some(found) if found.step + 1 == fewer.len() => {
                    steps = fewer;
                    difference = found;
                    has_changed = true;
                }
                _ => start = end,
            }
        }
        if !has_changed || size > 1 {
            size /= 2;
        }
    }
    Ok(Some((steps, difference)))
}
