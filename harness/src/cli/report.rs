//! `lycosa report`: result files side by side.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use console::Term;

use super::{Exit, Failure};
use crate::report::dataset::{Dataset, Source, UnknownReference};
use crate::report::page::{Page, WIDTH_DEFAULT, YELLOW};
use crate::report::{csv, csv_intervals, google_benchmark, html, markdown, plain, side_by_side};
use crate::result::saving::Saving;
use crate::result::{Run, file};

/// Examples behind the help.
pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa report insert.json                       tables on the terminal
  lycosa report m1.json m3.json --output m.html   one page with charts
  lycosa report *.json --format csv > raw.csv     every repetition
  lycosa report a.json --format csv-intervals     every --report-interval
  lycosa report a.json b.json --reference b.json  ratios against b.json

Files that are damaged or of a later version are named and skipped.

Exit codes: 0 done, 1 no file could be read, 2 wrong usage.";

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Results that `--json` wrote, from any number of machines
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Form; without it the ending of --output decides, else it is the terminal's
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Writes to a file: .html, .md, .csv, .json, .txt
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Ratios are against this arm, name of the report or file, not the first
    #[arg(long, value_name = "NAME")]
    reference: Option<String>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // A text for each value would make the help three times as long.
    Terminal,
    Markdown,
    Csv,
    CsvIntervals,
    GoogleBenchmark,
    Html,
}

impl Format {
    fn of_ending(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match ending.as_str() {
            "html" | "htm" => Self::Html,
            "md" | "markdown" => Self::Markdown,
            "csv" => Self::Csv,
            "json" => Self::GoogleBenchmark,
            "txt" => Self::Terminal,
            _ => return None,
        })
    }
}

/// Reads the files and writes the report.
pub(crate) fn report(arguments: &ReportArguments) -> Result<Exit, Failure> {
    let format = format(arguments)?;
    let saving = arguments
        .output
        .as_deref()
        .map(|path| prepare(path, &arguments.files))
        .transpose()?;
    let (sources, unread) = read(&arguments.files);
    for message in &unread {
        warn(&format!("skipped: {message}"));
    }
    let is_uncounted = |source: &&Source| {
        source.document.wall.is_none() && !source.document.runs.iter().any(Run::is_counted)
    };
    for source in sources.iter().filter(is_uncounted) {
        let path = &source.path;
        warn(&format!(
            "`{path}` holds no counted repetition; only --format csv shows what it holds"
        ));
    }
    if sources.is_empty() {
        return Err(Failure::failed("no file could be read"));
    }
    warn_of_walls(&sources, format)?;
    let dataset =
        Dataset::new(sources, unread, arguments.reference.as_deref()).map_err(|error| {
            match error.downcast::<UnknownReference>() {
                Ok(unknown) => Failure::usage(format!("--reference: {unknown}")),
                Err(other) => Failure::from(other),
            }
        })?;
    if let Some(mut saving) = saving {
        let mut text = written(&dataset, format, WIDTH_DEFAULT)?;
        if format == Format::Terminal {
            text = anstream::adapter::strip_bytes(&text).into_vec();
        }
        saving.write(&text).map_err(|error| {
            let path = saving.path().display();
            Failure::failed(format!("cannot write `{path}`: {error}"))
        })?;
        return Ok(Exit::Done);
    }
    let text = written(&dataset, format, width())?;
    if format == Format::Terminal {
        anstream::stdout().write_all(&text)?;
    } else {
        // Only the terminal's form has styles that may have to be taken out.
        io::stdout().lock().write_all(&text)?;
    }
    io::stdout().flush()?;
    Ok(Exit::Done)
}

/// Says which files a form of repetitions leaves out; one that is left with nothing is refused.
fn warn_of_walls(sources: &[Source], format: Format) -> Result<(), Failure> {
    if matches!(format, Format::Terminal | Format::Markdown | Format::Html) {
        return Ok(());
    }
    let walls: Vec<&Source> = sources
        .iter()
        .filter(|source| source.document.wall.is_some())
        .collect();
    let text = |path: &str| {
        format!(
            "`{path}` is a search for the memory wall, which has no repetitions; the forms \
             terminal, markdown and html show it"
        )
    };
    if walls.len() == sources.len() {
        return Err(Failure::usage(text(&walls[0].path)));
    }
    for wall in walls {
        warn(&text(&wall.path));
    }
    Ok(())
}

fn warn(text: &str) {
    // Nothing can be done about a standard error that cannot be written.
    let _ = writeln!(
        anstream::stderr(),
        "{YELLOW}warning:{YELLOW:#} {}",
        plain(text)
    );
}

fn format(arguments: &ReportArguments) -> Result<Format, Failure> {
    match (&arguments.format, &arguments.output) {
        (Some(format), _) => Ok(*format),
        (None, None) => Ok(Format::Terminal),
        (None, Some(path)) => Format::of_ending(path).ok_or_else(|| {
            Failure::usage(format!(
                "the ending of `{}` names no form; say which with --format",
                path.display()
            ))
        }),
    }
}

/// Opens the output; it must be no result, which it would destroy, least of all an input.
fn prepare(path: &Path, inputs: &[PathBuf]) -> Result<Saving, Failure> {
    let target = fs::canonicalize(path).ok();
    let is_input = |input: &PathBuf| target.is_some() && fs::canonicalize(input).ok() == target;
    if inputs.iter().any(is_input) {
        return Err(Failure::usage(format!(
            "`{}` is a result to report on; write the report to another file",
            path.display()
        )));
    }
    // What a pipe holds is not ours to read.
    if path.is_file() && file::is_result(path).unwrap_or(false) {
        return Err(Failure::usage(format!(
            "`{}` is a result of lycosa; write the report to another file",
            path.display()
        )));
    }
    Saving::prepare(path)
        .map_err(|error| Failure::usage(format!("cannot write `{}`: {error}", path.display())))
}

/// The results, and what is wrong with those that are none.
fn read(files: &[PathBuf]) -> (Vec<Source>, Vec<String>) {
    let mut sources = Vec::new();
    let mut unread = Vec::new();
    for path in files {
        match file::read(path) {
            Ok(document) => sources.push(Source {
                path: path.display().to_string(),
                document,
            }),
            Err(error) => unread.push(error.to_string()),
        }
    }
    (sources, unread)
}

fn written(dataset: &Dataset, format: Format, width: usize) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match format {
        Format::Terminal => side_by_side::write(&mut Page::new(&mut bytes, width), dataset)?,
        Format::Markdown => {
            let mut text = String::new();
            markdown::write(&mut text, dataset)?;
            bytes = text.into_bytes();
        }
        Format::Csv => csv::write(&mut bytes, dataset)?,
        Format::CsvIntervals => csv_intervals::write(&mut bytes, dataset)?,
        Format::GoogleBenchmark => {
            serde_json::to_writer_pretty(&mut bytes, &google_benchmark::document(dataset)?)?;
            bytes.push(b'\n');
        }
        Format::Html => bytes = html::page(dataset)?.into_bytes(),
    }
    Ok(bytes)
}

/// Columns of the terminal.
fn width() -> usize {
    Term::stdout()
        .size_checked()
        .map_or(WIDTH_DEFAULT, |(_, columns)| usize::from(columns))
}
