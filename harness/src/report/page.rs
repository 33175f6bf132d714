//! Layout of the terminal: labels with items, styles, and times that stand below each other.
//!
//! A label and its items flow over as many lines as the width demands, so that nothing wraps.
//! Styles are whole lines; the stream strips them where they do not belong.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

/// Width where the terminal does not tell its own.
pub(crate) const WIDTH_DEFAULT: usize = 80;

/// Width of the labels' column.
pub(crate) const LABEL_WIDTH: usize = 14;

/// Between two items of a line.
const GAP: &str = "   ";

/// Something went wrong.
pub(crate) const RED: Style = AnsiColor::Red.on_default();
/// A warning.
pub(crate) const YELLOW: Style = AnsiColor::Yellow.on_default();
/// Context.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Figures.
pub(crate) const PLAIN: Style = Style::new();

/// A report being written.
pub(crate) struct Page<'a> {
    out: &'a mut dyn Write,
    width: usize,
}

impl<'a> Page<'a> {
    /// A page of `width` columns on a stream.
    pub(crate) fn new(out: &'a mut dyn Write, width: usize) -> Self {
        Self { out, width }
    }

    /// Its columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// A line that is laid out already.
    pub(crate) fn raw(&mut self, style: Style, line: &str) -> io::Result<()> {
        self.styled(style, line)
    }

    /// An empty line.
    pub(crate) fn gap(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// A label and its items; items that no longer fit go below the first.
    pub(crate) fn labelled(
        &mut self,
        style: Style,
        label: &str,
        items: &[String],
    ) -> io::Result<()> {
        self.flow(style, &format!("{label:<LABEL_WIDTH$}"), items)
    }

    /// Items from the left edge.
    pub(crate) fn line(&mut self, style: Style, items: &[String]) -> io::Result<()> {
        self.flow(style, "", items)
    }

    /// A sentence, broken between words.
    pub(crate) fn sentence(&mut self, style: Style, label: &str, text: &str) -> io::Result<()> {
        let label = if label.is_empty() {
            String::new()
        } else {
            format!("{label:<LABEL_WIDTH$}")
        };
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        self.fill(style, &label, &words, " ")
    }

    fn flow(&mut self, style: Style, label: &str, items: &[String]) -> io::Result<()> {
        self.fill(style, label, items, GAP)
    }

    fn fill(&mut self, style: Style, label: &str, items: &[String], gap: &str) -> io::Result<()> {
        let indent = label.chars().count();
        let mut line = label.to_owned();
        let mut is_fresh = true;
        for item in items {
            let needed = line.chars().count() + gap.len() + item.chars().count();
            if !is_fresh && needed > self.width {
                self.styled(style, &line)?;
                line = " ".repeat(indent);
                is_fresh = true;
            }
            if !is_fresh {
                line.push_str(gap);
            }
            line.push_str(item);
            is_fresh = false;
        }
        self.styled(style, &line)
    }

    fn styled(&mut self, style: Style, line: &str) -> io::Result<()> {
        writeln!(self.out, "{style}{}{style:#}", line.trim_end())
    }
}

/// A scale for times: four significant digits of the one it is made for, so that the others stand
/// in the same unit with the same decimals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seconds {
    factor: f64,
    unit: &'static str,
    decimals: usize,
}

impl Seconds {
    /// The scale that suits `seconds`.
    pub(crate) fn like(seconds: f64) -> Self {
        let (factor, unit) = if seconds >= 0.1 || seconds <= 0.0 {
            (1.0, "s")
        } else if seconds >= 1e-5 {
            (1e3, "ms")
        } else {
            (1e6, "us")
        };
        let digits_before = (seconds * factor).clamp(0.1, 1e9).log10().floor() as i32 + 1;
        Self {
            factor,
            unit,
            decimals: usize::try_from(4 - digits_before).unwrap_or(0),
        }
    }

    /// Without the unit.
    pub(crate) fn bare(self, seconds: f64) -> String {
        let value = seconds * self.factor;
        // Damaged files hold times beyond the age of the world, with hundreds of digits.
        if value.abs() >= 1e9 {
            return format!("{value:.3e}");
        }
        format!("{value:.*}", self.decimals)
    }

    /// With the unit.
    pub(crate) fn with_unit(self, seconds: f64) -> String {
        format!("{} {}", self.bare(seconds), self.unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(width: usize, write: impl FnOnce(&mut Page<'_>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut Page::new(&mut out, width)).unwrap();
        anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
    }

    #[test]
    fn items_that_do_not_fit_go_below_the_first() {
        let items = ["one", "two", "three"].map(str::to_owned);
        let text = written(24, |page| page.labelled(PLAIN, "count", &items));
        assert_eq!(text, "count         one   two\n              three\n");
        let text = written(80, |page| page.line(PLAIN, &items));
        assert_eq!(text, "one   two   three\n");
    }

    #[test]
    fn a_sentence_is_broken_between_words_and_a_longer_word_is_kept_whole() {
        let text = written(20, |page| {
            page.sentence(RED, "drift", "a bb /a/long/path c")
        });
        assert_eq!(
            text,
            "drift         a bb\n              /a/long/path\n              c\n"
        );
    }

    #[test]
    fn times_are_shown_with_four_digits_in_a_fitting_unit() {
        for (seconds, text) in [
            (0.1012, "0.1012 s"),
            (2.311, "2.311 s"),
            (123.456, "123.5 s"),
            (0.0517, "51.70 ms"),
            (0.005, "5.000 ms"),
            (0.000_002, "2.000 us"),
            (0.0, "0.0000 s"),
            (1e300, "1.000e300 s"),
            (f64::INFINITY, "inf s"),
        ] {
            assert_eq!(Seconds::like(seconds).with_unit(seconds), text);
        }
    }
}
