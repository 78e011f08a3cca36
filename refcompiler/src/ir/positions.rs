//! The positions of nodes and rows in the sources, which the passes hand on if a file describes the lines of its code.

use treepar::device::device;
use treepar::{Backend, Column, Result};

/// The position of code that the compiler adds. It is in no source.
pub const NOWHERE: u32 = u32::MAX;

/// The position of a row whose code belongs to the row before it.
pub const AS_BEFORE: u32 = u32::MAX - 1;

/// The position of each node or row, if somebody asks for lines. Otherwise there is no column, and nothing here does any work.
pub struct Positions<B: Backend> {
    column: Option<B::Vec<u32>>,
}

/// Returns the position of row `i`, which comes from row `origin[i]` of the table before.
#[device(map)]
fn position(i: usize, origin: &[u32], positions: &[u32]) -> u32 {
    positions[origin[i] as usize]
}

impl<B: Backend> Default for Positions<B> {
    fn default() -> Positions<B> {
        Positions::none()
    }
}

impl<B: Backend> Positions<B> {
    /// Returns no positions: nobody asks for lines.
    pub fn none() -> Positions<B> {
        Positions { column: None }
    }

    /// Returns the positions of a table.
    pub fn of(column: B::Vec<u32>) -> Positions<B> {
        Positions { column: Some(column) }
    }

    /// Returns the positions, if somebody asks for lines.
    pub fn column(&self) -> Option<&B::Vec<u32>> {
        self.column.as_ref()
    }

    /// Becomes the positions of a new table. `origin` returns the row of the table before that each row comes from. It is called only
    /// if somebody asks for lines.
    ///
    /// # Errors
    /// Errors of `origin` and of the backend.
    pub fn follow(&mut self, backend: &B, origin: impl FnOnce() -> Result<B::Vec<u32>>) -> Result<()> {
        if let Some(column) = &mut self.column {
            *column = backend.map(position::of(&origin()?, column))?;
        }
        Ok(())
    }

    /// Replaces the positions by the result of `change`, if there are any.
    ///
    /// # Errors
    /// Errors of `change`.
    pub fn change(&mut self, change: impl FnOnce(&B::Vec<u32>) -> Result<B::Vec<u32>>) -> Result<()> {
        if let Some(column) = &mut self.column {
            *column = change(column)?;
        }
        Ok(())
    }

    /// Becomes the positions of `n` rows: rows after the end of the table have no source.
    ///
    /// # Errors
    /// Only errors of the backend.
    pub fn extend(&mut self, backend: &B, n: usize) -> Result<()> {
        self.change(|column| backend.concat(&[column, &backend.filled(n.saturating_sub(column.len()), NOWHERE)?]))
    }
}
