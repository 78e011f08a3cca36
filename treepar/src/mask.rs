//! Packed masks: a bit a row, 32 to a word.
//!
//! Masks that templates take are bytes, which are written without regard to neighbours. Where masks are kept, combined,
//! or cross to the host, bits are an eighth of the traffic: a word is what a GPU's warp votes at once. On the host a
//! mask is a [`bitvec`] of the same words.

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;

use crate::backend::{ScanKind, check_length};
use crate::device::device;
use crate::monoid::Sum;
use crate::sort::check_rows;
use crate::{Backend, Column, Result};

/// A mask of `n` rows: row i is bit i mod 32 of word i / 32. Bits after the last row are 0.
pub struct Mask<B: Backend> {
    words: B::Vec<u32>,
    n: usize,
}

impl<B: Backend> Mask<B> {
    /// Packs a mask of bytes.
    ///
    /// # Shape    mask\[n\] u8 (0 or not) -> n bits
    /// # Cost     work O(n), one map, 1.1 bytes per row
    /// # Errors   only general ones
    /// # Source   a warp's ballot
    /// # Example
    /// ```
    /// use treepar::{Backend, Cpu, mask::Mask};
    /// let cpu = Cpu::new();
    /// let a = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// let b = Mask::pack(&cpu.upload(&[0u8, 0, 1, 0])?)?;
    /// assert_eq!(a.count()?, 3);
    /// assert_eq!(cpu.download(&a.and(&b.not()?)?.rows()?)?, [0, 3]);
    /// assert_eq!(a.download()?.iter().map(|bit| *bit).collect::<Vec<_>>(), [true, false, true, true]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn pack(bytes: &impl Column<Element = u8, Backend = B>) -> Result<Mask<B>> {
        let n = bytes.len();
        Ok(Mask { words: bytes.backend().map(packed::of(bytes).rows(n.div_ceil(32)))?, n })
    }

    /// The mask of a host's bits.
    ///
    /// # Shape    n bits
    /// # Cost     one upload of n / 8 bytes
    /// # Errors   only general ones
    /// # Source   [`bitvec`] of the same words
    /// # Example
    /// ```
    /// use bitvec::prelude::*;
    /// use treepar::{Cpu, mask::Mask};
    /// let mask = Mask::upload(&Cpu::new(), &bitvec![u32, Lsb0; 0, 1, 1])?;
    /// assert_eq!(mask.rows()?[..], [1, 2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn upload(backend: &B, bits: &BitVec<u32, Lsb0>) -> Result<Mask<B>> {
        // A bit vector may begin inside a word, and have old bits after its end.
        let mut bits = bits.clone();
        bits.force_align();
        bits.set_uninitialized(false);
        Ok(Mask { words: backend.upload(bits.as_raw_slice())?, n: bits.len() })
    }

    /// The bits, on the host.
    pub fn download(&self) -> Result<BitVec<u32, Lsb0>> {
        let mut bits = BitVec::from_vec(self.words.backend().download(&self.words)?);
        bits.truncate(self.n);
        Ok(bits)
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The words.
    pub fn words(&self) -> &B::Vec<u32> {
        &self.words
    }

    /// The mask as bytes, 1 or 0.
    ///
    /// # Shape    -> mask\[n\] u8
    /// # Cost     work O(n), one map, 1.1 bytes per row
    /// # Errors   only general ones
    /// # Source   the inverse of [`Mask::pack`]
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// assert_eq!(mask.unpack()?[..], [1, 0, 1, 1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn unpack(&self) -> Result<B::Vec<u8>> {
        self.words.backend().map(unpacked::of(&self.words).rows(self.n))
    }

    /// How many rows are marked.
    ///
    /// # Shape    -> count
    /// # Cost     work O(n / 32), one reduce
    /// # Errors   only general ones
    /// # Source   population count
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// assert_eq!(mask.count()?, 3);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn count(&self) -> Result<usize> {
        Ok(self.words.backend().reduce(ones::of(&self.words), Sum)? as usize)
    }

    /// The marked rows, in order.
    ///
    /// # Shape    -> row\[m\] u32
    /// # Cost     work O(n), one compact, 0.1 bytes per row and 4 per marked row
    /// # Errors   only general ones
    /// # Source   APL's where, `⍸`
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// assert_eq!(mask.rows()?[..], [0, 2, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn rows(&self) -> Result<B::Vec<u32>> {
        self.words.backend().compact(bit::of(&self.words).rows(self.n))
    }

    /// Counts the marked rows before each row: its index among the rows that are kept.
    ///
    /// # Shape    row\[m\], each at most n -> rank\[m\] u32
    /// # Cost     work O(n / 32 + m), one scan, a check of the rows and one map; 0.5 bytes per bit and 12 per row
    /// # Errors   [`IndexOutOfRange`](crate::Error::IndexOutOfRange) at the first row beyond n
    /// # Source   rank in bit vectors, with a count a word
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// assert_eq!(mask.ranks(&cpu.upload(&[0, 2, 4])?)?[..], [0, 1, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn ranks(&self, rows: &B::Vec<u32>) -> Result<B::Vec<u32>> {
        check_rows("rows", rows, self.n + 1)?;
        let (before, total) = self.words.backend().scan(ScanKind::Exclusive, ones::of(&self.words), Sum)?;
        self.words.backend().map(rank::of(rows, &self.words, &before, total))
    }

    /// Rows marked in both.
    ///
    /// # Shape    n bits, n bits -> n bits
    /// # Cost     work O(n / 32), one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the masks differ in length
    /// # Source   a word at once
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// let other = Mask::pack(&cpu.upload(&[0u8, 1, 1, 0])?)?;
    /// assert_eq!(mask.and(&other)?.rows()?[..], [2]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn and(&self, other: &Mask<B>) -> Result<Mask<B>> {
        self.check(other)?;
        Ok(Mask { words: self.words.backend().map(both::of(&self.words, &other.words))?, n: self.n })
    }

    /// Rows marked in either.
    ///
    /// # Shape    n bits, n bits -> n bits
    /// # Cost     work O(n / 32), one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the masks differ in length
    /// # Source   a word at once
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// let other = Mask::pack(&cpu.upload(&[0u8, 1, 1, 0])?)?;
    /// assert_eq!(mask.or(&other)?.rows()?[..], [0, 1, 2, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn or(&self, other: &Mask<B>) -> Result<Mask<B>> {
        self.check(other)?;
        Ok(Mask { words: self.words.backend().map(either::of(&self.words, &other.words))?, n: self.n })
    }

    /// Rows marked in one and not in the other.
    ///
    /// # Shape    n bits, n bits -> n bits
    /// # Cost     work O(n / 32), one map
    /// # Errors   [`LengthMismatch`](crate::Error::LengthMismatch) if the masks differ in length
    /// # Source   a word at once
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// let other = Mask::pack(&cpu.upload(&[0u8, 1, 1, 0])?)?;
    /// assert_eq!(mask.xor(&other)?.rows()?[..], [0, 1, 3]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn xor(&self, other: &Mask<B>) -> Result<Mask<B>> {
        self.check(other)?;
        Ok(Mask { words: self.words.backend().map(one_of::of(&self.words, &other.words))?, n: self.n })
    }

    /// Rows not marked.
    ///
    /// # Shape    n bits -> n bits
    /// # Cost     work O(n / 32), one map
    /// # Errors   only general ones
    /// # Source   a word at once
    /// # Example
    /// ```
    /// use treepar::prelude::*;
    /// let cpu = Cpu::new();
    /// use treepar::mask::Mask;
    /// let mask = Mask::pack(&cpu.upload(&[1u8, 0, 1, 1])?)?;
    /// assert_eq!(mask.not()?.rows()?[..], [1]);
    /// # Ok::<(), treepar::Error>(())
    /// ```
    pub fn not(&self) -> Result<Mask<B>> {
        Ok(Mask { words: self.words.backend().map(flipped::of(&self.words, self.n as u32))?, n: self.n })
    }

    fn check(&self, other: &Mask<B>) -> Result<()> {
        check_length("mask", self.n, other.n)
    }
}

