//! Offsets of owners or segments, checked once or valid by construction.

use super::{Backend, Executor, own};
use crate::{Error, Result};

/// The first row of each owner or segment, and the number of all rows. Offsets do not decrease.
///
/// A check of offsets takes a pass, and the host waits for a GPU's result. [`Backend::expand_from`] and
/// [`Backend::segmented_reduce_from`] take `Offsets`, which are checked once or not at all.
///
/// ```
/// use treepar::backend::Offsets;
/// use treepar::prelude::*;
///
/// #[device(expand)]
/// fn owner(i: usize, _k: usize) -> u32 {
///     i as u32
/// }
///
/// let cpu = Cpu::new();
/// let (first, m) = cpu.scan(Exclusive, &cpu.upload(&[2u32, 0, 3])?, Sum)?;
/// // Prefix sums of lengths are valid.
/// let offsets = Offsets::assume(&cpu, &first, m as usize)?;
/// assert_eq!(cpu.expand_from(&offsets, owner::of())?[..], [0, 0, 2, 2, 2]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub struct Offsets<'a, B: Backend + 'a> {
    column: &'a B::Vec<u32>,
    /// The first offset, if there is any.
    first: Option<u32>,
    rows: usize,
}

impl<'a, B: Backend> Offsets<'a, B> {
    /// Checks a column of offsets into `rows` rows.
    ///
    /// # Errors
    /// [`InvalidOffset`](Error::InvalidOffset) if offsets decrease or exceed `rows`;
    /// [`OtherBackend`](Error::OtherBackend).
    pub fn new(backend: &B, column: &'a B::Vec<u32>, rows: usize) -> Result<Offsets<'a, B>> {
        own(backend, column)?;
        Ok(Offsets { column, first: backend.check_offsets(column, rows)?, rows })
    }

    /// Takes a column of offsets that are valid by construction: the exclusive prefix sums of lengths whose sum is `rows`, or
    /// rising rows of which the first is row 0.
    ///
    /// A GPU does not check them. Invalid offsets there result in wrong arguments of device functions, with the consequences of
    /// any wrong index. A CPU checks them as [`Offsets::new`] does.
    ///
    /// # Errors
    /// [`OtherBackend`](Error::OtherBackend); on a CPU as [`Offsets::new`].
    pub fn assume(backend: &B, column: &'a B::Vec<u32>, rows: usize) -> Result<Offsets<'a, B>> {
        if backend.checks_wait() {
            own(backend, column)?;
            return Ok(Offsets { column, first: Some(0), rows });
        }
        Offsets::new(backend, column, rows)
    }

    /// Returns the offsets.
    pub fn column(&self) -> &'a <B as Executor>::Vec<u32> {
        self.column
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns an error unless each row has an owner: offsets begin with 0, or there is no row.
    pub(super) fn check_owners(&self) -> Result<()> {
        let found = self.first.map_or(self.rows as u64, u64::from);
        if self.rows > 0 && found != 0 {
            return Err(Error::InvalidOffset { index: 0, found, limit: 0 });
        }
        Ok(())
    }
}
