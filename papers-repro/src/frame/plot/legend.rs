//! Legends above plots, where they cover no data.

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Error, TEXT, Theme, text_style};

/// The sign of an entry.
#[derive(Clone, Copy)]
pub enum Sign {
    /// A filled box, for measurements.
    Box,
    /// A circle, for published values.
    Circle,
}

/// An entry: its name, sign and colour.
pub type Entry<'a> = (&'a str, Sign, RGBColor);

/// The height of a row, the width of a sign with its distance to the name, and the distance between two entries.
const ROW: i32 = 20;
const SIGN: i32 = 20;
const GAP: i32 = 18;

/// The margin at the left and above the first row.
const MARGIN: (i32, i32) = (16, 10);

/// Draws a legend in as many rows as its entries need. Returns the area below it.
pub fn draw<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    theme: Theme,
    entries: &[Entry<'_>],
) -> Result<DrawingArea<DB, Shift>, Error>
where
    DB::ErrorType: 'static,
{
    let style = text_style(theme, TEXT);
    let width = area.dim_in_pixel().0 as i32;
    let (mut x, mut y) = MARGIN;
    for &(name, sign, colour) in entries {
        let (text_width, _) = area.estimate_text_size(name, &style)?;
        let entry_width = SIGN + text_width as i32;
        if x > MARGIN.0 && x + entry_width > width {
            (x, y) = (MARGIN.0, y + ROW);
        }
        let middle = y + ROW / 2;
        match sign {
            Sign::Box => area.draw(&Rectangle::new([(x, middle - 4), (x + 14, middle + 4)], colour.filled()))?,
            Sign::Circle => area.draw(&Circle::new((x + 7, middle), 5, colour.stroke_width(2)))?,
        }
        area.draw(&Text::new(name.to_string(), (x + SIGN, middle - 6), style.clone()))?;
        x += entry_width + GAP;
    }
    let (_, below) = area.split_vertically(y + ROW);
    Ok(below)
}