#[device(map)]
fn packed(word: usize, bytes: &[u8]) -> u32 {
    let first = word * 32;
    let end = (first + 32).min(bytes.len());
    let mut bits = 0u32;
    for i in first..end {
        bits |= ((bytes[i] != 0) as u32).wrapping_shl((i - first) as u32);
    }
    bits
}

#[device(compact)]
fn bit(i: usize, words: &[u32]) -> bool {
    words[i / 32].wrapping_shr(i as u32 % 32) & 1 != 0
}

#[device(map)]
fn unpacked(i: usize, words: &[u32]) -> u8 {
    (words[i / 32].wrapping_shr(i as u32 % 32) & 1) as u8
}

#[device(reduce(Sum), scan(Sum))]
fn ones(word: usize, words: &[u32]) -> u32 {
    words[word].count_ones()
}

#[device(map)]
fn rank(k: usize, rows: &[u32], words: &[u32], before: &[u32], total: u32) -> u32 {
    let word = rows[k] as usize / 32;
    let below = 1u32.wrapping_shl(rows[k] % 32) - 1;
    if word < words.len() { before[word] + (words[word] & below).count_ones() } else { total }
}

#[device(map)]
fn both(word: usize, a: &[u32], b: &[u32]) -> u32 {
    a[word] & b[word]
}

#[device(map)]
fn either(word: usize, a: &[u32], b: &[u32]) -> u32 {
    a[word] | b[word]
}

#[device(map)]
fn one_of(word: usize, a: &[u32], b: &[u32]) -> u32 {
    a[word] ^ b[word]
}

/// Returns flipped words. The bits after the last row stay 0.
#[device(map)]
fn flipped(word: usize, words: &[u32], n: u32) -> u32 {
    let rows = n - word as u32 * 32;
    let all = if rows < 32 { 1u32.wrapping_shl(rows) - 1 } else { u32::MAX };
    !words[word] & all
}
