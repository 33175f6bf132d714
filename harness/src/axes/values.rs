//! Several values of an option as people write them: `10,20,50`, `10..100:10`, `tree,hash`.

use crate::range::{Range, RangeError, SIZES_MAX};

use super::Parameter;

/// Values as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values {
    parameter: Parameter,
    list: List,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum List {
    /// Numbers, which rise.
    Counts(Range),
    /// Anything else, in the order given.
    Words(Vec<String>),
}

impl Values {
    /// Reads the values of a parameter.
    pub(crate) fn parse(parameter: Parameter, text: &str) -> Result<Self, String> {
        let is_counted = match parameter {
            Parameter::Records | Parameter::Fibers | Parameter::OpsPerTxn => true,
            // Zero is a seed and half an operation a second a rate, and neither a count.
            Parameter::Seed | Parameter::Rate | Parameter::Setting(_) => {
                text.contains("..") && text.parse::<Range>().is_ok()
            }
            _ => false,
        };
        let list = if is_counted {
            List::Counts(
                text.parse()
                    .map_err(|error: RangeError| error.to_string())?,
            )
        } else {
            List::Words(words(&parameter, text)?)
        };
        Ok(Self { parameter, list })
    }

    /// Whose values they are.
    pub(crate) fn parameter(&self) -> &Parameter {
        &self.parameter
    }

    /// Whether `--points` says how many there are.
    pub(crate) fn grows_by_a_factor(&self) -> bool {
        matches!(&self.list, List::Counts(range) if range.grows_by_a_factor())
    }

    /// Each value once, as the option takes it.
    pub(crate) fn texts(&self, points: Option<u32>) -> Result<Vec<String>, String> {
        let range = match &self.list {
            List::Words(words) => return Ok(words.clone()),
            List::Counts(range) => range,
        };
        let points = points.filter(|_| range.grows_by_a_factor());
        let counts = range.sizes(points).map_err(|error| error.to_string())?;
        counts
            .iter()
            .map(|count| {
                let text = count.to_string();
                self.parameter
                    .canonical(&text)
                    .map_err(|reason| format!("`{text}` {reason}"))
            })
            .collect()
    }
}

fn words(parameter: &Parameter, text: &str) -> Result<Vec<String>, String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(',').map(str::trim) {
        if word.is_empty() {
            return Err(String::from("names no value, or has a comma too many"));
        }
        let value = parameter
            .canonical(word)
            .map_err(|reason| format!("`{word}` {reason}"))?;
        if !words.contains(&value) {
            words.push(value);
        }
    }
    if words.len() as u64 > SIZES_MAX {
        let count = words.len();
        return Err(format!("names {count} values; the most is {SIZES_MAX}"));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(parameter: Parameter, text: &str) -> Result<Vec<String>, String> {
        Values::parse(parameter, text)?.texts(None)
    }

    fn setting() -> Parameter {
        Parameter::Setting(String::from("scale"))
    }

    #[test]
    fn lists_and_ranges_name_each_value_once() {
        for (parameter, text, expected) in [
            (Parameter::Fibers, "20,10,10,50", "10 20 50"),
            (Parameter::Fibers, "10..30:10", "10 20 30"),
            (Parameter::Records, "1M,1k", "1k 1M"),
            (Parameter::OpsPerTxn, "1k", "1000"),
            (Parameter::Index, "tree, hash,tree", "tree hash"),
            (Parameter::Memory, "1GiB,1024MiB,512MiB", "1GiB 512MiB"),
            (Parameter::Seed, "0,7", "0 7"),
            (Parameter::Seed, "1..3:1", "1 2 3"),
            (Parameter::Rate, "1k,20000/s,0.5", "1k/s 20k/s 0.5/s"),
            (Parameter::Rate, "1k..3k:1k", "1k/s 2k/s 3k/s"),
            (Parameter::Duration, "300ms,1s", "300ms 1s"),
            (setting(), "10,1", "10 1"),
            (setting(), "1..3:1", "1 2 3"),
            (setting(), "short,a..b", "short a..b"),
        ] {
            assert_eq!(
                texts(parameter, text).unwrap().join(" "),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn what_names_no_values_is_refused() {
        for (parameter, text) in [
            (Parameter::Fibers, ""),
            (Parameter::Fibers, "10,,20"),
            (Parameter::Fibers, "1..30_000:29_999"),
            (Parameter::Fibers, "1..29_999:1"),
            (Parameter::Index, ""),
            (Parameter::Index, "tree,"),
            (Parameter::Index, "tre"),
            (Parameter::Memory, "1..4GiB"),
            (setting(), ""),
        ] {
            let message = texts(parameter, text).unwrap_err();
            assert!(!message.contains('\n'), "{message}");
        }
        let many: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
        let message = texts(setting(), &many.join(",")).unwrap_err();
        assert_eq!(message, "names 2000 values; the most is 1000");
    }
}
