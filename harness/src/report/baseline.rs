//! A measurement beside its baseline on the terminal.

use std::io;

use super::comparison::{Heads, pair_line};
use super::findings::place;
use super::page::{DIM, PLAIN, Page, RED, YELLOW};
use crate::comparison::baseline::{Mismatch, NowAndThen};
use crate::environment::arch_title;
use crate::quantity::{Percentage, percent};
use crate::result::file::Document;
use crate::state::baselines::Saved;
use crate::statistics::Regression;
use lycosa_lua::worker::Driver;

/// Every arm and point, then and now.
pub(crate) fn table(
    page: &mut Page<'_>,
    name: &str,
    then: &Document,
    rows: &[NowAndThen],
) -> io::Result<()> {
    page.gap()?;
    let context = &then.context;
    let items = [
        name.to_owned(),
        context.date.get(..10).unwrap_or(&context.date).to_owned(),
        format!(
            "lycosa {} ({})",
            context.lycosa_version,
            context
                .git_revision
                .get(..7)
                .unwrap_or(&context.git_revision)
        ),
        arch_title(&context.binary_arch).to_owned(),
    ];
    page.labelled(DIM, "baseline", &items)?;
    let heads = Heads {
        reference: String::from("then"),
        judged: String::from("now"),
    };
    let is_split = rows.iter().any(|row| group(row) != group(&rows[0]));
    let mut last = None;
    for row in rows {
        if last != Some(group(row)) {
            if is_split {
                page.line(PLAIN, &[title(row)])?;
            }
            page.line(PLAIN, &[heads.line()])?;
        }
        last = Some(group(row));
        page.line(PLAIN, &[pair_line(&row.pair)])?;
    }
    Ok(())
}

fn group(row: &NowAndThen) -> (&str, Driver) {
    (&row.arm, row.pair.point.driver)
}

fn title(row: &NowAndThen) -> String {
    match row.pair.point.driver {
        Driver::Lua => row.arm.clone(),
        Driver::Rust => format!("{}, engine only", row.arm),
    }
}

/// What else differs and may be the reason.
pub(crate) fn other_machine(page: &mut Page<'_>, differences: &[Mismatch]) -> io::Result<()> {
    for difference in differences {
        let text = format!(
            "{}: {} now, {} in the baseline",
            difference.key, difference.now, difference.then
        );
        page.sentence(YELLOW, "machine", &text)?;
    }
    Ok(())
}

/// What is slower, what cannot be told, or that all is well.
pub(crate) fn judgements(
    page: &mut Page<'_>,
    rows: &[NowAndThen],
    judgements: &[Regression],
    limit: Percentage,
    reference: &str,
) -> io::Result<()> {
    for (row, judgement) in rows.iter().zip(judgements) {
        let place = place(&row.arm, &crate::axes::records(), &row.pair.point);
        match judgement {
            Regression::No => {}
            Regression::Yes => {
                let ratio = row.pair.ratio;
                let slower = if ratio < 2.0 {
                    format!("is {} slower than", percent(ratio - 1.0))
                } else {
                    format!("takes {ratio:.1} times as long as")
                };
                let text = format!("{place} {slower} {reference}; {limit} are let pass");
                page.sentence(RED, "regression", &text)?;
            }
            Regression::Inconclusive => {
                let text = match row.pair.ci_low.zip(row.pair.ci_high) {
                    Some((low, high)) => format!(
                        "{place} takes {low:.3} to {high:.3} times as long as {reference}, which \
                         decides nothing about {limit}; raise --repeat"
                    ),
                    None => format!("{place}: too few repetitions; raise --repeat"),
                };
                page.sentence(YELLOW, "inconclusive", &text)?;
            }
        }
    }
    if judgements.is_empty() {
        let text = "nothing was measured that could be compared";
        page.sentence(YELLOW, "inconclusive", text)?;
    } else if judgements
        .iter()
        .all(|judgement| *judgement == Regression::No)
    {
        let text = format!("nothing is more than {limit} slower than {reference}");
        page.sentence(PLAIN, "passed", &text)?;
    }
    Ok(())
}

/// Where the measurement was kept.
pub(crate) fn saved(page: &mut Page<'_>, name: &str, saved: &Saved) -> io::Result<()> {
    let what = if saved.is_replaced {
        format!("{name} was replaced")
    } else {
        name.to_owned()
    };
    page.labelled(PLAIN, "baseline", &[what, saved.path.display().to_string()])
}

/// That a baseline is not made worse by what failed against it.
pub(crate) fn not_replaced(page: &mut Page<'_>, name: &str) -> io::Result<()> {
    let text = format!("{name} stays what it was, since this did not pass");
    page.sentence(YELLOW, "baseline", &text)
}
