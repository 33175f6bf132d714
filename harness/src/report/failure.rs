//! Errors as the user reads them: what was wrong, with the value, and what to do.

use lycosa_lua::worker::WorkerError;

use crate::arms::advice_on_mac;
use crate::quantity::{SIZE_MAX, Size, grouped};
use crate::schedule::RepetitionError;

/// Smallest quota that is suggested.
const SUGGESTION_MIN: u64 = 64 << 20;

/// Text of a failed repetition, without the leading `error:`; further lines are indented to stand
/// below its first.
pub(crate) fn repetition(error: &RepetitionError) -> String {
    match error {
        RepetitionError::Worker(error) => worker(error),
        RepetitionError::WrongIdentity { expected, .. } if cfg!(target_os = "macos") => {
            let arch = expected
                .binary_arch
                .as_deref()
                .unwrap_or(std::env::consts::ARCH);
            format!("{error}{}", advice_on_mac(arch))
        }
        other => other.to_string(),
    }
}

/// Text of a worker's error.
pub(crate) fn worker(error: &WorkerError) -> String {
    match error {
        WorkerError::Workload {
            message,
            hook,
            fiber,
            traceback,
        } => workload(message, hook.as_deref(), fiber.as_deref(), traceback),
        WorkerError::Memory {
            quota_bytes,
            records_done,
            records,
        } if *records == 0 => format!(
            "memory quota of {} reached after {} operations; raise it with --memory {}, or give less \
             time",
            Size(*quota_bytes),
            grouped(*records_done),
            sufficient_quota(*quota_bytes, *records_done, records_done * 2).as_option()
        ),
        WorkerError::Memory {
            quota_bytes,
            records_done,
            records,
        } => format!(
            "memory quota of {} reached after {} of {} records; raise it with --memory {}",
            Size(*quota_bytes),
            grouped(*records_done),
            grouped(*records),
            sufficient_quota(*quota_bytes, *records_done, *records).as_option()
        ),
        WorkerError::MemoryOf {
            quota_bytes,
            hook,
            traceback,
        } => traceback.iter().fold(
            format!(
                "memory quota of {} reached in {hook}(); raise it with --memory {}, or give the \
                 workload less to hold",
                Size(*quota_bytes),
                sufficient_quota(*quota_bytes, 0, 0).as_option()
            ),
            |text, frame| text + "\n         " + frame.trim(),
        ),
        WorkerError::Usage {
            message,
            suggestion: Some(suggestion),
        } => format!("{message}; did you mean `{suggestion}`?"),
        other => other.to_string(),
    }
}

fn workload(
    message: &str,
    hook: Option<&str>,
    fiber: Option<&str>,
    traceback: &[String],
) -> String {
    let mut text = format!("workload {}", message.trim_end().replace('\n', "\n       "));
    let place = match (hook, fiber) {
        (Some(hook), Some(fiber)) => Some(format!("in {hook}(), fiber {fiber}")),
        (Some(hook), None) => Some(format!("in {hook}()")),
        (None, Some(fiber)) => Some(format!("in fiber {fiber}")),
        (None, None) => None,
    };
    if let Some(place) = place {
        text.push_str("\n       ");
        text.push_str(&place);
    }
    for frame in traceback {
        text.push_str("\n         ");
        text.push_str(frame.trim());
    }
    text
}

/// A quota that all records should fit in: the one reached, scaled by the records still to come,
/// with a twentieth on top for structures that grow by doubling. With no record done there is
/// nothing to scale; it is quadrupled then.
fn sufficient_quota(quota_bytes: u64, records_done: u64, records: u64) -> Size {
    let quota = u128::from(quota_bytes);
    quota_for(match records_done {
        0 => quota * 4,
        done => quota * u128::from(records.max(done)) / u128::from(done) * 21 / 20,
    })
}

/// A quota of at least that many bytes, rounded up to a size that is pleasant to type.
pub(crate) fn quota_for(needed_bytes: u128) -> Size {
    const GIB: u128 = 1 << 30;
    let needed = needed_bytes.max(u128::from(SUGGESTION_MIN));
    let rounded = if needed <= GIB {
        needed.next_power_of_two()
    } else {
        needed.div_ceil(GIB) * GIB
    };
    Size(u64::try_from(rounded).map_or(SIZE_MAX, |bytes| bytes.min(SIZE_MAX)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quota_that_was_too_small_is_answered_with_one_that_fits() {
        let error = WorkerError::Memory {
            quota_bytes: 256 << 20,
            records_done: 4_812_300,
            records: 20_000_000,
        };
        assert_eq!(
            worker(&error),
            "memory quota of 256 MiB reached after 4,812,300 of 20,000,000 records; \
             raise it with --memory 2GiB"
        );
    }

    #[test]
    fn a_quota_that_is_reached_before_the_transactions_names_what_to_raise() {
        let error = WorkerError::MemoryOf {
            quota_bytes: 64 << 20,
            hook: String::from("prepare"),
            traceback: vec![String::from("bank.lua:7: in function 'make'")],
        };
        assert_eq!(
            worker(&error),
            "memory quota of 64 MiB reached in prepare(); raise it with --memory 256MiB, or give the \
             workload less to hold\n         bank.lua:7: in function 'make'"
        );
    }

    #[test]
    fn an_error_of_the_workload_has_its_place_and_its_traceback() {
        let error = WorkerError::Workload {
            message: String::from("bank.lua:17: attempt to index field 'acounts' (a nil value)"),
            hook: Some(String::from("transaction")),
            fiber: Some(String::from("worker-12")),
            traceback: vec![
                String::from("bank.lua:17: in function 'move'"),
                String::from("\tbank.lua:31: in function <bank.lua:29>"),
            ],
        };
        assert_eq!(
            worker(&error),
            "workload bank.lua:17: attempt to index field 'acounts' (a nil value)\n       \
             in transaction(), fiber worker-12\n         \
             bank.lua:17: in function 'move'\n         \
             bank.lua:31: in function <bank.lua:29>"
        );
    }

    #[test]
    fn a_wrong_option_is_answered_with_the_nearest() {
        let error = WorkerError::Usage {
            message: String::from("no option `payloda`"),
            suggestion: Some(String::from("payload")),
        };
        assert_eq!(
            worker(&error),
            "no option `payloda`; did you mean `payload`?"
        );
    }

    proptest! {
        #[test]
        fn a_suggested_quota_is_larger_and_can_be_typed(
            quota in 1..SIZE_MAX,
            done in 0_u64..(1 << 53),
            more in 0_u64..(1 << 53),
        ) {
            let size = sufficient_quota(quota, done, done + more);
            prop_assert!(size.0 > quota);
            prop_assert_eq!(size.as_option().parse(), Ok(size));
        }
    }
}
