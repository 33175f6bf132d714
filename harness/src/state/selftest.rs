//! The last self-test of each machine: homes may be shared between machines, and a noise floor is
//! one machine's own.

use std::fs;
use std::io;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::environment::{Context, NoiseFloor};

/// How long a self-test is believed.
pub(crate) const DAYS_MAX: i64 = 30;

/// A self-test as it is kept. Fields are only ever added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SelfTest {
    /// Name of the machine.
    pub(crate) host_name: String,
    /// Model of its chip.
    pub(crate) cpu: String,
    /// Architecture of the binary.
    pub(crate) binary_arch: String,
    /// Build profile of the binary.
    pub(crate) profile: String,
    /// What it found.
    pub(crate) noise_floor: NoiseFloor,
}

impl SelfTest {
    /// Whether it is of the machine and the build that `context` tells of.
    fn is_of(&self, context: &Context) -> bool {
        self.host_name == context.host_name
            && self.cpu == context.cpu
            && self.binary_arch == context.binary_arch
            && self.profile == context.profile
    }
}

/// What is known of a machine's noise floor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Known {
    /// A self-test that may be used.
    Fresh(NoiseFloor),
    /// One that is older than [`DAYS_MAX`] days.
    Old(NoiseFloor),
    /// None, or none that can be read.
    Nothing,
}

/// What is known of the machine and the build that `context` tells of.
pub(crate) fn known(context: &Context) -> Known {
    let read = || -> Option<SelfTest> {
        let text = fs::read(path(context).ok()?).ok()?;
        serde_json::from_slice(&text).ok()
    };
    judge(read(), context, Timestamp::now())
}

fn judge(selftest: Option<SelfTest>, context: &Context, now: Timestamp) -> Known {
    let selftest = selftest.filter(|selftest| {
        let relative = selftest.noise_floor.relative;
        selftest.is_of(context) && relative.is_finite() && relative >= 0.0
    });
    let Some(selftest) = selftest else {
        return Known::Nothing;
    };
    let Ok(date) = selftest.noise_floor.date.parse::<Timestamp>() else {
        return Known::Nothing;
    };
    if now.duration_since(date) <= SignedDuration::from_hours(24 * DAYS_MAX) {
        Known::Fresh(selftest.noise_floor)
    } else {
        Known::Old(selftest.noise_floor)
    }
}

/// Keeps a self-test in place of the machine's last one; answers where.
pub(crate) fn save(selftest: &SelfTest, context: &Context) -> io::Result<PathBuf> {
    let path = path(context)?;
    super::prepare(&path)?
        .save(selftest)
        .map_err(|error| super::at(&path, &error))?;
    Ok(path)
}

fn path(context: &Context) -> io::Result<PathBuf> {
    let name = file_name(&[
        &context.host_name,
        &context.cpu,
        &context.binary_arch,
        &context.profile,
    ]);
    Ok(super::folder()?.join("selftest").join(name))
}

/// What the parts are safe to be called; whether it is the right machine's is told by what the
/// file holds.
fn file_name(parts: &[&str]) -> String {
    let safe: Vec<String> = parts
        .iter()
        .map(|part| {
            part.chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .take(50)
                .collect()
        })
        .collect();
    format!("{}.json", safe.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::testing::context;

    fn selftest(date: &str) -> SelfTest {
        let context = context();
        SelfTest {
            host_name: context.host_name,
            cpu: context.cpu,
            binary_arch: context.binary_arch,
            profile: context.profile,
            noise_floor: NoiseFloor {
                relative: 0.009,
                date: date.to_owned(),
                records: Some(1_000_000),
                repetitions: Some(15),
            },
        }
    }

    #[test]
    fn a_self_test_is_believed_for_thirty_days_on_its_machine() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let judge = |selftest| judge(selftest, &context(), now);
        let fresh = selftest("2026-11-01T12:00:00+01:00");
        assert_eq!(
            judge(Some(fresh.clone())),
            Known::Fresh(fresh.noise_floor.clone())
        );
        let old = selftest("2026-10-30T12:00:00+01:00");
        assert_eq!(judge(Some(old.clone())), Known::Old(old.noise_floor));
        let mut other = fresh.clone();
        other.host_name.push('2');
        let mut broken = fresh;
        broken.noise_floor.relative = -1.0;
        for useless in [None, Some(other), Some(broken), Some(selftest("yesterday"))] {
            assert_eq!(judge(useless), Known::Nothing);
        }
    }

    #[test]
    fn a_machine_of_any_name_has_a_file_of_its_own() {
        assert_eq!(
            file_name(&["a/../b", "AMD EPYC (Zen)", "x86_64"]),
            "a----b_AMD-EPYC--Zen-_x86-64.json"
        );
    }
}
