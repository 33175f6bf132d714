//! `--arm` as the user writes it: the name of a way that is built in, `LABEL=COMMAND`, or
//! `LABEL=[NAME] --OPTION VALUE...` for a way that is built in with options of its own.

use std::str::FromStr;

use crate::axes::Parameter;
use crate::suggestion::nearest;
use crate::worker::template::{Placeholder, Template};

/// The names that are built in; `qemu-ARCH` comes beside them.
const BUILT_IN: [&str; 5] = ["native", "rosetta", "qemu", "efficiency", "tarantool"];

/// How Tarantool is started.
const TARANTOOL: &str = "tarantool {driver} --workload {workload} --records {records} \
    --fibers {fibers} --ops-per-txn {ops_per_txn} --index {index} --memory {memory} --jit {jit} \
    --seed {seed} --prefix {prefix} {pace} {settings}";

/// Options that all arms must share for their times to be comparable.
const SHARED: [&str; 4] = ["records", "repeat", "cold", "workload"];

/// An arm that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArmSpec {
    /// Its name in results.
    pub(crate) label: String,
    /// The way to run.
    pub(crate) way: Way,
    /// Options that it does not share with the other arms, with their values.
    pub(crate) options: Vec<(Parameter, String)>,
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
            options: Vec::new(),
        }
    }

    /// The arm `efficiency`.
    pub(crate) fn efficiency() -> Self {
        Self {
            label: String::from("efficiency"),
            way: Way::Efficiency,
            options: Vec::new(),
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
            options: Vec::new(),
        })
    }

    /// A way that is built in, native unless one is named, with options of its own; `None` for a
    /// command, which may well begin with the same word: `tarantool {driver} {workload}`.
    fn with_options(label: &str, text: &str) -> Option<Result<Self, String>> {
        let words = shlex::split(text)?;
        let is_option = |word: &String| word.starts_with("--");
        let (way, options) = match &words[..] {
            [first, ..] if is_option(first) => (Way::Native, &words[..]),
            [first, options @ ..]
                if BUILT_IN.contains(&first.as_str())
                    && options.first().is_none_or(is_option)
                    && !text.contains('{') =>
            {
                (Self::built_in(first)?.way, options)
            }
            _ => return None,
        };
        let options = own_options(options).map_err(|reason| format!("arm `{label}`: {reason}"));
        Some(options.map(|options| Self {
            label: label.to_owned(),
            way,
            options,
        }))
    }
}

/// Reads `--fibers 100 --set scale=10`, or the same with `=` in place of spaces.
fn own_options(words: &[String]) -> Result<Vec<(Parameter, String)>, String> {
    let mut options: Vec<(Parameter, String)> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.strip_prefix("--") else {
            return Err(format!(
                "`{word}` stands where an option must, as --fibers 100"
            ));
        };
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, words.next().cloned()),
        };
        if SHARED.contains(&name) {
            return Err(format!(
                "--{name} is the same for all arms, which do equal work; give it outside"
            ));
        }
        let value = value.ok_or_else(|| format!("--{name} has no value"))?;
        let (parameter, value) = match name {
            "set" => {
                let (key, value) = value.split_once('=').unwrap_or((&value, ""));
                (format!("set.{key}").parse()?, value.to_owned())
            }
            _ => (name.parse::<Parameter>()?, value),
        };
        let value = parameter
            .canonical(&value)
            .map_err(|reason| format!("--{name} `{value}` {reason}"))?;
        if options.iter().any(|(other, _)| *other == parameter) {
            return Err(format!("{} is given twice", parameter.name()));
        }
        options.push((parameter, value));
    }
    Ok(options)
}

impl FromStr for ArmSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((label, command)) = text.split_once('=') else {
            return Self::built_in(text).ok_or_else(|| unknown(text));
        };
        check_label(label)?;
        if let Some(spec) = Self::with_options(label, command) {
            return spec;
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
            options: Vec::new(),
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
        assert!(matches!(way("x=qemu-aarch64 --version"), Way::Lycosa(_)));
        for command in ["tarantool {driver} {workload}", "tarantool --a {workload}"] {
            assert!(matches!(way(&format!("x={command}")), Way::Program(_)));
        }
        assert!(matches!(
            way("v3.1=tarantool-3 {driver} {workload}"),
            Way::Program(_)
        ));
    }

    #[test]
    fn an_arm_may_be_built_in_with_options_of_its_own() {
        for (text, way, expected) in [
            ("small=--memory 1024MiB", Way::Native, "--memory 1GiB"),
            (
                "x=--fibers=100 --jit off --set 'name=a b'",
                Way::Native,
                "--fibers 100 --jit off --set name=a b",
            ),
            ("y=efficiency --index hash", Way::Efficiency, "--index hash"),
            ("again=native", Way::Native, ""),
        ] {
            let spec: ArmSpec = text.parse().unwrap();
            let options = spec.options.iter();
            let options = options.map(|(parameter, value)| parameter.as_option(value));
            assert_eq!(options.collect::<Vec<_>>().join(" "), expected);
            assert_eq!(spec.way, way);
        }
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
            ("a=--fibres 3", "did you mean `fibers`?"),
            ("a=--jit", "--jit has no value"),
            ("a=--jit maybe", "--jit `maybe` is neither on nor off"),
            ("a=--jit on --jit=off", "jit is given twice"),
            ("a=--records 1k", "is the same for all arms"),
            ("a=native --repeat 3", "is the same for all arms"),
            ("a=native --jit on off", "`off` stands where an option must"),
            ("a=--set =3", "names no setting"),
            ("a=--set", "--set has no value"),
            ("a=--fibers 0", "--fibers `0` must be at least 1"),
            ("a={lycosa} {records}", "has {records} and no {workload}"),
            ("a={licosa}", "did you mean {lycosa}?"),
        ] {
            let message = refused(text);
            assert!(message.contains(expected), "{text}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}
