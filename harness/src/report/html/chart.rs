//! A chart: lines through medians, their intervals, and the repetitions as dots.

use std::convert::Infallible;

use maud::{Markup, PreEscaped, html};
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, EmptyElement, PathElement, Polygon};
use plotters::style::{Color, ShapeStyle};

use super::axis::Axis;
use super::svg::{Canvas, Ink, SCALE, text_style};

/// Width and height in units of the `viewBox`: small enough for text to be read on a phone.
pub(super) const SIZE: (u32, u32) = (480, 300);

/// Room for the numbers of the vertical axis, in units of the `viewBox`.
const LABELS_WIDTH: i32 = 58;

/// Room at the right.
const MARGIN: i32 = 14;

/// How far the dots of one place may spread, in pixels of the drawing.
const ROOM_MAX: f64 = 260.0;

/// The same where a place is a name, with nothing between it and the next.
const ROOM_NAMED_MAX: f64 = 900.0;

/// Radius of a repetition's dot, in pixels of the drawing.
const DOT_RADIUS: i32 = 18;

/// The same where dots have much room.
const DOT_RADIUS_LARGE: i32 = 26;

/// Half of the size of a median's mark.
const MEDIAN_RADIUS: i32 = 36;

/// Half of the width of an interval's ends.
const CAP_HALF_WIDTH: i32 = 30;

/// A chart.
pub(super) struct Chart {
    /// What it shows.
    pub(super) title: String,
    /// The same at more length, for those who cannot see it.
    pub(super) description: String,
    /// What the horizontal axis counts.
    pub(super) x_title: String,
    /// The horizontal axis.
    pub(super) x: Axis,
    /// The vertical axis.
    pub(super) y: Axis,
    /// Value at which a line crosses the chart.
    pub(super) rule: Option<f64>,
    /// What is in it.
    pub(super) lines: Vec<Line>,
}

/// What a chart has of a series.
#[derive(Debug, Default, Clone)]
pub(super) struct Line {
    /// Position of the subject, which decides on color, dash and mark.
    pub(super) subject: usize,
    /// Medians, from left to right.
    pub(super) medians: Vec<(f64, f64)>,
    /// Intervals: x, low, high.
    pub(super) intervals: Vec<(f64, f64, f64)>,
    /// Repetitions.
    pub(super) dots: Vec<Dot>,
    /// Place among the lines that stand beside each other, and how many do; `None` where all stand
    /// in one place.
    pub(super) lane: Option<(usize, usize)>,
    /// Whether there are too many medians to mark each.
    pub(super) is_bare: bool,
}

/// A repetition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dot {
    /// Value on the horizontal axis.
    pub(super) x: f64,
    /// Value on the vertical axis.
    pub(super) y: f64,
    /// Place among the repetitions at this value, from -0.5 to 0.5: dots stand side by side in
    /// order of time.
    pub(super) order: f64,
    /// Whether it does not count.
    pub(super) is_void: bool,
}

type Failed = DrawingAreaErrorKind<Infallible>;

impl Chart {
    /// The figure with its caption.
    pub(super) fn figure(&self) -> anyhow::Result<Markup> {
        let mut marks = String::new();
        {
            let area = Canvas::new(&mut marks, SIZE).into_drawing_area();
            self.draw(&area)
                .map_err(|error| anyhow::anyhow!("cannot draw {}: {error}", self.title))?;
        }
        let (width, height) = SIZE;
        Ok(html! {
            figure {
                figcaption { (self.title) }
                svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(self.description) {
                    title { (self.title) }
                    // Written by the backend, which escapes all text.
                    (PreEscaped(marks))
                }
            }
        })
    }

    /// How far the dots at one value of the horizontal axis may spread without meeting those of the
    /// next, in pixels of the drawing.
    fn room(&self) -> f64 {
        let width = (SIZE.0.cast_signed() - LABELS_WIDTH - MARGIN) * SCALE;
        let most = if self.x.is_named() {
            ROOM_NAMED_MAX
        } else {
            ROOM_MAX
        };
        let mut places: Vec<i32> = self
            .lines
            .iter()
            .flat_map(|line| &line.dots)
            .map(|dot| self.x.map(&dot.x, (0, width)))
            .collect();
        places.sort_unstable();
        places.dedup();
        places
            .windows(2)
            .map(|pair| 0.7 * f64::from(pair[1] - pair[0]))
            .fold(most, f64::min)
    }

