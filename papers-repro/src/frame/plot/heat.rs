//! Heat maps.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Error, TEXT, Theme, text_style, tick};

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

/// The width of the scale, and the height of each of its colours.
const SCALE: i32 = 92;
const STEP: i32 = 44;

/// Draws a heat map with its scale, and a circle in the cell with the greatest value.
pub fn paint<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    axes: (&str, &str),
    cells: &[(i32, i32, f64)],
    published: f64,
) -> Result<(), Error>
where
    DB::ErrorType: 'static,
{
    let (x_most, y_most) = cells.iter().fold((1, 1), |(x, y), cell| (x.max(cell.0), y.max(cell.1)));
    // The scale is symmetric around 1 and reaches the greatest value, the published one, or 16. Extreme small values must not make it
    // all white.
    let greatest = cells.iter().map(|cell| cell.2).fold(published.max(16.0), f64::max);
    let most = cells.iter().map(|cell| cell.2.max(1.0 / cell.2)).fold(published.max(2.0), f64::max).min(greatest);
    let (main, scale) = area.split_horizontally(area.dim_in_pixel().0 as i32 - SCALE);
    // A cell's centre has its coordinates.
    let mut chart = ChartBuilder::on(&main)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(-0.5..f64::from(x_most) + 0.5, -0.5..f64::from(y_most) + 0.5)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(axes.0)
        .y_desc(axes.1)
        .x_labels(8)
        .y_labels(8)
        .x_label_formatter(&|x| tick(*x))
        .y_label_formatter(&|y| tick(*y))
        .axis_style(theme.ink)
        .label_style(text_style(theme, TEXT))
        .draw()?;
    chart.draw_series(cells.iter().map(|&(x, y, value)| {
        let (x, y) = (f64::from(x), f64::from(y));
        Rectangle::new([(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)], heat(value, most).filled())
    }))?;
    if let Some(&(x, y, _)) = cells.iter().max_by(|a, b| a.2.total_cmp(&b.2)) {
        chart.draw_series([Circle::new((f64::from(x), f64::from(y)), 4, RGBColor(0, 0, 0).stroke_width(2))])?;
    }
    let style = text_style(theme, TEXT);
    for (k, value) in [most, most.sqrt(), 1.0, 1.0 / most.sqrt(), 1.0 / most].into_iter().enumerate() {
        let y = 40 + STEP * k as i32;
        scale.draw(&Rectangle::new([(6, y), (28, y + STEP - 4)], heat(value, most).filled()))?;
        scale.draw(&Text::new(format!("{} ×", two_digits(value)), (34, y + 14), style.clone()))?;
    }
    let y = 40 + STEP * 5 + 14;
    scale.draw(&Rectangle::new([(6, y), (28, y + STEP - 4)], heat(published, most).filled()))?;
    scale.draw(&Text::new("paper:", (34, y + 4), style.clone()))?;
    scale.draw(&Text::new(format!("{} ×", two_digits(published)), (34, y + 21), style))?;
    Ok(())
}

/// Formats a number with two digits.
fn two_digits(value: f64) -> String {
    let digits = (1.0 - value.log10().floor()).max(0.0) as usize;
    tick(format!("{value:.digits$}").parse().unwrap_or(value))
}
