//! `lycosa wall`: how throughput and latency change as the data grows, and where they break down.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use lycosa_lua::worker::{WallCurve, WallOptions};

use super::arguments::{Index, Switch, parse_seed};
use super::measuring::{
    failed_repetition, launcher, measuring_context, prepare_new, prepare_saving, width,
};
use super::sweep::refuse_unfinished;
use super::{Exit, Failure, command_line};
use crate::environment::{self, Context};
use crate::interrupt::Interrupt;
use crate::quantity::{Size, decimal_bytes, parse_count, parse_count_u32, parse_fibers};
use crate::report::page::{DIM, PLAIN, Page, YELLOW};
use crate::report::{failure, terminal, wall as report};
use crate::result::file::Document;
use crate::result::saving::Saving;
use crate::result::wall::{WallEnd, WallRecord};
use crate::result::{Status, binary};
use crate::schedule::RepetitionError;
use crate::session::resume;
use crate::worker::limit::LimitedBy;
use crate::worker::process::Workers;
use crate::worker::wall::WallObserver;

pub(super) const EXAMPLES: &str = "\
Examples:
  lycosa wall                               20 sizes up to a quota of 4 GiB
  lycosa wall --memory 16GiB --limit-memory 8GiB
  lycosa wall --memory 512MiB --steps 40 --index hash
  lycosa wall --resume wall.json            starts, or goes on where it stopped
  lycosa report wall-*.json --output wall.html

One worker fills a space. At each size it reads and updates records drawn from
all of them, until the throughput is half of the best before, or the quota, the
limit or Ctrl-C ends it. The result is saved after every size; when it was
stopped, even by a crash, the same command with --resume FILE fills the space
again and measures the sizes that are left.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.";

/// Most sizes: more would differ by less than the noise.
const STEPS_MAX: u32 = 1_000;

#[derive(Debug, Args)]
pub(crate) struct WallArguments {
    /// Quota for tuples and indexes, to which the data grows: 512MiB, 16GiB
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "4GiB",
        allow_hyphen_values = true
    )]
    memory: Size,

    /// Limit on the memory of the whole worker process: 2GiB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    limit_memory: Option<Size>,

    /// Sizes on the way to the quota, or to the limit if that is smaller
    #[arg(long, value_name = "N", default_value = "20", value_parser = parse_steps, allow_hyphen_values = true)]
    steps: u32,

    /// Reads and updates at each size
    #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_count, allow_hyphen_values = true)]
    operations: u64,

    /// Bytes of the third field of every record
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_payload, allow_hyphen_values = true)]
    payload: u64,

    /// Concurrent fibers
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse_fibers, allow_hyphen_values = true)]
    fibers: u32,

    /// Operations of one transaction
    #[arg(long, value_name = "N", default_value = "100", value_parser = parse_count_u32, allow_hyphen_values = true)]
    ops_per_txn: u32,

    /// Primary index: a B+tree or a hash table
    #[arg(long, value_enum, default_value_t = Index::Tree)]
    index: Index,

    /// Whether Lua may be compiled just in time
    #[arg(long, value_enum, default_value_t = Switch::On)]
    jit: Switch,

    /// Seed of the draws
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,

    /// Saves there instead of in wall-TIME.json
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    json: Option<PathBuf>,

    /// Saves there, and measures only the sizes that file does not hold yet
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Shows the table, the wall and errors only
    #[arg(long, short)]
    quiet: bool,
}

fn parse_steps(text: &str) -> Result<u32, String> {
    match parse_count_u32(text) {
        Ok(count) if count <= STEPS_MAX => Ok(count),
        Ok(_) => Err(format!("is too large; the most is {STEPS_MAX}")),
        Err(error) => Err(error.to_string()),
    }
}

/// A tuple holds no more than 1 MiB, as in Tarantool.
const PAYLOAD_MAX: u64 = 1_000_000;

fn parse_payload(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(bytes) if bytes <= PAYLOAD_MAX => Ok(bytes),
        _ => Err(format!("is no whole number from 0 to {PAYLOAD_MAX}")),
    }
}

