//! Going on with a search for the memory wall.

use std::path::Path;

use lycosa_lua::worker::WallOptions;

use super::{Difference, Keys, ResumeError, check_context, differing, read};
use crate::environment::Context;
use crate::quantity::Size;
use crate::result::binary;
use crate::result::wall::WallRecord;

/// Reads what there is of a search with these options; `None` if there is no file yet. `command` starts
/// its worker.
pub(crate) fn load(
    path: &Path,
    options: &WallOptions,
    context: &Context,
    command: &[String],
) -> Result<Option<WallRecord>, ResumeError> {
    let Some(document) = read(path)? else {
        return Ok(None);
    };
    let path = path.display().to_string();
    let Some(record) = document.wall else {
        return Err(ResumeError::NoPlan { path });
    };
    let differences = differing(&keys(&record.options), &keys(options));
    if !differences.is_empty() {
        return Err(ResumeError::OtherPlan { path, differences });
    }
    check_context(&path, &document.context, context)?;
    let here = binary::digest(command);
    if let Some((there, here)) = record.binary_digest.clone().zip(here)
        && there != here
    {
        let key = String::from("program (xxHash)");
        let differences = vec![Difference { key, there, here }];
        return Err(ResumeError::OtherBinary { path, differences });
    }
    Ok(Some(record))
}

/// All that was asked for, under the names of the options.
fn keys(options: &WallOptions) -> Keys {
    let WallOptions {
        memory_bytes,
        limit_memory_bytes,
        step_count,
        operations,
        payload_bytes,
        fibers,
        ops_per_txn,
        index,
        jit,
        seed,
    } = options;
    let limit = limit_memory_bytes.map(|limit| Size(limit).as_option());
    [
        ("--memory", Size(*memory_bytes).as_option()),
        (
            "--limit-memory",
            limit.unwrap_or_else(|| String::from("none")),
        ),
        ("--steps", step_count.to_string()),
        ("--operations", operations.to_string()),
        ("--payload", payload_bytes.to_string()),
        ("--fibers", fibers.to_string()),
        ("--ops-per-txn", ops_per_txn.to_string()),
        ("--index", index.name().to_lowercase()),
        ("--jit", String::from(if *jit { "on" } else { "off" })),
        ("--seed", seed.to_string()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
