//! Columns in a machine's memory.

#![expect(
    unsafe_code,
    reason = "a machine's memory is named by address; each use is checked against the column's size"
)]

use std::marker::PhantomData;
use std::sync::Arc;

use treepar_kernels::machine::Machine;

use super::kept::{Block, Kept};
use super::launch::Part;
use super::mail::GpuValue;
use super::{Column, Gpu, Later, Shared, zeros};
use crate::device::Element;
use crate::{Error, Result};

/// The number of rows of a column.
enum Length<M: Machine> {
    Known(usize),
    /// A kernel counts the rows.
    Counted(GpuValue<u32, M>),
}

/// A column in a machine's memory, given back when it is dropped.
pub struct GpuVec<T: Element, M: Machine> {
    /// The address of `bytes` bytes that only this column uses.
    address: u64,
    length: Length<M>,
    bytes: usize,
    memory: Memory,
    gpu: Gpu<M>,
    element: PhantomData<T>,
}

/// The memory of a column.
enum Memory {
    /// So many bytes that were allocated for it.
    Own(usize),
    /// A part of a chunk.
    Part(Arc<Block>),
}

impl<T: Element, M: Machine> GpuVec<T, M> {
    /// A column of `n` rows with unspecified contents.
    pub(super) fn new(gpu: &Gpu<M>, n: usize) -> Result<GpuVec<T, M>> {
        const { crate::device::check_element::<T>() };
        let bytes = n.checked_mul(size_of::<T>()).ok_or(Error::OutOfMemory { bytes: u64::MAX })?;
        gpu.alive()?;
        // A column without rows has no memory, and an address that no kernel uses.
        let Block { address, bytes: allocated } =
            if bytes == 0 { Block { address: 0, bytes } } else { gpu.allocate_block(bytes)? };
        let (length, memory) = (Length::Known(n), Memory::Own(allocated));
        Ok(GpuVec { address, length, bytes, memory, gpu: gpu.clone(), element: PhantomData })
    }

    /// A column of `n` rows whose bytes are 0.
    pub(super) fn zeros(gpu: &Gpu<M>, n: usize) -> Result<GpuVec<T, M>> {
        const { crate::device::check_element::<T>() };
        let bytes = n.saturating_mul(size_of::<T>());
        gpu.alive()?;
        let Some(zeros::Part { address, chunk }) = gpu.zero_part(bytes)? else {
            let column = GpuVec::new(gpu, n)?;
            column.set(bytes, 0)?;
            return Ok(column);
        };
        let (length, memory) = (Length::Known(n), Memory::Part(chunk));
        Ok(GpuVec { address, length, bytes, memory, gpu: gpu.clone(), element: PhantomData })
    }

    /// Where the first row is.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// `rows` rows from row `first` on.
    pub(super) fn part(&self, first: usize, rows: usize) -> Part {
        Part { address: self.address + (first * size_of::<T>()) as u64, rows }
    }

    /// Keeps as many rows as a kernel counts.
    pub(super) fn truncate(&mut self, rows: GpuValue<u32, M>) {
        self.length = Length::Counted(rows);
    }

    /// Counts `bytes` bytes for each row, now or when the number of rows is known.
    pub(super) fn count_rows(&self, bytes: usize) {
        match &self.length {
            Length::Known(n) => self.gpu.0.tally.transfer(n * bytes),
            Length::Counted(rows) => rows.count_rows(&self.gpu.0.tally, bytes),
        }
    }

    /// Returns where the rows are.
    pub(super) fn block(&self) -> Block {
        Block { address: self.address, bytes: self.len() * size_of::<T>() }
    }

    /// The address of the byte `at`, if `bytes` bytes from there on are the column's.
    fn place(&self, at: usize, bytes: usize) -> Result<u64> {
        self.gpu.alive()?;
        if at.checked_add(bytes).is_some_and(|end| end <= self.bytes) {
            return Ok(self.address + at as u64);
        }
        Err(Error::RowOutOfRange { found: at.saturating_add(bytes), rows: self.bytes })
    }

    /// Copies a block of this machine to the bytes from `at` on.
    pub(super) fn copy_block(&self, at: usize, from: Block) -> Result<()> {
        let to = self.place(at, from.bytes)?;
        // SAFETY: the range is the column's, and shares no memory with another column's block.
        Ok(unsafe { self.gpu.machine().copy(from.address, to, from.bytes) }?)
    }

    /// Copies from the host to the bytes from `at` on.
    pub(super) fn put(&self, at: usize, bytes: &[u8]) -> Result<()> {
        let to = self.place(at, bytes.len())?;
        // SAFETY: the range is the column's.
        Ok(unsafe { self.gpu.machine().upload(to, bytes) }?)
    }

    /// Copies the bytes from `at` on to the host.
    pub(super) fn get(&self, at: usize, bytes: &mut [u8]) -> Result<()> {
        let from = self.place(at, bytes.len())?;
        // SAFETY: the range is the column's.
        Ok(unsafe { self.gpu.machine().download(from, bytes) }?)
    }

    /// Returns the element at the byte `at`.
    pub(super) fn value<U: Element>(&self, at: usize) -> Result<U> {
        let mut value = U::default();
        self.get(at, bytemuck::bytes_of_mut(&mut value))?;
        Ok(value)
    }

