//! What a sweep shows: its best point, the points that are not told apart from it, and the knee.
//!
//! The knee is the last point before latency doubles while throughput no longer rises. From the first
//! point whose throughput no later one exceeds by more than [`RISE`], the 95th percentile of
//! transactions is followed: the knee is the last point before it has doubled. Where throughput goes on
//! rising, or latency never doubles, there is none. It is the 95th percentile because those who watch a
//! server watch that, and because the median of a queue that has just begun hides it.
//!
//! Pure functions; a comparison with the best costs a few milliseconds a point.

use std::cmp::Ordering;

use super::{Level, Parameter};
use crate::comparison;
use crate::result::Run;
use crate::result::latency::LatencyError;
use crate::result::summary::{self, Figures};
use crate::statistics::{self, Verdict};

/// Throughput that a later point must have more of, as a part, to be said to rise.
const RISE: f64 = 0.05;

/// Latency that is said to have doubled.
const DOUBLED: f64 = 2.0;

/// A point of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    /// One level for each axis.
    pub(crate) place: Vec<Level>,
    /// Operations a second at the median time.
    pub(crate) ops_per_s: f64,
    /// Its 95 % interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// Seconds an operation of each counted repetition, in order of time.
    pub(crate) each_s: Vec<f64>,
    /// 95th percentile of the transactions, from when they were due if there is a rate; none where
    /// the arm gives no latencies.
    pub(crate) p95_ns: Option<u64>,
}

/// What a sweep shows. Points are told by their positions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Findings {
    /// The point of the highest throughput.
    pub(crate) best: usize,
    /// The points whose throughput is not told apart from the best's; none are known to be if there
    /// are too few repetitions.
    pub(crate) alike: Vec<usize>,
    /// Whether there are enough repetitions to tell points apart.
    pub(crate) tells_apart: bool,
    /// Along the first axis, one for each value of the others that has one.
    pub(crate) knees: Vec<Knee>,
}

/// Where more load brings latency in place of throughput.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Knee {
    /// The last point before latency doubles.
    pub(crate) at: usize,
    /// The first at which it has.
    pub(crate) doubled_at: usize,
}

impl Measured {
    /// A point by its repetitions and what they come to.
    pub(crate) fn new(place: Vec<Level>, runs: &[Run], figures: &Figures) -> Self {
        let counted = runs.iter().filter(|run| run.is_counted() && run.ops > 0);
        Self {
            place,
            ops_per_s: figures.ops_per_s,
            interval: figures.ops_per_s_interval(),
            each_s: counted.map(|run| run.wall_s / run.ops as f64).collect(),
            p95_ns: figures
                .txn_latency_corrected_ns
                .or(Some(figures.txn_latency_ns))
                .filter(|latency| latency.count > 0)
                .map(|latency| latency.p95),
        }
    }
}

/// The points of an arm's runs, in order of their first run.
pub(crate) fn measured(axes: &[Parameter], runs: &[Run]) -> Result<Vec<Measured>, LatencyError> {
    let mut points = Vec::new();
    for point in comparison::points(runs) {
        let own = runs.iter().filter(|run| run.shared_point() == point);
        let own: Vec<Run> = own.cloned().collect();
        if let Some(figures) = summary::figures(&own)? {
            points.push(Measured::new(super::place(axes, point), &own, &figures));
        }
    }
    Ok(points)
}

impl Findings {
    /// What these points show; nothing of fewer than two. Differences up to the noise floor tell no
    /// points apart.
    pub(crate) fn of(points: &[Measured], noise_floor: Option<f64>) -> Option<Self> {
        if points.len() < 2 {
            return None;
        }
        let best = best(points)?;
        let verdict = |position: usize| {
            let own = &points[position].each_s;
            let compared = statistics::compare(own, &points[best].each_s, noise_floor);
            compared.map_or(Verdict::TooFewSamples, |compared| compared.verdict)
        };
        let others: Vec<(usize, Verdict)> = (0..points.len())
            .filter(|position| *position != best)
            .map(|position| (position, verdict(position)))
            .collect();
        let is_alike = |verdict: &Verdict| *verdict == Verdict::NoDifference;
        Some(Self {
            best,
            tells_apart: others
                .iter()
                .all(|(_, verdict)| *verdict != Verdict::TooFewSamples),
            alike: others
                .iter()
                .filter(|(_, verdict)| is_alike(verdict))
                .map(|(position, _)| *position)
                .collect(),
            knees: knees(points),
        })
    }
}

