//! The report as one page of HTML: no script, no network, charts as SVG inside, readable in light
//! and dark, on a phone and on paper.
//!
//! `maud` escapes whatever comes from files; a policy in the page's head forbids the browser to load
//! or run anything, should something slip through.

mod axis;
mod chart;
mod charts;
mod courses;
mod heat_map;
mod svg;
mod walls;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::dataset::{Dataset, Section, Series, SeriesPoint};
use super::matrix::{self, matrices};
use super::page::Seconds;
use super::table::{Align, Table};
use super::warnings::Warning;
use super::{course_table, figures_table, machines_table, method, plain, warnings};
use crate::axes::Level;
use crate::result::Run;

const STYLE: &str = include_str!("style.css");

/// What the page may do: nothing but use its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// More warnings than these stand below the charts, with a link above.
const WARNINGS_FIRST_MAX: usize = 4;

/// Makes the page.
pub(crate) fn page(dataset: &Dataset) -> anyhow::Result<String> {
    let sections: Vec<Markup> = dataset
        .sections
        .iter()
        .enumerate()
        .map(|(number, of_section)| section(dataset, number, of_section))
        .collect::<Result<_, _>>()?;
    let walls: Vec<Markup> = dataset
        .walls()
        .map(|(label, record)| walls::section(&label, record))
        .collect::<Result<_, _>>()?;
    let warnings = warnings::warnings(dataset);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(concat!("lycosa ", env!("CARGO_PKG_VERSION")));
                title { (title(dataset)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title(dataset)) }
                    p.dim { (files(dataset)) }
                }
                main {
                    @if warnings.len() > WARNINGS_FIRST_MAX {
                        section.warnings {
                            p { a href="#warnings" { (warnings.len()) " warnings" } }
                        }
                        @for section in &sections { (section) }
                        (warning_list(&warnings))
                    } @else {
                        (warning_list(&warnings))
                        @for section in &sections { (section) }
                    }
                    @for wall in &walls { (wall) }
                    @if !dataset.subjects.is_empty() {
                        section {
                            h2 { "Environment" }
                            p.dim { "Rows that differ are marked with \u{2260}." }
                            (table(&machines_table::table(dataset), "machines"))
                        }
                    }
                    section {
                        h2 { "How it was measured" }
                        @for sentence in method::sentences(dataset) { p { (sentence) } }
                        p {
                            "In the charts a mark is a median, the bar through it its interval, and "
                            "each dot one repetition; hollow dots are void repetitions, which do not "
                            "count."
                        }
                    }
                }
            }
        }
    };
    Ok(markup.into_string())
}

fn title(dataset: &Dataset) -> String {
    let mut names: Vec<String> = dataset.sections.iter().map(method::workload).collect();
    names.dedup();
    if dataset.walls().next().is_some() {
        names.push(String::from("memory wall"));
    }
    format!("Lycosa: {}", names.join(", "))
}

fn files(dataset: &Dataset) -> String {
    let files: Vec<String> = dataset
        .sources
        .iter()
        .map(|source| {
            let date = plain(&source.document.context.date);
            format!("{} ({date})", plain(&source.path))
        })
        .collect();
    files.join(", ")
}

fn warning_list(warnings: &[Warning]) -> Markup {
    html! {
        @if !warnings.is_empty() {
            section.warnings id="warnings" {
                h2 { "Warnings" }
                ul {
                    @for warning in warnings {
                        li { strong { (warning.about) } ": " (warning.text) }
                    }
                }
            }
        }
    }
}