    /// Sets the first `bytes` bytes to `value`.
    pub(super) fn set(&self, bytes: usize, value: u8) -> Result<()> {
        let at = self.place(0, bytes)?;
        // SAFETY: the range is the column's.
        Ok(unsafe { self.gpu.machine().fill(at, bytes, value) }?)
    }

    /// Copies `bytes` bytes of another column of this machine, from `from_at` on, to the bytes from `at` on.
    pub(super) fn copy<U: Element>(&self, at: usize, from: &GpuVec<U, M>, from_at: usize, bytes: usize) -> Result<()> {
        let (to, from) = (self.place(at, bytes)?, from.place(from_at, bytes)?);
        // SAFETY: the ranges are the columns', which share no memory.
        Ok(unsafe { self.gpu.machine().copy(from, to, bytes) }?)
    }
}

impl<M: Machine> Gpu<M> {
    /// Returns memory of at least `bytes` bytes, which no other column uses. Only earlier work may still use it.
    fn allocate_block(&self, bytes: usize) -> Result<Block> {
        let (bytes, address) = self.0.kept.take(bytes);
        if let Some(address) = address {
            return Ok(Block { address, bytes });
        }
        let address = match self.machine().allocate(bytes) {
            Err(error) if error.is_out_of_memory() && free_kept(self.machine(), &self.0.kept) => {
                self.machine().allocate(bytes)?
            }
            other => other?,
        };
        Ok(Block { address, bytes })
    }

    /// Keeps memory for later columns, or frees it. Nobody but earlier work uses it.
    pub(super) fn give_back(&self, block: Block) {
        if block.bytes > 0 && !self.0.kept.keep(block) {
            // SAFETY: `allocate_block` got it from this machine, and its only owner gives it back.
            unsafe { self.machine().free(block.address, block.bytes) };
        }
    }

    /// Returns memory of `bytes` zero bytes.
    pub(super) fn allocate_zeros(&self, bytes: usize) -> Result<Block> {
        let block = self.allocate_block(bytes)?;
        self.set_zero(block)?;
        Ok(block)
    }

    /// Sets the bytes of a block of this machine to 0.
    pub(super) fn set_zero(&self, block: Block) -> Result<()> {
        // SAFETY: blocks are made of columns and of memory from `allocate_zeros`.
        Ok(unsafe { self.machine().fill(block.address, block.bytes, 0) }?)
    }

    /// Copies the bytes of a block of this machine to the host.
    pub(super) fn read_block(&self, block: Block, bytes: &mut [u8]) -> Result<()> {
        if block.bytes != bytes.len() {
            return Err(Error::RowOutOfRange { found: bytes.len(), rows: block.bytes });
        }
        // SAFETY: as for `set_zero`.
        Ok(unsafe { self.machine().download(block.address, bytes) }?)
    }

    /// Sets the limit of memory that dropped columns leave to later ones: at first 2 GiB on a GPU, and 0 on the emulator.
    ///
    /// Frees the memory that is kept now. Kept memory is also freed when an allocation would fail without it, and when the last
    /// handle is dropped. With a limit of 0, each column is an allocation of its own. Then a machine that checks accesses, such as
    /// compute-sanitizer, finds all accesses outside a column.
    pub fn keep_memory(&self, bytes: u64) {
        self.0.kept.limit(bytes);
        if let Some(chunk) = self.0.zeros.take_block() {
            self.give_back(chunk);
        }
        free_kept(self.machine(), &self.0.kept);
    }
}

impl<M: Machine> Drop for Shared<M> {
    fn drop(&mut self) {
        free_kept(&self.machine, &self.kept);
        for Block { address, bytes } in [self.mail.take_block(), self.zeros.take_block()].into_iter().flatten() {
            // SAFETY: it was allocated on this machine, and no handle is left that could use it.
            unsafe { self.machine.free(address, bytes) };
        }
    }
}

/// Frees all memory that is kept, and returns whether there was any.
fn free_kept<M: Machine>(machine: &M, kept: &Kept) -> bool {
    let all = kept.take_all();
    for &Block { address, bytes } in &all {
        // SAFETY: a column of this machine allocated it and was dropped, and nothing else refers to it.
        unsafe { machine.free(address, bytes) };
    }
    !all.is_empty()
}

impl<T: Element, M: Machine> Column for GpuVec<T, M> {
    type Element = T;
    type Backend = Gpu<M>;
    fn backend(&self) -> &Gpu<M> {
        &self.gpu
    }
    fn as_vec(&self) -> &GpuVec<T, M> {
        self
    }
    fn into_vec(self) -> GpuVec<T, M> {
        self
    }
    fn len(&self) -> usize {
        match &self.length {
            Length::Known(n) => *n,
            // A length has no way to report a failure, so the next call does.
            Length::Counted(rows) => rows.read().unwrap_or_else(|error| self.gpu.fail(error)) as usize,
        }
    }
}

impl<T: Element, M: Machine> Drop for GpuVec<T, M> {
    fn drop(&mut self) {
        let block = match std::mem::replace(&mut self.memory, Memory::Own(0)) {
            Memory::Own(bytes) => Some(Block { address: self.address, bytes }),
            Memory::Part(chunk) => Arc::into_inner(chunk),
        };
        if let Some(block) = block {
            self.gpu.give_back(block);
        }
    }
}

impl<T: Element, M: Machine> std::fmt::Debug for GpuVec<T, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.length {
            Length::Known(n) => write!(f, "{n} rows at {:#x}", self.address),
            Length::Counted(_) => write!(f, "rows at {:#x}", self.address),
        }
    }
}
