//! What a sweep varies, from the command line: every option takes several values, and those that were
//! given several are its axes.

use clap::{Args, Command, FromArgMatches as _};
use lycosa_lua::worker::{Driver, WorkerOptions, WorkloadInfo, WorkloadSource};

use super::super::Failure;
use super::super::arguments::{RepetitionArguments, RunArguments, WorkloadArguments};
use super::super::settings::{check_points, worker_options};
use crate::axes::{self, Axis, Parameter, Values};
use crate::range;

/// Largest size where nothing else varies, in default sizes of the workload.
const MULTIPLE_DEFAULT: u64 = 20;

#[derive(Debug, Args)]
pub(crate) struct AxisArguments {
    /// Sizes: 1M..20M:1M, 1k,10k,1M, or 1..20M for a range that grows by a factor
    /// [default: the workload's own, else 1M; without any axis 1 to 20 times that]
    #[arg(long, value_name = "RANGE", value_parser = parser(Parameter::Records), allow_hyphen_values = true)]
    records: Option<Values>,

    /// Values of a range that grows by a factor, at most (default 10)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000))]
    points: Option<u32>,

    /// Concurrent fibers: 10,20,50 or 10..100:10 (default 50)
    #[arg(long, value_name = "RANGE", value_parser = parser(Parameter::Fibers), allow_hyphen_values = true)]
    fibers: Option<Values>,

    /// Operations of one transaction [default: the workload's own, else 100]
    #[arg(long, value_name = "RANGE", value_parser = parser(Parameter::OpsPerTxn), allow_hyphen_values = true)]
    ops_per_txn: Option<Values>,

    /// Primary index: tree, hash, or tree,hash (default tree)
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Index))]
    index: Option<Values>,

    /// Whether Lua may be compiled just in time: on, off, or on,off (default on)
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Jit))]
    jit: Option<Values>,

    /// Quota for tuples and indexes: 512MiB,4GiB (default 4GiB)
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Memory), allow_hyphen_values = true)]
    memory: Option<Values>,

    /// Seed for whatever the workload draws at random (default 1)
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Seed), allow_hyphen_values = true)]
    seed: Option<Values>,

    /// Who issues the statements: lua, rust, or lua,rust (default lua)
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Driver))]
    driver: Option<Values>,

    /// Operations that become due in a second, done or not: 20000/s or 1k,10k,100k
    #[arg(long, value_name = "RANGE", value_parser = parser(Parameter::Rate), allow_hyphen_values = true)]
    rate: Option<Values>,

    /// Ends each repetition after this time, not after --records: 300s or 1s,10s
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Duration), allow_hyphen_values = true)]
    duration: Option<Values>,

    /// Time before --duration that is not counted: 30s or 0s,30s
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::Warmup), allow_hyphen_values = true)]
    warmup: Option<Values>,

    /// Limit on the memory of the whole worker process: 2GiB or 1GiB,2GiB
    #[arg(long, value_name = "LIST", value_parser = parser(Parameter::LimitMemory), allow_hyphen_values = true)]
    limit_memory: Option<Values>,

    /// Any of the options above, or set.KEY for a setting of the workload; may be
    /// given twice
    #[arg(long = "axis", value_name = "NAME=LIST", value_parser = parse_axis, allow_hyphen_values = true)]
    axes: Vec<Values>,
}

fn parser(parameter: Parameter) -> impl Fn(&str) -> Result<Values, String> + Clone {
    move |text| Values::parse(parameter.clone(), text)
}

fn parse_axis(text: &str) -> Result<Values, String> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(String::from(
            "has no `=`; write NAME=LIST, as fibers=10,20 or set.scale=1,10",
        ));
    };
    Values::parse(name.parse()?, values)
}

/// What a sweep varies, and what else it was given one value of.
#[derive(Debug)]
pub(super) struct Axes {
    axes: Vec<Axis>,
    single: Vec<(Parameter, String)>,
}

impl AxisArguments {
    /// Tells axes from single values. `settings` are those of `--set`.
    pub(super) fn resolve(&self, settings: &[(String, String)]) -> Result<Axes, Failure> {
        let own = [
            &self.records,
            &self.fibers,
            &self.ops_per_txn,
            &self.memory,
            &self.index,
            &self.jit,
            &self.driver,
            &self.seed,
            &self.rate,
            &self.duration,
            &self.warmup,
            &self.limit_memory,
        ];
        let given: Vec<&Values> = own.into_iter().flatten().chain(&self.axes).collect();
        for (position, values) in given.iter().enumerate() {
            check_once(values.parameter(), &given[..position], settings)?;
        }
        if self.points.is_some() && !given.iter().any(|values| values.grows_by_a_factor()) {
            return Err(Failure::usage(
                "--points is for a range without a step, as 1..20M; there is none",
            ));
        }
        let mut resolved = Axes {
            axes: Vec::new(),
            single: Vec::new(),
        };
        for values in given {
            resolved.take(values, self.points)?;
        }
        resolved.axes = axes::arranged(resolved.axes).map_err(Failure::usage)?;
        Ok(resolved)
    }
}

