//! Columns in a machine's memory.

use std::marker::PhantomData;
use std::sync::Arc;

use treepar_kernels::machine::Machine;

use super::Column;
use crate::Result;
use crate::device::Element;

/// A column in a machine's memory, given back when it is dropped.
pub struct GpuVec<T: Element, M: Machine> {
    address: u64,
    n: usize,
    bytes: usize,
    machine: Arc<M>,
    element: PhantomData<T>,
}

impl<T: Element, M: Machine> GpuVec<T, M> {
    /// A column of `n` rows with unspecified contents.
    pub(super) fn new(machine: &Arc<M>, n: usize) -> Result<GpuVec<T, M>> {
        let bytes = n * size_of::<T>();
        // What has no rows has no memory, and an address that no kernel uses.
        let address = if bytes == 0 { 0 } else { machine.allocate(bytes)? };
        Ok(GpuVec { address, n, bytes, machine: Arc::clone(machine), element: PhantomData })
    }

    /// Where the first row is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Address and number of `rows` rows from row `first` on.
    pub(super) fn part(&self, first: usize, rows: usize) -> (u64, usize) {
        (self.address + (first * size_of::<T>()) as u64, rows)
    }

    /// Keeps the first `n` rows.
    pub(super) fn truncate(&mut self, n: usize) {
        self.n = self.n.min(n);
    }
}

impl<T: Element, M: Machine> Column<T> for GpuVec<T, M> {
    fn len(&self) -> usize {
        self.n
    }
}

impl<T: Element, M: Machine> Drop for GpuVec<T, M> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.machine.free(self.address, self.bytes);
        }
    }
}

impl<T: Element, M: Machine> std::fmt::Debug for GpuVec<T, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows at {:#x}", self.n, self.address)
    }
}
