//! A self-test on the terminal: two sides that are one program, and what follows for others.

use std::io;
use std::path::Path;

use super::comparison::{p_value, ratio};
use super::findings::NOISY;
use super::page::{DIM, PLAIN, Page, Seconds, YELLOW};
use crate::quantity::percent;
use crate::state::selftest::DAYS_MAX;
use crate::statistics::{self, Comparison, Verdict};

/// Noise floor up to which a machine is a good place to measure on.
const QUIET: f64 = 0.01;

/// Both sides and their ratio.
pub(crate) fn sides(
    page: &mut Page<'_>,
    names: [&str; 2],
    times: &[Vec<f64>; 2],
    comparison: &Comparison,
) -> io::Result<()> {
    for (name, times) in names.iter().zip(times) {
        let Some(summary) = statistics::summarize(times) else {
            continue;
        };
        let scale = Seconds::like(summary.median);
        let mut items = vec![scale.with_unit(summary.median)];
        if let Some((low, high)) = summary.interval {
            items.push(format!("95 % [{}, {}]", scale.bare(low), scale.bare(high)));
        }
        items.push(format!("{} repetitions", times.len()));
        page.labelled(PLAIN, name, &items)?;
    }
    let estimate = comparison.estimate;
    let p = p_value(comparison.p);
    let p = p
        .strip_prefix('<')
        .map_or(format!("p {p}"), |bound| format!("p < {bound}"));
    // Even a ratio that shows nothing is what is asked here.
    let text = ratio(estimate.ratio, estimate.interval, Verdict::Difference);
    page.labelled(PLAIN, "ratio", &[text, p])?;
    if comparison.verdict == Verdict::Difference {
        let text = "A and B are one program and differ all the same: something else changed while \
                    they ran";
        page.sentence(YELLOW, "unsteady", text)?;
    }
    Ok(())
}

/// The floor, what it means, and how good it is.
pub(crate) fn floor(page: &mut Page<'_>, floor: f64) -> io::Result<()> {
    let (style, judgement) = match floor {
        ..=QUIET => (PLAIN, "this machine is quiet"),
        ..=NOISY => (
            PLAIN,
            "usual; below 1 % a machine is quiet, above 5 % noisy",
        ),
        _ => (
            YELLOW,
            "this machine is noisy: end other programs, plug it in, turn low-power mode off, and \
             try again",
        ),
    };
    let shown = percent(floor);
    let text = format!(
        "{shown}: equal programs differ by less than that 95 times in 100 here, so that a smaller \
         difference shows nothing. {}{}",
        judgement[..1].to_uppercase(),
        &judgement[1..]
    );
    page.sentence(style, "noise floor", &text)
}

/// Where it is kept, and for how long.
pub(crate) fn kept(page: &mut Page<'_>, path: &Path) -> io::Result<()> {
    let text = format!(
        "for `lycosa compare`, {DAYS_MAX} days long, in {}",
        path.display()
    );
    page.sentence(DIM, "kept", &text)
}
