//! Tables printed to the terminal.

use comfy_table::{Cell, CellAlignment, LineStyle, Table, presets};

use crate::statistics::Statistics;

/// Returns an empty table with a header.
pub fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header.into_iter().collect::<Vec<_>>());
    table
}

/// Returns a left-aligned cell.
pub fn text(text: impl ToString) -> Cell {
    Cell::new(text)
}

/// Returns a right-aligned cell, so that the digits of a column line up.
pub fn number(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// Returns the median of a ratio and its quartiles.
pub fn ratio(ratio: Option<Statistics>) -> String {
    ratio.map_or(String::new(), |ratio| {
        let [low, high] = ratio.quartiles;
        format!("{:.2} ({low:.2} to {high:.2})", ratio.median)
    })
}
