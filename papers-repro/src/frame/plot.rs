//! Plots, each drawn as SVG with light and dark colours, and as PNG.

use std::path::Path;
use std::sync::Once;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use benches::record::write_whole;

/// A line of a plot.
#[derive(Debug)]
pub struct Line {
    /// The name in the legend.
    pub name: String,
    /// The points (x, y).
    pub points: Vec<(f64, f64)>,
    /// `true` for a paper's published figures.
    pub published: bool,
}

/// A group of bars.
#[derive(Debug)]
pub struct Group {
    /// The name.
    pub name: String,
    /// The heights of the bars; `None` for a bar that is missing.
    pub bars: Vec<Option<f64>>,
    /// The published value, if there is one.
    pub published: Option<f64>,
}

/// A plot.
#[derive(Debug)]
pub enum Plot {
    /// Lines with a logarithmic y axis.
    Lines {
        /// The labels of the axes.
        axes: (&'static str, &'static str),
        /// `true` for a logarithmic x axis.
        log_x: bool,
        /// The lines.
        lines: Vec<Line>,
        /// Positions on the x axis that have names, such as the size of a cache.
        marks: Vec<(f64, String)>,
    },
    /// Bars side by side, in groups, with published values as circles.
    Groups {
        /// The label of the y axis.
        axis: &'static str,
        /// The names of the bars of a group.
        names: Vec<String>,
        /// The groups.
        groups: Vec<Group>,
    },
    /// A heat map: one value per cell of an integer grid.
    Heat {
        /// The labels of the axes.
        axes: (&'static str, &'static str),
        /// The cells (x, y, value).
        cells: Vec<(i32, i32, f64)>,
    },
    /// Stacked bars.
    Bars {
        /// The label of the y axis.
        axis: &'static str,
        /// The names of the parts.
        parts: Vec<String>,
        /// The name of each bar and the heights of its parts.
        bars: Vec<(String, Vec<f64>)>,
    },
}

/// The colours of a page.
#[derive(Clone, Copy)]
struct Theme {
    paper: RGBColor,
    ink: RGBColor,
    faint: RGBColor,
}

const LIGHT: Theme =
    Theme { paper: RGBColor(255, 255, 255), ink: RGBColor(34, 34, 34), faint: RGBColor(220, 220, 220) };
const DARK: Theme = Theme { paper: RGBColor(24, 26, 27), ink: RGBColor(225, 225, 225), faint: RGBColor(62, 66, 68) };

/// Colours for lines and bars. They are distinct on both pages, also for colour-blind readers.
const COLOURS: [RGBColor; 10] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(148, 103, 189),
    RGBColor(140, 140, 140),
    RGBColor(170, 160, 40),
    RGBColor(140, 86, 75),
];

const SIZE: (u32, u32) = (760, 460);

type Error = Box<dyn std::error::Error>;

/// Draws a plot. Writes an SVG and a PNG file into a folder and returns the SVG texts of the light and the dark plot.
pub fn draw(folder: &Path, name: &str, plot: &Plot) -> Result<(String, String), String> {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        // Only PNG files need the font; SVG text is rendered by the viewer.
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
    });
    let failed = |error: Error| format!("cannot draw `{name}`: {error}");
    let svg = |theme| -> Result<String, Error> {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
            paint(&area, theme, plot)?;
            area.present()?;
        }
        Ok(text)
    };
    let (light, dark) = (svg(LIGHT).map_err(failed)?, svg(DARK).map_err(failed)?);
    write_whole(&folder.join(format!("{name}.svg")), light.as_bytes())?;
    let png = folder.join(format!("{name}.png"));
    let bitmap = || -> Result<(), Error> {
        let area = BitMapBackend::new(&png, SIZE).into_drawing_area();
        paint(&area, LIGHT, plot)?;
        area.present()?;
        Ok(())
    };
    bitmap().map_err(failed)?;
    Ok((light, dark))
}

fn paint<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, theme: Theme, plot: &Plot) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    area.fill(&theme.paper)?;
    match plot {
        Plot::Lines { axes, log_x, lines, marks } => paint_lines(area, theme, *axes, *log_x, lines, marks),
        Plot::Groups { axis, names, groups } => paint_groups(area, theme, axis, names, groups),
        Plot::Heat { axes, cells } => paint_heat(area, theme, *axes, cells),
        Plot::Bars { axis, parts, bars } => paint_bars(area, theme, axis, parts, bars),
    }
}

/// Formats a number as an axis label.
fn tick(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".into()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:e}")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    }
}

/// Returns the range of the positive numbers, with a margin.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.filter(|&v| v > 0.0).fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    if low > high { (0.1, 10.0) } else { (low / 1.3, high * 1.3) }
}

/// Draws the legend in the colours of a page.
macro_rules! draw_legend {
    ($chart:expr, $theme:expr) => {
        $chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style($theme.paper.mix(0.85))
            .border_style($theme.faint)
            .label_font(("sans-serif", 13).into_font().color(&$theme.ink))
            .draw()?
    };
}

