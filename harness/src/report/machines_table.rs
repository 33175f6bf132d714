//! The environments side by side: one column for each subject, one row for each thing that results
//! record about machine and build. Rows that differ are marked.

use serde_json::Value;

use super::dataset::{Dataset, Subject};
use super::environment::cache_title;
use super::plain;
use super::table::{Column, Row, Table};
use crate::quantity::{Size, decimal_bytes};

/// What differs between any two measurements and means nothing by itself.
const ALWAYS_DIFFERENT: [&str; 7] = [
    "battery percent",
    "date",
    "file",
    "frequency limit",
    "load average",
    "throttle count",
    "timer",
];

/// What is Lycosa's own and says nothing of another program.
const OF_LYCOSA: [&str; 8] = [
    "binary_arch",
    "build",
    "git_revision",
    "jit",
    "luajit",
    "lycosa_version",
    "profile",
    "rustc",
];

/// What comes first, and is shown even where there is room for little and all agree.
const ESSENTIAL: [&str; 8] = [
    "file",
    "program",
    "host name",
    "cpu",
    "os",
    "binary arch",
    "translator",
    "lycosa version",
];

/// Objects whose fields are clear without the object's name.
const GROUPS: [&str; 3] = ["build", "conditions", "machine"];

/// What stands where a result does not say.
const UNKNOWN: &str = "-";

/// The table.
pub(crate) fn table(dataset: &Dataset) -> Table {
    let mut columns = vec![Column::left("", 0)];
    columns.extend(
        dataset
            .subjects
            .iter()
            .map(|subject| Column::left(subject.label.as_str(), 0)),
    );
    let facts: Vec<Vec<(String, String)>> = dataset
        .subjects
        .iter()
        .map(|subject| facts(dataset, subject))
        .collect();
    let mut titles: Vec<&str> = Vec::new();
    for (title, _) in facts.iter().flatten() {
        if !titles.contains(&title.as_str()) {
            titles.push(title);
        }
    }
    titles.sort_by_key(|title| {
        let place = ESSENTIAL.iter().position(|name| name == title);
        place.unwrap_or(ESSENTIAL.len())
    });
    let rows = titles
        .into_iter()
        .map(|title| {
            let values: Vec<&str> = facts
                .iter()
                .map(|facts| {
                    facts
                        .iter()
                        .find(|(name, _)| name == title)
                        .map_or(UNKNOWN, |(_, value)| value.as_str())
                })
                .collect();
            let mut known = values.iter().filter(|value| **value != UNKNOWN);
            let first = known.next();
            let differs = known.any(|value| Some(value) != first);
            Row {
                is_marked: differs && !ALWAYS_DIFFERENT.iter().any(|name| title.contains(name)),
                cells: std::iter::once(title)
                    .chain(values)
                    .map(str::to_owned)
                    .collect(),
                continues: false,
            }
        })
        .collect();
    Table {
        caption: String::from("Environment"),
        columns,
        rows,
    }
}

/// The table without what is the same in all columns and no essential.
pub(crate) fn differences(dataset: &Dataset) -> Table {
    let mut table = table(dataset);
    table
        .rows
        .retain(|row| row.is_marked || ESSENTIAL.contains(&row.cells[0].as_str()));
    table
}

/// Everything that is known of a subject, titled.
fn facts(dataset: &Dataset, subject: &Subject) -> Vec<(String, String)> {
    let files: Vec<String> = subject
        .sources
        .iter()
        .map(|source| plain(&dataset.sources[*source].path))
        .collect();
    let mut facts = vec![(String::from("file"), files.join(", "))];
    if let Some(program) = &subject.program {
        facts.push((String::from("program"), plain(program)));
    }
    let caches: Vec<String> = subject
        .context
        .machine
        .caches
        .iter()
        .map(cache_title)
        .collect();
    if let Ok(mut context) = serde_json::to_value(&subject.context) {
        if let Some(fields) = context
            .as_object_mut()
            .filter(|_| subject.program.is_some())
        {
            fields.retain(|key, _| !OF_LYCOSA.contains(&key.as_str()));
        }
        flatten("", &context, &mut facts);
    }
    if !caches.is_empty() {
        facts.push((String::from("caches"), caches.join(", ")));
    }
    facts
}

/// Nested objects become titles of several words: `timer.read_ns` is `timer read ns`.
fn flatten(title: &str, value: &Value, facts: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = plain(&key.replace('_', " "));
                let is_clear = title.is_empty() || GROUPS.contains(&title);
                let title = if is_clear {
                    key
                } else {
                    format!("{title} {key}")
                };
                flatten(&title, value, facts);
            }
        }
        Value::Null => {}
        // Those have titles of their own.
        Value::Array(values) if values.iter().all(Value::is_object) => {}
        _ => {
            let name = title.strip_suffix(" bytes").unwrap_or(title);
            facts.push((name.to_owned(), shown(title, value)));
        }
    }
}

fn shown(title: &str, value: &Value) -> String {
    match value {
        Value::Bool(true) => String::from("yes"),
        Value::Bool(false) => String::from("no"),
        Value::Number(number) => match number.as_u64() {
            Some(bytes) if title.starts_with("page size") => Size(bytes).to_string(),
            Some(bytes) if title.ends_with(" bytes") => decimal_bytes(bytes),
            Some(count) => count.to_string(),
            None => number
                .as_f64()
                .map_or_else(|| number.to_string(), |value| format!("{value:.2}")),
        },
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| shown(title, value)).collect();
            values.join(", ")
        }
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing;
    use super::*;

    fn cells<'a>(table: &'a Table, title: &str) -> Option<&'a Row> {
        table.rows.iter().find(|row| row.cells[0] == title)
    }

    #[test]
    fn what_differs_is_marked_and_what_always_does_is_not() {
        let table = table(&testing::two_arms());
        let row = cells(&table, "translator").unwrap();
        assert_eq!(row.cells, ["translator", "native", "rosetta"]);
        assert!(row.is_marked);
        assert!(!cells(&table, "cpu").unwrap().is_marked);
        assert!(!cells(&table, "date").unwrap().is_marked);
    }

    #[test]
    fn another_program_has_nothing_of_the_build_that_started_it() {
        let mut dataset = testing::two_arms();
        dataset.subjects[1].program = Some(String::from("tarantool 2.6.0"));
        let table = table(&dataset);
        assert_eq!(
            cells(&table, "program").unwrap().cells,
            ["program", "-", "tarantool 2.6.0"]
        );
        let rustc = cells(&table, "rustc").unwrap();
        assert_eq!(rustc.cells[2], "-");
        assert!(!rustc.is_marked);
        assert_eq!(cells(&table, "cpu").unwrap().cells[2], "Apple M2");
    }
}
