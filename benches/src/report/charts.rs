//! Two kinds of pictures as SVG: bars in groups, and points on logarithmic axes.

use std::fmt::Debug;

use anyhow::{Result, anyhow};
use plotters::prelude::*;
use plotters::style::FontTransform;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Bars in groups.
pub struct Bars {
    /// What the picture shows.
    pub title: String,
    /// What the height of a bar is.
    pub y: String,
    /// The names of the groups.
    pub groups: Vec<String>,
    /// For each series its name, and for each group its value.
    pub series: Vec<(String, Vec<Option<f64>>)>,
    /// Where a line is drawn across, such as at 1.
    pub line: Option<f64>,
    /// The greatest height; what is higher is cut there and has its value above it.
    pub most: f64,
}

/// Points on logarithmic axes.
pub struct Points {
    /// What the picture shows.
    pub title: String,
    /// What is to the right.
    pub x: String,
    /// What is above.
    pub y: String,
    /// For each series its name and points; only points with positive numbers are drawn.
    pub series: Vec<(String, Vec<(f64, f64)>)>,
}

/// Colours that are told apart in print and by the colour-blind (Okabe and Ito), then some greys and more.
const COLOURS: [RGBColor; 14] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(213, 94, 0),
    RGBColor(86, 180, 233),
    RGBColor(204, 121, 167),
    RGBColor(180, 170, 20),
    RGBColor(60, 60, 60),
    RGBColor(140, 140, 140),
    RGBColor(190, 190, 190),
    RGBColor(120, 60, 20),
    RGBColor(150, 220, 150),
    RGBColor(90, 0, 130),
    RGBColor(255, 150, 150),
];

const FONT: &str = "sans-serif";

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

/// The drawing library's errors as ours.
fn drawn<T>(result: Result<T, impl Debug>) -> Result<T> {
    result.map_err(|error| anyhow!("a figure cannot be drawn: {error:?}"))
}

impl Bars {
    /// The picture.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let mut svg = String::new();
        let width = (120 + self.groups.len() * (8 + 7 * self.series.len())).clamp(600, 2000) as u32;
        let (groups, bars) = (self.groups.len() as f64, self.series.len() as f64);
        {
            let area = SVGBackend::with_string(&mut svg, (width, 480)).into_drawing_area();
            drawn(area.fill(&WHITE))?;
            drawn(area.draw(&Text::new(self.title.clone(), (60, 10), (FONT, 18))))?;
            for (index, (left, top)) in self.legend(width as i32).into_iter().enumerate() {
                drawn(area.draw(&Rectangle::new([(left, top), (left + 12, top + 10)], colour(index).filled())))?;
                drawn(area.draw(&Text::new(self.series[index].0.clone(), (left + 16, top), (FONT, 12))))?;
            }
            let mut chart = drawn(
                ChartBuilder::on(&area)
                    .margin(10)
                    .margin_top(70)
                    .x_label_area_size(110)
                    .y_label_area_size(60)
                    .build_cartesian_2d(0.0..groups, 0.0..self.most),
            )?;
            drawn(
                chart
                    .configure_mesh()
                    .disable_x_mesh()
                    .disable_x_axis()
                    .x_labels(0)
                    .light_line_style(WHITE)
                    .y_desc(&self.y)
                    .label_style((FONT, 12))
                    .draw(),
            )?;
            let bar_width = 0.86 / bars;
            for (index, (_, values)) in self.series.iter().enumerate() {
                let bar = |group: usize, value: f64| {
                    let left = group as f64 + 0.07 + index as f64 * bar_width;
                    Rectangle::new([(left, 0.0), (left + bar_width, value.min(self.most))], colour(index).filled())
                };
                let rectangles = values.iter().enumerate().filter_map(|(group, value)| Some(bar(group, (*value)?)));
                drawn(chart.draw_series(rectangles))?;
                let cut = values.iter().enumerate().filter_map(|(group, value)| Some((group, (*value)?)));
                let label = TextStyle::from((FONT, 9)).transform(FontTransform::Rotate270);
                drawn(chart.draw_series(cut.filter(|(_, value)| *value > self.most).map(|(group, value)| {
                    let left = group as f64 + 0.07 + index as f64 * bar_width;
                    Text::new(format!("{value:.1}"), (left, self.most * 0.93), label.clone())
                })))?;
            }
            if let Some(line) = self.line {
                drawn(chart.draw_series([PathElement::new(vec![(0.0, line), (groups, line)], BLACK)]))?;
            }
            let names = TextStyle::from((FONT, 12))
                .transform(FontTransform::Rotate270)
                .pos(Pos::new(HPos::Right, VPos::Center));
            for (group, name) in self.groups.iter().enumerate() {
                let (x, y) = chart.backend_coord(&(group as f64 + 0.5, 0.0));
                drawn(area.draw(&Text::new(name.clone(), (x, y + 6), names.clone())))?;
            }
            drawn(area.present())?;
        }
        Ok(svg)
    }

    /// Where in a picture of some width the names of the series stand, from left to right in as many lines as are needed.
    fn legend(&self, width: i32) -> Vec<(i32, i32)> {
        const LEFT: i32 = 60;
        const TOP: i32 = 36;
        const LINE: i32 = 16;
        let (mut left, mut top) = (LEFT, TOP);
        let place = |(name, _): &(String, Vec<Option<f64>>)| {
            // The width of a name without knowing the font.
            let wide = 34 + 7 * name.chars().count() as i32;
            if left + wide > width && left > LEFT {
                (left, top) = (LEFT, top + LINE);
            }
            let at = (left, top);
            left += wide;
            at
        };
        self.series.iter().map(place).collect()
    }
}

