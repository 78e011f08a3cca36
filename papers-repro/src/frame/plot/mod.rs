//! Plots, each drawn as SVG with light and dark colours, and as PNG.

mod bars;
mod heat;
mod lines;

use std::path::Path;
use std::sync::Once;

use plotters::chart::{ChartContext, MeshStyle};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::{CoordTranslate, Shift};
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

/// Gives the axes and the lines of a mesh the colours of a page, and the y axis its label.
fn dress<X, Y, DB>(mesh: &mut MeshStyle<'_, '_, X, Y, DB>, theme: Theme, y_axis: &str)
where
    X: Ranged + ValueFormatter<X::ValueType>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    DB: DrawingBackend,
{
    mesh.y_desc(y_axis)
        .y_label_formatter(&|y| tick(*y))
        .axis_style(theme.ink)
        .bold_line_style(theme.faint)
        .light_line_style(theme.faint.mix(0.3))
        .label_style(("sans-serif", 13).into_font().color(&theme.ink));
}

/// Draws the legend in the colours of a page.
fn draw_legend<'a, DB: DrawingBackend + 'a, CT: CoordTranslate>(
    chart: &mut ChartContext<'a, DB, CT>,
    theme: Theme,
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(theme.paper.mix(0.85))
        .border_style(theme.faint)
        .label_font(("sans-serif", 13).into_font().color(&theme.ink))
        .draw()?;
    Ok(())
}

fn paint<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, theme: Theme, plot: &Plot) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    area.fill(&theme.paper)?;
    match plot {
        Plot::Lines { axes, log_x, lines, marks } => lines::paint(area, theme, *axes, *log_x, lines, marks),
        Plot::Groups { axis, names, groups } => bars::paint_groups(area, theme, axis, names, groups),
        Plot::Heat { axes, cells } => heat::paint(area, theme, *axes, cells),
        Plot::Bars { axis, parts, bars } => bars::paint_stacked(area, theme, axis, parts, bars),
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
