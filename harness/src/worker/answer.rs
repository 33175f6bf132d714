//! The line in which a worker answers, and how it is told from what the workload prints.
//!
//! A worker's standard output carries whatever the workload writes and, once or each time that there
//! is more to tell, `NONCE JSON` up to the end of the line; before it, `NONCE sample JSON` for each
//! interval that was asked for, and `NONCE verifying` of a program that was asked to stop. The nonce is drawn anew for each worker, so no workload prints it by
//! chance; the answer may stand behind a line that the workload left unfinished. Another program
//! that takes no nonce answers with a line that is a JSON object with a `wall_s` in it.

use std::hash::{BuildHasher, RandomState};

use lycosa_lua::worker::{Sample, WorkerError};
use serde::{Deserialize, Serialize};

use crate::environment::Context;

/// What a worker says of itself and of what it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer<T> {
    /// Machine and build as the worker sees them: not necessarily the parent's, since a translated
    /// process can start native ones.
    pub(crate) context: Context,
    /// What it was asked for, or why there is none.
    pub(crate) outcome: Result<T, WorkerError>,
}

/// Most bytes of an unfinished line that are held back; a workload that prints without ever ending
/// a line must not fill the memory.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// The same for a line that may be the answer of a program without a nonce.
const JSON_BYTES_MAX: usize = 4 * 1024 * 1024;

/// 128 random bits in hexadecimal, from the seed that the standard library draws for hash tables.
pub(crate) fn nonce() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

/// The answer as the worker writes it.
pub(crate) fn encode<T: Serialize>(
    nonce: &str,
    answer: &Answer<T>,
) -> Result<String, serde_json::Error> {
    Ok(format!("{nonce} {}\n", serde_json::to_string(answer)?))
}

/// What stands between the nonce and a sample.
const SAMPLE: &str = "sample ";

/// What a program says behind the nonce when it verifies what it did before it was asked to stop.
const VERIFYING: &[u8] = b"verifying";

/// A sample as the worker writes it.
pub(crate) fn encode_sample(nonce: &str, sample: &Sample) -> Result<String, serde_json::Error> {
    Ok(format!(
        "{nonce} {SAMPLE}{}\n",
        serde_json::to_string(sample)?
    ))
}

/// How an answer is told from other output.
#[derive(Debug)]
enum Mark {
    /// It stands behind these bytes.
    Nonce(Vec<u8>),
    /// It is a line of its own: a JSON object with a `wall_s`.
    Json,
}

impl Mark {
    /// What stands before the answer in its line, and the answer.
    fn split<'a>(&self, line: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        match self {
            Self::Nonce(marker) => {
                let start = find(line, marker)?;
                Some((&line[..start], &line[start + marker.len()..]))
            }
            Self::Json => is_result(line).then_some((&[], line)),
        }
    }

    /// How much of the end of an unfinished line must still be held back; `None` is all of it.
    fn held_bytes(&self, pending: &[u8]) -> Option<usize> {
        match self {
            _ if pending.len() <= LINE_BYTES_MAX => None,
            Self::Nonce(marker) if find(pending, marker).is_some() => None,
            // The tail may be the beginning of the marker.
            Self::Nonce(marker) => Some(marker.len()),
            Self::Json if pending.starts_with(b"{") && pending.len() <= JSON_BYTES_MAX => None,
            Self::Json => Some(0),
        }
    }
}

/// Separates the answer from the workload's output, in whatever pieces the bytes arrive.
#[derive(Debug)]
pub(crate) struct AnswerScanner {
    mark: Mark,
    pending: Vec<u8>,
    answer: Option<Vec<u8>>,
    answers: u32,
    samples: Vec<Vec<u8>>,
    is_verifying: bool,
}

impl AnswerScanner {
    /// A scanner for the standard output of a process that marks its answer with `nonce`.
    pub(crate) fn new(nonce: &str) -> Self {
        Self::with(Mark::Nonce(format!("{nonce} ").into_bytes()))
    }

