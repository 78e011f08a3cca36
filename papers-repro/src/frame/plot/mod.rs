//! Plots, each drawn as SVG and PNG. A page has an SVG text for wide screens and one for phones, in the colours of the page.

mod bars;
mod heat;
mod legend;
mod lines;

use std::path::Path;
use std::sync::Once;

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::{FontStyle, TextStyle, register_font};

use benches::record::write_whole;

use super::report::thousands;

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
        /// The greatest published value.
        published: f64,
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

/// The colours of a plot.
#[derive(Clone, Copy)]
struct Theme {
    paper: RGBColor,
    ink: RGBColor,
    faint: RGBColor,
}

const THEME: Theme =
    Theme { paper: RGBColor(255, 255, 255), ink: RGBColor(34, 34, 34), faint: RGBColor(220, 220, 220) };

/// The theme's colours as SVG has them, and the page's variables for them.
const VARIABLES: [(&str, &str); 3] =
    [("\"#FFFFFF\"", "\"var(--paper)\""), ("\"#222222\"", "\"var(--ink)\""), ("\"#DCDCDC\"", "\"var(--faint)\"")];

/// The variables of a plot that is no part of a page.
const STANDALONE: &str = "svg { --paper: #fff; --ink: #222; --faint: #ddd } \
    @media (prefers-color-scheme: dark) { svg { --paper: #181a1b; --ink: #e1e1e1; --faint: #3e4244 } }";

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
    RGBColor(190, 115, 95),
];

/// The sizes of plots for wide screens and for phones, in pixels.
const WIDE: (u32, u32) = (760, 440);
const NARROW: (u32, u32) = (380, 420);

/// The size of text.
const TEXT: u32 = 13;

type Error = Box<dyn std::error::Error>;

/// A plot as SVG for a page, in the page's colours.
pub struct Drawn {
    /// For wide screens.
    pub wide: String,
    /// For phones.
    pub narrow: String,
}

/// Draws a plot. Writes an SVG and a PNG file into a folder and returns the SVG texts for a page.
pub fn draw(folder: &Path, name: &str, plot: &Plot) -> Result<Drawn, String> {
    let failed = |error: Error| format!("cannot draw `{name}`: {error}");
    let (wide, narrow) = (svg(plot, WIDE).map_err(failed)?, svg(plot, NARROW).map_err(failed)?);
    write_whole(&folder.join(format!("{name}.svg")), wide.as_bytes())?;
    let png = folder.join(format!("{name}.png"));
    let bitmap = || -> Result<(), Error> {
        let area = BitMapBackend::new(&png, WIDE).into_drawing_area();
        paint(&area, plot)?;
        area.present()?;
        Ok(())
    };
    bitmap().map_err(failed)?;
    Ok(Drawn { wide: on_page(wide), narrow: on_page(narrow) })
}

/// Returns a plot as an SVG file with light and dark colours, as the reader's system prefers.
pub fn standalone(plot: &Plot) -> Result<String, String> {
    let text = on_page(svg(plot, WIDE).map_err(|error| error.to_string())?);
    let (head, rest) = text.split_once('>').ok_or("a plot is not SVG")?;
    Ok(format!("{head}>\n<style>{STANDALONE}</style>{rest}"))
}

/// Returns a plot as SVG, in the theme's colours.
fn svg(plot: &Plot, size: (u32, u32)) -> Result<String, Error> {
    static FONT: Once = Once::new();
    FONT.call_once(|| {
        // PNG files need the font, and legends its widths; SVG text is rendered by the viewer.
        let _ = register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular());
    });
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        paint(&area, plot)?;
        area.present()?;
    }
    Ok(text)
}

/// Replaces the theme's colours by a page's.
fn on_page(svg: String) -> String {
    VARIABLES.iter().fold(svg, |svg, (colour, variable)| svg.replace(colour, variable))
}

/// Returns the style of text.
fn text_style(theme: Theme, size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&theme.ink)
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
        .max_light_lines(4)
        .bold_line_style(theme.faint)
        .light_line_style(theme.faint.mix(0.3))
        .label_style(text_style(theme, TEXT));
}

fn paint<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, plot: &Plot) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    area.fill(&THEME.paper)?;
    match plot {
        Plot::Lines { axes, log_x, lines, marks } => lines::paint(area, THEME, *axes, *log_x, lines, marks),
        Plot::Groups { axis, names, groups } => bars::paint_groups(area, THEME, axis, names, groups),
        Plot::Heat { axes, cells, published } => heat::paint(area, THEME, *axes, cells, *published),
        Plot::Bars { axis, parts, bars } => bars::paint_stacked(area, THEME, axis, parts, bars),
    }
}

/// Formats a number as an axis label.
fn tick(value: f64) -> String {
    let exponent = value.abs().log10().round();
    let is_power = (value.abs().log10() - exponent).abs() < 1e-9;
    match value.abs() {
        0.0 => "0".into(),
        size if is_power && !(1e-3..1e6).contains(&size) => format!("10{}", superscript(exponent as i32)),
        size if !(1e-3..1e9).contains(&size) => format!("{value:e}"),
        _ => {
            let text = thousands(&format!("{value:.3}"));
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

/// Formats an exponent.
fn superscript(exponent: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    exponent.to_string().chars().map(sign).collect()
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
        Plot::Heat { axes, cells, .. } => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_labels_are_readable() {
        let labels = [0.0, 0.05, 20.0, 1e4, 1e5, 2.5e5, 1e6, 1e-4].map(tick);
        assert_eq!(labels, ["0", "0.05", "20", "10,000", "100,000", "250,000", "10⁶", "10⁻⁴"]);
    }

    #[test]
    fn a_plot_on_a_page_has_the_colours_of_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let bars = vec![("a, b".to_string(), vec![1.0, 2.0])];
        let parts = vec!["x".to_string(), "y".to_string()];
        let drawn = draw(folder.path(), "p", &Plot::Bars { axis: "ms", parts, bars }).unwrap();
        for svg in [&drawn.wide, &drawn.narrow] {
            assert!(svg.contains("var(--paper)") && svg.contains("var(--ink)") && !svg.contains("#222222"), "{svg}");
        }
        let file = std::fs::read_to_string(folder.path().join("p.svg")).unwrap();
        assert!(file.contains("#222222") && !file.contains("var("));
    }
}
