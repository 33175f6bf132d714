//! The commands and their options, as clap reads them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use lycosa_lua::worker::{Driver, IndexKind};

use super::baseline::BaselineArguments;
use super::compare::{self, CompareArguments};
use super::pace::PaceArguments;
use super::report::{self, ReportArguments};
use super::selftest::{self, SelftestArguments};
use super::sweep::{self, SweepArguments};
use super::wall::{self, WallArguments};
use crate::axes::SEED_MAX;
use crate::cost::Cost;
use crate::pace::Time;
use crate::quantity::{Size, parse_count, parse_count_u32, parse_fibers};

/// In-memory transactional benchmark, scripted in Lua.
#[derive(Debug, Parser)]
#[command(
    name = "lycosa",
    version,
    about,
    arg_required_else_help = true,
    after_help = "`lycosa report.lua` is short for `lycosa exec report.lua`, `lycosa -e CODE` for `lycosa exec -e CODE`.",
    max_term_width = 80,
    disable_help_subcommand = true
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a workload many times, each in a process of its own
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunArguments),
    /// Runs a workload over many sizes, saves as it goes, goes on after a stop
    #[command(after_help = sweep::EXAMPLES)]
    Sweep(Box<SweepArguments>),
    /// Compares ways to run a workload, in turns: native and translated, old and new
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArguments),
    /// Measures how much equal programs seem to differ on this machine
    #[command(after_help = selftest::EXAMPLES)]
    Selftest(SelftestArguments),
    /// Finds the memory wall: grows the data until throughput halves or memory ends
    #[command(after_help = wall::EXAMPLES)]
    Wall(WallArguments),
    /// Puts results side by side: tables, CSV, one page with charts
    #[command(after_help = report::EXAMPLES)]
    Report(ReportArguments),
    /// Lists the bundled workloads and their options
    Workloads,
    /// Runs a Lua script with `box` and `fiber`, as Tarantool would
    #[command(after_help = EXEC_EXAMPLES)]
    Exec(ExecArguments),
    /// Starts the console: lines of Lua, answered in YAML
    #[command(after_help = CONSOLE_EXAMPLES)]
    Console,
    /// Shows the machine and the build, as results record them
    Env(EnvArguments),
    /// Prints completions for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

const RUN_EXAMPLES: &str = "\
Examples:
  lycosa run                               1,000,000 inserts, 15 times
  lycosa run --records 20M --memory 8GiB   a larger space
  lycosa run --limit-memory 2GiB           no more for the whole worker process
  lycosa run --driver rust                 the engine's share alone
  lycosa run --workload counters.lua --set counters=100 --json counters.json
  lycosa run --duration 60s --warmup 10s   by time
  lycosa run --duration 60s --report-interval 1s
  lycosa run --duration 60s --rate 20k/s   operations due at a rate, early or late
  lycosa run --cost 0.12USD/h              what an hour's rent of the machine buys
  lycosa run --save-baseline main          a result to compare later ones with
  lycosa run --baseline main --fail-above 5%

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 slower than the baseline, 4 too
noisy to tell, 130 interrupted.";

const EXEC_EXAMPLES: &str = "\
Examples:
  lycosa exec report.lua --verbose 2026    everything behind SCRIPT is the script's
  lycosa report.lua                        the same as `lycosa exec report.lua`
  lycosa -e 'print(box.info.version)'      code alone
  lycosa -l strict -e 'x = 1' report.lua   modules and code first, in this order
  lycosa -i report.lua                     the console afterwards

The process lives until no fiber is ready or sleeps; after box.cfg{}, until
os.exit(), Ctrl-C or SIGTERM.

Exit codes: os.exit's; 0 at the end, 1 after an error, 130 or 143 when a fiber
that never yields had to be stopped.";

const CONSOLE_EXAMPLES: &str = "\
In the console:
  \\help                what else it understands
  \\set output lua      answers as Lua instead of YAML
  \\quit, or Ctrl-D     ends it

