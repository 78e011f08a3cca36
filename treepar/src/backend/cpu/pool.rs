//! Columns on the CPU, and the pool that their memory returns to.
//!
//! Fresh memory costs a page fault for every 4 KiB, more than most passes need to fill it: a pipeline that allocates
//! every column anew spends much of its time there.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use super::{Column, Cpu};
use crate::device::Element;
use crate::{Error, Result};

/// Idle buffers, smallest first.
#[derive(Default)]
pub struct Pool {
    idle: Mutex<Vec<Vec<u64>>>,
}

/// A buffer may be this many times larger than what is asked of it.
const LOOSENESS: usize = 3;

/// Buffers kept at most; the smallest is freed beyond that.
const KEPT: usize = 48;

impl Pool {
    /// Returns a buffer of at least `words` words with unspecified contents.
    fn take(&self, words: usize) -> Result<Vec<u64>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.partition_point(|buffer| buffer.len() < words);
        let fits = idle.get(at).is_some_and(|buffer| buffer.len() <= words.saturating_mul(LOOSENESS).max(512));
        let storage = if fits { idle.remove(at) } else { Vec::new() };
        drop(idle);
        if fits { Ok(storage) } else { zeroed(words).ok_or(Error::OutOfMemory { bytes: 8 * words as u64 }) }
    }

    fn give(&self, storage: Vec<u64>) {
        if storage.is_empty() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let at = idle.partition_point(|buffer| buffer.len() < storage.len());
        idle.insert(at, storage);
        if idle.len() > KEPT {
            idle.remove(0);
        }
    }
}

/// Returns words of zeros, or `None` if the system has too little memory.
///
/// bytemuck requests zeroed memory, whose pages the system provides when they are first written to.
fn zeroed(words: usize) -> Option<Vec<u64>> {
    bytemuck::allocation::try_zeroed_slice_box(words).ok().map(Vec::from)
}

/// The memory of a column.
enum Storage {
    /// Words that return to the pool.
    Own(Vec<u64>),
    /// Memory that an Arrow array has too: a column copies it before it writes to it.
    #[cfg(feature = "arrow")]
    Shared(arrow_buffer::Buffer),
}

impl Storage {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Storage::Own(words) => bytemuck::cast_slice(words),
            #[cfg(feature = "arrow")]
            Storage::Shared(buffer) => buffer,
        }
    }

    /// Returns words that only this column has.
    #[inline]
    fn own(&mut self) -> &mut [u64] {
        match self {
            Storage::Own(words) => words,
            #[cfg(feature = "arrow")]
            Storage::Shared(buffer) => {
                let mut words = vec![0u64; buffer.len().div_ceil(8)];
                bytemuck::cast_slice_mut(&mut words)[..buffer.len()].copy_from_slice(buffer);
                *self = Storage::Own(words);
                self.own()
            }
        }
    }
}

/// A column on the CPU; reads and writes as a slice.
pub struct CpuVec<T: Element> {
    storage: Storage,
    n: usize,
    cpu: Cpu,
    element: PhantomData<T>,
}

impl<T: Element> CpuVec<T> {
    /// Returns a column of `n` rows with unspecified contents.
    pub(super) fn new(cpu: &Cpu, n: usize) -> Result<CpuVec<T>> {
        const { crate::device::check_element::<T>() };
        let storage = cpu.shared.pool.take(n.saturating_mul(size_of::<T>()).div_ceil(8))?;
        Ok(CpuVec { storage: Storage::Own(storage), n, cpu: cpu.clone(), element: PhantomData })
    }

    /// Returns a column that reads the memory of an Arrow array, which begins at a multiple of the size of an element.
    #[cfg(feature = "arrow")]
    pub(crate) fn shared(cpu: &Cpu, buffer: arrow_buffer::Buffer) -> CpuVec<T> {
        const { crate::device::check_element::<T>() };
        let n = buffer.len() / size_of::<T>();
        CpuVec { storage: Storage::Shared(buffer), n, cpu: cpu.clone(), element: PhantomData }
    }

    /// Returns the column's memory, which is not copied.
    #[cfg(feature = "arrow")]
    pub(crate) fn into_buffer(mut self) -> arrow_buffer::Buffer {
        let buffer = match std::mem::replace(&mut self.storage, Storage::Own(Vec::new())) {
            Storage::Own(words) => arrow_buffer::Buffer::from_vec(words),
            Storage::Shared(buffer) => buffer,
        };
        buffer.slice_with_length(0, self.n * size_of::<T>())
    }

    /// Removes all rows but the first `n`.
    pub(super) fn truncate(&mut self, n: usize) {
        self.n = self.n.min(n);
    }
}

impl<T: Element> Deref for CpuVec<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(&self.storage.bytes()[..self.n * size_of::<T>()])
    }
}

impl<T: Element> DerefMut for CpuVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self.storage.own());
        bytemuck::cast_slice_mut(&mut bytes[..self.n * size_of::<T>()])
    }
}

impl<T: Element> Drop for CpuVec<T> {
    fn drop(&mut self) {
        match std::mem::replace(&mut self.storage, Storage::Own(Vec::new())) {
            Storage::Own(words) => self.cpu.shared.pool.give(words),
            #[cfg(feature = "arrow")]
            Storage::Shared(_) => {}
        }
    }
}

impl<T: Element> Column for CpuVec<T> {
    type Element = T;
    type Backend = Cpu;
    fn backend(&self) -> &Cpu {
        &self.cpu
    }
    fn as_vec(&self) -> &CpuVec<T> {
        self
    }
    fn into_vec(self) -> CpuVec<T> {
        self
    }
    fn len(&self) -> usize {
        self.n
    }
}

impl<T: Element> std::fmt::Debug for CpuVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
