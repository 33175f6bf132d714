//! What a workload's table says of it: its help, its options and their defaults.

use mlua::{Table, Value};

use super::contract::{
    WorkerError, WorkloadDefaults, WorkloadInfo, WorkloadOption, WorkloadSource,
};
use super::scripted::plain;

/// Most characters of the word for operations: it stands in headings of tables.
const UNIT_MAX: usize = 24;

/// Sweeps take multiples of it, and Lua's numbers hold every whole number up to 2^53.
const RECORDS_MAX: u64 = 1 << 48;

/// Reads the description of a loaded workload.
pub(super) fn info_of(
    source: &WorkloadSource,
    workload: &Table,
) -> Result<WorkloadInfo, WorkerError> {
    let name = match source {
        WorkloadSource::Bundled(name) => name.clone(),
        WorkloadSource::File(path) => path.display().to_string(),
    };
    let described = || {
        Ok(WorkloadInfo {
            name: name.clone(),
            help: help_of(workload)?,
            options: options_of(workload)?,
            defaults: defaults_of(workload)?,
            unit: unit_of(workload)?,
        })
    };
    described().map_err(|what: String| plain(format!("{name}: {what}")))
}

fn options_of(workload: &Table) -> Result<Vec<WorkloadOption>, String> {
    let no_list = || String::from("`options` must be a list of {name, default, help} tables");
    let list = match workload.get::<Value>("options") {
        Ok(Value::Nil) => return Ok(Vec::new()),
        Ok(Value::Table(list)) if list.raw_len() > 0 || list.is_empty() => list,
        _ => return Err(no_list()),
    };
    let entries = list.sequence_values::<Table>();
    let mut options: Vec<WorkloadOption> = Vec::new();
    for entry in entries {
        let option = option_of(&entry.map_err(|_| no_list())?)?;
        if options.iter().any(|other| other.name == option.name) {
            return Err(format!("two options are named `{}`", option.name));
        }
        options.push(option);
    }
    Ok(options)
}

fn option_of(entry: &Table) -> Result<WorkloadOption, String> {
    let name = entry
        .get("name")
        .map_err(|_| String::from("an option has no name"))?;
    let default = match entry.get::<Value>("default") {
        Ok(
            value @ (Value::String(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_)),
        ) => value,
        _ => {
            return Err(format!(
                "option `{name}` needs a default: a string, number or boolean"
            ));
        }
    };
    let about = |what: String| format!("option `{name}`: {what}");
    check_range(entry, &default).map_err(about)?;
    check_choices(entry, &default).map_err(about)?;
    let help = help_of(entry).map_err(about)?;
    Ok(WorkloadOption {
        name,
        default: default.to_string().unwrap_or_default(),
        help,
    })
}

/// A range has two ends, and the default is a whole number between them.
fn check_range(entry: &Table, default: &Value) -> Result<(), String> {
    let is_right = match entry.get::<Value>("range") {
        Ok(Value::Nil) => return Ok(()),
        Ok(Value::Table(range)) if range.raw_len() == 2 => {
            let end = |position| range.get(position).ok().as_ref().and_then(number_of);
            match (end(1), end(2), number_of(default)) {
                (Some(low), Some(high), Some(default)) => {
                    (low..=high).contains(&default) && default.fract() == 0.0
                }
                _ => false,
            }
        }
        _ => false,
    };
    if is_right {
        return Ok(());
    }
    Err(String::from(
        "`range` must be {LOWEST, HIGHEST}, numbers, and the default a whole number between them",
    ))
}

/// Choices are of the default's type, and it is one of them.
fn check_choices(entry: &Table, default: &Value) -> Result<(), String> {
    let of_its_type = |value: &Value| match number_of(default) {
        Some(_) => number_of(value).is_some(),
        None => value.type_name() == default.type_name(),
    };
    let choices = match entry.get::<Value>("choices") {
        Ok(Value::Nil) => return Ok(()),
        Ok(Value::Table(list)) => list.sequence_values::<Value>().collect(),
        _ => Ok(Vec::new()),
    };
    let choices = choices.unwrap_or_default();
    if choices.iter().all(of_its_type) && choices.contains(default) {
        return Ok(());
    }
    Err(String::from(
        "`choices` must be a list of values of the default's type, and hold it",
    ))
}

fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Number(number) => Some(*number),
        _ => None,
    }
}

fn help_of(table: &Table) -> Result<String, String> {
    match table.get::<Value>("help") {
        Ok(Value::Nil) => Ok(String::new()),
        Ok(Value::String(help)) => Ok(help.to_string_lossy()),
        _ => Err(String::from("`help` must be a string")),
    }
}

fn defaults_of(workload: &Table) -> Result<WorkloadDefaults, String> {
    let table = match workload.get::<Value>("defaults") {
        Ok(Value::Nil) => return Ok(WorkloadDefaults::default()),
        Ok(Value::Table(table)) => table,
        _ => return Err(String::from("`defaults` must be a table")),
    };
    let mut defaults = WorkloadDefaults::default();
    for pair in table.pairs::<Value, Value>() {
        let (key, value) = pair.map_err(|error| error.to_string())?;
        let key = key.to_string().unwrap_or_default();
        match key.as_str() {
            "records" => defaults.records = Some(count(&key, &value, RECORDS_MAX)?),
            "ops_per_txn" => {
                let most = count(&key, &value, u64::from(u32::MAX))?;
                defaults.ops_per_txn = u32::try_from(most).ok();
            }
            _ => {
                return Err(format!(
                    "`defaults` takes records and ops_per_txn, not `{key}`"
                ));
            }
        }
    }
    Ok(defaults)
}

/// A whole number from 1 to `most`.
fn count(key: &str, value: &Value, most: u64) -> Result<u64, String> {
    let number = number_of(value).unwrap_or(f64::NAN);
    if number.fract() == 0.0 && number >= 1.0 && number <= most as f64 {
        Ok(number as u64)
    } else {
        Err(format!(
            "`defaults.{key}` must be a whole number from 1 to {most}"
        ))
    }
}

fn unit_of(workload: &Table) -> Result<Option<String>, String> {
    let unit = match workload.get::<Value>("unit") {
        Ok(Value::Nil) => return Ok(None),
        Ok(Value::String(unit)) => unit.to_string_lossy(),
        _ => String::new(),
    };
    let is_word = |unit: &str| {
        (1..=UNIT_MAX).contains(&unit.chars().count())
            && unit
                .chars()
                .all(|c| c.is_alphanumeric() || c == ' ' || c == '-')
    };
    if is_word(&unit) {
        Ok(Some(unit))
    } else {
        Err(format!(
            "`unit` must be a plural noun of at most {UNIT_MAX} letters, as 'transactions'"
        ))
    }
}
