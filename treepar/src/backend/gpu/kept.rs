//! Memory of dropped columns, kept for later columns.
//!
//! A machine frees and allocates in the order of calls, which costs a call of its driver each. Work is done in the same
//! order, so memory can go to a new column while earlier work still reads the old one.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The bytes that are kept at most, unless [`Gpu::keep_memory`](super::Gpu::keep_memory) states another number.
pub const KEPT_BYTES: u64 = 2 << 30;

/// Sizes between two powers of two. With eight, a column takes at most an eighth more than it needs.
const STEPS: usize = 8;

/// The least size that is allocated: machines align to so many bytes.
const LEAST: usize = 256;

/// Returns the size of the memory of a column with `bytes` bytes: the next of [`STEPS`] sizes per power of two.
fn rounded(bytes: usize) -> usize {
    let step = bytes.checked_ilog2().map_or(LEAST, |log| (1 << log) / STEPS).max(LEAST);
    bytes.checked_next_multiple_of(step).unwrap_or(bytes)
}

/// Memory with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The address.
    pub address: u64,
    /// The bytes that were allocated.
    pub bytes: usize,
}

/// Memory that no column uses.
pub struct Kept(Mutex<Idle>);

struct Idle {
    /// The addresses by their size.
    addresses: HashMap<usize, Vec<u64>>,
    bytes: u64,
    most: u64,
}

impl Kept {
    /// Returns no memory, of which `most` bytes will be kept.
    pub fn new(most: u64) -> Kept {
        Kept(Mutex::new(Idle { addresses: HashMap::new(), bytes: 0, most }))
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the number of bytes that are kept at most.
    pub fn limit(&self, most: u64) {
        self.idle().most = most;
    }

    /// Returns whether memory is kept.
    pub fn is_on(&self) -> bool {
        self.idle().most > 0
    }

    /// Returns the size to allocate for a column of `bytes` bytes, and memory of that size if there is any.
    pub fn take(&self, bytes: usize) -> (usize, Option<u64>) {
        let mut idle = self.idle();
        if idle.most == 0 {
            return (bytes, None);
        }
        let size = rounded(bytes);
        let address = idle.addresses.get_mut(&size).and_then(Vec::pop);
        idle.bytes -= address.map_or(0, |_| size as u64);
        (size, address)
    }

    /// Keeps memory and returns `true`, or returns `false` if there is enough.
    pub fn keep(&self, block: Block) -> bool {
        let mut idle = self.idle();
        let bytes = idle.bytes.saturating_add(block.bytes as u64);
        if bytes > idle.most || block.bytes != rounded(block.bytes) {
            return false;
        }
        idle.bytes = bytes;
        idle.addresses.entry(block.bytes).or_default().push(block.address);
        true
    }

    /// Returns all memory, to be freed.
    pub fn take_all(&self) -> Vec<Block> {
        let mut idle = self.idle();
        idle.bytes = 0;
        let all = idle.addresses.drain();
        all.flat_map(|(bytes, addresses)| addresses.into_iter().map(move |address| Block { address, bytes })).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_by_at_most_an_eighth() {
        for (bytes, expected) in [(1, 256), (256, 256), (257, 512), (2049, 2304), (4096, 4096), (4097, 4608)] {
            assert_eq!(rounded(bytes), expected, "{bytes}");
        }
        for bytes in (1..100_000).chain([1 << 40, (1 << 40) + 1]) {
            let size = rounded(bytes);
            assert!(size >= bytes && size < bytes + (bytes / STEPS).max(LEAST), "{bytes}: {size}");
            assert_eq!(rounded(size), size);
        }
        assert_eq!(rounded(usize::MAX), usize::MAX, "an allocation that fails");
    }

    #[test]
    fn memory_is_kept_up_to_a_limit_and_goes_to_columns_of_its_size() {
        let kept = Kept::new(1024);
        let block = |address, bytes| Block { address, bytes };
        assert_eq!(kept.take(300), (512, None));
        assert!(kept.keep(block(1, 512)) && kept.keep(block(2, 256)) && kept.keep(block(3, 256)));
        assert!(!kept.keep(block(4, 256)), "more than the limit");
        assert_eq!(kept.take(700), (768, None));
        assert_eq!(kept.take(511), (512, Some(1)));
        assert!(!kept.keep(block(5, 300)), "a size that no column asks for");
        assert!(kept.keep(block(4, 256)));
        let mut all = kept.take_all();
        all.sort_by_key(|block| block.address);
        assert_eq!(all, [block(2, 256), block(3, 256), block(4, 256)]);
        assert_eq!((kept.take_all(), kept.take(256)), (vec![], (256, None)));
        kept.limit(0);
        assert_eq!(kept.take(300), (300, None), "without a cache, columns have their own size");
        assert!(!kept.keep(block(1, 256)));
    }
}
