//! The memory of a simulated program: regions with permissions.

use rvsim::MemoryAccess;

/// The permitted kinds of access to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub read: bool,
    pub write: bool,
    pub execute: bool,
}

/// A part of the address space.
///
/// The words hold the region from the multiple of 8 at or before its start. An address and its byte in the host's
/// memory are therefore equal modulo 8, so an aligned access of the program is an aligned access of the host.
pub struct Region {
    start: u32,
    bytes: u32,
    words: Vec<u64>,
    access: Access,
}

impl Region {
    /// Returns a region that begins with `data`, followed by zeros; `None` if the host has not enough memory.
    pub fn new(start: u32, bytes: u32, data: &[u8], access: Access) -> Option<Region> {
        let words = (start as usize % 8 + bytes as usize).div_ceil(8);
        let words = bytemuck::allocation::try_zeroed_slice_box(words).ok()?;
        let mut region = Region { start, bytes, words: Vec::from(words), access };
        region.contents()[..data.len()].copy_from_slice(data);
        Some(region)
    }

    fn contents(&mut self) -> &mut [u8] {
        let skipped = self.start as usize % 8;
        &mut bytemuck::cast_slice_mut(&mut self.words)[skipped..skipped + self.bytes as usize]
    }
}

/// The whole memory: the segments, then the stack.
pub struct Memory {
    regions: Vec<Region>,
    /// The last access that failed.
    failed: Option<Failed>,
}

/// An access that failed.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    pub address: u32,
    pub misaligned: bool,
}

impl Memory {
    pub fn new(regions: Vec<Region>) -> Memory {
        Memory { regions, failed: None }
    }

    /// Returns the first address of the stack.
    pub fn stack_start(&self) -> u32 {
        self.regions.last().map_or(0, |stack| stack.start)
    }

    /// Takes the last access that failed.
    pub fn take_failed(&mut self) -> Option<Failed> {
        self.failed.take()
    }

    /// Returns the `count` bytes from an address on, if one region holds all of them and permits the access.
    pub fn bytes(&mut self, address: u32, count: u32, permits: fn(Access) -> bool) -> Option<&mut [u8]> {
        let region = self.regions.iter_mut().find(|region| address.wrapping_sub(region.start) < region.bytes)?;
        let offset = (address - region.start) as usize;
        if permits(region.access) { region.contents().get_mut(offset..)?.get_mut(..count as usize) } else { None }
    }
}

impl rvsim::Memory for Memory {
    fn access<T: Copy>(&mut self, address: u32, access: MemoryAccess<T>) -> bool {
        let misaligned = !(address as usize).is_multiple_of(size_of::<T>());
        // Most accesses are to the stack, then to code.
        for region in self.regions.iter_mut().rev() {
            let offset = address.wrapping_sub(region.start);
            if offset >= region.bytes {
                continue;
            }
            let permitted = match access {
                MemoryAccess::Load(_) => region.access.read,
                MemoryAccess::Store(_) => region.access.write,
                MemoryAccess::Exec(_) => region.access.execute,
            };
            if permitted && !misaligned && region.contents().access(offset, access) {
                return true;
            }
            self.failed = Some(Failed { address, misaligned: permitted && misaligned });
            return false;
        }
        self.failed = Some(Failed { address, misaligned: false });
        false
    }
}
