//! A drawing backend of `plotters` that writes SVG without a single color or font in it: what a mark
//! is becomes its class, and the page's style sheet paints it, light or dark.
//!
//! `plotters` counts in whole pixels. A drawing is therefore ten times as large as its `viewBox`, and
//! coordinates are written with one decimal.

use std::convert::Infallible;
use std::fmt::Write;

use maud::Escaper;
use plotters::style::{Color, RGBColor, TextStyle};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontTransform,
};

/// Pixels of the drawing for one unit of the `viewBox`.
pub(super) const SCALE: i32 = 10;

/// Nominal height of text, in pixels of the drawing; the style sheet has the last word.
pub(super) const TEXT_SIZE: u32 = 130;

/// What a mark is. It goes through `plotters` as a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Words and numbers.
    Text,
    /// Lines behind the marks.
    Grid,
    /// The axes.
    Axis,
    /// The line at the ratio 1.
    Rule,
    /// The line through the medians of a series.
    Line(u8),
    /// A median.
    Median(u8),
    /// An interval.
    Interval(u8),
    /// A repetition.
    Repetition(u8),
    /// A repetition that does not count.
    Void(u8),
}

impl Ink {
    /// Number of the kind, series.
    fn code(self) -> (u8, u8) {
        match self {
            Self::Text => (0, 0),
            Self::Grid => (1, 0),
            Self::Axis => (2, 0),
            Self::Rule => (3, 0),
            Self::Line(series) => (4, series),
            Self::Median(series) => (5, series),
            Self::Interval(series) => (6, series),
            Self::Repetition(series) => (7, series),
            Self::Void(series) => (8, series),
        }
    }

    /// As `plotters` carries it.
    pub(super) fn color(self) -> RGBColor {
        let (kind, series) = self.code();
        RGBColor(kind, series, 0)
    }

    /// The classes of a mark that came through `plotters`.
    fn classes(color: BackendColor) -> String {
        let (kind, series, _) = color.rgb;
        let name = match kind {
            0 => return String::from("text"),
            1 => return String::from("grid"),
            2 => return String::from("axis"),
            3 => return String::from("rule"),
            4 => "line",
            5 => "median",
            6 => "interval",
            7 => "repetition",
            _ => "void",
        };
        format!("{name} {}", series_classes(usize::from(series)))
    }
}

/// Colors that the style sheet has.
const COLORS: usize = 7;

/// Dashes that it has; with the colors they tell 35 series apart.
const DASHES: usize = 5;

/// Classes that paint a series.
pub(super) fn series_classes(series: usize) -> String {
    format!("c{} d{}", series % COLORS, series % DASHES)
}

/// Words in the charts.
pub(super) fn text_style<'a>() -> TextStyle<'a> {
    let mut style = TextStyle::from(("sans-serif", f64::from(TEXT_SIZE)));
    style.color = Ink::Text.color().to_backend_color();
    style
}

/// The marks of a chart, as they are drawn.
pub(super) struct Canvas<'a> {
    out: &'a mut String,
    size: (u32, u32),
}

impl<'a> Canvas<'a> {
    /// A canvas of `size` units of the `viewBox`.
    pub(super) fn new(out: &'a mut String, size: (u32, u32)) -> Self {
        let scale = SCALE.unsigned_abs();
        Self {
            out,
            size: (size.0 * scale, size.1 * scale),
        }
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "what draws answers with its error type"
    )]
    fn write(&mut self, element: std::fmt::Arguments<'_>) -> Drawn {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(element);
        self.out.push('\n');
        Ok(())
    }
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// A length or coordinate in units of the `viewBox`.
struct Units(i32);

impl std::fmt::Display for Units {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = f64::from(self.0) / f64::from(SCALE);
        if self.0 % SCALE == 0 {
            write!(formatter, "{value:.0}")
        } else {
            write!(formatter, "{value:.1}")
        }
    }
}

fn points(path: impl IntoIterator<Item = BackendCoord>) -> String {
    let pairs: Vec<String> = path
        .into_iter()
        .map(|(x, y)| format!("{},{}", Units(x), Units(y)))
        .collect();
    pairs.join(" ")
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.draw_circle(point, 1, &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let classes = Ink::classes(style.color());
        self.write(format_args!(
            r#"<polyline class="{classes}" points="{}"/>"#,
            points(path)
        ))
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Drawn {
        let classes = Ink::classes(style.color());
        self.write(format_args!(
            r#"<polygon class="{classes}" points="{}"/>"#,
            points(corners)
        ))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (left, top): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
        self.fill_polygon(corners, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        let classes = Ink::classes(style.color());
        self.write(format_args!(
            r#"<circle class="{classes}" cx="{}" cy="{}" r="{}"/>"#,
            Units(x),
            Units(y),
            Units(i32::try_from(radius).unwrap_or(i32::MAX))
        ))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let anchor = style.anchor();
        let side = match anchor.h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        // Where the baseline is depends on the font; these are close for all.
        let baseline = match anchor.v_pos {
            plotters_backend::text_anchor::VPos::Top => "0.8em",
            plotters_backend::text_anchor::VPos::Center => "0.35em",
            plotters_backend::text_anchor::VPos::Bottom => "-0.2em",
        };
        let turn = match style.transform() {
            FontTransform::None => String::new(),
            FontTransform::Rotate90 => turned(90, x, y),
            FontTransform::Rotate180 => turned(180, x, y),
            FontTransform::Rotate270 => turned(270, x, y),
        };
        let mut escaped = String::new();
        let _ = Escaper::new(&mut escaped).write_str(text);
        self.write(format_args!(
            r#"<text class="{}" x="{}" y="{}" dy="{baseline}" text-anchor="{side}"{turn}>{escaped}</text>"#,
            Ink::classes(style.color()),
            Units(x),
            Units(y),
        ))
    }
}

fn turned(degrees: u32, x: i32, y: i32) -> String {
    format!(
        r#" transform="rotate({degrees} {} {})""#,
        Units(x),
        Units(y)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_marks_have_classes_and_no_colors() {
        let mut out = String::new();
        let mut canvas = Canvas::new(&mut out, (100, 50));
        canvas
            .draw_text("</svg><script>\"", &text_style(), (15, 20))
            .unwrap();
        canvas
            .draw_circle((5, 1234), 25, &Ink::Void(8).color(), true)
            .unwrap();
        assert!(
            out.contains("&lt;/svg&gt;&lt;script&gt;&quot;</text>"),
            "{out}"
        );
        assert!(
            out.contains(r#"<circle class="void c1 d3" cx="0.5" cy="123.4" r="2.5"/>"#),
            "{out}"
        );
        assert!(!out.contains('#') && !out.contains("fill="), "{out}");
    }
}
