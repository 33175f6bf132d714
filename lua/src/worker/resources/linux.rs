//! Linux: `/proc/PID/{status,io}`, and the energy counters of the processor packages where they may
//! be read, which is mostly root's right.

use super::{Resources, Source, Subject};

/// Where the packages' counters are.
const POWER_FOLDER: &str = "/sys/class/powercap";

/// Adds memory and I/O.
pub(super) fn add(counters: &Resources, source: &dyn Source, subject: Subject) -> Resources {
    let file = |name: &str| {
        let path = match subject {
            Subject::Own => format!("/proc/self/{name}"),
            Subject::Process(process) => format!("/proc/{process}/{name}"),
        };
        source.file(&path).unwrap_or_default()
    };
    let (status, io) = (file("status"), file("io"));
    Resources {
        resident_bytes: kilobytes(&status, "VmRSS"),
        resident_peak_bytes: kilobytes(&status, "VmHWM"),
        swap_bytes: kilobytes(&status, "VmSwap"),
        read_bytes: number(&io, "read_bytes"),
        written_bytes: number(&io, "write_bytes"),
        ..counters.clone()
    }
}

/// Sum over the packages since some moment, in joules.
pub(super) fn package_energy_j(source: &dyn Source) -> Option<f64> {
    let microjoules: Vec<u64> = source
        .names(POWER_FOLDER)
        .iter()
        // `intel-rapl:0` is a package, of AMD's too; `intel-rapl:0:1` a part of it.
        .filter(|name| name.starts_with("intel-rapl:") && name.matches(':').count() == 1)
        .filter_map(|name| {
            let text = source.file(&format!("{POWER_FOLDER}/{name}/energy_uj"))?;
            text.trim().parse().ok()
        })
        .collect();
    (!microjoules.is_empty()).then(|| microjoules.iter().map(|&uj| uj as f64 / 1e6).sum())
}

/// Value behind `name:`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
}

fn number(text: &str, name: &str) -> Option<u64> {
    value(text, name)?.parse().ok()
}

fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let kilobytes: u64 = value(text, name)?.strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Recorded;
    use super::*;

    const STATUS: &str = "Name:\tlycosa\nUmask:\t0022\nVmPeak:\t  300000 kB\nVmHWM:\t   71448 kB\n\
        VmRSS:\t   70012 kB\nVmSwap:\t       4 kB\nThreads:\t5\nvoluntary_ctxt_switches:\t12\n";
    const IO: &str = "rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\nread_bytes: 8192\n\
        write_bytes: 0\ncancelled_write_bytes: 7\n";

    #[test]
    fn memory_and_io_of_either_process_are_read() {
        for (folder, subject) in [("self", Subject::Own), ("42", Subject::Process(42))] {
            let source = Recorded::default()
                .file(&format!("/proc/{folder}/status"), STATUS)
                .file(&format!("/proc/{folder}/io"), IO);
            let found = add(&Resources::default(), &source, subject);
            let expected = Resources {
                resident_bytes: Some(70_012 << 10),
                resident_peak_bytes: Some(71_448 << 10),
                swap_bytes: Some(4 << 10),
                read_bytes: Some(8_192),
                written_bytes: Some(0),
                ..Resources::default()
            };
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_process_that_has_ended_has_no_memory_and_may_hide_its_io() {
        let source = Recorded::default().file("/proc/42/status", "Name:\tgone\nState:\tZ\n");
        let found = add(&Resources::default(), &source, Subject::Process(42));
        assert_eq!(found, Resources::default());
    }

    #[test]
    fn damaged_texts_tell_nothing() {
        let status = format!("VmRSS: many kB\nVmHWM: {} kB\nVmSwap: 4 MB\n", u64::MAX);
        let source = Recorded::default()
            .file("/proc/self/status", &status)
            .file("/proc/self/io", "read_bytes: -1\nwrite_bytes\n");
        let found = add(&Resources::default(), &source, Subject::Own);
        assert_eq!(found, Resources::default());
    }

    #[test]
    fn packages_are_summed_and_their_parts_are_not() {
        let source = Recorded::default()
            .file("/sys/class/powercap/intel-rapl:0/energy_uj", "1500000\n")
            .file("/sys/class/powercap/intel-rapl:1/energy_uj", "250000\n")
            .file("/sys/class/powercap/intel-rapl:0:0/energy_uj", "900000\n")
            .file("/sys/class/powercap/dtpm/name", "dtpm\n");
        assert_eq!(package_energy_j(&source), Some(1.75));
        assert_eq!(package_energy_j(&Recorded::default()), None);
    }
}
