//! Races on shared memory: two accesses of different threads to a byte, at least one of which writes, that nothing orders.
//!
//! A barrier of the block orders all accesses before it and after it. `bar.warp.sync` orders the accesses of its lanes. Other
//! operations of lanes, such as shuffles, order no memory. Two atomic operations do not race. Lanes of one instruction may
//! write the same value.

use super::block::Block;
use super::grid::Failed;
use super::turn::Turn;
use crate::code::LANES;
use crate::fault::{Access, FaultKind};

/// The latest accesses to each byte of a block's shared memory.
#[derive(Default)]
pub(super) struct Shadow {
    bytes: Vec<Byte>,
    /// The barriers that have opened.
    pub epoch: u32,
}

#[derive(Clone, Copy, Default)]
struct Byte {
    write: Option<Mark>,
    /// Reads of different threads since the last write.
    reads: [Option<Mark>; 2],
}

/// An access of a thread.
#[derive(Clone, Copy)]
struct Mark {
    thread: u16,
    atomic: bool,
    step: u32,
    /// The number of the executed instruction in the launch.
    instant: u64,
    epoch: u32,
    /// The operations `bar.warp.sync` that the warp had executed.
    clock: u32,
}

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    Read,
    Write,
    Atomic,
}

impl Shadow {
    pub fn new(bytes: usize) -> Shadow {
        Shadow { bytes: vec![Byte::default(); bytes], epoch: 0 }
    }
}

impl Turn<'_, '_> {
    /// Records an access to shared memory, which is in bounds, and compares it with earlier ones. `new` are written bytes.
    pub fn touch(&mut self, at: usize, bytes: usize, lane: usize, touch: Touch, new: &[u8]) -> Result<(), Failed> {
        let mark = Mark {
            thread: (self.warp.index as usize * LANES + lane) as u16,
            atomic: touch == Touch::Atomic,
            step: self.step,
            instant: self.grid.counts.warp_instructions,
            epoch: self.block.shadow.epoch,
            clock: self.warp.clock,
        };
        for k in 0..bytes {
            let byte = self.block.shadow.bytes[at + k];
            let earlier = match touch {
                Touch::Read => [byte.write, None, None],
                _ => [byte.write, byte.reads[0], byte.reads[1]],
            };
            for other in earlier.into_iter().flatten().filter(|other| !self.ordered(other, &mark)) {
                let same_value = other.instant == mark.instant && new.get(k) == Some(&self.block.shared.bytes[at + k]);
                if !same_value {
                    return Err(Box::new((self.race(at, bytes, touch, &other), lane)));
                }
            }
            let byte = &mut self.block.shadow.bytes[at + k];
            if touch == Touch::Read {
                // A read of the same thread, or one that is ordered, is replaced.
                let reads = &mut byte.reads;
                let old = reads
                    .iter()
                    .position(|read| read.is_none_or(|read| read.thread == mark.thread || read.epoch != mark.epoch));
                reads[old.unwrap_or(1)] = Some(mark);
            } else {
                *byte = Byte { write: Some(mark), reads: [None; 2] };
            }
        }
        Ok(())
    }

    fn ordered(&self, other: &Mark, mark: &Mark) -> bool {
        if other.thread == mark.thread || other.epoch != mark.epoch || other.atomic && mark.atomic {
            return true;
        }
        let (warp, lanes) =
            (mark.thread / LANES as u16, [other.thread, mark.thread].map(|thread| thread as usize % LANES));
        other.thread / LANES as u16 == warp && lanes.iter().all(|&lane| self.warp.synced[lane] > other.clock)
    }

    #[cold]
    fn race(&self, at: usize, bytes: usize, touch: Touch, other: &Mark) -> FaultKind {
        let (warp, lane) = (u32::from(other.thread) / LANES as u32, u32::from(other.thread) % LANES as u32);
        let site = self.grid.site(other.step, self.block.linear, warp, lane);
        let access = Access { space: "shared", address: at as u64, bytes, write: touch != Touch::Read };
        FaultKind::Race { access, other: Box::new(site) }
    }

    /// Orders the accesses of lanes before and after `bar.warp.sync`.
    pub fn order_lanes(&mut self, lanes: u32) {
        self.warp.clock += 1;
        super::turn::ones(lanes).for_each(|lane| self.warp.synced[lane] = self.warp.clock);
    }
}

impl Block {
    /// Orders all accesses before and after a barrier.
    pub fn order_threads(&mut self) {
        self.shadow.epoch += 1;
    }
}
