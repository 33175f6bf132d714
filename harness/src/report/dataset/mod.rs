//! Result files side by side: which measurements may stand in one chart, and which are one line.
//!
//! A *subject* is an arm on a machine: one line of every chart, one column of the environment. A
//! *section* holds what differs in its axes only, which is the number of records where a file names
//! no other; workloads that differ in anything
//! else stand apart. Nothing is averaged over files: what two files say of the same subject and
//! point makes two subjects, unless it is the same to the last digit.

pub(crate) mod course;
mod labels;
mod subjects;

use anyhow::Context as _;

use crate::axes::{self, Level, Parameter};
use crate::comparison::{Pair, pair};
use crate::cost::Cost;
use crate::environment::Context;
use crate::report::plain;
use crate::result::file::Document;
use crate::result::latency::LatencyError;
use crate::result::summary::{self, Figures};
use crate::result::wall::WallRecord;
use crate::result::{Point, Run};

/// A result file that was read.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Where it is, as the user named it.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) document: Document,
}

/// Everything that a report tells.
#[derive(Debug)]
pub(crate) struct Dataset {
    /// The files.
    pub(crate) sources: Vec<Source>,
    /// What is wrong with those that could not be read.
    pub(crate) unread: Vec<String>,
    /// Arms on machines.
    pub(crate) subjects: Vec<Subject>,
    /// Measurements that may be compared with each other.
    pub(crate) sections: Vec<Section>,
}

/// An arm on a machine.
#[derive(Debug)]
pub(crate) struct Subject {
    /// Name that tells it from all others.
    pub(crate) label: String,
    /// Name of the arm.
    pub(crate) arm: String,
    /// Machine and build of the process that started the workers.
    pub(crate) host: Context,
    /// The same by the account of its workers.
    pub(crate) context: Context,
    /// Name and version, where it is another program.
    pub(crate) program: Option<String>,
    /// The command that the user gave for the arm; none for arms that Lycosa knows by name, whose
    /// binaries may lie anywhere.
    command: Option<Vec<String>>,
    /// Options that the arm does not share with the others of its file, as they are typed.
    pub(crate) options: Vec<String>,
    /// Positions of the files that hold it.
    pub(crate) sources: Vec<usize>,
    /// Its measurements.
    measured: Vec<Measured>,
}

/// The repetitions of one point in one file.
#[derive(Debug, Clone)]
struct Measured {
    source: usize,
    axes: Vec<Parameter>,
    point: Point,
    runs: Vec<Run>,
}

/// Measurements that differ in their axes only.
#[derive(Debug)]
pub(crate) struct Section {
    /// What they have in common; what the axes say, and the quota, are those of the first.
    pub(crate) point: Point,
    /// What they differ in.
    pub(crate) axes: Vec<Parameter>,
    /// One for each subject.
    pub(crate) series: Vec<Series>,
    /// Position of the series that the others are compared with.
    pub(crate) reference: usize,
}

/// What a section holds of a subject.
#[derive(Debug)]
pub(crate) struct Series {
    /// Position of the subject.
    pub(crate) subject: usize,
    /// In the order of the section's places.
    pub(crate) points: Vec<SeriesPoint>,
}

/// The repetitions of a subject at one place.
#[derive(Debug)]
pub(crate) struct SeriesPoint {
    /// Position of the file that holds them.
    pub(crate) source: usize,
    /// What was measured, without what the arm has of its own.
    pub(crate) point: Point,
    /// Where it lies: a level for each axis of the section.
    pub(crate) place: Vec<Level>,
    /// All repetitions, cold and void ones too, in order of time.
    pub(crate) runs: Vec<Run>,
    /// Figures of the counted ones; `None` without any.
    pub(crate) figures: Option<Figures>,
    /// Wall time over that of the reference.
    pub(crate) ratio: Option<Ratio>,
}