`lycosa -i SCRIPT` runs a script first. Lines that come from a file or a pipe
are answered without prompts.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  lycosa completions bash > ~/.local/share/bash-completion/completions/lycosa
  lycosa completions zsh > ~/.zfunc/_lycosa";

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Operations of one repetition in all: 250k, 1M, 1.5M [default: the workload's own, else 1M]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_hyphen_values = true)]
    pub(crate) records: Option<u64>,

    #[command(flatten)]
    pub(crate) workload: WorkloadArguments,

    /// Who issues the statements: the Lua file, or the same ones from Rust
    #[arg(long, value_enum, default_value_t = DriverKind::Lua)]
    pub(crate) driver: DriverKind,

    /// What running this machine costs: 0.12/h, 0.12USD/h, 90EUR/month
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<Cost>,

    /// Saves everything, raw repetitions included
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) baseline: BaselineArguments,

    /// Shows the median line and errors only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// What all commands that measure one value of each option take: the workload but for its size and
/// driver, and how often.
#[derive(Debug, Clone, Args)]
pub(crate) struct WorkloadArguments {
    #[command(flatten)]
    pub(crate) repetitions: RepetitionArguments,

    /// Concurrent fibers
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse_fibers, allow_hyphen_values = true)]
    pub(crate) fibers: u32,

    /// Operations of one transaction [default: the workload's own, else 100]
    #[arg(long, value_name = "N", value_parser = parse_count_u32, allow_hyphen_values = true)]
    pub(crate) ops_per_txn: Option<u32>,

    /// Primary index: a B+tree or a hash table
    #[arg(long, value_enum, default_value_t = Index::Tree)]
    pub(crate) index: Index,

    /// Whether Lua may be compiled just in time
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub(crate) jit: Switch,

    /// Quota for tuples and indexes: 512MiB, 4GiB
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "4GiB",
        allow_hyphen_values = true
    )]
    pub(crate) memory: Size,

    /// Seed for whatever the workload draws at random
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = parse_seed,
        allow_hyphen_values = true
    )]
    pub(crate) seed: u64,

    /// Limit on the memory of the whole worker process: 2GiB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub(crate) limit_memory: Option<Size>,

    #[command(flatten)]
    pub(crate) pace: PaceArguments,
}

/// What all commands that measure take: which workload, and how often.
#[derive(Debug, Clone, Args)]
pub(crate) struct RepetitionArguments {
    /// Bundled workload (see `lycosa workloads`), or a Lua file
    #[arg(long, value_name = "NAME|FILE.lua", default_value = "insert")]
    pub(crate) workload: String,

    /// Sets an option of the workload; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = parse_setting, allow_hyphen_values = true)]
    pub(crate) settings: Vec<(String, String)>,

    /// Repetitions that count
    #[arg(long, value_name = "N", default_value = "15", value_parser = parse_repeat, allow_hyphen_values = true)]
    pub(crate) repeat: u32,

    /// Repetitions before them that do not count
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_cold, allow_hyphen_values = true)]
    pub(crate) cold: u32,

    /// Tells throughput, latency and resources of every such interval: 1s, 100ms
    #[arg(long, value_name = "TIME", value_parser = parse_report_interval, allow_hyphen_values = true)]
    pub(crate) report_interval: Option<Time>,
}

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// Runs Lua code before the script; may be given several times
    #[arg(short = 'e', value_name = "CODE", allow_hyphen_values = true)]
    pub(crate) code: Vec<String>,

    /// Requires a module into a global before the script; may be given several times
    #[arg(short = 'l', value_name = "MODULE")]
    pub(crate) modules: Vec<String>,

    /// Starts the console afterwards
    #[arg(short = 'i')]
    pub(crate) interactive: bool,

    /// The script, or `-` for standard input, and its own arguments
    // One list, so that everything behind the script is the script's, `--help` too.
    #[arg(
        required_unless_present_any = ["code", "modules", "interactive"],
        num_args = 1..,
        trailing_var_arg = true,
        value_names = ["SCRIPT", "ARG"]
    )]
    pub(crate) script_and_arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EnvArguments {
    /// As JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Index {
    // A text for each value would make the help three times as long.
    Tree,
    Hash,
}

