//! The memory of a simulated program: regions with permissions.

use std::ops::Range;

use rvsim::MemoryAccess;

/// The permitted kinds of access to a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub read: bool,
    pub write: bool,
    pub execute: bool,
}

/// The smallest part of memory that a program can map.
pub const PAGE_BYTES: u32 = 4096;

/// The first address of mapped memory.
const MAPPED: u32 = 0x4000_0000;

/// The most regions that a program may map.
pub const MAX_MAPPED: usize = 64;

/// A part of the address space.
///
/// The words hold the region from the multiple of 8 at or before its start. An address and its byte in the host's
/// memory are therefore equal modulo 8, so an aligned access of the program is an aligned access of the host.
pub struct Region {
    start: u32,
    bytes: u32,
    /// Mapped memory has words only as far as the program has used it. The others are zeros.
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

    /// Returns zeros that take memory of the host when they are used. The start and the size are multiples of a page.
    fn mapped(start: u32, bytes: u32, access: Access) -> Region {
        Region { start, bytes, words: Vec::new(), access }
    }

    fn end(&self) -> u32 {
        self.start + self.bytes
    }

    /// Makes the bytes before `end` part of the words. Returns `false` if the host has not enough memory.
    fn reach(&mut self, end: usize) -> bool {
        let needed = end.div_ceil(8);
        if needed <= self.words.len() {
            return true;
        }
        let all = (self.start as usize % 8 + self.bytes as usize).div_ceil(8);
        let words = (needed * 2).max(PAGE_BYTES as usize / 8).min(all);
        if self.words.try_reserve_exact(words - self.words.len()).is_err() {
            return false;
        }
        self.words.resize(words, 0);
        true
    }

    /// Returns the bytes that the words hold.
    fn contents(&mut self) -> &mut [u8] {
        let skipped = self.start as usize % 8;
        let end = (skipped + self.bytes as usize).min(self.words.len() * 8);
        &mut bytemuck::cast_slice_mut(&mut self.words)[skipped..end]
    }
}

/// The whole memory: the segments, then the memory that the program has mapped, then the stack.
pub struct Memory {
    regions: Vec<Region>,
    /// The number of mapped regions.
    mapped: usize,
    /// The bytes that may still be mapped.
    mappable: u64,
    /// The rules for accesses to mapped memory, if there are any.
    guard: Option<Guard>,
    /// The last access that failed.
    failed: Option<Failed>,
}

/// Rules for accesses to the arena.
pub struct Guard {
    /// The address of the word with the arena's top. Nothing is accessed from there on.
    pub top: u32,
    /// The code that only accesses live blocks, in the order of addresses.
    pub own: Vec<Range<u32>>,
    /// The address of the current instruction.
    pub pc: u32,
}

impl Guard {
    /// Returns whether the current instruction belongs to the code that only accesses live blocks.
    fn is_own(&self) -> bool {
        let next = self.own.partition_point(|code| code.start <= self.pc);
        next > 0 && self.own[next - 1].contains(&self.pc)
    }
}

/// The bytes of a block's size, its first word, which only the runtime accesses. A program clears the owner, the second word, when
/// it gives an array away.
const SIZE_BYTES: u32 = 4;

/// An access that failed.
#[derive(Clone, Copy, Debug)]
pub struct Failed {
    pub address: u32,
    pub reason: Reason,
}

/// Why an access failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no memory, or it does not permit the access.
    Illegal,
    /// The address is not a multiple of the size.
    Misaligned,
    /// There is no live block of the arena, and the code may access no other part of it.
    Dead,
    /// The host has not enough memory.
    OutOfMemory,
}

impl Memory {
    /// Returns the memory of regions, of which the last is the stack. At most `mappable` bytes can be mapped.
    pub fn new(regions: Vec<Region>, mappable: u64) -> Memory {
        Memory { regions, mapped: 0, mappable, guard: None, failed: None }
    }

    /// Sets the rules for accesses to mapped memory.
    pub fn guard(&mut self, guard: Option<Guard>) {
        self.guard = guard;
    }

    /// Returns a word of memory, 0 if there is none.
    fn word(&mut self, address: u32) -> u32 {
        let word = self.bytes(address, 4, |access| access.read).and_then(|bytes| bytes.try_into().ok());
        word.map_or(0, u32::from_le_bytes)
    }

    /// Returns why an access to an address breaks the rules, if it does.
    fn breach(&mut self, address: u32) -> Option<Reason> {
        let guard = self.guard.as_ref()?;
        let (top, is_own) = (guard.top, guard.is_own());
        let mapped = self.regions.len() - 1 - self.mapped..self.regions.len() - 1;
        let region = self.regions[mapped].iter().find(|region| address.wrapping_sub(region.start) < region.bytes)?;
        let first = region.start;
        let top = self.word(top);
        if address >= top {
            return Some(Reason::Illegal);
        }
        (is_own && !self.is_live(address, first, top)).then_some(Reason::Dead)
    }

    /// Returns whether an address belongs to a block between the first one and the top. Each block begins with its size.
    fn is_live(&mut self, address: u32, first: u32, top: u32) -> bool {
        let mut block = first;
        while block < top {
            let size = self.word(block);
            if size < SIZE_BYTES || size > top - block {
                return false;
            }
            if address - block < size {
                return address - block >= SIZE_BYTES;
            }
            block += size;
        }
        false
    }

    /// Maps zeros between the segments and `below`. Returns their address, `None` if there is no room or a limit is reached.
    pub fn map(&mut self, bytes: u32, below: u32, access: Access) -> Option<u32> {
        let bytes = bytes.checked_next_multiple_of(PAGE_BYTES).filter(|&bytes| bytes > 0)?;
        let rest = self.mappable.checked_sub(bytes.into()).filter(|_| self.mapped < MAX_MAPPED)?;
        let (stack, others) = self.regions.split_last()?;
        let end = others.iter().map(Region::end).max().unwrap_or(0).max(MAPPED);
        let start = end.checked_next_multiple_of(PAGE_BYTES)?;
        if start.checked_add(bytes)? > below.min(stack.start) {
            return None;
        }
        let at = others.len();
        self.regions.insert(at, Region::mapped(start, bytes, access));
        self.mapped += 1;
        self.mappable = rest;
        Some(start)
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
        let end = (offset + count as usize).min(region.bytes as usize);
        if !region.reach(region.start as usize % 8 + end) {
            return None;
        }
        if permits(region.access) { region.contents().get_mut(offset..)?.get_mut(..count as usize) } else { None }
    }
}

impl rvsim::Memory for Memory {
    fn access<T: Copy>(&mut self, address: u32, access: MemoryAccess<T>) -> bool {
        let misaligned = !(address as usize).is_multiple_of(size_of::<T>());
        if let Some(guard) = &mut self.guard {
            if let MemoryAccess::Exec(_) = access {
                guard.pc = address;
            }
            if let Some(reason) = self.breach(address) {
                self.failed = Some(Failed { address, reason });
                return false;
            }
        }
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
            let mut reason = if permitted && misaligned { Reason::Misaligned } else { Reason::Illegal };
            if permitted && !misaligned {
                let end = (offset as usize + size_of::<T>()).min(region.bytes as usize);
                if !region.reach(region.start as usize % 8 + end) {
                    reason = Reason::OutOfMemory;
                } else if region.contents().access(offset, access) {
                    return true;
                }
            }
            self.failed = Some(Failed { address, reason });
            return false;
        }
        self.failed = Some(Failed { address, reason: Reason::Illegal });
        false
    }
}