    /// A scanner for the standard output of a program that was given no nonce.
    pub(crate) fn of_json() -> Self {
        Self::with(Mark::Json)
    }

    fn with(mark: Mark) -> Self {
        Self {
            mark,
            pending: Vec::new(),
            answer: None,
            answers: 0,
            samples: Vec::new(),
            is_verifying: false,
        }
    }

    /// How many answers there were so far.
    pub(crate) fn answers(&self) -> u32 {
        self.answers
    }

    /// The JSON of the samples that came since the last call.
    pub(crate) fn take_samples(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.samples)
    }

    /// Whether the process has said that it verifies what it did until it was asked to stop.
    pub(crate) fn is_verifying(&self) -> bool {
        self.is_verifying
    }

    /// The JSON of the last answer so far.
    pub(crate) fn last(&self) -> Option<&[u8]> {
        self.answer.as_deref()
    }

    /// Takes the next bytes; every finished line of the workload goes to `show`.
    pub(crate) fn push(&mut self, bytes: &[u8], show: &mut dyn FnMut(&str)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end_line(show);
            } else if let Some(held_bytes) = self.mark.held_bytes(&self.pending) {
                let keep_from = self.pending.len() - held_bytes;
                show_line(&self.pending[..keep_from], show);
                self.pending.drain(..keep_from);
            }
        }
    }

    /// Ends the stream and hands out the JSON of the last answer, if there was one.
    pub(crate) fn finish(&mut self, show: &mut dyn FnMut(&str)) -> Option<Vec<u8>> {
        self.end_line(show);
        self.answer.take()
    }

    fn end_line(&mut self, show: &mut dyn FnMut(&str)) {
        let line = std::mem::take(&mut self.pending);
        let is_ended = line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        match self.mark.split(line) {
            Some((before, answer)) => {
                if !before.is_empty() {
                    show_line(before, show);
                }
                if let Some(sample) = answer.strip_prefix(SAMPLE.as_bytes()) {
                    self.samples.push(sample.to_vec());
                } else if answer == VERIFYING {
                    self.is_verifying = true;
                } else {
                    self.answer = Some(answer.to_vec());
                    self.answers += 1;
                }
            }
            None if line.is_empty() && !is_ended => {}
            None => show_line(line, show),
        }
    }
}

/// Whether a line is what other programs answer with.
fn is_result(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Result {
        #[serde(rename = "wall_s")]
        _wall_s: serde::de::IgnoredAny,
    }
    line.starts_with(b"{") && serde_json::from_slice::<Result>(line).is_ok()
}