fn paint_lines<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axes: (&str, &str),
    log_x: bool,
    lines: &[Line],
    marks: &[(f64, String)],
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let all = || lines.iter().flat_map(|line| line.points.iter().copied());
    let (y_low, y_high) = range(all().map(|p| p.1));
    // The legend is above the lines.
    let share = (0.05 * lines.len() as f64).min(0.4);
    let y_high = y_high * (y_high / y_low).powf(share / (1.0 - share));
    let name_height = y_low * (y_high / y_low).powf(0.05);
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).x_label_area_size(44).y_label_area_size(70);
    macro_rules! chart {
        ($x:expr) => {{
            let mut chart = builder.build_cartesian_2d($x, (y_low..y_high).log_scale())?;
            chart
                .configure_mesh()
                .x_desc(axes.0)
                .y_desc(axes.1)
                .x_label_formatter(&|x| tick(*x))
                .y_label_formatter(&|y| tick(*y))
                .axis_style(theme.ink)
                .bold_line_style(theme.faint)
                .light_line_style(theme.faint.mix(0.3))
                .label_style(("sans-serif", 13).into_font().color(&theme.ink))
                .draw()?;
            for (x, name) in marks {
                chart.draw_series(std::iter::once(PathElement::new(
                    vec![(*x, y_low), (*x, y_high)],
                    theme.ink.mix(0.4),
                )))?;
                let text = ("sans-serif", 12).into_font().color(&theme.ink.mix(0.7));
                chart.draw_series(std::iter::once(Text::new(name.clone(), (*x, name_height), text)))?;
            }
            for (k, line) in lines.iter().enumerate() {
                let colour = COLOURS[k % COLOURS.len()];
                let mut points = line.points.clone();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let style =
                    ShapeStyle { color: colour.into(), filled: true, stroke_width: if line.published { 1 } else { 2 } };
                chart
                    .draw_series(LineSeries::new(points.iter().copied(), style))?
                    .label(&line.name)
                    .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
                chart.draw_series(points.iter().map(|&p| {
                    if line.published {
                        Circle::new(p, 4, colour.stroke_width(1))
                    } else {
                        Circle::new(p, 3, colour.filled())
                    }
                }))?;
            }
            draw_legend!(chart, theme);
        }};
    }
    if log_x {
        let (low, high) = range(all().map(|p| p.0));
        chart!((low..high).log_scale());
    } else {
        let (low, high) = all().fold((f64::INFINITY, 1.0f64), |(l, h), p| (l.min(p.0), h.max(p.0)));
        chart!(low.min(high)..high);
    }
    Ok(())
}

/// Returns a colour from dark blue (1 / `most`) through white (1) to dark red (`most`).
fn heat(value: f64, most: f64) -> RGBColor {
    let at = (value.max(1e-3).log2() / most.log2()).clamp(-1.0, 1.0);
    let mix = |from: f64, to: f64| (from + (to - from) * at.abs()) as u8;
    if at < 0.0 {
        RGBColor(mix(247.0, 33.0), mix(247.0, 102.0), mix(247.0, 172.0))
    } else {
        RGBColor(mix(247.0, 178.0), mix(247.0, 24.0), mix(247.0, 43.0))
    }
}

fn paint_heat<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axes: (&str, &str),
    cells: &[(i32, i32, f64)],
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let (x_most, y_most) = cells.iter().fold((1, 1), |(x, y), cell| (x.max(cell.0), y.max(cell.1)));
    // The scale is symmetric around 1 and reaches the largest value or 16. Extreme small values must not make it all
    // white.
    let greatest = cells.iter().map(|cell| cell.2).fold(16.0, f64::max);
    let most = cells.iter().map(|cell| cell.2.max(1.0 / cell.2)).fold(2.0, f64::max).min(greatest);
    let (main, scale) = area.split_horizontally((SIZE.0 - 92) as i32);
    let mut chart = ChartBuilder::on(&main)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0..x_most + 1, 0..y_most + 1)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(axes.0)
        .y_desc(axes.1)
        .axis_style(theme.ink)
        .label_style(("sans-serif", 13).into_font().color(&theme.ink))
        .draw()?;
    chart.draw_series(
        cells.iter().map(|&(x, y, value)| Rectangle::new([(x, y), (x + 1, y + 1)], heat(value, most).filled())),
    )?;
    // The legend.
    for (k, value) in [most, most.sqrt(), 1.0, 1.0 / most.sqrt(), 1.0 / most].into_iter().enumerate() {
        let y = 40 + 44 * k as i32;
        scale.draw(&Rectangle::new([(6, y), (28, y + 40)], heat(value, most).filled()))?;
        let text = format!("{} ×", tick((value * 100.0).round() / 100.0));
        scale.draw(&Text::new(text, (34, y + 14), ("sans-serif", 13).into_font().color(&theme.ink)))?;
    }
    Ok(())
}

