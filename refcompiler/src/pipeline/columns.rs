//! The columns of all passes so far, on the host.

use treepar::device::ColumnVisitor;
use treepar::{Backend, Element, Result};

use crate::ir::table::Table;
use crate::pipeline::After;

/// A column after a pass.
pub struct Column {
    /// The pass.
    pub pass: &'static str,
    /// The name of the column.
    pub name: &'static str,
    /// The rows.
    pub bytes: Vec<u8>,
    /// The size of a row.
    pub row_bytes: usize,
}

/// The columns that passes have left, in order.
#[derive(Default)]
pub struct Columns(pub Vec<Column>);

struct Download<'a, B> {
    backend: &'a B,
    pass: &'static str,
    columns: &'a mut Vec<Column>,
    result: Result<()>,
}

impl<B: Backend> ColumnVisitor<B> for Download<'_, B> {
    fn column<T: Element>(&mut self, name: &'static str, column: &B::Vec<T>) {
        match self.backend.download(column) {
            Ok(rows) => {
                let bytes = bytemuck::cast_slice(&rows).to_vec();
                self.columns.push(Column { pass: self.pass, name, bytes, row_bytes: size_of::<T>() });
            }
            Err(error) => self.result = Err(error),
        }
    }
}

impl Columns {
    /// Downloads the table of a pass.
    pub fn add<B: Backend>(&mut self, backend: &B, after: &After<'_, B>) -> Result<()> {
        self.add_table(backend, after.pass(), after)
    }

    /// Downloads a table under the name of a pass.
    pub fn add_table<B: Backend>(&mut self, backend: &B, pass: &'static str, table: &impl Table<B>) -> Result<()> {
        let mut download = Download { backend, pass, columns: &mut self.0, result: Ok(()) };
        table.visit(&mut download);
        download.result
    }

    /// Returns a column of a pass that has run.
    ///
    /// # Panics
    /// If no pass has left such a column, or its rows have another size.
    pub fn get<T: Element>(&self, pass: &str, name: &str) -> Vec<T> {
        let column = self.0.iter().find(|column| column.pass == pass && column.name == name);
        let column = column.unwrap_or_else(|| panic!("pass `{pass}` has left no column `{name}`"));
        assert_eq!(column.row_bytes, size_of::<T>(), "column `{name}` of pass `{pass}`");
        bytemuck::pod_collect_to_vec(&column.bytes)
    }
}
