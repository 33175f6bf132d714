//! What a sweep varies: one axis makes a line of points, two a matrix.

mod findings;
mod parameter;
mod values;

use std::cmp::Ordering;

use lycosa_lua::worker::WorkerOptions;

use crate::range::SIZES_MAX;
use crate::result::Point;

pub(crate) use findings::{Findings, Knee, Measured, best, measured};
pub(crate) use parameter::{Level, Parameter, SEED_MAX};
pub(crate) use values::Values;

/// Most axes of a sweep.
pub(crate) const AXES_MAX: usize = 2;

/// A parameter with the values that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Axis {
    /// What varies.
    pub(crate) parameter: Parameter,
    /// Its values, as the option takes them.
    pub(crate) values: Vec<String>,
}

/// Orders axes: the one with more values runs down the matrix, which is high rather than wide.
/// Three or more are refused.
pub(crate) fn arranged(mut axes: Vec<Axis>) -> Result<Vec<Axis>, String> {
    if axes.len() > AXES_MAX {
        let names: Vec<String> = axes.iter().map(|axis| axis.parameter.name()).collect();
        return Err(format!(
            "{} have several values each; a sweep has {AXES_MAX} axes at most, so give one value \
             to all others",
            names.join(", ")
        ));
    }
    let count: u64 = axes.iter().map(|axis| axis.values.len() as u64).product();
    if count > SIZES_MAX {
        let sides: Vec<String> = axes
            .iter()
            .map(|axis| format!("{} values of {}", axis.values.len(), axis.parameter.name()))
            .collect();
        return Err(format!(
            "{} make {count} points; the most is {SIZES_MAX}",
            sides.join(" by ")
        ));
    }
    axes.sort_by_key(|axis| std::cmp::Reverse(axis.values.len()));
    Ok(axes)
}

/// Every combination of values, the last axis running fastest.
pub(crate) fn points(axes: &[Axis], base: &WorkerOptions) -> Result<Vec<WorkerOptions>, String> {
    let mut points = vec![base.clone()];
    for axis in axes {
        let mut grown = Vec::with_capacity(points.len() * axis.values.len());
        for point in &points {
            for value in &axis.values {
                let mut point = point.clone();
                axis.parameter.apply(&mut point, value)?;
                grown.push(point);
            }
        }
        points = grown;
    }
    Ok(points)
}

/// The axes of what varies in records alone, as everything did before there were others.
pub(crate) fn records() -> Vec<Parameter> {
    vec![Parameter::Records]
}

/// Where a point lies: one level for each axis.
pub(crate) fn place(axes: &[Parameter], point: &Point) -> Vec<Level> {
    axes.iter().map(|axis| axis.level(point)).collect()
}

/// Levels, each once: numbers rise, words stay in the order in which they come.
pub(crate) fn distinct_levels<'a>(all: impl Iterator<Item = &'a Level>) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for level in all {
        if !levels.contains(level) {
            levels.push(level.clone());
        }
    }
    if levels.iter().all(|level| level.number.is_some()) {
        levels.sort_by(|one, other| {
            let numbers = one.number.zip(other.number);
            numbers.map_or(Ordering::Equal, |(one, other)| one.total_cmp(&other))
        });
    }
    levels
}

/// `50 fibers x 100 inserts`, without what is an axis; nothing if both are.
pub(crate) fn concurrency(axes: &[Parameter], point: &Point) -> Option<String> {
    let varies = |parameter: &Parameter| axes.contains(parameter);
    let both = point.concurrency();
    let (fibers, each) = both.split_once(" x ")?;
    match [Parameter::Fibers, Parameter::OpsPerTxn].map(|parameter| varies(&parameter)) {
        [true, true] => None,
        // Of workloads whose operations are transactions, several may be committed together.
        [true, false] if each.contains("transaction") => Some(format!("{each} a commit")),
        [true, false] => Some(format!("{each} a transaction")),
        [false, true] => Some(fibers.to_owned()),
        [false, false] => Some(both),
    }
}

/// Where a point of a sweep lies, in words.
pub(crate) fn measured_text(axes: &[Parameter], point: &Measured) -> String {
    match (axes, &point.place[..]) {
        ([Parameter::Records], [level]) => format!("{} records", level.text),
        (axes, place) => {
            let named = axes.iter().zip(place);
            let named = named.map(|(axis, level)| format!("{} {}", axis.title(), level.text));
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// The same in words: `1M`, or `fibers 50, index tree` where the values do not speak for themselves.
pub(crate) fn place_text(axes: &[Parameter], point: &Point) -> String {
    match axes {
        [Parameter::Records] => Parameter::Records.level(point).text,
        axes => {
            let named = |axis: &Parameter| format!("{} {}", axis.title(), axis.level(point).text);
            axes.iter().map(named).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::testing::options;

    fn axis(parameter: Parameter, values: &[&str]) -> Axis {
        Axis {
            parameter,
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        }
    }

    #[test]
    fn two_axes_make_a_matrix_whose_longer_side_runs_down() {
        let axes = vec![
            axis(Parameter::Index, &["tree", "hash"]),
            axis(Parameter::Fibers, &["10", "20", "50"]),
        ];
        let axes = arranged(axes).unwrap();
        let parameters: Vec<Parameter> = axes.iter().map(|axis| axis.parameter.clone()).collect();
        let points = points(&axes, &options()).unwrap();
        let texts: Vec<String> = points
            .iter()
            .map(|options| place_text(&parameters, &Point::of(options)))
            .collect();
        assert_eq!(texts.len(), 6);
        assert_eq!(texts[0], "fibers 10, index tree");
        assert_eq!(texts[1], "fibers 10, index hash");
        assert_eq!(texts[5], "fibers 50, index hash");
    }

    #[test]
    fn three_axes_and_too_many_points_are_refused() {
        let two = ["1", "2"];
        let axes = [Parameter::Fibers, Parameter::Seed, Parameter::Records];
        let message = arranged(axes.map(|parameter| axis(parameter, &two)).into()).unwrap_err();
        assert!(
            message.starts_with("fibers, seed, records have several"),
            "{message}"
        );
        let many: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let axes = [Parameter::Fibers, Parameter::Seed];
        let message = arranged(axes.map(|parameter| axis(parameter, &many)).into()).unwrap_err();
        assert_eq!(
            message,
            "100 values of fibers by 100 values of seed make 10000 points; the most is 1000"
        );
    }

    #[test]
    fn what_varies_is_not_said_to_be_common() {
        let point = Point::of(&options());
        let said = |axes: &[Parameter]| concurrency(axes, &point);
        assert_eq!(said(&records()).unwrap(), "50 fibers x 100 inserts");
        assert_eq!(said(&[Parameter::OpsPerTxn]).unwrap(), "50 fibers");
        let fibers = said(&[Parameter::Fibers]).unwrap();
        assert_eq!(fibers, "100 inserts a transaction");
        assert_eq!(said(&[Parameter::Fibers, Parameter::OpsPerTxn]), None);
    }

    #[test]
    fn without_an_axis_there_is_the_base_alone() {
        assert_eq!(points(&[], &options()).unwrap(), [options()]);
    }
}
