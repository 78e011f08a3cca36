//! The address space of the device: allocations with gaps between them, in which each byte is written or not.
//!
//! ```text
//! address = (index of the allocation + 1) << 36 | offset + 256
//! ```
//!
//! So the allocation of an address needs no search, and an index that is slightly wrong never reaches another allocation.
//! Addresses are never used again after a free. Below `1 << 36` are the windows of shared and local memory.

use crate::fault::{Access, Fault, FaultKind, Nearest};

/// Bits of an address that select the byte within an allocation's part of the address space.
const SPAN_BITS: u32 = 36;
/// Offset of an allocation's first byte. It is a multiple of 256, as on a device, and of no greater power of two.
const FIRST: u64 = 256;

/// The memory of the device that all launches share.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    allocations: Vec<Allocation>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    pub bytes: Vec<u8>,
    /// One bit per byte: `true` if it was written.
    pub written: Written,
    len: usize,
    freed: bool,
}

/// One bit per byte of a memory: `true` if it was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written(Vec<u64>);

impl Written {
    pub fn new(bytes: usize) -> Written {
        Written(vec![0; bytes.div_ceil(64)])
    }

    /// Returns whether all bytes of a range were written. An empty range was.
    pub fn all(&self, at: usize, bytes: usize) -> bool {
        let (mut at, end) = (at, at + bytes);
        while at < end {
            let upto = end.min((at / 64 + 1) * 64);
            let mask = mask(at % 64, upto - at);
            if self.0[at / 64] & mask != mask {
                return false;
            }
            at = upto;
        }
        true
    }

    /// Returns whether up to 16 bytes were written, at a multiple of their number.
    #[inline]
    pub fn aligned(&self, at: usize, bytes: usize) -> bool {
        let mask = (1 << bytes) - 1;
        self.0[at / 64] >> (at % 64) & mask == mask
    }

    /// Records up to 16 bytes as written, at a multiple of their number.
    #[inline]
    pub fn set_aligned(&mut self, at: usize, bytes: usize) {
        self.0[at / 64] |= ((1 << bytes) - 1) << (at % 64);
    }

    /// Records bytes as written.
    pub fn set(&mut self, at: usize, bytes: usize) {
        let (mut at, end) = (at, at + bytes);
        while at < end {
            let upto = end.min((at / 64 + 1) * 64);
            self.0[at / 64] |= mask(at % 64, upto - at);
            at = upto;
        }
    }
}

/// Returns `bits` ones from the bit `first` on. `bits` is 1 to 64.
fn mask(first: usize, bits: usize) -> u64 {
    (u64::MAX >> (64 - bits)) << first
}

impl Memory {
    /// Returns a memory without allocations.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates bytes, which are unwritten, and returns their address, a multiple of 256.
    pub fn allocate(&mut self, bytes: usize) -> u64 {
        let written = Written::new(bytes);
        self.allocations.push(Allocation { bytes: vec![0; bytes], written, len: bytes, freed: false });
        (self.allocations.len() as u64) << SPAN_BITS | FIRST
    }

    /// Frees an allocation.
    ///
    /// # Errors
    /// `NotAllocated` if the address is not the beginning of an allocation.
    pub fn free(&mut self, address: u64) -> Result<(), Fault> {
        let index = index(address).filter(|_| address % (1 << SPAN_BITS) == FIRST);
        let found = index.and_then(|index| self.allocations.get_mut(index)).filter(|allocation| !allocation.freed);
        let allocation = found.ok_or(Fault::host(FaultKind::NotAllocated(address)))?;
        let len = allocation.len;
        *allocation = Allocation { len, freed: true, ..Allocation::default() };
        Ok(())
    }

    /// Copies bytes to the memory.
    ///
    /// # Errors
    /// `OutOfBounds` if not all bytes are in one allocation.
    pub fn write(&mut self, address: u64, from: &[u8]) -> Result<(), Fault> {
        let access = Access { space: "host", address, bytes: from.len(), write: true };
        let (allocation, at) = self.place_mut(access).map_err(Fault::host)?;
        allocation.bytes[at..at + from.len()].copy_from_slice(from);
        allocation.written.set(at, from.len());
        Ok(())
    }

    /// Writes `count` copies of the bytes `pattern`.
    ///
    /// # Errors
    /// `OutOfBounds` if not all bytes are in one allocation.
    pub fn fill(&mut self, address: u64, pattern: &[u8], count: usize) -> Result<(), Fault> {
        let bytes = pattern.len() * count;
        let access = Access { space: "host", address, bytes, write: true };
        let (allocation, at) = self.place_mut(access).map_err(Fault::host)?;
        match pattern {
            [] => {}
            [byte] => allocation.bytes[at..at + bytes].fill(*byte),
            _ => allocation.bytes[at..at + bytes]
                .chunks_exact_mut(pattern.len())
                .for_each(|to| to.copy_from_slice(pattern)),
        }
        allocation.written.set(at, bytes);
        Ok(())
    }

