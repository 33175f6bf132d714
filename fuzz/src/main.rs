//! Differential fuzzing: makes random `box` scripts from seeds, runs each under the installed
//! Tarantool and under Lycosa, and compares what they print, line by line.
//!
//! A batch of seeds shares one process on each side. A seed that differs is run alone, its script
//! is made as small as it gets, shown, and written to a file.

mod comparison;
mod generator;
mod known;
mod program;
mod random;
mod schema;
mod script;
mod shrink;
mod statements;
mod values;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use lycosa_lua::exec::ExecOptions;

use comparison::Comparison;
use program::Program;

/// Compares random scripts under Tarantool and Lycosa.
#[derive(Debug, Parser)]
struct Arguments {
    /// Seeds to run, first and last.
    #[arg(long, value_name = "FIRST..LAST", value_parser = parse_seeds, default_value = "1..100")]
    seeds: RangeInclusive<u64>,
    /// One seed to run.
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Show the script of the seed instead of running it.
    #[arg(long, requires = "seed")]
    print: bool,
    /// Seeds that share a process.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    batch: u64,
    /// Where the scripts that differ are written.
    #[arg(long, value_name = "DIRECTORY", default_value = "fuzz-differences")]
    output: PathBuf,
    /// Tarantool's program.
    #[arg(long, value_name = "FILE", default_value = "tarantool")]
    tarantool: PathBuf,
    /// A program that runs scripts with `exec`; this one, if not given.
    #[arg(long, value_name = "FILE")]
    lycosa: Option<PathBuf>,
    /// Leave scripts that differ as long as they are.
    #[arg(long)]
    no_shrink: bool,
}

fn parse_seeds(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| {
        text.parse::<u64>()
            .map_err(|error| format!("'{text}': {error}"))
    };
    let seeds = number(first)?..=number(last)?;
    if seeds.is_empty() {
        Err("the first seed is behind the last".to_owned())
    } else {
        Ok(seeds)
    }
}

fn main() -> Result<ExitCode> {
    let mut raw = std::env::args_os().skip(1);
    if raw.next().is_some_and(|first| first == "exec") {
        let script = raw.next().context("exec needs a script")?;
        let code = lycosa_lua::exec::exec(ExecOptions {
            script: Some(script.to_string_lossy().into_owned()),
            ..ExecOptions::default()
        });
        return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
    }
    let arguments = Arguments::parse();
    if let (Some(seed), true) = (arguments.seed, arguments.print) {
        print!("{}", script::single(&generator::steps(seed)));
        return Ok(ExitCode::SUCCESS);
    }
    let own = std::env::current_exe().context("cannot find this program")?;
    let comparison = Comparison {
        tarantool: Program::new(arguments.tarantool.clone(), [] as [&str; 0]),
        lycosa: Program::new(arguments.lycosa.clone().unwrap_or(own), ["exec"]),
    };
    let different = run(&arguments, &comparison)?;
    Ok(ExitCode::from(u8::from(different > 0)))
}

/// Runs all seeds and answers with how many differ.
fn run(arguments: &Arguments, comparison: &Comparison) -> Result<usize> {
    let seeds = arguments
        .seed
        .map_or(arguments.seeds.clone(), |seed| seed..=seed);
    let (mut first, last) = (*seeds.start(), *seeds.end());
    let mut different = 0;
    loop {
        let end = last.min(first.saturating_add(arguments.batch - 1));
        let batch: Vec<u64> = (first..=end).collect();
        for seed in comparison.seeds(&batch)? {
            different += 1;
            report(arguments, comparison, seed)?;
        }
        eprintln!("seeds {}..{end}: {different} differ", seeds.start());
        if end == last {
            return Ok(different);
        }
        first = end + 1;
    }
}

/// Shows the difference of a seed and writes its script.
fn report(arguments: &Arguments, comparison: &Comparison, seed: u64) -> Result<()> {
    let steps = generator::steps(seed);
    let shrunk = if arguments.no_shrink {
        comparison
            .steps(&steps)?
            .map(|difference| (steps, difference))
    } else {
        shrink::shrink(comparison, steps)?
    };
    let Some((steps, difference)) = shrunk else {
        println!("seed {seed} differs only behind the seeds before it");
        return Ok(());
    };
    std::fs::create_dir_all(&arguments.output)
        .with_context(|| format!("cannot make {}", arguments.output.display()))?;
    let path = arguments.output.join(format!("seed_{seed}.lua"));
    std::fs::write(&path, script::single(&steps))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("seed {seed}: {}", path.display());
    for step in &steps {
        println!("    {step}");
    }
    println!("  tarantool {}", shortened(&difference.tarantool));
    println!("  lycosa    {}", shortened(&difference.lycosa));
    Ok(())
}

/// The beginning of a line, which is enough to know it by.
fn shortened(line: &str) -> String {
    const SHOWN: usize = 400;
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    }
}
