//! Runs seeds under both programs and finds where they differ.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;

use crate::program::{Output, Program};
use crate::{generator, known, script};

/// How long a seed may take; a batch may take as long for each of its seeds.
const SEED_LIMIT: Duration = Duration::from_secs(10);

/// The two sides.
pub(crate) struct Comparison {
    pub(crate) tarantool: Program,
    pub(crate) lycosa: Program,
}

/// The first place where the sides differ.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Which step, from 0.
    pub(crate) step: usize,
    pub(crate) tarantool: String,
    pub(crate) lycosa: String,
}

impl Comparison {
    fn run(&self, script: &str, limit: Duration) -> Result<(Output, Output)> {
        std::thread::scope(|scope| {
            let tarantool = scope.spawn(|| self.tarantool.run(script, limit));
            let lycosa = self.lycosa.run(script, limit);
            let tarantool = tarantool
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((tarantool?, lycosa?))
        })
    }

    /// Where the sides differ over these steps, if they do. Steps that Tarantool does not survive
    /// say nothing.
    pub(crate) fn steps<S: AsRef<str>>(&self, steps: &[S]) -> Result<Option<Difference>> {
        let (tarantool, lycosa) = self.run(&script::single(steps), SEED_LIMIT)?;
        if tarantool.failure.is_some() {
            return Ok(None);
        }
        let difference = first_difference(steps, &tarantool.lines, &lycosa.lines);
        Ok(difference.or_else(|| {
            lycosa.failure.map(|failure| Difference {
                step: lycosa.lines.len(),
                tarantool: String::new(),
                lycosa: failure,
            })
        }))
    }

    /// The seeds, of these, whose scripts differ. One process a side runs them all; seeds that it
    /// did not get to are run one by one.
    pub(crate) fn seeds(&self, seeds: &[u64]) -> Result<Vec<u64>> {
        let scripts: Vec<(u64, Vec<String>)> = seeds
            .iter()
            .map(|&seed| (seed, generator::steps(seed)))
            .collect();
        let limit = SEED_LIMIT * seeds.len() as u32;
        let (tarantool, lycosa) = self.run(&script::batch(&scripts), limit)?;
        let tarantool = by_seed(&tarantool.lines);
        let lycosa = by_seed(&lycosa.lines);
        let mut different = Vec::new();
        for (seed, steps) in &scripts {
            let lines = (tarantool.get(seed), lycosa.get(seed));
            let is_equal = match lines {
                (Some(tarantool), Some(lycosa)) if tarantool.len() == steps.len() => {
                    first_difference(steps, tarantool, lycosa).is_none()
                }
                _ => self.steps(steps)?.is_none(),
            };
            if !is_equal {
                different.push(*seed);
            }
        }
        Ok(different)
    }
}

fn by_seed(lines: &[String]) -> HashMap<u64, &[String]> {
    let starts: Vec<usize> = (0..lines.len())
        .filter(|&line| lines[line].starts_with(script::MARKER))
        .collect();
    let mut seeds = HashMap::new();
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(lines.len());
        if let Ok(seed) = lines[start][script::MARKER.len()..].parse() {
            seeds.insert(seed, &lines[start + 1..end]);
        }
    }
    seeds
}

fn first_difference<S: AsRef<str>>(
    steps: &[S],
    tarantool: &[String],
    lycosa: &[String],
) -> Option<Difference> {
    let line = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
    let step = (0..tarantool.len().max(lycosa.len()))
        .find(|&at| line(tarantool, at) != line(lycosa, at))?;
    let up_to_step = steps.len().min(step + 1);
    let printed = tarantool.len().min(step + 1);
    let actual = line(lycosa, step);
    if known::excuse(&steps[..up_to_step], &tarantool[..printed], &actual).is_some() {
        return None;
    }
    Some(Difference {
        step,
        tarantool: line(tarantool, step),
        lycosa: actual,
    })
}
