//! macOS: `proc_pid_rusage` and `task_info`, as words in the order of `<sys/resource.h>` and
//! `<mach/task_info.h>`.
//!
//! Times in them are in ticks whose length a translated process is told wrongly, so CPU time is
//! taken from `getrusage` alone.

use super::{Resources, Source, Subject};

/// Positions in `rusage_info_v4` and later; the first two words are the image's identity.
const RESIDENT: usize = 8;
const READ: usize = 18;
const WRITTEN: usize = 19;
/// Words of the fourth form.
const FOURTH_FORM: usize = 37;
/// Energy billed to the process, in nanojoules; since macOS 10.15.
const BILLED_ENERGY: usize = 33;
/// Energy of the process, in nanojoules, in the sixth form.
const ENERGY: usize = 42;

/// Positions in `task_vm_info`.
const RESIDENT_PEAK: usize = 3;
const COMPRESSED: usize = 15;

/// Adds memory, I/O and energy.
pub(super) fn add(counters: &Resources, source: &dyn Source, subject: Subject) -> Resources {
    let process = source.process_words(subject);
    let memory = match subject {
        Subject::Own => source.memory_words(),
        Subject::Process(_) => Vec::new(),
    };
    // Machines that count no energy leave the field at 0.
    let energy_nj = [ENERGY, BILLED_ENERGY]
        .into_iter()
        .filter_map(|position| process.get(position))
        .find(|nanojoules| **nanojoules > 0);
    let word = |words: &[u64], position: usize| words.get(position).copied();
    let process = if process.len() < FOURTH_FORM {
        &[]
    } else {
        process.as_slice()
    };
    Resources {
        resident_bytes: word(process, RESIDENT),
        resident_peak_bytes: word(&memory, RESIDENT_PEAK),
        swap_bytes: word(&memory, COMPRESSED),
        read_bytes: word(process, READ),
        written_bytes: word(process, WRITTEN),
        energy_j: energy_nj.map(|&nanojoules| nanojoules as f64 / 1e9),
        ..counters.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Recorded;
    use super::*;

    /// Words that are their own positions, so that each shows where it was read.
    fn recorded(process_words: u64, memory_words: u64) -> Recorded {
        Recorded {
            process_words: (0..process_words).collect(),
            memory_words: (0..memory_words).collect(),
            ..Recorded::default()
        }
    }

    #[test]
    fn the_fields_are_found_by_their_positions() {
        let found = add(&Resources::default(), &recorded(58, 19), Subject::Own);
        let expected = Resources {
            resident_bytes: Some(8),
            resident_peak_bytes: Some(3),
            swap_bytes: Some(15),
            read_bytes: Some(18),
            written_bytes: Some(19),
            energy_j: Some(42e-9),
            ..Resources::default()
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn an_older_system_bills_energy_and_an_intel_mac_counts_none() {
        let older = add(&Resources::default(), &recorded(37, 19), Subject::Own);
        assert_eq!(older.energy_j, Some(33e-9));
        let mut intel = recorded(58, 19);
        (
            intel.process_words[ENERGY],
            intel.process_words[BILLED_ENERGY],
        ) = (0, 0);
        assert_eq!(
            add(&Resources::default(), &intel, Subject::Own).energy_j,
            None
        );
    }

    #[test]
    fn of_another_process_memory_is_told_in_less_detail() {
        let found = add(
            &Resources::default(),
            &recorded(58, 19),
            Subject::Process(7),
        );
        assert_eq!(found.resident_bytes, Some(8));
        assert_eq!((found.resident_peak_bytes, found.swap_bytes), (None, None));
        let gone = add(&Resources::default(), &recorded(0, 0), Subject::Process(7));
        assert_eq!(gone, Resources::default());
    }
}
