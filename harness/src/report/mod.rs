//! The forms in which figures are told.

pub(crate) mod baseline;
pub(crate) mod builds;
pub(crate) mod comparison;
pub(crate) mod course_table;
pub(crate) mod csv;
pub(crate) mod csv_intervals;
pub(crate) mod dataset;
pub(crate) mod environment;
pub(crate) mod failure;
pub(crate) mod figures_table;
pub(crate) mod findings;
pub(crate) mod google_benchmark;
pub(crate) mod html;
pub(crate) mod machines_table;
pub(crate) mod markdown;
pub(crate) mod matrix;
pub(crate) mod method;
pub(crate) mod page;
pub(crate) mod resources;
pub(crate) mod selftest;
pub(crate) mod side_by_side;
pub(crate) mod sizes;
pub(crate) mod sparkline;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod terminal;
pub(crate) mod wall;
pub(crate) mod warnings;

/// Text from a file without what a terminal or a page would obey: control characters, and those
/// that turn the direction of writing.
pub(crate) fn plain(text: &str) -> String {
    let is_obeyed = |character: char| {
        character.is_control()
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars()
        .map(|character| {
            if is_obeyed(character) {
                char::REPLACEMENT_CHARACTER
            } else {
                character
            }
        })
        .collect()
}
