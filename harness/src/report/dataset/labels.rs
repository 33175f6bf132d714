//! Names of subjects: the arm's, and as much more as tells them apart.

use std::collections::HashSet;
use std::path::Path;

use super::{Source, Subject};
use crate::report::plain;

/// A part of a name.
type Detail = fn(&Subject, &[Source]) -> String;

/// What a name may hold behind the arm's, by rising detail. One is used where it tells two subjects
/// apart that are named alike so far.
const DETAILS: [Detail; 5] = [
    |subject, _| subject.context.git_revision.chars().take(12).collect(),
    |subject, _| format!("{} build", subject.context.profile),
    |subject, sources| {
        let path = Path::new(&sources[subject.sources[0]].path);
        path.file_stem()
            .unwrap_or(path.as_os_str())
            .to_string_lossy()
            .into_owned()
    },
    |subject, sources| sources[subject.sources[0]].path.clone(),
    |subject, _| {
        let first = subject.measured.first();
        let quota = first.map_or(0, |first| first.point.memory_bytes);
        format!("quota {}", crate::quantity::decimal_bytes(quota))
    },
];

/// Gives every subject its label.
pub(super) fn assign(subjects: &mut [Subject], sources: &[Source]) {
    let named = |subject: &Subject| match &subject.options[..] {
        [] => plain(&subject.arm),
        options => plain(&format!("{} ({})", subject.arm, options.join(" "))),
    };
    let mut labels: Vec<String> = subjects.iter().map(named).collect();
    let all = |detail: Detail| -> Vec<String> {
        subjects
            .iter()
            .map(|subject| plain(&detail(subject, sources)))
            .collect()
    };
    // Where there are several machines all are named: `native` of the one and `rosetta` of the
    // other would look like one machine's.
    let hosts = all(|subject, _| subject.host.host_name.clone());
    let chips = all(|subject, _| subject.host.cpu.clone());
    if hosts.iter().any(|host| *host != hosts[0]) {
        extend(&mut labels, &hosts);
    }
    if tells_apart(&hosts, &chips) {
        extend(&mut labels, &chips);
    }
    for detail in DETAILS {
        let values = all(detail);
        if tells_apart(&labels, &values) {
            extend(&mut labels, &values);
        }
    }
    let mut taken = HashSet::new();
    for (subject, label) in subjects.iter_mut().zip(labels) {
        let label = cut(label);
        subject.label.clone_from(&label);
        let mut number = 1;
        while !taken.insert(subject.label.clone()) {
            number += 1;
            subject.label = format!("{label} ({number})");
        }
    }
}

/// Most characters of a name, which has to fit a line.
const CHARACTERS_MAX: usize = 80;

/// The name, or its beginning.
fn cut(label: String) -> String {
    if label.chars().count() <= CHARACTERS_MAX {
        return label;
    }
    let beginning: String = label.chars().take(CHARACTERS_MAX - 1).collect();
    format!("{beginning}\u{2026}")
}

/// Whether two names that are equal have values that are not.
fn tells_apart(names: &[String], values: &[String]) -> bool {
    let pairs: HashSet<(&String, &String)> = names.iter().zip(values).collect();
    let distinct: HashSet<&String> = names.iter().collect();
    pairs.len() > distinct.len()
}

fn extend(labels: &mut [String], values: &[String]) {
    for (label, value) in labels.iter_mut().zip(values) {
        label.push_str(", ");
        label.push_str(value);
    }
}