    fn draw(&self, area: &DrawingArea<Canvas<'_>, Shift>) -> Result<(), Failed> {
        let mut chart = ChartBuilder::on(area)
            .margin_top(10 * SCALE)
            .margin_right(MARGIN * SCALE)
            .x_label_area_size(46 * SCALE)
            .y_label_area_size(LABELS_WIDTH * SCALE)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(Ink::Grid.color())
            .light_line_style(Ink::Grid.color().mix(0.0))
            .set_all_tick_mark_size(5 * SCALE)
            .axis_style(Ink::Axis.color())
            .x_label_style(text_style())
            .y_label_style(text_style())
            .axis_desc_style(text_style())
            .x_desc(self.x_title.as_str())
            .x_label_formatter(&|value| self.x.tick_text(*value))
            .y_label_formatter(&|value| self.y.tick_text(*value))
            .draw()?;
        let place = |point: &(f64, f64)| self.x.holds(point.0) && self.y.holds(point.1);
        if let Some(value) = self.rule {
            let range = self.x.range();
            let ends = [(range.start, value), (range.end, value)];
            chart.draw_series([PathElement::new(ends, stroke(Ink::Rule))])?;
        }
        let room = self.room();
        let radius = if room < ROOM_MAX {
            DOT_RADIUS
        } else {
            DOT_RADIUS_LARGE
        };
        for line in &self.lines {
            let ink = (line.subject % 256) as u8;
            let (middle, width) = lane(line.lane, room);
            let dots = line.dots.iter().filter(|dot| place(&(dot.x, dot.y)));
            chart.draw_series(dots.map(|dot| {
                let ink = if dot.is_void {
                    Ink::Void(ink)
                } else {
                    Ink::Repetition(ink)
                };
                let aside = middle + (dot.order * width).round() as i32;
                EmptyElement::at((dot.x, dot.y)) + Circle::new((aside, 0), radius, fill(ink))
            }))?;
            let medians: Vec<(f64, f64)> = line.medians.iter().copied().filter(place).collect();
            if medians.len() > 1 {
                let path = PathElement::new(medians.clone(), stroke(Ink::Line(ink)));
                chart.draw_series([path])?;
            }
            for (x, low, high) in &line.intervals {
                if place(&(*x, *low)) && place(&(*x, *high)) {
                    let style = stroke(Ink::Interval(ink));
                    chart.draw_series([PathElement::new([(*x, *low), (*x, *high)], style)])?;
                    chart.draw_series([*low, *high].map(|y| {
                        let cap = vec![(-CAP_HALF_WIDTH, 0), (CAP_HALF_WIDTH, 0)];
                        EmptyElement::at((*x, y)) + PathElement::new(cap, style)
                    }))?;
                }
            }
            if line.is_bare {
                continue;
            }
            let shape = median_shape(line.subject);
            chart.draw_series(medians.into_iter().map(|point| {
                EmptyElement::at(point) + Polygon::new(shape.clone(), fill(Ink::Median(ink)))
            }))?;
        }
        Ok(())
    }
}

/// Middle of a lane against the value that it belongs to, and its width.
fn lane(lane: Option<(usize, usize)>, room: f64) -> (i32, f64) {
    let Some((position, count)) = lane else {
        return (0, room);
    };
    let width = room / count.max(1) as f64;
    let middle = (position as f64 + 0.5) * width - room / 2.0;
    (middle.round() as i32, width * 0.8)
}

fn stroke(ink: Ink) -> ShapeStyle {
    // The width only keeps `plotters` from splitting a path into its pieces.
    ink.color().stroke_width(2)
}

fn fill(ink: Ink) -> ShapeStyle {
    ink.color().filled()
}

/// Circle, square, diamond and triangle in turn, around (0, 0).
fn median_shape(subject: usize) -> Vec<(i32, i32)> {
    let r = MEDIAN_RADIUS;
    match subject % 4 {
        0 => {
            let (part, diagonal) = (r * 92 / 100, r * 38 / 100);
            vec![
                (diagonal, -part),
                (part, -diagonal),
                (part, diagonal),
                (diagonal, part),
                (-diagonal, part),
                (-part, diagonal),
                (-part, -diagonal),
                (-diagonal, -part),
            ]
        }
        1 => {
            let side = r * 85 / 100;
            vec![(-side, -side), (side, -side), (side, side), (-side, side)]
        }
        2 => {
            let far = r * 12 / 10;
            vec![(0, -far), (far, 0), (0, far), (-far, 0)]
        }
        _ => vec![
            (0, -r * 11 / 10),
            (r * 11 / 10, r * 8 / 10),
            (-r * 11 / 10, r * 8 / 10),
        ],
    }
}

/// The mark of a series, as the legend shows it.
pub(super) fn swatch(subject: usize) -> Markup {
    let points: Vec<String> = median_shape(subject)
        .into_iter()
        .map(|(x, y)| {
            let scaled = |value: i32, middle: f64| middle + f64::from(value) / f64::from(SCALE);
            format!("{:.1},{:.1}", scaled(x, 14.0), scaled(y, 6.0))
        })
        .collect();
    let classes = super::svg::series_classes(subject);
    html! {
        svg.swatch viewBox="0 0 28 12" aria-hidden="true" {
            polyline class=(format!("line {classes}")) points="0,6 28,6" {}
            polygon class=(format!("median {classes}")) points=(points.join(" ")) {}
        }
    }
}