fn paint_bars<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axis: &str,
    parts: &[String],
    bars: &[(String, Vec<f64>)],
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let most = bars.iter().map(|bar| bar.1.iter().sum::<f64>()).fold(0.0, f64::max).max(1e-9) * 1.7;
    let n = bars.len().max(1) as i32;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(0f64..f64::from(n), 0f64..most)?;
    let name =
        |x: &f64| bars.get(x.floor() as usize).filter(|_| x.fract() == 0.5).map_or(String::new(), |b| b.0.clone());
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * n as usize + 1)
        .x_label_formatter(&name)
        .y_desc(axis)
        .y_label_formatter(&|y| tick(*y))
        .axis_style(theme.ink)
        .bold_line_style(theme.faint)
        .light_line_style(theme.faint.mix(0.3))
        .label_style(("sans-serif", 13).into_font().color(&theme.ink))
        .draw()?;
    for (part, label) in parts.iter().enumerate() {
        let colour = COLOURS[part % COLOURS.len()];
        chart
            .draw_series(bars.iter().enumerate().map(|(k, (_, values))| {
                let below: f64 = values[..part].iter().sum();
                let x = k as f64;
                Rectangle::new([(x + 0.18, below), (x + 0.82, below + values[part])], colour.filled())
            }))?
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
    }
    draw_legend!(chart, theme);
    Ok(())
}

fn paint_groups<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axis: &str,
    names: &[String],
    groups: &[Group],
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let values = groups.iter().flat_map(|group| group.bars.iter().flatten().copied().chain(group.published));
    let most = values.fold(0.0, f64::max).max(1e-9) * 1.35;
    let n = groups.len().max(1) as i32;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(0f64..f64::from(n), 0f64..most)?;
    let name = |x: &f64| {
        groups.get(x.floor() as usize).filter(|_| x.fract() == 0.5).map_or(String::new(), |group| group.name.clone())
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(2 * n as usize + 1)
        .x_label_formatter(&name)
        .y_desc(axis)
        .y_label_formatter(&|y| tick(*y))
        .axis_style(theme.ink)
        .bold_line_style(theme.faint)
        .light_line_style(theme.faint.mix(0.3))
        .label_style(("sans-serif", 13).into_font().color(&theme.ink))
        .draw()?;
    let width = 0.8 / names.len().max(1) as f64;
    for (bar, label) in names.iter().enumerate() {
        let colour = COLOURS[bar % COLOURS.len()];
        let bars = groups.iter().enumerate().filter_map(|(k, group)| {
            let x = k as f64 + 0.1 + bar as f64 * width;
            let height = group.bars.get(bar).copied().flatten()?;
            Some(Rectangle::new([(x, 0.0), (x + 0.9 * width, height)], colour.filled()))
        });
        chart
            .draw_series(bars)?
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
    }
    let ink = theme.ink;
    let published = groups.iter().enumerate().filter_map(|(k, group)| Some((k as f64 + 0.95, group.published?)));
    let published: Vec<(f64, f64)> = published.collect();
    if !published.is_empty() {
        chart
            .draw_series(published.into_iter().map(|at| Circle::new(at, 5, ink.stroke_width(2))))?
            .label("published")
            .legend(move |(x, y)| Circle::new((x + 7, y), 5, ink.stroke_width(2)));
    }
    draw_legend!(chart, theme);
    Ok(())
}

/// Returns the data of a plot as a table of comma-separated values.
pub fn data(plot: &Plot) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut rows: Vec<String> = Vec::new();
    match plot {
        Plot::Lines { axes, lines, .. } => {
            rows.push(format!("line,published,{},{}", quoted(axes.0), quoted(axes.1)));
            for line in lines {
                rows.extend(
                    line.points.iter().map(|(x, y)| format!("{},{},{x},{y}", quoted(&line.name), line.published)),
                );
            }
        }
        Plot::Heat { axes, cells } => {
            rows.push(format!("{},{},value", quoted(axes.0), quoted(axes.1)));
            rows.extend(cells.iter().map(|(x, y, value)| format!("{x},{y},{value}")));
        }
        Plot::Bars { axis, parts, bars } => {
            rows.push(format!("bar,part,{}", quoted(axis)));
            for (bar, values) in bars {
                let parts = parts.iter().zip(values);
                rows.extend(parts.map(|(part, value)| format!("{},{},{value}", quoted(bar), quoted(part))));
            }
        }
        Plot::Groups { axis, names, groups } => {
            rows.push(format!("group,bar,{}", quoted(axis)));
            for group in groups {
                let bars = names.iter().map(String::as_str).zip(group.bars.iter().copied());
                let bars = bars.chain([("published", group.published)]);
                rows.extend(
                    bars.map(|(bar, value)| format!("{},{},{}", quoted(&group.name), quoted(bar), number(value))),
                );
            }
        }
    }
    rows.join("\n") + "\n"
}