impl From<Index> for IndexKind {
    fn from(index: Index) -> Self {
        match index {
            Index::Tree => Self::Tree,
            Index::Hash => Self::Hash,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DriverKind {
    Lua,
    Rust,
}

impl From<DriverKind> for Driver {
    fn from(driver: DriverKind) -> Self {
        match driver {
            DriverKind::Lua => Self::Lua,
            DriverKind::Rust => Self::Rust,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Most repetitions of either kind; their sum stays far inside 32 bits.
const REPETITIONS_MAX: u32 = 1_000_000;

fn parse_repeat(text: &str) -> Result<u32, String> {
    match parse_count_u32(text) {
        Ok(count) if count <= REPETITIONS_MAX => Ok(count),
        Ok(_) => Err(format!("is too large; the most is {REPETITIONS_MAX}")),
        Err(error) => Err(error.to_string()),
    }
}

fn parse_cold(text: &str) -> Result<u32, String> {
    if text.trim() == "0" {
        return Ok(0);
    }
    parse_repeat(text).map_err(|reason| reason.replace("at least 1", "at least 0"))
}

pub(super) fn parse_seed(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(seed) if seed <= SEED_MAX => Ok(seed),
        _ => Err(format!("is no whole number from 0 to {SEED_MAX}")),
    }
}

/// Shortest and longest interval, in seconds: shorter ones would measure the reading of resources.
const INTERVAL_S: std::ops::RangeInclusive<f64> = 0.01..=3_600.0;

fn parse_report_interval(text: &str) -> Result<Time, String> {
    let time: Time = text.parse()?;
    if INTERVAL_S.contains(&time.0) {
        return Ok(time);
    }
    let (least, most) = (Time(*INTERVAL_S.start()), Time(*INTERVAL_S.end()));
    Err(format!("must be from {least} to {most}"))
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some(("", _)) => Err(String::from("has no key; write KEY=VALUE")),
        Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
        None => Err(String::from("has no `=`; write KEY=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(arguments: &[&str]) -> Result<Command, clap::Error> {
        let all = std::iter::once(&"lycosa").chain(arguments);
        Arguments::try_parse_from(all).map(|arguments| arguments.command)
    }

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn everything_behind_the_script_belongs_to_it() {
        let command = parse(&["exec", "a.lua", "--help", "-q", "--", "x"]).unwrap();
        let Command::Exec(arguments) = command else {
            panic!("not exec");
        };
        assert_eq!(
            arguments.script_and_arguments,
            ["a.lua", "--help", "-q", "--", "x"]
        );
    }

    #[test]
    fn the_defaults_are_the_defining_run() {
        let Command::Run(run) = parse(&["run"]).unwrap() else {
            panic!("not run");
        };
        let workload = run.workload;
        // The other defaults are the workload's.
        assert_eq!(
            (run.records, workload.fibers, workload.ops_per_txn),
            (None, 50, None)
        );
        let repetitions = &workload.repetitions;
        assert_eq!((repetitions.cold, repetitions.repeat), (1, 15));
        assert_eq!(workload.memory, Size(4 << 30));
    }

    #[test]
    fn intervals_have_a_unit_and_are_neither_too_short_nor_too_long() {
        assert_eq!(parse_report_interval("100ms"), Ok(Time(0.1)));
        for text in [
            "0s", "9ms", "-1s", "2h", "1e300s", "1", "", "s", "nans", "inf",
        ] {
            assert!(parse_report_interval(text).is_err(), "{text}");
        }
        let message = parse_report_interval("1ms").unwrap_err();
        assert_eq!(message, "must be from 10ms to 3600s");
    }

    #[test]
    fn settings_are_split_at_the_first_equals_sign() {
        let pair = |key: &str, value: &str| Ok((key.to_owned(), value.to_owned()));
        assert_eq!(parse_setting("a=b=c"), pair("a", "b=c"));
        assert_eq!(parse_setting("a="), pair("a", ""));
        assert!(parse_setting("a").is_err() && parse_setting("=a").is_err());
    }

    #[test]
    fn no_cold_repetition_is_allowed_and_a_negative_number_is_not() {
        assert_eq!(parse_cold("0"), Ok(0));
        assert_eq!(parse_cold("-1"), Err(String::from("must be at least 0")));
        assert!(parse_repeat("0").is_err() && parse_repeat("2M").is_err());
    }
}