/// A comparison with the reference of the section.
#[derive(Debug, Clone)]
pub(crate) struct Ratio {
    /// Wall time over the reference's, as `lycosa compare` gives it.
    pub(crate) pair: Pair,
    /// Whether both were measured in one run of the program, taking turns.
    pub(crate) took_turns: bool,
}

/// Why a report cannot be made as it was asked for.
#[derive(Debug, thiserror::Error)]
#[error("nothing here is named `{name}` to be the reference; there is {known}")]
pub(crate) struct UnknownReference {
    name: String,
    known: String,
}

impl Dataset {
    /// Puts files side by side. Ratios are against `reference` (a label, an arm or a file), else
    /// against the first series of each section.
    pub(crate) fn new(
        sources: Vec<Source>,
        unread: Vec<String>,
        reference: Option<&str>,
    ) -> anyhow::Result<Self> {
        let mut subjects = subjects::of(&sources);
        labels::assign(&mut subjects, &sources);
        let mut sections = sections(&subjects).context("cannot summarize the repetitions")?;
        let mut is_found = reference.is_none();
        for section in &mut sections {
            let named = section.series.iter().position(|series| {
                reference.is_some_and(|name| subjects[series.subject].is_named(name, &sources))
            });
            is_found |= named.is_some();
            section.compare_with(named.unwrap_or(0), &subjects);
        }
        if let Some(name) = reference.filter(|_| !is_found) {
            let known: Vec<&str> = subjects
                .iter()
                .map(|subject| subject.label.as_str())
                .collect();
            return Err(UnknownReference {
                name: name.to_owned(),
                known: known.join(", "),
            }
            .into());
        }
        Ok(Self {
            sources,
            unread,
            subjects,
            sections,
        })
    }

    /// The searches for the memory wall, with the machine and the file of each.
    pub(crate) fn walls(&self) -> impl Iterator<Item = (String, &WallRecord)> {
        self.sources.iter().filter_map(|source| {
            let record = source.document.wall.as_ref()?;
            let context = &source.document.context;
            let label = [
                context.host_name.as_str(),
                &context.cpu,
                &context.os,
                context.translator.title(),
                &source.path,
            ];
            Some((plain(&label.join(", ")), record))
        })
    }

    /// Label of a series.
    pub(crate) fn label(&self, series: &Series) -> &str {
        &self.subjects[series.subject].label
    }
}

impl Subject {
    /// What running it costs, where its file says so. A cost that nothing can have is none.
    pub(crate) fn cost(&self) -> Option<&Cost> {
        let cost = self.host.costs.get(&self.arm);
        cost.filter(|cost| cost.per_hour.is_normal() && cost.per_hour > 0.0)
    }

    fn is_named(&self, name: &str, sources: &[Source]) -> bool {
        self.label == name
            || self.arm == name
            || self
                .sources
                .iter()
                .any(|source| sources[*source].path == name)
    }
}

impl Section {
    /// Levels of an axis of all series, each once, in order.
    pub(crate) fn levels(&self, axis: usize) -> Vec<Level> {
        let points = self.series.iter().flat_map(|series| &series.points);
        axes::distinct_levels(points.filter_map(|point| point.place.get(axis)))
    }

    /// Places of all series, each once, in the order of their levels.
    pub(crate) fn places(&self) -> Vec<Vec<Level>> {
        let mut places: Vec<Vec<Level>> = Vec::new();
        for point in self.series.iter().flat_map(|series| &series.points) {
            if !places.contains(&point.place) {
                places.push(point.place.clone());
            }
        }
        let order = self.order();
        places.sort_by_key(|place| order(place));
        places
    }

    /// Ranks of a place along the axes.
    fn order(&self) -> impl Fn(&[Level]) -> Vec<Option<usize>> + use<> {
        let all: Vec<Vec<Level>> = (0..self.axes.len()).map(|axis| self.levels(axis)).collect();
        move |place| {
            let ranks = place.iter().zip(&all);
            ranks
                .map(|(level, levels)| levels.iter().position(|other| other == level))
                .collect()
        }
    }

