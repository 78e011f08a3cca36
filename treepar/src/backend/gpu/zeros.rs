//! Zero bytes for the words that a kernel's blocks exchange.
//!
//! A driver's fill costs as much as a launch, and most kernels need a few hundred zero bytes. So columns of zeros are parts of a
//! chunk that one fill has set, and no part is used twice.

use std::sync::{Arc, Mutex, PoisonError};

use treepar_kernels::machine::Machine;

use super::Gpu;
use super::kept::Block;
use crate::Result;

/// The bytes of a chunk.
const CHUNK_BYTES: usize = 1 << 18;

/// The most bytes of a part. Larger columns of zeros have memory of their own.
const MOST_BYTES: usize = CHUNK_BYTES / 8;

/// The alignment of a part: that of an allocation.
const ALIGNMENT: usize = 256;

/// The chunk that parts are taken from.
#[derive(Default)]
pub struct Zeros(Mutex<Option<Chunk>>);

struct Chunk {
    block: Arc<Block>,
    used: usize,
}

/// Some bytes of a chunk. The chunk is free once all of its parts are dropped.
pub struct Part {
    /// The address of the first byte.
    pub address: u64,
    /// The chunk.
    pub chunk: Arc<Block>,
}

impl Zeros {
    /// Returns the chunk if no part of it is used; forgets it in any case.
    pub fn take_block(&self) -> Option<Block> {
        let chunk = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        chunk.and_then(|chunk| Arc::into_inner(chunk.block))
    }
}

impl<M: Machine> Gpu<M> {
    /// Returns `bytes` zero bytes of a chunk. `None` if they are too many, or if each column has memory of its own.
    pub(super) fn zero_part(&self, bytes: usize) -> Result<Option<Part>> {
        if bytes == 0 || bytes > MOST_BYTES || !self.0.kept.is_on() {
            return Ok(None);
        }
        let mut current = self.0.zeros.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut chunk = match current.take() {
            Some(chunk) if chunk.used + bytes <= CHUNK_BYTES => chunk,
            full => {
                let next = Chunk { block: Arc::new(self.allocate_zeros(CHUNK_BYTES)?), used: 0 };
                if let Some(block) = full.and_then(|full| Arc::into_inner(full.block)) {
                    self.give_back(block);
                }
                next
            }
        };
        let part = Part { address: chunk.block.address + chunk.used as u64, chunk: Arc::clone(&chunk.block) };
        chunk.used = (chunk.used + bytes).next_multiple_of(ALIGNMENT);
        *current = Some(chunk);
        Ok(Some(part))
    }
}
