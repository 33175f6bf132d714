//! The report as Markdown: for issues, chats and notebooks.

use std::fmt::{self, Write};

use super::dataset::Dataset;
use super::matrix::matrices;
use super::table::{Align, Table};
use super::{course_table, figures_table, machines_table, method, wall, warnings};

/// Writes everything.
pub(crate) fn write(out: &mut String, dataset: &Dataset) -> fmt::Result {
    writeln!(out, "# Lycosa report")?;
    for section in &dataset.sections {
        writeln!(out, "\n## {}\n", escaped(&method::workload(section)))?;
        writeln!(
            out,
            "{}\n",
            escaped(&method::conditions(section).join(", "))
        )?;
        for sentence in method::findings(dataset, section) {
            writeln!(out, "{}\n", escaped(&sentence))?;
        }
        for matrix in matrices(dataset, section) {
            writeln!(out, "{}\n", escaped(&matrix.caption))?;
            table(out, &matrix)?;
        }
        table(out, &figures_table::times(dataset, section))?;
        table(out, &figures_table::latencies(dataset, section))?;
        if let Some(courses) = course_table::table(dataset, section) {
            table(out, &courses)?;
        }
    }
    for (label, record) in dataset.walls() {
        writeln!(out, "\n## Memory wall: {}\n", escaped(&label))?;
        writeln!(out, "{}\n", escaped(&wall::conditions(record).join(", ")))?;
        writeln!(out, "Wall: {}\n", escaped(&wall::conclusion(record)))?;
        table(out, &wall::table(record))?;
    }
    writeln!(out, "## Environment\n")?;
    table(out, &machines_table::table(dataset))?;
    let warnings = warnings::warnings(dataset);
    if !warnings.is_empty() {
        writeln!(out, "## Warnings\n")?;
        for warning in &warnings {
            writeln!(out, "- {}", escaped(&warning.sentence()))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "## How it was measured\n")?;
    for sentence in method::sentences(dataset) {
        writeln!(out, "{}", escaped(&sentence))?;
    }
    Ok(())
}

fn table(out: &mut String, table: &Table) -> fmt::Result {
    for column in &table.columns {
        write!(out, "| {} ", escaped(&column.title))?;
    }
    writeln!(out, "|")?;
    for column in &table.columns {
        out.push_str(match column.align {
            Align::Left => "|---",
            Align::Right => "|---:",
        });
    }
    writeln!(out, "|")?;
    for row in &table.rows {
        for (position, cell) in row.cells.iter().enumerate() {
            // Color cannot mark a row here.
            let mark = if row.is_marked && position == 0 {
                "**"
            } else {
                ""
            };
            write!(out, "| {mark}{}{mark} ", escaped(cell))?;
        }
        writeln!(out, "|")?;
    }
    writeln!(out)
}

/// Text that Markdown and the HTML in it take as it is.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '|' | '#' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(character);
            }
            // Intervals are no links; those need one of these behind the bracket.
            ']' if matches!(characters.peek(), Some('(' | '[' | ':')) => escaped.push_str("\\]"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::dataset::testing;
    use super::*;

    #[test]
    fn every_row_of_a_table_has_as_many_cells_as_its_heading() {
        let mut text = String::new();
        write(&mut text, &testing::two_arms()).unwrap();
        let tables: Vec<&str> = text
            .split("\n\n")
            .filter(|part| part.starts_with('|'))
            .collect();
        assert_eq!(tables.len(), 3, "{text}");
        for table in tables {
            let cells = |line: &str| line.replace("\\|", "").matches('|').count();
            let heading = table.lines().next().map(cells);
            assert!(
                table.lines().all(|line| Some(cells(line)) == heading),
                "{table}"
            );
        }
    }

    #[test]
    fn names_from_files_are_no_markup() {
        assert_eq!(
            escaped("a|b <img> [x](y) *z* [1, 2]"),
            "a\\|b &lt;img> [x\\](y) \\*z\\* [1, 2]"
        );
    }
}
