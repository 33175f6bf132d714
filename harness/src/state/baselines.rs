//! Baselines: results that later ones are compared with, by name.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use crate::result::file::{self, Document, ReadError};
use crate::result::saving::Saving;
use crate::suggestion::nearest;

/// Most characters of a name: with its ending it fits every file system.
const NAME_CHARACTERS_MAX: usize = 100;

/// Name of a baseline, safe as a name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(String);

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if text.is_empty() || text.starts_with(['.', '-']) || !text.chars().all(is_allowed) {
            return Err(String::from(
                "is no name; take letters, digits, `.`, `_` and `-`, a letter or digit first",
            ));
        }
        if text.len() > NAME_CHARACTERS_MAX {
            return Err(format!("is longer than {NAME_CHARACTERS_MAX} characters"));
        }
        Ok(Self(text.to_owned()))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a baseline cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BaselineError {
    #[error("no baseline named `{name}`; {hint}")]
    Unknown { name: Name, hint: String },
    #[error("baseline `{name}`: {source}")]
    Read { name: Name, source: ReadError },
    #[error("baseline `{name}`: {source}")]
    Folder { name: Name, source: io::Error },
}

/// Reads a baseline.
pub(crate) fn load(name: &Name) -> Result<Document, BaselineError> {
    let path = path(name).map_err(|source| BaselineError::Folder {
        name: name.clone(),
        source,
    })?;
    if !path.exists() {
        return Err(BaselineError::Unknown {
            name: name.clone(),
            hint: hint(name, &names()),
        });
    }
    file::read(&path).map_err(|source| BaselineError::Read {
        name: name.clone(),
        source,
    })
}

/// Where a baseline was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The file.
    pub(crate) path: PathBuf,
    /// Whether an earlier one gave way.
    pub(crate) is_replaced: bool,
}

/// Makes sure that a baseline can be saved, before anything is measured for it.
pub(crate) fn prepare(name: &Name) -> io::Result<()> {
    saving(name).map(|_| ())
}

/// Saves a baseline, in place of an earlier one of its name.
pub(crate) fn save(name: &Name, document: &Document) -> io::Result<Saved> {
    let mut saving = saving(name)?;
    let path = saving.path().to_owned();
    let is_replaced = path.exists();
    saving
        .save(document)
        .map_err(|error| super::at(&path, &error))?;
    Ok(Saved { path, is_replaced })
}

fn saving(name: &Name) -> io::Result<Saving> {
    super::prepare(&path(name)?)
}

fn path(name: &Name) -> io::Result<PathBuf> {
    Ok(folder()?.join(format!("{name}.json")))
}

fn folder() -> io::Result<PathBuf> {
    Ok(super::folder()?.join("baselines"))
}

/// Names of all baselines, sorted; none where the folder cannot be read.
fn names() -> Vec<String> {
    let entries = folder().and_then(fs::read_dir);
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let name = name.strip_suffix(".json")?;
            name.parse::<Name>().ok().map(|name| name.0)
        })
        .collect();
    names.sort();
    names
}

fn hint(name: &Name, names: &[String]) -> String {
    if names.is_empty() {
        return format!("there are none yet, --save-baseline {name} makes one");
    }
    let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
    match nearest(&name.0, &candidates) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_no_other_folder() {
        for name in ["main", "v1.0", "2026-11-30_a", "A"] {
            assert_eq!(name.parse::<Name>().unwrap().to_string(), name);
        }
        let long = "a".repeat(101);
        for name in [
            "", ".", "..", ".hidden", "a/b", "../a", "-a", "a b", "a\0", "ä", &long,
        ] {
            assert!(name.parse::<Name>().is_err(), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_there_are() {
        let name = "mian".parse().unwrap();
        assert_eq!(
            hint(&name, &[]),
            "there are none yet, --save-baseline mian makes one"
        );
        assert_eq!(
            hint(&name, &["a".into(), "main".into()]),
            "did you mean `main`?"
        );
        assert_eq!(hint(&name, &["a".into(), "b".into()]), "there are a, b");
    }
}