impl Points {
    /// The picture.
    ///
    /// # Errors
    /// It cannot be drawn.
    pub fn svg(&self) -> Result<String> {
        let positive = |&(x, y): &(f64, f64)| x > 0.0 && y > 0.0;
        let all = || self.series.iter().flat_map(|(_, points)| points).copied().filter(positive);
        let (x, y) = (range(all().map(|p| p.0)), range(all().map(|p| p.1)));
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (760, 520)).into_drawing_area();
            drawn(area.fill(&WHITE))?;
            let mut chart = drawn(
                ChartBuilder::on(&area)
                    .caption(&self.title, (FONT, 18))
                    .margin(10)
                    .x_label_area_size(45)
                    .y_label_area_size(75)
                    .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale()),
            )?;
            drawn(
                chart
                    .configure_mesh()
                    .light_line_style(WHITE)
                    .x_desc(&self.x)
                    .y_desc(&self.y)
                    .label_style((FONT, 12))
                    .x_label_formatter(&|value| short(*value))
                    .y_label_formatter(&|value| short(*value))
                    .draw(),
            )?;
            for (index, (name, points)) in self.series.iter().enumerate() {
                let style = colour(index).mix(0.6).filled();
                let shown = distinct(points.iter().copied().filter(positive), x, y);
                let circles = shown.into_iter().map(|point| Circle::new(point, 2, style));
                drawn(chart.draw_series(circles))?
                    .label(name)
                    .legend(move |(x, y)| Circle::new((x + 6, y), 4, colour(index).filled()));
            }
            drawn(
                chart
                    .configure_series_labels()
                    .position(SeriesLabelPosition::UpperLeft)
                    .background_style(WHITE.mix(0.8))
                    .border_style(BLACK.mix(0.3))
                    .label_font((FONT, 12))
                    .draw(),
            )?;
            drawn(area.present())?;
        }
        Ok(svg)
    }
}

/// From somewhat below the least to somewhat above the greatest.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(a, b), value| (a.min(value), b.max(value)));
    if least.is_finite() { (least / 1.3, most * 1.3) } else { (0.1, 10.0) }
}

/// Of points that cover each other on logarithmic axes with these ranges, one.
fn distinct(points: impl Iterator<Item = (f64, f64)>, x: (f64, f64), y: (f64, f64)) -> Vec<(f64, f64)> {
    // About every third pixel.
    const STEPS: f64 = 200.0;
    let step = |value: f64, (from, to): (f64, f64)| ((value / from).ln() / (to / from).ln() * STEPS).round() as i64;
    let mut seen = rustc_hash::FxHashSet::default();
    points.filter(|point| seen.insert((step(point.0, x), step(point.1, y)))).collect()
}

/// A power of ten or another number in few characters.
fn short(value: f64) -> String {
    if (1e-2..1e5).contains(&value) { format!("{value}") } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_hold_their_names() {
        let bars = Bars {
            title: "T & T".into(),
            y: "height".into(),
            groups: vec!["g1".into(), "g2".into()],
            series: vec![("s1".into(), vec![Some(1.0), None]), ("s2".into(), vec![Some(2.0), Some(9.0)])],
            line: Some(1.0),
            most: 3.0,
        };
        let svg = bars.svg().unwrap();
        for text in ["T &amp; T", "height", "g1", "g2", "s1", "s2", "9.0"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn points_that_cover_each_other_are_drawn_once() {
        let points = [(1.0, 1.0), (1.0, 1.001), (10.0, 1.0), (1.0, 1.0)];
        assert_eq!(distinct(points.into_iter(), (1.0, 100.0), (1.0, 100.0)), [(1.0, 1.0), (10.0, 1.0)]);
    }

    #[test]
    fn points_that_are_not_positive_are_left_out() {
        let series = vec![("s".into(), vec![(1.0, 2.0), (10.0, 20.0), (0.0, 1.0)])];
        let points = Points { title: "t".into(), x: "x".into(), y: "y".into(), series };
        assert!(points.svg().unwrap().matches("<circle").count() == 3, "two points and the legend");
        let none = Points { title: "t".into(), x: "x".into(), y: "y".into(), series: Vec::new() };
        assert!(none.svg().is_ok());
    }
}
