//! The report on the terminal: sections with their tables, warnings, the machines.

use std::io;

use super::dataset::{Dataset, Section};
use super::matrix::matrices;
use super::page::{DIM, PLAIN, Page, YELLOW};
use super::table::{Align, Row, Table};
use super::{course_table, figures_table, machines_table, method, wall, warnings};

/// Between two columns.
const GAP: &str = "  ";

/// Most columns that a name may take where there is little room.
const NAME_WIDTH_MIN: usize = 12;

/// Writes everything.
pub(crate) fn write(page: &mut Page<'_>, dataset: &Dataset) -> io::Result<()> {
    for section in &dataset.sections {
        page.line(PLAIN, &heading(section))?;
        page.gap()?;
        for matrix in matrices(dataset, section) {
            in_parts(page, &matrix)?;
        }
        table(page, &figures_table::times(dataset, section))?;
        page.gap()?;
        table(page, &figures_table::latencies(dataset, section))?;
        page.gap()?;
        if let Some(courses) = course_table::table(dataset, section) {
            table(page, &courses)?;
            page.gap()?;
        }
        for sentence in method::findings(dataset, section) {
            page.sentence(PLAIN, "", &sentence)?;
        }
        page.gap()?;
    }
    for (label, record) in dataset.walls() {
        page.sentence(PLAIN, "memory wall", &label)?;
        page.line(DIM, &wall::conditions(record))?;
        page.gap()?;
        table(page, &wall::table(record))?;
        wall::conclude(page, record)?;
        page.gap()?;
    }
    in_parts(page, &machines_table::differences(dataset))?;
    for warning in warnings::warnings(dataset) {
        page.sentence(YELLOW, "", &warning.sentence())?;
    }
    for sentence in method::sentences(dataset) {
        page.sentence(DIM, "", &sentence)?;
    }
    Ok(())
}

/// As many columns beside the first as there is room for, the others below.
pub(crate) fn in_parts(page: &mut Page<'_>, all: &Table) -> io::Result<()> {
    let beside = (page.width() / (NAME_WIDTH_MIN + GAP.len())).saturating_sub(1);
    let others: Vec<usize> = (1..all.columns.len()).collect();
    for chosen in others.chunks(beside.max(1)) {
        let span = chosen[0]..chosen[0] + chosen.len();
        let part = |cells: &[String]| [&cells[..1], &cells[span.clone()]].concat();
        let rows = all.rows.iter().map(|row| Row {
            cells: part(&row.cells),
            ..row.clone()
        });
        let part = Table {
            caption: all.caption.clone(),
            columns: [&all.columns[..1], &all.columns[span.clone()]].concat(),
            rows: rows.collect(),
        };
        table(page, &part)?;
        page.gap()?;
    }
    Ok(())
}

fn heading(section: &Section) -> Vec<String> {
    let mut items = vec![method::workload(section)];
    items.extend(method::conditions(section));
    items
}

/// Its caption, its heading, its rows. Columns that have no room are left out, by rank; then names are cut.
fn table(page: &mut Page<'_>, table: &Table) -> io::Result<()> {
    let mut widths: Vec<usize> = (0..table.columns.len())
        .map(|column| width(table, column))
        .collect();
    let mut shown: Vec<usize> = (0..table.columns.len()).collect();
    let needed = |shown: &[usize], widths: &[usize]| -> usize {
        let gaps = GAP.len() * shown.len().saturating_sub(1);
        shown.iter().map(|column| widths[*column]).sum::<usize>() + gaps
    };
    while needed(&shown, &widths) > page.width() {
        let least = shown
            .iter()
            .copied()
            .filter(|column| table.columns[*column].rank > 0)
            .max_by_key(|column| table.columns[*column].rank);
        let Some(least) = least else { break };
        shown.retain(|column| *column != least);
    }
    let full = widths.clone();
    let mut widest = page.width();
    while needed(&shown, &widths) > page.width() && widest > NAME_WIDTH_MIN {
        widest -= 1;
        for (column, width) in widths.iter_mut().enumerate() {
            if table.columns[column].align == Align::Left {
                *width = full[column].min(widest);
            }
        }
    }
    page.sentence(DIM, "", &table.caption)?;
    let titles: Vec<&str> = table.columns.iter().map(|c| c.title.as_str()).collect();
    page.raw(DIM, &line(table, &shown, &widths, &titles))?;
    for row in &table.rows {
        let mut cells: Vec<&str> = row.cells.iter().map(String::as_str).collect();
        if row.continues {
            cells[0] = "";
        }
        let text = line(table, &shown, &widths, &cells);
        page.raw(if row.is_marked { YELLOW } else { PLAIN }, &text)?;
    }
    Ok(())
}

fn width(table: &Table, column: usize) -> usize {
    table
        .rows
        .iter()
        .map(|row| row.cells[column].as_str())
        .chain([table.columns[column].title.as_str()])
        .map(|cell| cell.chars().count())
        .max()
        .unwrap_or(0)
}

fn line(table: &Table, shown: &[usize], widths: &[usize], cells: &[&str]) -> String {
    let cells: Vec<String> = shown
        .iter()
        .map(|column| {
            let width = widths[*column];
            let cell = cut(cells[*column], width);
            match table.columns[*column].align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            }
        })
        .collect();
    cells.join(GAP)
}

/// At most `width` characters; what is missing is shown as missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}
