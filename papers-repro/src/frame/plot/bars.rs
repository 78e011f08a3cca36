//! Bars: stacked, or side by side in groups.

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{self, Sign};
use super::{COLOURS, Error, Group, TEXT, Theme, dress, text_style};

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The height of a line of names.
const LINE: i32 = 14;

/// The width of the space for the labels of the y axis, and of the margins.
const Y_LABELS: i32 = 62;
const MARGIN: i32 = 12;

/// Draws the axes of bars with names. The bar or group `k` has the x values from `k` to `k + 1`. A name that is wider than its bars
/// continues in the next line after a comma.
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
    let style = text_style(theme, TEXT).pos(Pos::new(HPos::Center, VPos::Top));
    let width = (area.dim_in_pixel().0 as i32 - Y_LABELS - 2 * MARGIN) / n as i32;
    let lines = names.iter().map(|name| {
        let is_wide = area.estimate_text_size(name, &style)?.0 as i32 > width;
        Ok(if is_wide { name.split(", ").collect() } else { vec![*name] })
    });
    let lines: Vec<Vec<&str>> = lines.collect::<Result<_, Error>>()?;
    let most = lines.iter().map(Vec::len).max().unwrap_or(1) as i32;
    let mut chart = ChartBuilder::on(area)
        .margin(MARGIN)
        .x_label_area_size(LINE * (most + 1))
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(0f64..n as f64, 0f64..highest.max(1e-9))?;
    let mut mesh = chart.configure_mesh();
    dress(&mut mesh, theme, axis);
    mesh.disable_x_mesh().x_labels(0).draw()?;
    let (x_offset, y_offset) = area.get_base_pixel();
    for (k, lines) in lines.into_iter().enumerate() {
        let (x, y) = chart.backend_coord(&(k as f64 + 0.5, 0.0));
        for (row, line) in lines.into_iter().enumerate() {
            let at = (x - x_offset, y - y_offset + 6 + LINE * row as i32);
            area.draw(&Text::new(line.to_string(), at, style.clone()))?;
        }
    }
    Ok(chart)
}

/// Adds bars of one colour.
fn add<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    bars: impl Iterator<Item = [(f64, f64); 2]>,
    colour: RGBColor,
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    chart.draw_series(bars.map(|corners| Rectangle::new(corners, colour.filled())))?;
    Ok(())
}

/// Returns the entries of a legend for bars with some names.
fn entries(names: &[String]) -> Vec<legend::Entry<'_>> {
    names.iter().zip(COLOURS.iter().cycle()).map(|(name, &colour)| (name.as_str(), Sign::Box, colour)).collect()
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
    let highest = bars.iter().map(|bar| bar.1.iter().sum::<f64>()).fold(0.0, f64::max) * 1.05;
    let names: Vec<&str> = bars.iter().map(|bar| bar.0.as_str()).collect();
    let area = legend::draw(area, theme, &entries(parts))?;
    let mut chart = named(&area, theme, axis, &names, highest)?;
    for (part, colour) in (0..parts.len()).zip(COLOURS.into_iter().cycle()) {
        let corners = bars.iter().enumerate().map(|(k, (_, values))| {
            let below: f64 = values[..part].iter().sum();
            let x = k as f64;
            [(x + 0.18, below), (x + 0.82, below + values[part])]
        });
        add(&mut chart, corners, colour)?;
    }
    Ok(())
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
    // After the bars of a group, or above an only one.
    let place = if names.len() == 1 { 0.5 } else { 0.95 };
    let published = groups.iter().enumerate().filter_map(|(k, group)| Some((k as f64 + place, group.published?)));
    let published: Vec<(f64, f64)> = published.collect();
    let values = groups.iter().flat_map(|group| group.bars.iter().flatten().copied().chain(group.published));
    let highest = values.fold(0.0, f64::max) * 1.08;
    let group_names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
    let mut entries = entries(names);
    if !published.is_empty() {
        entries.push(("published", Sign::Circle, theme.ink));
    }
    let area = legend::draw(area, theme, &entries)?;
    let mut chart = named(&area, theme, axis, &group_names, highest)?;
    let width = 0.8 / names.len().max(1) as f64;
    for (bar, colour) in (0..names.len()).zip(COLOURS.into_iter().cycle()) {
        let corners = groups.iter().enumerate().filter_map(|(k, group)| {
            let x = k as f64 + 0.1 + bar as f64 * width;
            Some([(x, 0.0), (x + 0.9 * width, group.bars.get(bar).copied().flatten()?)])
        });
        add(&mut chart, corners, colour)?;
    }
    chart.draw_series(published.into_iter().map(|at| Circle::new(at, 5, theme.ink.stroke_width(2))))?;
    Ok(())
}