/// The point of the highest throughput; of equal ones the first.
pub(crate) fn best(points: &[Measured]) -> Option<usize> {
    (0..points.len())
        .rev()
        .max_by(|one, other| points[*one].ops_per_s.total_cmp(&points[*other].ops_per_s))
}

/// The knee of each line of points that differ in their first level alone.
fn knees(points: &[Measured]) -> Vec<Knee> {
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for (position, point) in points.iter().enumerate() {
        let rest = |position: usize| points[position].place.get(1..);
        match lines
            .iter_mut()
            .find(|line| rest(line[0]) == point.place.get(1..))
        {
            Some(line) => line.push(position),
            None => lines.push(vec![position]),
        }
    }
    lines
        .into_iter()
        .filter_map(|line| knee(points, line))
        .collect()
}

fn knee(points: &[Measured], mut line: Vec<usize>) -> Option<Knee> {
    let number = |position: &usize| points[*position].place.first()?.number;
    if line.iter().any(|position| number(position).is_none()) {
        return None;
    }
    line.sort_by(|one, other| {
        number(one)
            .partial_cmp(&number(other))
            .unwrap_or(Ordering::Equal)
    });
    let throughput = |position: usize| points[position].ops_per_s;
    let is_flat_from = |start: &usize| {
        let most = throughput(line[*start]) * (1.0 + RISE);
        line[*start..]
            .iter()
            .all(|later| throughput(*later) <= most)
    };
    let start = (0..line.len()).find(is_flat_from)?;
    let limit = points[line[start]].p95_ns? as f64 * DOUBLED;
    let has_doubled = |position: &usize| {
        let p95_ns = points[line[*position]].p95_ns;
        p95_ns.is_some_and(|p95_ns| p95_ns > 0 && p95_ns as f64 >= limit)
    };
    let doubled = (start + 1..line.len()).find(has_doubled)?;
    Some(Knee {
        at: line[doubled - 1],
        doubled_at: line[doubled],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(number: f64) -> Level {
        Level {
            text: number.to_string(),
            number: Some(number),
        }
    }

    fn word(text: &str) -> Level {
        Level {
            text: text.to_owned(),
            number: None,
        }
    }

    /// A point with 12 repetitions around its throughput, which spread over `noise` as a part.
    fn point(place: Vec<Level>, ops_per_s: f64, p95_ns: u64, noise: f64) -> Measured {
        let each_s =
            (0..12).map(|i| (1.0 + noise * (f64::from(i * 5 % 12) / 11.0 - 0.5)) / ops_per_s);
        Measured {
            place,
            ops_per_s,
            interval: None,
            each_s: each_s.collect(),
            p95_ns: Some(p95_ns),
        }
    }

    fn line(points: &[(f64, f64, u64)]) -> Vec<Measured> {
        points
            .iter()
            .map(|(x, ops_per_s, p95_ns)| point(vec![level(*x)], *ops_per_s, *p95_ns, 0.01))
            .collect()
    }

    fn knee_of(points: &[(f64, f64, u64)]) -> Option<(usize, usize)> {
        let knees = Findings::of(&line(points), None).unwrap().knees;
        knees.first().map(|knee| (knee.at, knee.doubled_at))
    }

    #[test]
    fn the_knee_is_the_last_point_before_latency_doubles_at_full_throughput() {
        let clients = [
            (10.0, 5_000.0, 2_000),
            (20.0, 9_000.0, 2_200),
            (50.0, 10_000.0, 5_000),
            (100.0, 10_000.0, 9_900),
            (200.0, 9_800.0, 20_000),
        ];
        assert_eq!(knee_of(&clients), Some((3, 4)));
        let mut shuffled = clients;
        shuffled.swap(0, 4);
        assert_eq!(knee_of(&shuffled), Some((3, 0)));
    }

    #[test]
    fn latency_that_doubles_while_throughput_rises_is_no_knee() {
        let rising = [(1.0, 1e3, 100), (2.0, 2e3, 300), (4.0, 3e3, 900)];
        assert_eq!(knee_of(&rising), None);
    }

    #[test]
    fn a_flat_line_has_no_knee_and_a_best_that_is_told_from_nothing() {
        let flat = [(1.0, 1e3, 100), (2.0, 1.001e3, 101), (4.0, 1e3, 100)];
        assert_eq!(knee_of(&flat), None);
        let findings = Findings::of(&line(&flat), None).unwrap();
        assert_eq!((findings.best, findings.alike), (1, vec![0, 2]));
        assert!(findings.tells_apart);
    }

    #[test]
    fn noise_within_the_rise_does_not_move_the_knee() {
        let noisy = [(1.0, 1e3, 100), (2.0, 1.04e3, 150), (4.0, 0.97e3, 210)];
        assert_eq!(knee_of(&noisy), Some((1, 2)));
    }

    #[test]
    fn points_that_are_slower_than_the_best_are_told_apart_from_it() {
        let points = line(&[
            (1.0, 1e3, 1),
            (2.0, 3e3, 1),
            (4.0, 2.99e3, 1),
            (8.0, 2e3, 1),
        ]);
        let findings = Findings::of(&points, None).unwrap();
        assert_eq!((findings.best, findings.alike), (1, vec![2]));
        let findings = Findings::of(&points, Some(0.6)).unwrap();
        assert_eq!(findings.alike, [2, 3]);
    }

    #[test]
    fn of_equal_points_the_first_is_the_best() {
        let points = line(&[(1.0, 1e3, 1), (2.0, 1e3, 1)]);
        let findings = Findings::of(&points, None).unwrap();
        assert_eq!((findings.best, findings.alike), (0, vec![1]));
    }

    #[test]
    fn too_few_repetitions_tell_nothing_apart() {
        let mut points = line(&[(1.0, 1e3, 1), (2.0, 3e3, 1)]);
        for point in &mut points {
            point.each_s.truncate(2);
        }
        let findings = Findings::of(&points, None).unwrap();
        assert!(!findings.tells_apart && findings.alike.is_empty());
        assert_eq!(Findings::of(&points[..1], None), None);
        assert_eq!(Findings::of(&[], None), None);
    }

    #[test]
    fn a_matrix_has_a_knee_for_each_line_along_its_first_axis() {
        let saturating = [(1.0, 1e3, 100), (2.0, 1e3, 200), (4.0, 1e3, 400)];
        let rising = [(1.0, 1e3, 100), (2.0, 2e3, 200), (4.0, 4e3, 400)];
        let mut points = Vec::new();
        for (one, other) in saturating.iter().zip(&rising) {
            points.push(point(vec![level(one.0), word("tree")], one.1, one.2, 0.0));
            points.push(point(
                vec![level(other.0), word("hash")],
                other.1,
                other.2,
                0.0,
            ));
        }
        let findings = Findings::of(&points, None).unwrap();
        assert_eq!(
            findings.knees,
            [Knee {
                at: 0,
                doubled_at: 2
            }]
        );
        assert_eq!(findings.best, 5);
    }

    #[test]
    fn an_axis_of_words_and_points_without_latencies_have_no_knee() {
        let words = ["tree", "hash"].map(|text| point(vec![word(text)], 1e3, 100, 0.0));
        assert!(Findings::of(&words, None).unwrap().knees.is_empty());
        let mut points = line(&[(1.0, 1e3, 100), (2.0, 1e3, 200)]);
        points[0].p95_ns = None;
        assert!(Findings::of(&points, None).unwrap().knees.is_empty());
    }
}