    /// Copies bytes from the memory. Unwritten bytes are read as zero: a caller may copy more than a kernel wrote.
    ///
    /// # Errors
    /// `OutOfBounds` if not all bytes are in one allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), Fault> {
        let access = Access { space: "host", address, bytes: to.len(), write: false };
        let (allocation, at) = self.place(access).map_err(Fault::host)?;
        to.copy_from_slice(&allocation.bytes[at..at + to.len()]);
        Ok(())
    }

    /// Copies bytes from one address to another, and which of them are written. The ranges must not overlap.
    ///
    /// # Errors
    /// `OutOfBounds` if not all bytes of each range are in one allocation.
    pub fn copy(&mut self, from: u64, to: u64, bytes: usize) -> Result<(), Fault> {
        let (source, first) =
            self.place(Access { space: "host", address: from, bytes, write: false }).map_err(Fault::host)?;
        let data = source.bytes[first..first + bytes].to_vec();
        let written: Vec<bool> = (first..first + bytes).map(|at| source.written.all(at, 1)).collect();
        let (target, at) =
            self.place_mut(Access { space: "host", address: to, bytes, write: true }).map_err(Fault::host)?;
        target.bytes[at..at + bytes].copy_from_slice(&data);
        (0..bytes).filter(|&k| written[k]).for_each(|k| target.written.set(at + k, 1));
        Ok(())
    }

    /// Returns the bytes of the allocations that are not freed.
    pub fn allocated_bytes(&self) -> usize {
        self.allocations.iter().map(|allocation| allocation.bytes.len()).sum()
    }

    /// Returns the allocation of an access, and the offset in it.
    #[inline]
    pub(crate) fn place(&self, access: Access) -> Result<(&Allocation, usize), FaultKind> {
        match self.find(access.address, access.bytes) {
            Some((index, at)) => Ok((&self.allocations[index], at)),
            None => Err(self.out_of_bounds(access)),
        }
    }

    #[inline]
    pub(crate) fn place_mut(&mut self, access: Access) -> Result<(&mut Allocation, usize), FaultKind> {
        match self.find(access.address, access.bytes) {
            Some((index, at)) => Ok((&mut self.allocations[index], at)),
            None => Err(self.out_of_bounds(access)),
        }
    }

    #[inline]
    fn find(&self, address: u64, bytes: usize) -> Option<(usize, usize)> {
        let index = index(address)?;
        let allocation = self.allocations.get(index)?;
        let at = (address % (1 << SPAN_BITS)).checked_sub(FIRST)? as usize;
        (!allocation.freed && at.checked_add(bytes)? <= allocation.bytes.len()).then_some((index, at))
    }

    #[cold]
    fn out_of_bounds(&self, access: Access) -> FaultKind {
        // An address before an allocation's first byte is in the part of the address space before it.
        let after = access.address >> SPAN_BITS;
        let candidates = [after.wrapping_sub(1), after];
        let distance = |nearest: &Nearest| {
            let end = nearest.begin + nearest.bytes as u64;
            nearest.begin.saturating_sub(access.address).max(access.address.saturating_sub(end))
        };
        let all = candidates.into_iter().filter_map(|index| {
            let allocation = self.allocations.get(usize::try_from(index).ok()?)?;
            let begin = (index + 1) << SPAN_BITS | FIRST;
            Some(Nearest { begin, bytes: allocation.len, freed: allocation.freed })
        });
        FaultKind::OutOfBounds { access, nearest: all.min_by_key(distance) }
    }
}

/// Returns the index of the allocation in whose part of the address space an address is.
#[inline]
fn index(address: u64) -> Option<usize> {
    (address >> SPAN_BITS).checked_sub(1).map(|index| index as usize)
}

#[cfg(test)]
mod tests {
    use super::{Memory, Written};
    use crate::{Access, Fault, FaultKind, Nearest};

    #[test]
    fn bytes_are_read_as_written() {
        let mut memory = Memory::new();
        let [a, b] = [5, 300].map(|bytes| memory.allocate(bytes));
        assert!(a % 256 == 0 && b % 256 == 0);
        memory.write(b + 7, &[1, 2, 3]).unwrap();
        memory.fill(a, &[9], 5).unwrap();
        memory.fill(b + 10, &[4, 5], 2).unwrap();
        let mut read = [0; 8];
        memory.read(b + 6, &mut read).unwrap();
        assert_eq!(read, [0, 1, 2, 3, 4, 5, 4, 5]);
        memory.copy(b + 7, a, 5).unwrap();
        memory.read(a, &mut read[..5]).unwrap();
        assert_eq!(read[..5], [1, 2, 3, 4, 5]);
    }

    #[test]
    fn accesses_outside_name_the_nearest_allocation() {
        let mut memory = Memory::new();
        let [a, _] = [16, 16].map(|bytes| memory.allocate(bytes));
        for address in [a - 1, a + 13, a + 16, a + 1000, a - 200] {
            let access = Access { space: "host", address, bytes: 4, write: true };
            let nearest = Some(Nearest { begin: a, bytes: 16, freed: false });
            let kind = FaultKind::OutOfBounds { access, nearest };
            assert_eq!(memory.write(address, &[0; 4]), Err(Fault { kind, site: None }));
        }
        memory.free(a).unwrap();
        assert_eq!(memory.free(a).unwrap_err().kind, FaultKind::NotAllocated(a));
        assert_eq!(memory.free(a + (1 << 37) + 1).unwrap_err().kind, FaultKind::NotAllocated(a + (1 << 37) + 1));
        let kind = memory.read(a, &mut [0]).unwrap_err().kind;
        assert!(matches!(kind, FaultKind::OutOfBounds { nearest: Some(Nearest { freed: true, .. }), .. }), "{kind}");
        assert!(memory.read(u64::MAX, &mut [0; 2]).is_err() && memory.read(0, &mut [0]).is_err());
    }

    #[test]
    fn bits_of_written_bytes() {
        for (at, bytes) in [(0, 1), (3, 61), (3, 62), (63, 2), (0, 192), (190, 2), (64, 64)] {
            let mut written = Written::new(192);
            written.set(at, bytes);
            assert_eq!(
                (0..192).filter(|&k| written.all(k, 1)).collect::<Vec<_>>(),
                (at..at + bytes).collect::<Vec<_>>()
            );
            assert!(written.all(at, bytes) && written.all(5, 0));
            assert!(at + bytes == 192 || !written.all(at, bytes + 1));
        }
    }
}
