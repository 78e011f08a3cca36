//! The rows with the least or the greatest keys, in order.
//!
//! ```text
//! keys       7 300 2 299 8      the two least
//! digit 1    0   1 0   1 0      counts 3 2: three keys begin with 0, and so the two least do
//! candidates 0     2     4      a sort of these ends it
//! ```
//!
//! Each round counts a digit of eight bits among the keys that begin as the last key to find. It ends when few candidates are left.

use super::{KeyColumn, KeyElement, SortBits, WithBits};
use crate::backend::Executor;
use crate::compact::gather_inside;
use crate::device::device;
use crate::monoid::index_u32;
use crate::sort::sort_permutation;
use crate::{Backend, Column, Element, Result};

/// A sort of so many candidates takes less time than another round.
const FEW: usize = 4096;

/// The device functions that look at some bits.
pub(super) trait SelectBits: Element {
    /// The number of digits of eight bits.
    const DIGITS: u32;
    /// Returns the bits of all keys up to the `k`-th least of the keys with `flip`, or a little more of them, with their rows. There are
    /// more than `k` keys.
    fn candidates<B: Backend>(keys: &B::Vec<Self>, flip: bool, k: usize) -> Result<(B::Vec<Self>, B::Vec<u32>)>;
}

macro_rules! select_bits {
    ($($ty:ident: $digit:ident, $is_within:ident, $at:ident;)*) => {$(
        /// Counts a digit of the keys that begin with a prefix.
        #[device(accumulate)]
        fn $digit(i: usize, keys: &[$ty], flip: $ty, mask: $ty, prefix: $ty, shift: u32) -> (u32, u32) {
            let key = keys[i] ^ flip;
            if key & mask == prefix { (key.wrapping_shr(shift) as u32 & 255, 1) } else { (u32::MAX, 0) }
        }

        #[device(compact)]
        fn $is_within(i: usize, keys: &[$ty], flip: $ty, most: $ty) -> bool {
            (keys[i] ^ flip) <= most
        }

        #[device(map)]
        fn $at(k: usize, rows: &[u32], keys: &[$ty], flip: $ty) -> $ty {
            keys[rows[k] as usize] ^ flip
        }

        impl SelectBits for $ty {
            const DIGITS: u32 = $ty::BITS / 8;

            fn candidates<B: Backend>(keys: &B::Vec<$ty>, flip: bool, k: usize) -> Result<(B::Vec<$ty>, B::Vec<u32>)> {
                let backend = keys.backend();
                let flip = if flip { $ty::MAX } else { 0 };
                let (mut mask, mut prefix) = (0, 0);
                // The keys that begin with the prefix, those below them, and how many of the former are wanted.
                let (mut begin, mut below, mut wanted) = (keys.len(), 0, k);
                for digit in (0..Self::DIGITS).rev() {
                    if begin + below <= 2 * k + FEW {
                        break;
                    }
                    let mut counts = backend.filled(256, 0)?;
                    backend.accumulate(&mut counts, $digit::of(keys, flip, mask, prefix, 8 * digit))?;
                    for (value, count) in (0..).zip(backend.download(&counts)?) {
                        let count = count as usize;
                        if count >= wanted {
                            begin = count;
                            prefix |= value << (8 * digit);
                            break;
                        }
                        below += count;
                        wanted -= count;
                    }
                    mask |= 255 << (8 * digit);
                }
                let rows = backend.compact($is_within::of(keys, flip, prefix | !mask))?;
                Ok((backend.map($at::of(&rows, keys, flip))?, rows))
            }
        }
    )*};
}

select_bits! {
    u32: digit_u32, is_within_u32, at_u32;
    u64: digit_u64, is_within_u64, at_u64;
}

/// Selects the rows of the `k` least keys, or of the greatest if keys are flipped.
struct Select<B: Backend> {
    k: usize,
    flip: bool,
    rows: Option<<B as Executor>::Vec<u32>>,
}

impl<B: Backend> WithBits<B> for Select<B> {
    fn call<K: SortBits>(&mut self, bits: &B::Vec<K>) -> Result<()> {
        let (candidates, rows) = K::candidates::<B>(bits, self.flip, self.k)?;
        let (_, order) = sort_permutation(&candidates)?;
        let order = order.backend().slice(&order, 0..self.k)?;
        self.rows = Some(gather_inside(&rows, &order)?);
        Ok(())
    }
}

fn select<T: KeyElement, B: Backend>(
    keys: &impl Column<Element = T, Backend = B>,
    k: usize,
    flip: bool,
) -> Result<B::Vec<u32>> {
    let mut select = Select { k: k.min(keys.len()), flip, rows: None };
    if select.k > 0 {
        KeyColumn::from(keys).with_bits(&mut select)?;
    }
    match select.rows {
        Some(rows) => Ok(rows),
        None => keys.backend().map(index_u32::of().rows(0)),
    }
}

/// Returns the rows of the `k` least keys, the least first; of equal keys the first rows, in their order. With fewer rows it returns all.
///
/// # Shape    keys\[n\] of any number, k -> row\[min(k, n)\], u32
/// # Cost     work O(n + k): up to one count per 8 bits of the keys, which usually are one or two, each of which the host waits for; a
///   compact, and a sort of at most 2 k + 4096 keys, or of as many as equal the last
/// # Errors   only general ones
/// # Source   radix select: the first digits of a radix sort, of the keys that still count
/// # Example
/// ```
/// use treepar::{Backend, Cpu, key::least};
/// let cpu = Cpu::new();
/// let keys = cpu.upload(&[7u32, 300, 2, 299, 2])?;
/// assert_eq!(cpu.download(&least(&keys, 3)?)?, [2, 4, 0]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn least<T: KeyElement, B: Backend>(keys: &impl Column<Element = T, Backend = B>, k: usize) -> Result<B::Vec<u32>> {
    select(keys, k, false)
}

/// Returns the rows of the `k` greatest keys, the greatest first; of equal keys the first rows, in their order. With fewer rows it returns
/// all.
///
/// # Shape    keys\[n\] of any number, k -> row\[min(k, n)\], u32
/// # Cost     as [`least`]
/// # Errors   only general ones
/// # Source   as [`least`]
/// # Example
/// ```
/// use treepar::{key::greatest, prelude::*};
/// let cpu = Cpu::new();
/// // The two largest subtrees.
/// let forest = Depths::new(cpu.upload(&[0, 1, 2, 2, 1, 0])?)?;
/// assert_eq!(cpu.download(&greatest(&forest.subtree_sizes()?, 2)?)?, [0, 1]);
/// # Ok::<(), treepar::Error>(())
/// ```
pub fn greatest<T: KeyElement, B: Backend>(
    keys: &impl Column<Element = T, Backend = B>,
    k: usize,
) -> Result<B::Vec<u32>> {
    select(keys, k, true)
}
