//! Bars: stacked, or side by side in groups.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::{COLOURS, Error, Group, Theme, draw_legend, dress};

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws the axes of bars with names. The bar or group `k` has the x values from `k` to `k + 1`.
fn named<'a, DB: DrawingBackend>(
    area: &'a DrawingArea<DB, Shift>,
    theme: Theme,
    axis: &str,
    names: &[&str],
    highest: f64,
) -> Result<Chart<'a, DB>, Error>
where
    DB::ErrorType: 'static,
{
    let n = names.len().max(1);
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(70)
        .build_cartesian_2d(0f64..n as f64, 0f64..highest.max(1e-9))?;
    let name = |x: &f64| names.get(x.floor() as usize).filter(|_| x.fract() == 0.5).unwrap_or(&"").to_string();
    let mut mesh = chart.configure_mesh();
    dress(&mut mesh, theme, axis);
    mesh.disable_x_mesh().x_labels(2 * n + 1).x_label_formatter(&name).draw()?;
    Ok(chart)
}

/// Adds bars of one colour, with their name in the legend.
fn add<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    bars: impl Iterator<Item = [(f64, f64); 2]>,
    index: usize,
    name: &str,
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let colour = COLOURS[index % COLOURS.len()];
    chart
        .draw_series(bars.map(|corners| Rectangle::new(corners, colour.filled())))?
        .label(name)
        .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
    Ok(())
}

/// Draws stacked bars.
pub fn paint_stacked<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axis: &str,
    parts: &[String],
    bars: &[(String, Vec<f64>)],
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    // The legend is above the bars.
    let highest = bars.iter().map(|bar| bar.1.iter().sum::<f64>()).fold(0.0, f64::max) * 1.7;
    let names: Vec<&str> = bars.iter().map(|bar| bar.0.as_str()).collect();
    let mut chart = named(area, theme, axis, &names, highest)?;
    for (part, name) in parts.iter().enumerate() {
        let corners = bars.iter().enumerate().map(|(k, (_, values))| {
            let below: f64 = values[..part].iter().sum();
            let x = k as f64;
            [(x + 0.18, below), (x + 0.82, below + values[part])]
        });
        add(&mut chart, corners, part, name)?;
    }
    draw_legend(&mut chart, theme)
}

/// Draws bars side by side in groups, and published values as circles.
pub fn paint_groups<DB: DrawingBackend>(
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
    let highest = values.fold(0.0, f64::max) * 1.35;
    let group_names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let mut chart = named(area, theme, axis, &group_names, highest)?;
    let width = 0.8 / names.len().max(1) as f64;
    for (bar, name) in names.iter().enumerate() {
        let corners = groups.iter().enumerate().filter_map(|(k, group)| {
            let x = k as f64 + 0.1 + bar as f64 * width;
            Some([(x, 0.0), (x + 0.9 * width, group.bars.get(bar).copied().flatten()?)])
        });
        add(&mut chart, corners, bar, name)?;
    }
    let ink = theme.ink;
    // After the bars of a group, or above an only one.
    let place = if names.len() == 1 { 0.5 } else { 0.95 };
    let published = groups.iter().enumerate().filter_map(|(k, group)| Some((k as f64 + place, group.published?)));
    let published: Vec<(f64, f64)> = published.collect();
    if !published.is_empty() {
        chart
            .draw_series(published.into_iter().map(|at| Circle::new(at, 5, ink.stroke_width(2))))?
            .label("published")
            .legend(move |(x, y)| Circle::new((x + 7, y), 5, ink.stroke_width(2)));
    }
    draw_legend(&mut chart, theme)
}