    /// A place in words.
    pub(crate) fn place_text(&self, point: &SeriesPoint) -> String {
        plain(&axes::place_text(&self.axes, &point.point))
    }

    fn compare_with(&mut self, reference: usize, subjects: &[Subject]) {
        self.reference = reference;
        let references: Vec<(Vec<Level>, usize, Vec<f64>)> = self.series[reference]
            .points
            .iter()
            .map(|point| (point.place.clone(), point.source, point.counted_wall_s()))
            .collect();
        for (position, series) in self.series.iter_mut().enumerate() {
            if position == reference {
                continue;
            }
            let noise_floor = subjects[series.subject].host.noise_floor.as_ref();
            for point in &mut series.points {
                point.ratio = references
                    .iter()
                    .find(|(place, ..)| *place == point.place)
                    .and_then(|(_, source, wall_s)| {
                        let own = point.counted_wall_s();
                        Some(Ratio {
                            pair: pair(&point.point, &own, wall_s, noise_floor)?,
                            took_turns: *source == point.source,
                        })
                    });
            }
        }
    }
}

impl Section {
    /// All points of all series.
    pub(crate) fn points(&self) -> impl Iterator<Item = &SeriesPoint> {
        self.series.iter().flat_map(|series| &series.points)
    }
}

impl Series {
    /// The repetitions at a place.
    pub(crate) fn at(&self, place: &[Level]) -> Option<&SeriesPoint> {
        self.points.iter().find(|point| point.place == place)
    }

    /// The points as findings see them.
    pub(crate) fn measured(&self) -> Vec<axes::Measured> {
        let points = self.points.iter();
        points
            .filter_map(|point| {
                let figures = point.figures.as_ref()?;
                let place = point.place.clone();
                Some(axes::Measured::new(place, &point.runs, figures))
            })
            .collect()
    }
}

impl SeriesPoint {
    /// Wall times of the counted repetitions, in order of time.
    pub(crate) fn counted_wall_s(&self) -> Vec<f64> {
        self.runs
            .iter()
            .filter(|run| run.is_counted())
            .map(Run::compared_s)
            .collect()
    }
}

/// Whether two points may stand in one chart, which shows how figures follow these axes.
fn is_comparable(axes: &[Parameter], one: &Point, other: &Point) -> bool {
    let neutral = |point: &Point| {
        let mut point = point.clone();
        for axis in axes {
            axis.neutralize(&mut point);
        }
        // A larger quota changes nothing until it is reached, which is an error.
        Parameter::Memory.neutralize(&mut point);
        point
    };
    neutral(one) == neutral(other)
}

fn sections(subjects: &[Subject]) -> Result<Vec<Section>, LatencyError> {
    let mut sections: Vec<Section> = Vec::new();
    for (position, subject) in subjects.iter().enumerate() {
        for measured in &subject.measured {
            let point = SeriesPoint {
                source: measured.source,
                place: axes::place(&measured.axes, &measured.point),
                point: measured.point.clone(),
                figures: summary::figures(&measured.runs)?,
                runs: measured.runs.clone(),
                ratio: None,
            };
            let section = match sections
                .iter_mut()
                .find(|section| section.axes == measured.axes && holds(section, measured))
            {
                Some(section) => section,
                None => sections.push_mut(Section {
                    point: measured.point.clone(),
                    axes: measured.axes.clone(),
                    series: Vec::new(),
                    reference: 0,
                }),
            };
            match section.series.last_mut() {
                Some(series) if series.subject == position => series.points.push(point),
                _ => section.series.push(Series {
                    subject: position,
                    points: vec![point],
                }),
            }
        }
    }
    for section in &mut sections {
        let order = section.order();
        for series in &mut section.series {
            series.points.sort_by_key(|point| order(&point.place));
        }
    }
    Ok(sections)
}

fn holds(section: &Section, measured: &Measured) -> bool {
    is_comparable(&section.axes, &section.point, &measured.point)
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
