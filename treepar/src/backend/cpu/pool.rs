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

/// A column on the CPU; reads and writes as a slice.
pub struct CpuVec<T: Element> {
    storage: Vec<u64>,
    n: usize,
    cpu: Cpu,
    element: PhantomData<T>,
}

impl<T: Element> CpuVec<T> {
    /// Returns a column of `n` rows with unspecified contents.
    pub(super) fn new(cpu: &Cpu, n: usize) -> Result<CpuVec<T>> {
        const { crate::device::check_element::<T>() };
        let storage = cpu.shared.pool.take(n.saturating_mul(size_of::<T>()).div_ceil(8))?;
        Ok(CpuVec { storage, n, cpu: cpu.clone(), element: PhantomData })
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
        let bytes: &[u8] = bytemuck::cast_slice(&self.storage);
        bytemuck::cast_slice(&bytes[..self.n * size_of::<T>()])
    }
}

impl<T: Element> DerefMut for CpuVec<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.storage);
        bytemuck::cast_slice_mut(&mut bytes[..self.n * size_of::<T>()])
    }
}

impl<T: Element> Drop for CpuVec<T> {
    fn drop(&mut self) {
        self.cpu.shared.pool.give(std::mem::take(&mut self.storage));
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