fn show_line(line: &[u8], show: &mut dyn FnMut(&str)) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    show(&String::from_utf8_lossy(line));
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scan(nonce: &str, pieces: &[&[u8]]) -> (Vec<String>, Option<String>) {
        let mut shown = Vec::new();
        let mut scanner = AnswerScanner::new(nonce);
        for piece in pieces {
            scanner.push(piece, &mut |line| shown.push(line.to_owned()));
        }
        let answer = scanner.finish(&mut |line| shown.push(line.to_owned()));
        (shown, answer.map(|json| String::from_utf8(json).unwrap()))
    }

    #[test]
    fn the_answer_is_found_behind_an_unfinished_line() {
        let (shown, answer) = scan("n0", &[b"hello\nno newlinen0 {\"a\":1}\n"]);
        assert_eq!(shown, ["hello", "no newline"]);
        assert_eq!(answer.as_deref(), Some("{\"a\":1}"));
    }

    #[test]
    fn samples_are_told_from_the_answer_and_from_output() {
        let mut shown = Vec::new();
        let mut scanner = AnswerScanner::new("n0");
        let bytes =
            b"verifying\nsample 1\nn0 sample {\"ops\":1}\ntailn0 sample {\"ops\":2}\nn0 {}\n";
        scanner.push(bytes, &mut |line| shown.push(line.to_owned()));
        assert_eq!(
            scanner.take_samples(),
            [b"{\"ops\":1}".to_vec(), b"{\"ops\":2}".to_vec()]
        );
        assert!(scanner.take_samples().is_empty());
        assert!(!scanner.is_verifying());
        scanner.push(b"n0 verifying\n", &mut |line| shown.push(line.to_owned()));
        assert!(scanner.is_verifying());
        assert_eq!(shown, ["verifying", "sample 1", "tail"]);
        assert_eq!(scanner.answers(), 1);
    }

    #[test]
    fn output_behind_the_answer_is_shown_too() {
        let (shown, answer) = scan("n0", &[b"n0 {}\nlate\ntail"]);
        assert_eq!(shown, ["late", "tail"]);
        assert_eq!(answer.as_deref(), Some("{}"));
    }

    #[test]
    fn without_an_answer_everything_is_output() {
        let (shown, answer) = scan("n0", &[b"one\r\n", b"\xff two"]);
        assert_eq!(shown, ["one", "\u{fffd} two"]);
        assert_eq!(answer, None);
    }

    #[test]
    fn an_endless_line_is_shown_in_parts_and_not_kept() {
        let mut scanner = AnswerScanner::new("n0");
        let mut shown_bytes = 0;
        for _ in 0..100 {
            scanner.push(&[b'x'; 10_000], &mut |line| shown_bytes += line.len());
            assert!(scanner.pending.len() <= LINE_BYTES_MAX + 10_000);
        }
        let answer = scanner.finish(&mut |line| shown_bytes += line.len());
        assert_eq!((shown_bytes, answer), (1_000_000, None));
    }

    #[test]
    fn without_a_nonce_an_object_with_a_wall_time_is_the_answer() {
        let mut shown = Vec::new();
        let mut scanner = AnswerScanner::of_json();
        let lines = b"loading\n{\"rows\":3}\n[1]\n{\"wall_s\":1.5}\n{broken\n {\"wall_s\":2}";
        scanner.push(lines, &mut |line| shown.push(line.to_owned()));
        let answer = scanner.finish(&mut |line| shown.push(line.to_owned()));
        assert_eq!(answer.as_deref(), Some(&b"{\"wall_s\":1.5}"[..]));
        assert_eq!(scanner.answers(), 1);
        assert_eq!(
            shown,
            [
                "loading",
                "{\"rows\":3}",
                "[1]",
                "{broken",
                " {\"wall_s\":2}"
            ]
        );
    }

    #[test]
    fn a_long_answer_without_a_nonce_is_kept_and_an_endless_line_is_not() {
        let mut scanner = AnswerScanner::of_json();
        let text = format!("{{\"wall_s\":1,\"pad\":\"{}\"}}\n", "x".repeat(1 << 20));
        for piece in text.as_bytes().chunks(10_000) {
            scanner.push(piece, &mut |line| panic!("{} bytes were shown", line.len()));
        }
        assert_eq!(scanner.answers(), 1);
        for _ in 0..1_000 {
            scanner.push(&[b'{'; 10_000], &mut |_| {});
            assert!(scanner.pending.len() <= JSON_BYTES_MAX);
        }
    }

    #[test]
    fn nonces_differ() {
        assert_ne!(nonce(), nonce());
        assert_eq!(nonce().len(), 32);
    }

    proptest! {
        #[test]
        fn the_pieces_in_which_bytes_arrive_do_not_matter(
            before in "[a-z\n]{0,30}",
            after in "[a-z\n]{0,30}",
            cuts in prop::collection::vec(0_usize..90, 0..6),
        ) {
            let stream = format!("{before}0123abcd {{\"x\":[1,2]}}\n{after}");
            let whole = scan("0123abcd", &[stream.as_bytes()]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> =
                cuts.windows(2).map(|pair| &stream.as_bytes()[pair[0]..pair[1]]).collect();
            prop_assert_eq!(scan("0123abcd", &pieces), whole.clone());
            prop_assert_eq!(whole.1.as_deref(), Some("{\"x\":[1,2]}"));
        }
    }
}
