//! Which repetitions, out of several files, are one subject's.

use super::{Measured, Source, Subject, is_comparable};
use crate::arms::ArmSpec;
use crate::axes::{self, AXES_MAX, Parameter};
use crate::environment::Context;
use crate::result::file::Document;
use crate::result::{ArmRecord, Run, summary};

/// The subjects of all files, in order of their first repetition.
pub(super) fn of(sources: &[Source]) -> Vec<Subject> {
    let mut subjects: Vec<Subject> = Vec::new();
    for (position, source) in sources.iter().enumerate() {
        for (arm, layer) in layers(position, &source.document) {
            let subject = subject(position, source, arm, layer);
            match subjects
                .iter_mut()
                .find(|other| other.is_one_with(&subject))
            {
                Some(other) => other.take(subject),
                None => subjects.push(subject),
            }
        }
    }
    subjects
}

/// Repetitions of each arm of a file, by point. A point that differs from an earlier one in its
/// quota alone would be another value at the same place of the chart; it goes to a further layer.
fn layers(source: usize, document: &Document) -> Vec<(&str, Vec<Measured>)> {
    let runs: &[Run] = &document.runs;
    let mut layers: Vec<(&str, Vec<Measured>)> = Vec::new();
    let axes = axes_of(document);
    for (arm, point) in summary::groups(runs) {
        let own = runs
            .iter()
            .filter(|run| run.arm == arm && run.point == *point);
        let own: Vec<Run> = own.cloned().collect();
        let measured = Measured {
            source,
            axes: axes.clone(),
            point: own
                .first()
                .map_or_else(|| point.clone(), |run| run.shared_point().clone()),
            runs: own,
        };
        let free = layers.iter_mut().find(|(name, layer)| {
            *name == arm
                && !layer
                    .iter()
                    .any(|other| other.is_at_the_place_of(&measured))
        });
        match free {
            Some((_, layer)) => layer.push(measured),
            None => layers.push((arm, vec![measured])),
        }
    }
    layers
}

/// What the points of a file differ in. Of a file that was not written by Lycosa, no more than it
/// takes to draw a matrix.
fn axes_of(document: &Document) -> Vec<Parameter> {
    let named = document.plan.iter().flat_map(|plan| &plan.axes);
    let axes: Vec<Parameter> = named.take(AXES_MAX).cloned().collect();
    if axes.is_empty() {
        return axes::records();
    }
    axes
}

fn subject(position: usize, source: &Source, arm: &str, measured: Vec<Measured>) -> Subject {
    let document = &source.document;
    let record: Option<&ArmRecord> = document.arms.iter().find(|record| record.name == arm);
    Subject {
        label: String::new(),
        arm: arm.to_owned(),
        host: document.context.clone(),
        context: record
            .and_then(|record| record.context.clone())
            .unwrap_or_else(|| document.context.clone()),
        program: record.and_then(|record| record.program.clone()),
        command: record
            .filter(|_| !ArmSpec::is_built_in(arm))
            .map(|record| record.command.clone()),
        options: document
            .plan
            .as_ref()
            .and_then(|plan| plan.arm_options.get(arm).cloned())
            .unwrap_or_default(),
        sources: vec![position],
        measured,
    }
}

impl Measured {
    fn is_at_the_place_of(&self, other: &Self) -> bool {
        self.axes == other.axes
            && is_comparable(&self.axes, &self.point, &other.point)
            && axes::place(&self.axes, &self.point) == axes::place(&self.axes, &other.point)
    }
}

impl Subject {
    /// Whether both are the same arm, machine and build, and nothing that one says of a point
    /// differs from what the other says of it.
    fn is_one_with(&self, other: &Self) -> bool {
        self.arm == other.arm
            && self.program == other.program
            && self.command == other.command
            && self.options == other.options
            && is_same_build(&self.host, &other.host)
            && is_same_build(&self.context, &other.context)
            && other.measured.iter().all(|measured| {
                self.measured.iter().all(|own| {
                    !own.is_at_the_place_of(measured)
                        || (own.point == measured.point && own.runs == measured.runs)
                })
            })
    }

    fn take(&mut self, other: Self) {
        self.sources.extend(other.sources);
        for measured in other.measured {
            if !self
                .measured
                .iter()
                .any(|own| own.is_at_the_place_of(&measured))
            {
                self.measured.push(measured);
            }
        }
    }
}

/// Whether two contexts are of one machine and one build, whatever the time.
fn is_same_build(one: &Context, other: &Context) -> bool {
    let identity = |context: &Context| {
        [
            &context.host_name,
            &context.cpu,
            &context.os,
            &context.binary_arch,
            &context.host_arch,
            &context.lycosa_version,
            &context.git_revision,
            &context.rustc,
            &context.profile,
        ]
        .map(Clone::clone)
    };
    one.translator == other.translator && identity(one) == identity(other)
}
