//! The command of an arm, as the user wrote it: words as a shell would split them, with placeholders
//! for what changes from one repetition to the next.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::str::FromStr;

use crate::suggestion::nearest;

/// What is filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placeholder {
    /// This program, as it was started itself.
    Lycosa,
    /// The workload's file.
    Workload,
    /// The file that drives workloads under Tarantool.
    Driver,
    /// Operations in all.
    Records,
    /// Concurrent fibers.
    Fibers,
    /// Operations of one transaction.
    OpsPerTxn,
    /// `TREE` or `HASH`.
    Index,
    /// Seed of the workload.
    Seed,
    /// Quota for tuples and indexes, in bytes.
    Memory,
    /// `on` or `off`.
    Jit,
    /// Text that the line of the result must begin with.
    Prefix,
    /// `--duration`, `--warmup`, `--rate` and `--report-interval`, each with its number, where they
    /// were given.
    Pace,
    /// `--set KEY=VALUE` for each option of the workload that was given.
    Settings,
}

impl Placeholder {
    const ALL: [(&str, Self); 13] = [
        ("lycosa", Self::Lycosa),
        ("workload", Self::Workload),
        ("driver", Self::Driver),
        ("records", Self::Records),
        ("fibers", Self::Fibers),
        ("ops_per_txn", Self::OpsPerTxn),
        ("index", Self::Index),
        ("seed", Self::Seed),
        ("memory", Self::Memory),
        ("jit", Self::Jit),
        ("prefix", Self::Prefix),
        ("pace", Self::Pace),
        ("settings", Self::Settings),
    ];

    fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, placeholder)| *placeholder)
    }

    fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }
}

impl fmt::Display for Placeholder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{{{}}}", self.name())
    }
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole(Placeholder),
}

/// A command with placeholders; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    words: Vec<Vec<Piece>>,
}

impl Template {
    /// Whether a placeholder stands anywhere in it.
    pub(crate) fn mentions(&self, placeholder: Placeholder) -> bool {
        self.placeholders().any(|known| known == placeholder)
    }

    /// Its placeholders, in order.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = Placeholder> + '_ {
        self.words.iter().flatten().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Hole(placeholder) => Some(*placeholder),
        })
    }

    /// The words to start. A word that is a placeholder alone becomes as many words as its value
    /// has; within a word they stand side by side with blanks between.
    pub(crate) fn fill(&self, value: impl Fn(Placeholder) -> Vec<OsString>) -> Vec<OsString> {
        let mut filled = Vec::new();
        for word in &self.words {
            if let [Piece::Hole(placeholder)] = word.as_slice() {
                filled.extend(value(*placeholder));
                continue;
            }
            let mut text = OsString::new();
            for piece in word {
                match piece {
                    Piece::Text(piece) => text.push(piece),
                    Piece::Hole(placeholder) => {
                        text.push(value(*placeholder).join(OsStr::new(" ")));
                    }
                }
            }
            filled.push(text);
        }
        filled
    }

    /// Name or path of the program, unless it is filled in.
    pub(crate) fn program(&self) -> Option<&str> {
        match self.words.first()?.as_slice() {
            [Piece::Text(program)] => Some(program),
            _ => None,
        }
    }

    /// The words with their placeholders, to be shown.
    pub(crate) fn words(&self) -> Vec<String> {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Hole(placeholder) => placeholder.to_string(),
        };
        self.words
            .iter()
            .map(|word| word.iter().map(text).collect())
            .collect()
    }
}

impl FromStr for Template {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shlex::split(text)
            .ok_or_else(|| format!("`{text}` has a quote or a backslash without its other half"))?;
        if words.first().is_none_or(String::is_empty) {
            return Err(String::from("has no command"));
        }
        let words: Result<_, String> = words.iter().map(|word| pieces(word)).collect();
        Ok(Self { words: words? })
    }
}

/// Takes a word apart. What stands in braces and is near no placeholder is text: scripts of other
/// programs have braces of their own.
fn pieces(word: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = word;
    while let Some(start) = rest.find('{') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let is_odd = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-';
        let name = rest[1..].split(is_odd).next().unwrap_or_default();
        let is_closed = rest[1 + name.len()..].starts_with('}');
        let Some(placeholder) = Placeholder::named(name).filter(|_| is_closed) else {
            let names = Placeholder::ALL.map(|(name, _)| name);
            if let Some(nearest) = nearest(name, &names).filter(|_| is_closed) {
                return Err(format!(
                    "has no placeholder {{{name}}}; did you mean {{{nearest}}}?"
                ));
            }
            text.push('{');
            rest = &rest[1..];
            continue;
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Hole(placeholder));
        rest = &rest[name.len() + 2..];
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fill(text: &str) -> Vec<String> {
        let template: Template = text.parse().unwrap();
        let value = |placeholder| match placeholder {
            Placeholder::Lycosa => vec![OsString::from("qemu"), OsString::from("lyc osa")],
            Placeholder::Pace | Placeholder::Settings => Vec::new(),
            other => vec![OsString::from(other.name().to_uppercase())],
        };
        let filled = template.fill(value);
        filled
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    fn refused(text: &str) -> String {
        text.parse::<Template>().unwrap_err()
    }

    #[test]
    fn words_are_split_as_a_shell_does_and_placeholders_filled() {
        assert_eq!(
            fill("nice -n 5 {lycosa}"),
            ["nice", "-n", "5", "qemu", "lyc osa"]
        );
        assert_eq!(
            fill("sh -c 'exec \"$0\" {records}/{fibers}' '{workload}' {settings} ''"),
            ["sh", "-c", "exec \"$0\" RECORDS/FIBERS", "WORKLOAD", ""]
        );
        assert_eq!(fill("x a{lycosa}b"), ["x", "aqemu lyc osab"]);
    }

    #[test]
    fn braces_that_are_no_placeholder_are_text() {
        assert_eq!(
            fill("awk '{print $1}' {} { {{seed}}"),
            ["awk", "{print $1}", "{}", "{", "{SEED}"]
        );
    }

    #[test]
    fn what_is_no_command_is_refused() {
        assert!(refused("a 'b").contains("without its other half"));
        assert_eq!(refused(""), "has no command");
        assert_eq!(refused("''"), "has no command");
        assert_eq!(
            refused("x {wokload}"),
            "has no placeholder {wokload}; did you mean {workload}?"
        );
    }

    proptest! {
        #[test]
        fn words_without_placeholders_stay_as_they_are(words in prop::collection::vec("[a-z{} é]{1,8}", 1..4)) {
            let text = shlex::try_join(words.iter().map(String::as_str)).unwrap();
            if let Ok(template) = text.parse::<Template>() {
                prop_assert_eq!(template.words(), words);
            }
        }
    }
}
