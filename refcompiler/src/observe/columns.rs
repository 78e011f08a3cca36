//! The columns of all passes so far, on the host.

use treepar::{Backend, Element, Result};

use crate::ir::table::{Table, Visitor};
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
}

impl<B: Backend> Visitor<B> for Download<'_, B> {
    fn column<T: Element>(&mut self, name: &'static str, column: &B::Vec<T>) -> Result<()> {
        let bytes = bytemuck::cast_slice(&self.backend.download(column)?).to_vec();
        self.columns.push(Column { pass: self.pass, name, bytes, row_bytes: size_of::<T>() });
        Ok(())
    }
}

impl Columns {
    /// Downloads the table of a pass.
    pub fn add<B: Backend>(&mut self, backend: &B, after: &After<'_, B>) -> Result<()> {
        after.visit(&mut Download { backend, pass: after.pass(), columns: &mut self.0 })
    }

    /// Returns a column of a pass that has run.
    ///
    /// # Panics
    /// If there is no such column, or its rows are no `T`.
    pub fn get<T: Element>(&self, pass: &str, name: &str) -> Vec<T> {
        let column = self.0.iter().find(|column| column.pass == pass && column.name == name);
        let column = column.unwrap_or_else(|| panic!("pass `{pass}` has left no column `{name}`"));
        assert_eq!(column.row_bytes, size_of::<T>(), "column `{name}` of pass `{pass}`");
        bytemuck::pod_collect_to_vec(&column.bytes)
    }
}
