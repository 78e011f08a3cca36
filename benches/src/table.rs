//! Tables that a reader sees.

use comfy_table::{Cell, CellAlignment, LineStyle, Table, presets};

/// A table without rows.
pub fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(header);
    table
}

/// A cell of words.
pub fn text(text: impl ToString) -> Cell {
    Cell::new(text)
}

/// A cell whose digits stand below those of the row before.
pub fn number(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
