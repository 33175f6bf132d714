//! `--arm` as the user writes it: the name of a way that is built in, or `LABEL=COMMAND`.

use std::str::FromStr;

use crate::suggestion::nearest;
use crate::worker::template::{Placeholder, Template};

/// The names that are built in; `qemu-ARCH` comes beside them.
const BUILT_IN: [&str; 5] = ["native", "rosetta", "qemu", "efficiency", "tarantool"];

/// How Tarantool is started.
const TARANTOOL: &str = "tarantool {driver} --workload {workload} --records {records} \
    --fibers {fibers} --ops-per-txn {ops_per_txn} --index {index} --memory {memory} --jit {jit} \
    --seed {seed} --prefix {prefix} {pace} {settings}";

/// An arm that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArmSpec {
    /// Its name in results.
    pub(crate) label: String,
    /// The way to run.
    pub(crate) way: Way,
}

/// A way to run a workload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// Lycosa built for this chip, untranslated.
    Native,
    /// Lycosa built for `x86_64`, translated by Rosetta.
    Rosetta,
    /// Lycosa under QEMU's user-mode emulation: built for this architecture, or as this binary is.
    Qemu(Option<String>),
    /// As native, on the machine's efficiency cores.
    Efficiency,
    /// An installed Tarantool.
    Tarantool(Template),
    /// A command that starts a worker of lycosa.
    Lycosa(Template),
    /// A command that starts another program.
    Program(Template),
}

impl ArmSpec {
    /// Whether Lycosa itself says what an arm of this name is; of any other, its command does.
    pub(crate) fn is_built_in(name: &str) -> bool {
        Self::built_in(name).is_some()
    }

    /// The arm `native`.
    pub(crate) fn native() -> Self {
        Self {
            label: String::from("native"),
            way: Way::Native,
        }
    }

    /// The arm `efficiency`.
    pub(crate) fn efficiency() -> Self {
        Self {
            label: String::from("efficiency"),
            way: Way::Efficiency,
        }
    }

    fn built_in(name: &str) -> Option<Self> {
        let way = match name {
            "native" => Way::Native,
            "rosetta" => Way::Rosetta,
            "qemu" => Way::Qemu(None),
            "efficiency" => Way::Efficiency,
            "tarantool" => Way::Tarantool(TARANTOOL.parse().ok()?),
            _ => Way::Qemu(Some(architecture(name.strip_prefix("qemu-")?)?.to_owned())),
        };
        Some(Self {
            label: name.to_owned(),
            way,
        })
    }
}

impl FromStr for ArmSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((label, command)) = text.split_once('=') else {
            return Self::built_in(text).ok_or_else(|| unknown(text));
        };
        check_label(label)?;
        if command.trim_start().starts_with("--") {
            return Err(format!(
                "`{command}` has options where a command must stand; a command is, for example, \
                 `nice -n 5 {{lycosa}}`"
            ));
        }
        let template: Template = command
            .parse()
            .map_err(|reason| format!("the command of `{label}` {reason}"))?;
        let way = if template.mentions(Placeholder::Workload) {
            Way::Program(template)
        } else {
            let other = template
                .placeholders()
                .find(|placeholder| *placeholder != Placeholder::Lycosa);
            if let Some(other) = other {
                return Err(format!(
                    "the command of `{label}` has {other} and no {{workload}}: without that it \
                     starts lycosa, which is told everything anyway"
                ));
            }
            Way::Lycosa(template)
        };
        Ok(Self {
            label: label.to_owned(),
            way,
        })
    }
}

/// Labels stand in tables, result files and names of files.
fn check_label(label: &str) -> Result<(), String> {
    if label.is_empty() {
        return Err(String::from("has no label; write LABEL=COMMAND"));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if let Some(odd) = label.chars().find(|c| !is_plain(*c)) {
        return Err(format!(
            "`{label}` is no label: {odd:?} is in it; letters, digits, `.`, `_` and `-` may be"
        ));
    }
    if ArmSpec::built_in(label).is_some() {
        return Err(format!(
            "`{label}` is built in and takes no command; choose another label"
        ));
    }
    Ok(())
}

fn unknown(text: &str) -> String {
    if text.is_empty() {
        return format!("is empty; {}", choices());
    }
    match nearest(text, &BUILT_IN) {
        Some(nearest) => format!("there is no arm `{text}`; did you mean `{nearest}`?"),
        None => format!("there is no arm `{text}`; {}", choices()),
    }
}

fn choices() -> String {
    format!("there are {} and LABEL=COMMAND", BUILT_IN.join(", "))
}

/// An architecture under the name that Rust has for it, from any of its usual names.
pub(crate) fn architecture(name: &str) -> Option<&'static str> {
    Some(match name {
        "aarch64" | "arm64" => "aarch64",
        "x86_64" | "x86-64" | "amd64" | "x64" => "x86_64",
        "riscv64" => "riscv64",
        "loongarch64" => "loongarch64",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<ArmSpec>().unwrap_err()
    }

    fn way(text: &str) -> Way {
        text.parse::<ArmSpec>().unwrap().way
    }

    #[test]
    fn built_in_arms_are_named_alone() {
        assert_eq!(way("native"), Way::Native);
        assert_eq!(way("rosetta"), Way::Rosetta);
        assert_eq!(way("efficiency"), Way::Efficiency);
        assert_eq!(way("qemu"), Way::Qemu(None));
        assert_eq!(way("qemu-arm64"), Way::Qemu(Some(String::from("aarch64"))));
        assert!(matches!(way("tarantool"), Way::Tarantool(_)));
    }

    #[test]
    fn a_command_with_the_workload_in_it_is_another_program() {
        let spec: ArmSpec = "arm64=qemu-aarch64 -L /usr/lib/x build/lycosa"
            .parse()
            .unwrap();
        assert_eq!(spec.label, "arm64");
        assert!(matches!(spec.way, Way::Lycosa(_)));
        assert!(matches!(way("again={lycosa}"), Way::Lycosa(_)));
        assert!(matches!(
            way("v3.1=tarantool-3 {driver} {workload}"),
            Way::Program(_)
        ));
    }

    #[test]
    fn what_is_no_arm_is_refused_in_one_line() {
        for (text, expected) in [
            (
                "roseta",
                "there is no arm `roseta`; did you mean `rosetta`?",
            ),
            (
                "zzz",
                "there are native, rosetta, qemu, efficiency, tarantool and LABEL=COMMAND",
            ),
            ("qemu-vax", "did you mean `qemu`?"),
            ("", "is empty; there are"),
            ("=x", "has no label"),
            ("a b=x", "' ' is in it"),
            ("native={lycosa}", "built in"),
            ("qemu-arm64={lycosa}", "built in"),
            ("a=", "the command of `a` has no command"),
            ("a='b", "without its other half"),
            ("a=--jit off", "options where a command must stand"),
            ("a={lycosa} {records}", "has {records} and no {workload}"),
            ("a={licosa}", "did you mean {lycosa}?"),
        ] {
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
