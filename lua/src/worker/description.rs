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
    let described = options_of(workload)
        .and_then(|options| Ok((options, defaults_of(workload)?, unit_of(workload)?)));
    let (options, defaults, unit) = described.map_err(|what| plain(format!("{name}: {what}")))?;
    let help = workload.get("help").unwrap_or_default();
    Ok(WorkloadInfo {
        name,
        help,
        options,
        defaults,
        unit,
    })
}

fn options_of(workload: &Table) -> Result<Vec<WorkloadOption>, String> {
    let no_list = || String::from("`options` must be a list of {name, default, help} tables");
    let list = match workload.get::<Value>("options") {
        Ok(Value::Nil) => return Ok(Vec::new()),
        Ok(Value::Table(list)) if list.raw_len() > 0 || list.is_empty() => list,
        _ => return Err(no_list()),
    };
    let entries = list.sequence_values::<Table>();
    entries
        .map(|entry| option_of(&entry.map_err(|_| no_list())?))
        .collect()
}

fn option_of(entry: &Table) -> Result<WorkloadOption, String> {
    let name = entry
        .get("name")
        .map_err(|_| String::from("an option has no name"))?;
    let default = match entry.get::<Value>("default") {
        Ok(
            value @ (Value::String(_) | Value::Integer(_) | Value::Number(_) | Value::Boolean(_)),
        ) => value.to_string().unwrap_or_default(),
        _ => {
            return Err(format!(
                "option `{name}` needs a default: a string, number or boolean"
            ));
        }
    };
    Ok(WorkloadOption {
        name,
        default,
        help: entry.get("help").unwrap_or_default(),
    })
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
    let number = match value {
        Value::Integer(number) => *number as f64,
        Value::Number(number) => *number,
        _ => f64::NAN,
    };
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
