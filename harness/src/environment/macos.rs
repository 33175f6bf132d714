//! macOS: everything from `sysctl`.

use std::ffi::CStr;
use std::ptr;

use super::Facts;
use super::translator::{self, Evidence, Translator};

/// Asks the system.
pub(crate) fn facts() -> Facts {
    let translator = translator::detect(&evidence());
    // A translated process is told that it is on x86-64 by everything but this.
    let is_arm = number(c"hw.optional.arm64") == Some(1) || translator == Translator::Rosetta;
    Facts {
        host_name: text(c"kern.hostname"),
        os: text(c"kern.osproductversion").map(|version| format!("macOS {version}")),
        cpu: text(c"machdep.cpu.brand_string").map(|brand| with_core_counts(&brand)),
        load_average: load_average(),
        host_arch: is_arm.then(|| String::from("aarch64")),
        emulator: None,
        translator: Some(translator),
    }
}

/// Traces of a translator.
pub(crate) fn evidence() -> Evidence {
    let (cpu_brand, hypervisor_vendor) = translator::cpuid_texts();
    Evidence {
        is_macos: true,
        proc_translated: number(c"sysctl.proc_translated").map(|value| value == 1),
        cpu_brand,
        hypervisor_vendor,
        command_name: None,
        thread_executable: None,
    }
}

/// `Apple M2 (4P + 4E)`, where the system tells performance from efficiency cores.
fn with_core_counts(brand: &str) -> String {
    let performance = number(c"hw.perflevel0.physicalcpu");
    let efficiency = number(c"hw.perflevel1.physicalcpu");
    match (performance, efficiency) {
        (Some(performance), Some(efficiency)) => {
            format!("{brand} ({performance}P + {efficiency}E)")
        }
        _ => brand.to_owned(),
    }
}

fn load_average() -> Vec<f64> {
    let mut averages = [0.0; 3];
    // SAFETY: the buffer holds the three values that are asked for.
    let count = unsafe { libc::getloadavg(averages.as_mut_ptr(), 3) };
    averages[..usize::try_from(count).unwrap_or(0).min(3)].to_vec()
}

/// Value of a 32-bit integer.
fn number(name: &CStr) -> Option<i32> {
    let mut value = [0; size_of::<i32>()];
    let length = sysctl(name, &mut value)?;
    (length == value.len()).then(|| i32::from_ne_bytes(value))
}

/// Value of a string.
fn text(name: &CStr) -> Option<String> {
    let mut value = [0; 256];
    let length = sysctl(name, &mut value)?;
    let text = String::from_utf8_lossy(value.get(..length)?);
    let text = text.trim_matches(['\0', ' ']);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Fills `value` and gives the length that was filled; `None` if there is no such name or the
/// value does not fit.
fn sysctl(name: &CStr, value: &mut [u8]) -> Option<usize> {
    let mut length = value.len();
    // SAFETY: the name ends with NUL, `value` is writable for `length` bytes, and nothing is set.
    let status = unsafe {
        libc::sysctlbyname(
            name.as_ptr(),
            value.as_mut_ptr().cast(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    (status == 0).then_some(length)
}