/// Looks for the wall, shows and saves the curve as it grows.
pub(crate) fn wall(arguments: &WallArguments) -> Result<Exit, Failure> {
    let options = options(arguments)?;
    let facts = environment::facts();
    let interrupt = Interrupt::on_signals()?;
    let workers = Workers::new(launcher(&facts)?, interrupt);
    let context = measuring_context(&facts);
    let command = workers.launcher().words();
    let Found { saving, record } = find(arguments, &options, &context, &command)?;
    let done = record.steps.clone();
    let mut search = Search {
        record,
        context,
        saving,
        unsaved: None,
        unshown: None,
        out: anstream::stdout(),
        quiet: arguments.quiet,
    };
    if options.limit_memory_bytes.is_some() {
        search.record.limited_by = Some(LimitedBy::here());
    }
    // What cannot be shown beforehand does not keep anything from being measured.
    let _ = search.announce(&mut anstream::stderr());
    for position in 0..done.len() {
        search.row(position);
    }
    if search.saving.is_none() {
        return search.show_whole(arguments.resume.as_deref());
    }
    let found = workers.wall(&options, &done, &mut search);
    search.conclude(found)
}

/// Where a search is saved, and what there is of it already.
struct Found {
    /// Writes the file; `None` for one that lacks nothing and is only shown.
    saving: Option<Saving>,
    record: WallRecord,
}

fn find(
    arguments: &WallArguments,
    options: &WallOptions,
    context: &Context,
    command: &[String],
) -> Result<Found, Failure> {
    let mut record = WallRecord::new(options.clone());
    record.binary_digest = binary::digest(command);
    let saving = if let Some(path) = &arguments.resume {
        let load = || {
            resume::load_wall(path, options, context, command)
                .map_err(|error| Failure::usage(error.to_string()))
        };
        if let Some(stored) = load()?.filter(WallRecord::is_whole) {
            let saving = None;
            return Ok(Found {
                saving,
                record: stored,
            });
        }
        let saving = prepare_saving(path)?;
        // What another lycosa saved until now is not to be measured again.
        if let Some(stored) = load()? {
            record.steps = stored.steps;
            record.find_wall();
        }
        saving
    } else if let Some(path) = &arguments.json {
        refuse_unfinished(path)?;
        prepare_saving(path)?
    } else {
        let time = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S");
        prepare_new(&format!("wall-{time}"))?
    };
    Ok(Found {
        saving: Some(saving),
        record,
    })
}

fn options(arguments: &WallArguments) -> Result<WallOptions, Failure> {
    if let Some(limit) = arguments.limit_memory
        && let Some(refusal) = LimitedBy::here().refusal(limit, arguments.fibers)
    {
        return Err(Failure::usage(refusal));
    }
    Ok(WallOptions {
        memory_bytes: arguments.memory.0,
        limit_memory_bytes: arguments.limit_memory.map(|limit| limit.0),
        step_count: arguments.steps,
        operations: arguments.operations,
        payload_bytes: arguments.payload,
        fibers: arguments.fibers,
        ops_per_txn: arguments.ops_per_txn,
        index: arguments.index.into(),
        jit: arguments.jit == Switch::On,
        seed: arguments.seed,
    })
}

/// A search that is shown and saved as it goes.
struct Search<W> {
    record: WallRecord,
    context: Context,
    /// None where nothing is left to measure.
    saving: Option<Saving>,
    /// Why it could not be saved last.
    unsaved: Option<io::Error>,
    /// Why it could not be shown.
    unshown: Option<io::Error>,
    out: W,
    quiet: bool,
}

impl<W: Write> Search<W> {
    fn announce(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut page = Page::new(out, width());
        if !self.quiet {
            let mut items = vec![
                format!("lycosa {}", self.context.lycosa_version),
                String::from("wall"),
            ];
            items.extend(report::conditions(&self.record));
            page.line(DIM, &items)?;
        }
        let available = environment::memory_available_bytes();
        let options = &self.record.options;
        let limit = options.limit_memory_bytes.unwrap_or(u64::MAX);
        if let Some(available) = available.filter(|free| options.memory_bytes.min(limit) > *free) {
            let text = format!(
                "this machine has {} to give: beyond that it swaps, or ends a process; \
                 --limit-memory holds this one",
                decimal_bytes(available)
            );
            page.sentence(YELLOW, "memory", &text)?;
        }
        if self.record.limited_by == Some(LimitedBy::None) {
            let text = "this system holds no process to a limit of memory; --limit-memory only \
                        decides on the sizes";
            page.sentence(YELLOW, "limit", text)?;
        }
        terminal::translator(&mut page, &self.context)?;
        if self.quiet {
            return Ok(());
        }
        terminal::debug_build(&mut page, &self.context)?;
        page.gap()
    }

