//! Lines with a logarithmic y axis.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::legend::{self, Sign};
use super::{COLOURS, Error, Line, TEXT, Theme, dress, text_style, tick};

/// Returns the range of the positive numbers, with a margin.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.filter(|&v| v > 0.0).fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
    if low > high { (0.1, 10.0) } else { (low / 1.3, high * 1.3) }
}

/// Draws lines, and marks on the x axis.
pub fn paint<DB: DrawingBackend>(
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
    let (mut y_low, mut y_high) = range(all().map(|p| p.1));
    if y_high / y_low < 100.0 {
        // Labels begin at a power of ten.
        y_low = y_low.min(10f64.powf(y_low.log10().floor()));
    }
    if !marks.is_empty() {
        // The names of marks are above the lines.
        y_high *= (y_high / y_low).powf(0.07);
    }
    let coloured = || lines.iter().zip(COLOURS.iter().cycle());
    let entries: Vec<legend::Entry> = coloured()
        .map(|(line, &colour)| (line.name.as_str(), if line.published { Sign::Circle } else { Sign::Box }, colour))
        .collect();
    let area = &legend::draw(area, theme, &entries)?;
    let labels = if area.dim_in_pixel().0 < super::WIDE.0 { 5 } else { 10 };
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).x_label_area_size(44).y_label_area_size(70);
    macro_rules! chart {
        ($x:expr) => {{
            let mut chart = builder.build_cartesian_2d($x, (y_low..y_high).log_scale())?;
            let mut mesh = chart.configure_mesh();
            dress(&mut mesh, theme, axes.1);
            mesh.x_desc(axes.0).x_labels(labels).x_label_formatter(&|x| tick(*x)).draw()?;
            drop(mesh);
            for (x, name) in marks {
                let line = vec![(*x, y_low), (*x, y_high)];
                chart.draw_series([PathElement::new(line, theme.ink.mix(0.4))])?;
                chart.draw_series([Text::new(format!(" {name}"), (*x, y_high), text_style(theme, TEXT))])?;
            }
            for (line, &colour) in coloured() {
                let mut points = line.points.clone();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                let width = if line.published { 1 } else { 2 };
                let style = ShapeStyle { color: colour.into(), filled: true, stroke_width: width };
                chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
                if line.published {
                    // Two thin circles, since bitmaps have gaps in a thick one.
                    for radius in [4, 5] {
                        chart.draw_series(points.iter().map(|&p| Circle::new(p, radius, colour.stroke_width(1))))?;
                    }
                } else {
                    chart.draw_series(points.iter().map(|&p| Circle::new(p, 3, colour.filled())))?;
                }
            }
        }};
    }
    if log_x {
        let (low, high) = range(all().map(|p| p.0));
        chart!((low..high).log_scale());
    } else {
        let (low, high) = all().fold((f64::INFINITY, 1.0f64), |(l, h), p| (l.min(p.0), h.max(p.0)));
        let margin = 0.02 * (high - low.min(high)).max(1.0);
        chart!(low.min(high) - margin..high + margin);
    }
    Ok(())
}
