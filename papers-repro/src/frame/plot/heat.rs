//! Heat maps.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Error, SIZE, Theme, tick};

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

/// Draws a heat map with its scale.
pub fn paint<DB: DrawingBackend>(
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
