//! The command line that this process was started with, as it would be typed.

use std::path::Path;

/// The command that goes on with the measurement in `path`: the one given, with its file as
/// `--resume`.
pub(super) fn resuming(path: &Path) -> String {
    let given = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    resume_words(given, &path.to_string_lossy())
}

fn resume_words(given: impl Iterator<Item = String>, path: &str) -> String {
    let mut words = Vec::new();
    let mut given = given;
    while let Some(word) = given.next() {
        match word.as_str() {
            "--json" | "--resume" => {
                given.next();
            }
            _ if word.starts_with("--json=") || word.starts_with("--resume=") => {}
            _ => words.push(quoted(&word)),
        }
    }
    words.push(String::from("--resume"));
    words.push(quoted(path));
    words.join(" ")
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resumed(given: &[&str]) -> String {
        resume_words(given.iter().map(|word| (*word).to_owned()), "a b.json")
    }

    #[test]
    fn the_command_is_given_again_with_its_file_to_go_on_with() {
        let expected = "lycosa sweep --records 1M..5M:1M -q --resume 'a b.json'";
        for file in [
            &["--json", "x.json"][..],
            &["--json=x.json"],
            &["--resume", "x.json"],
            &["--resume=x.json"],
            &[],
        ] {
            let given = [
                &["lycosa", "sweep", "--records", "1M..5M:1M"],
                file,
                &["-q"],
            ]
            .concat();
            assert_eq!(resumed(&given), expected);
        }
    }

    #[test]
    fn a_shell_reads_every_word_back_as_it_was() {
        for word in ["", "a b", "it's", "$HOME", "a*", "\"", "\\", "plain"] {
            let output = std::process::Command::new("/bin/sh")
                .args(["-c", &format!("printf %s {}", quoted(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}
