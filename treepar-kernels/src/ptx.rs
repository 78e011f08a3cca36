//! Kernels compiled ahead of time: archives of PTX, one per crate.
//!
//! A crate with kernels embeds its own archive with [`precompiled!`](crate::precompiled), under its feature `cuda`.
//! `cargo ptx` writes the archives. A program searches the archives of all crates that it links. A unit is found by the
//! digest of its generated CUDA C++, so that a stale unit is never used: its digest is not in any archive.
//!
//! An archive is one file. Each unit is compressed by itself: loading a kernel decompresses one unit, and a change of one
//! unit changes only its part of the file. Numbers are little endian.
//!
//! ```text
//! "treepar-ptx-1\n\0\0" | number of units: u64 | key: u128, end of its block: u64 | .. | zlib stream | ..
//!                                                sorted by key                       blocks in the same order
//! ```
//!
//! An empty file is an archive without units.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;

const MAGIC: &[u8; 16] = b"treepar-ptx-1\n\0\0";
/// Bytes before the first row of the table.
const HEAD: usize = 24;
/// Bytes of a row of the table.
const ROW: usize = 24;
/// The best compression that the compressor has.
const LEVEL: u8 = 10;

/// The units of one crate, compressed.
#[derive(Clone, Copy)]
pub struct Archive<'a>(&'a [u8]);

inventory::collect!(Archive<'static>);

/// Embeds an archive of precompiled units, and registers it for every program that links the crate.
///
/// The path is relative to the file of the call, as in [`include_bytes!`].
#[macro_export]
macro_rules! precompiled {
    ($path:literal) => {
        $crate::inventory::submit! { $crate::ptx::Archive::new(include_bytes!($path)) }
    };
}

impl<'a> Archive<'a> {
    /// An archive from the bytes of its file.
    pub const fn new(bytes: &'a [u8]) -> Archive<'a> {
        Archive(bytes)
    }

    /// Returns whether the bytes are an archive with its rows in order and all blocks inside.
    pub fn is_whole(&self) -> bool {
        if self.0.is_empty() {
            return true;
        }
        let ends: Vec<usize> = (0..self.len()).filter_map(|row| self.end(row)).collect();
        let blocks = HEAD + self.len() * ROW;
        self.0.starts_with(MAGIC)
            && self.count() == self.len() as u64
            && self.keys().is_sorted_by(|a, b| a < b)
            && ends.is_sorted_by(|a, b| a < b)
            && ends.first().is_none_or(|&end| end > blocks)
            && ends.last().copied().unwrap_or(blocks) == self.0.len()
    }

    /// Returns the number of units.
    pub fn len(&self) -> usize {
        // A damaged number must not lead beyond the end.
        usize::try_from(self.count()).unwrap_or(0).min(self.0.len().saturating_sub(HEAD) / ROW)
    }

    fn count(&self) -> u64 {
        let bytes = self.0.get(MAGIC.len()..HEAD).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    }

    /// Returns whether there are no units.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the keys of all units, in increasing order.
    pub fn keys(&self) -> impl Iterator<Item = u128> {
        (0..self.len()).map(|row| self.key(row))
    }

    /// Decompresses the PTX of a unit. Returns `None` if the archive does not contain it.
    pub fn find(&self, key: u128) -> Option<String> {
        String::from_utf8(decompress_to_vec_zlib(self.block(key)?).ok()?).ok()
    }

    /// Returns the compressed PTX of a unit.
    pub fn block(&self, key: u128) -> Option<&'a [u8]> {
        let row = self.row(key)?;
        let begin = if row == 0 { HEAD + self.len() * ROW } else { self.end(row - 1)? };
        self.0.get(begin..self.end(row)?)
    }

    fn row(&self, key: u128) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.key(middle).cmp(&key) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn key(&self, row: usize) -> u128 {
        let at = HEAD + row * ROW;
        self.0.get(at..at + 16).and_then(|bytes| bytes.try_into().ok()).map_or(0, u128::from_le_bytes)
    }

    fn end(&self, row: usize) -> Option<usize> {
        let at = HEAD + row * ROW + 16;
        let end = u64::from_le_bytes(self.0.get(at..at + 8)?.try_into().ok()?);
        usize::try_from(end).ok()
    }
}

/// Decompresses the PTX of a unit that a linked crate embeds. Returns `None` if there is none with this key.
pub fn find(key: u128) -> Option<String> {
    inventory::iter::<Archive<'static>>.into_iter().find_map(|archive| archive.find(key))
}

/// Compresses the PTX of one unit.
pub fn compress(ptx: &str) -> Vec<u8> {
    compress_to_vec_zlib(ptx.as_bytes(), LEVEL)
}

/// Writes an archive of compressed units. The order of `blocks` does not matter; no two have one key.
pub fn archive(mut blocks: Vec<(u128, Vec<u8>)>) -> Vec<u8> {
    blocks.sort_unstable_by_key(|(key, _)| *key);
    let mut bytes = MAGIC.to_vec();
    bytes.extend((blocks.len() as u64).to_le_bytes());
    let mut end = HEAD + blocks.len() * ROW;
    for (key, block) in &blocks {
        end += block.len();
        bytes.extend(key.to_le_bytes());
        bytes.extend((end as u64).to_le_bytes());
    }
    blocks.iter().for_each(|(_, block)| bytes.extend(block));
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Archive, HEAD, archive, compress};

    fn three() -> Vec<u8> {
        archive([1 << 80, 3, u128::MAX].map(|key| (key, compress(&format!("unit {key}")))).to_vec())
    }

    #[test]
    fn each_unit_is_found_by_its_key() {
        let bytes = three();
        let all = Archive::new(&bytes);
        assert!(all.is_whole() && all.len() == 3);
        assert_eq!(all.keys().collect::<Vec<_>>(), [3, 1 << 80, u128::MAX]);
        for key in all.keys() {
            assert_eq!(all.find(key), Some(format!("unit {key}")));
        }
        for key in [0, 4, 1 << 81] {
            assert_eq!(all.find(key), None);
        }
    }

    #[test]
    fn an_empty_file_has_no_units() {
        for bytes in [&[][..], &archive(Vec::new())] {
            let all = Archive::new(bytes);
            assert!(all.is_whole() && all.is_empty() && all.find(0).is_none());
        }
    }

    #[test]
    fn a_damaged_archive_is_not_whole_and_yields_no_other_text() {
        let bytes = three();
        for len in 1..bytes.len() {
            let cut = Archive::new(&bytes[..len]);
            assert!(!cut.is_whole(), "{len} bytes");
            assert_eq!(cut.find(u128::MAX), None, "{len} bytes");
        }
        for at in HEAD - 8..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x80;
            let found = Archive::new(&flipped).find(3);
            assert!(found.is_none() || found.as_deref() == Some("unit 3"), "byte {at}");
        }
    }
}