    fn show(&mut self, write: impl FnOnce(&mut Page<'_>, &WallRecord) -> io::Result<()>) {
        if self.unshown.is_some() {
            return;
        }
        let written = write(&mut Page::new(&mut self.out, width()), &self.record);
        self.unshown = written.and_then(|()| self.out.flush()).err();
    }

    /// Devices and pipes take what is written once and for all, so they take the last of it.
    fn save(&mut self, status: Status) {
        let Some(saving) = &mut self.saving else {
            return;
        };
        if status != Status::Running || saving.is_replaced() {
            let document = Document::of_wall(&self.context, &self.record, status);
            self.unsaved = saving.save(&document).err();
        }
    }

    /// The row of a size, below the titles if it is the first.
    fn row(&mut self, position: usize) {
        self.show(|page, record| {
            if position == 0 {
                report::head(page)?;
            }
            report::row(page, record, position)
        });
    }

    /// Shows a search that lacks nothing.
    fn show_whole(mut self, path: Option<&Path>) -> Result<Exit, Failure> {
        self.show(report::conclude);
        let path = path.filter(|_| !self.quiet);
        if let Some(path) = path.map(|path| path.display().to_string()) {
            let text = format!("{path} holds the whole curve");
            self.show(|page, _| page.sentence(PLAIN, "complete", &text));
        }
        match self.unshown {
            Some(error) => Err(error.into()),
            None => Ok(Exit::Done),
        }
    }

    /// Shows what was found, whatever ended it.
    fn conclude(
        mut self,
        found: Result<Option<LimitedBy>, RepetitionError>,
    ) -> Result<Exit, Failure> {
        let error = match found {
            Ok(limited_by) => {
                self.record.limited_by = limited_by;
                None
            }
            Err(error) => {
                self.record.ending = Some(match error {
                    RepetitionError::Interrupted => WallEnd::Interrupted,
                    RepetitionError::LimitReached { .. } => WallEnd::Limit,
                    _ => WallEnd::Failed,
                });
                Some(error)
            }
        };
        if self.record.steps.is_empty() {
            let quota = Size(self.record.options.memory_bytes);
            return Err(match error {
                Some(RepetitionError::Interrupted) => Failure::interrupted(),
                Some(error) => failed_repetition(&error, failure::repetition(&error)),
                None => Failure::failed(format!(
                    "{}, before a size was measured; raise --memory, or lower --payload or --ops-per-txn",
                    match self.record.ending {
                        Some(WallEnd::Quota) => format!("the quota of {quota} was reached"),
                        _ => String::from("the system had no more memory"),
                    }
                )),
            });
        }
        let (status, exit) = match self.record.ending {
            Some(WallEnd::Interrupted) => (Status::Interrupted, Exit::Interrupted),
            Some(WallEnd::Failed) => (Status::Failed, Exit::Failed),
            _ => (Status::Complete, Exit::Done),
        };
        self.save(status);
        self.show(report::conclude);
        if let Some(error) = error.filter(|_| exit == Exit::Failed) {
            return Err(failed_repetition(&error, failure::repetition(&error)));
        }
        let path = self.saving.as_ref().map(Saving::path);
        let path = path.unwrap_or(Path::new("")).to_owned();
        let shown_path = path.display().to_string();
        if let Some(error) = self.unsaved {
            return Err(Failure::failed(format!(
                "cannot write `{shown_path}`: {error}"
            )));
        }
        if !self.quiet {
            self.show(|page, _| page.sentence(PLAIN, "saved", &shown_path));
        }
        if exit == Exit::Interrupted {
            let command = command_line::resuming(&path);
            self.show(|page, _| {
                page.sentence(YELLOW, "interrupted", "by the user")?;
                // In one piece, so that it can be copied.
                page.labelled(PLAIN, "go on with", &[command])
            });
        }
        match self.unshown {
            Some(error) => Err(error.into()),
            None => Ok(exit),
        }
    }
}

impl<W: Write> WallObserver for Search<W> {
    fn output(&mut self, line: &str) {
        let _ = writeln!(anstream::stderr(), "{}", crate::report::plain(line));
    }

    fn grown(&mut self, curve: WallCurve) {
        let shown = self.record.steps.len();
        self.record.take(curve);
        for position in shown..self.record.steps.len() {
            self.row(position);
        }
        if self.record.ending.is_none() {
            self.save(Status::Running);
        }
    }
}