fn check_once(
    parameter: &Parameter,
    before: &[&Values],
    settings: &[(String, String)],
) -> Result<(), Failure> {
    let name = parameter.name();
    if before.iter().any(|other| other.parameter() == parameter) {
        return Err(Failure::usage(format!(
            "`{name}` is given twice; give all its values at once, as --axis {name}=A,B"
        )));
    }
    if let Parameter::Setting(key) = parameter
        && settings.iter().any(|(other, _)| other == key)
    {
        return Err(Failure::usage(format!(
            "`{key}` is set by --set and by --axis {name}; keep one of them"
        )));
    }
    Ok(())
}

impl Axes {
    fn take(&mut self, values: &Values, points: Option<u32>) -> Result<(), Failure> {
        let parameter = values.parameter().clone();
        let texts = values
            .texts(points)
            .map_err(|error| Failure::usage(format!("{}: {error}", parameter.name())))?;
        match <[String; 1]>::try_from(texts) {
            Ok([only]) => self.single.push((parameter, only)),
            Err(values) => self.axes.push(Axis { parameter, values }),
        }
        Ok(())
    }

    /// What varies, in order.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        if self.axes.is_empty() {
            return axes::records();
        }
        let axes = self.axes.iter();
        axes.map(|axis| axis.parameter.clone()).collect()
    }

    /// Every point, checked against the workload.
    pub(super) fn points(
        &self,
        repetitions: &RepetitionArguments,
        describe: impl FnOnce(&WorkloadSource) -> Result<WorkloadInfo, Failure>,
    ) -> Result<Vec<WorkerOptions>, Failure> {
        if self.has(&Parameter::Duration) && self.has(&Parameter::Records) {
            return Err(Failure::usage(
                "--duration ends each repetition, and so do --records; leave one of them out",
            ));
        }
        let firsts = self.axes.iter().filter_map(|axis| {
            let first = axis.values.first()?.clone();
            Some((axis.parameter.clone(), first))
        });
        let all: Vec<(Parameter, String)> = self.single.iter().cloned().chain(firsts).collect();
        let mut base = Self::base(repetitions, &all, describe)?;
        for (parameter, value) in &all {
            let applied = parameter.apply(&mut base, value);
            applied.map_err(|reason| Failure::usage(format!("{}: {reason}", parameter.name())))?;
        }
        let points = if self.axes.is_empty() {
            self.sizes(base)
        } else {
            axes::points(&self.axes, &base).map_err(Failure::usage)?
        };
        check_points(&points)?;
        Ok(points)
    }

    /// Whether a parameter was given one value or several.
    fn has(&self, parameter: &Parameter) -> bool {
        self.single.iter().any(|(other, _)| other == parameter)
            || self.axes.iter().any(|axis| axis.parameter == *parameter)
    }

    /// The records are what varies where nothing else does: one size, if one was given.
    fn sizes(&self, base: WorkerOptions) -> Vec<WorkerOptions> {
        if base.is_by_time() || self.has(&Parameter::Records) {
            return vec![base];
        }
        let sizes = range::multiples(base.records, 1..=MULTIPLE_DEFAULT).into_iter();
        let point = |records| WorkerOptions {
            records,
            ..base.clone()
        };
        sizes.map(point).collect()
    }

    /// The defaults of a run with the workload's settings, which are checked by their names.
    fn base(
        repetitions: &RepetitionArguments,
        all: &[(Parameter, String)],
        describe: impl FnOnce(&WorkloadSource) -> Result<WorkloadInfo, Failure>,
    ) -> Result<WorkerOptions, Failure> {
        let mut repetitions = repetitions.clone();
        let settings = all.iter().filter_map(|(parameter, value)| match parameter {
            Parameter::Setting(name) => Some((name.clone(), value.clone())),
            _ => None,
        });
        repetitions.settings.extend(settings);
        let arguments = WorkloadArguments {
            repetitions,
            ..defaults()?
        };
        worker_options(&arguments, Driver::Lua, None, describe)
    }
}

/// The options of a run that was given none.
fn defaults() -> Result<WorkloadArguments, Failure> {
    let command = RunArguments::augment_args(Command::new("run"));
    let matches = command.try_get_matches_from(["run"]);
    matches
        .and_then(|matches| RunArguments::from_arg_matches(&matches))
        .map(|run| run.workload)
        .map_err(|error| Failure::failed(error.to_string()))
}
