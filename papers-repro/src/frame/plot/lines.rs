//! Lines with a logarithmic y axis.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{COLOURS, Error, Line, Theme, draw_legend, dress, tick};

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
    let (y_low, y_high) = range(all().map(|p| p.1));
    // The legend is above the lines.
    let share = (0.05 * lines.len() as f64).min(0.5);
    let y_high = y_high * (y_high / y_low).powf(share / (1.0 - share));
    let name_height = y_low * (y_high / y_low).powf(0.05);
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).x_label_area_size(44).y_label_area_size(70);
    macro_rules! chart {
        ($x:expr) => {{
            let mut chart = builder.build_cartesian_2d($x, (y_low..y_high).log_scale())?;
            let mut mesh = chart.configure_mesh();
            dress(&mut mesh, theme, axes.1);
            mesh.x_desc(axes.0).x_label_formatter(&|x| tick(*x)).draw()?;
            drop(mesh);
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
            draw_legend(&mut chart, theme)?;
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