fn section(dataset: &Dataset, number: usize, section: &Section) -> anyhow::Result<Markup> {
    let charts: Vec<Markup> = charts::of(dataset, section)
        .iter()
        .map(chart::Chart::figure)
        .collect::<Result<_, _>>()?;
    let mut tables = matrices(dataset, section);
    tables.extend([
        figures_table::times(dataset, section),
        figures_table::latencies(dataset, section),
    ]);
    tables.extend(course_table::table(dataset, section));
    let heat_maps = heat_maps(dataset, section);
    let courses = courses::folds(dataset, section)?;
    Ok(html! {
        section id=(format!("section-{number}")) {
            h2 { (method::workload(section)) }
            p.dim { (method::conditions(section).join(", ")) }
            ul.findings {
                @for sentence in method::findings(dataset, section) { li { (sentence) } }
            }
            ul.legend {
                @for strand in charts::strands(dataset, section) {
                    li { (chart::swatch(strand.ink)) (strand.label) }
                }
            }
            div.charts {
                @for map in &heat_maps { (map) }
                @for chart in &charts { (chart) }
            }
            (courses)
            @for figures in &tables {
                h3 { (figures.caption) }
                (table(figures, "figures"))
            }
            (repetitions(dataset, section))
        }
    })
}

/// A heat map for each series of a section with two axes.
fn heat_maps(dataset: &Dataset, section: &Section) -> Vec<Markup> {
    let noun = plain(section.point.operation_noun());
    matrix::of_series(dataset, section)
        .iter()
        .map(|(label, matrix, points, best)| {
            let about = if section.series.len() > 1 { label } else { "" };
            heat_map::figure(matrix, points, *best, (&noun, about))
        })
        .collect()
}

fn table(table: &Table, kind: &str) -> Markup {
    let class = |position: usize| match table.columns[position].align {
        Align::Left => "words",
        Align::Right => "number",
    };
    html! {
        // What is wider than the screen scrolls by itself, with the keyboard too.
        div.scroll role="region" aria-label=(table.caption) tabindex="0" {
            table class=(kind) {
                thead {
                    tr {
                        @for (position, column) in table.columns.iter().enumerate() {
                            th scope="col" class=(class(position)) { (column.title) }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows {
                        tr.differs[row.is_marked].continues[row.continues] {
                            @for (position, cell) in row.cells.iter().enumerate() {
                                @if position == 0 {
                                    th scope="row" class=(class(position)) { (cell) }
                                } @else {
                                    td class=(class(position)) { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// All repetitions in order of time.
fn repetitions(dataset: &Dataset, section: &Section) -> Markup {
    let points = |place: &[Level]| -> Vec<(&Series, &SeriesPoint)> {
        section
            .series
            .iter()
            .filter_map(|series| Some((series, series.at(place)?)))
            .collect()
    };
    html! {
        details {
            summary { "Every repetition" }
            p.dim { "Wall times in order of time; cold ones in parentheses, void ones struck out." }
            div.scroll role="region" aria-label="Every repetition" tabindex="0" {
                table {
                    thead {
                        tr {
                            @for axis in &section.axes {
                                th.number scope="col" { (plain(&axis.title())) }
                            }
                            th.words scope="col" { "arm" }
                            th.words scope="col" { "repetitions" }
                        }
                    }
                    tbody {
                        @for place in section.places() {
                            @for (series, point) in points(&place) {
                                tr {
                                    @for level in &place {
                                        th.number scope="row" { (plain(&level.text)) }
                                    }
                                    td.words { (dataset.label(series)) }
                                    td.times { (times(point)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn times(point: &SeriesPoint) -> Markup {
    let counted = point.figures.as_ref().map(|figures| figures.wall_s.median);
    let like = counted.or_else(|| point.runs.first().map(Run::compared_s));
    let scale = Seconds::like(like.unwrap_or(1.0));
    let shown = |run: &Run| scale.with_unit(run.compared_s());
    html! {
        @for run in &point.runs {
            @if let Some(reason) = &run.void {
                s title=(plain(reason)) { (shown(run)) } " "
            } @else if run.cold {
                "(" (shown(run)) ") "
            } @else {
                (shown(run)) " "
            }
        }
    }
}

#[cfg(test)]
mod tests;
