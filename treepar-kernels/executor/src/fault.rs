//! Faults: why a launch or an access ended.

use std::fmt;

/// The reason that a launch or an access of the host ended, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}{}", At(site))]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// The instruction and its thread. `None` for an access of the host, and for a launch that did not begin.
    pub site: Option<Box<Site>>,
}

impl Fault {
    /// Returns a fault that no instruction caused.
    pub(crate) fn host(kind: FaultKind) -> Fault {
        Fault { kind, site: None }
    }
}

/// An instruction that one thread executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The name of the entry.
    pub entry: String,
    /// The line of the instruction in the PTX text, from 1.
    pub line: u32,
    /// The text of this line.
    pub instruction: String,
    /// The linear index of the block in the grid.
    pub block: u32,
    /// The linear index of the thread in its block.
    pub thread: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Site { entry, line, instruction, block, thread } = self;
        write!(f, "`{instruction}` (line {line} of the PTX, entry {entry}, block {block}, thread {thread})")
    }
}

struct At<'a>(&'a Option<Box<Site>>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            Some(site) => write!(f, ", at {site}"),
            None => Ok(()),
        }
    }
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The state space: `"global"`, `"shared"`, `"local"`, `"param"`, or `"host"` for an access of the host.
    pub space: &'static str,
    /// The address in this space.
    pub address: u64,
    /// The bytes.
    pub bytes: usize,
    /// `true` if the access writes.
    pub write: bool,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Access { space, address, bytes, write } = self;
        write!(f, "{} of {bytes} bytes at {address:#x} of {space} memory", if *write { "write" } else { "read" })
    }
}

/// The allocation nearest to an address that is in none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The first address.
    pub begin: u64,
    /// The bytes.
    pub bytes: usize,
    /// `true` if the allocation was freed.
    pub freed: bool,
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let freed = if self.freed { ", which was freed" } else { "" };
        write!(f, "the nearest allocation has {} bytes from {:#x}{freed}", self.bytes, self.begin)
    }
}

/// A warp, or a part of one, that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The first waiting thread, and the instruction that it waits at.
    pub site: Site,
    /// The lanes of its warp that wait there.
    pub lanes: u32,
    /// The reason: `"barrier"`, `"lanes"`, or `"memory"` for a loop that polls.
    pub reason: &'static str,
}

/// The reason of a fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside all allocations, or outside the block's or thread's memory.
    #[error("{access} is out of bounds; {}", nearest.map_or("nothing is allocated".to_string(), |n| n.to_string()))]
    OutOfBounds {
        /// The access.
        access: Access,
        /// The allocation nearest to it.
        nearest: Option<Nearest>,
    },
    /// An address that is not a multiple of the access's bytes.
    #[error("{0} is misaligned")]
    Misaligned(Access),
    /// A read of memory that nothing has written.
    #[error("{0}, which was never written")]
    Unwritten(Access),
    /// An address to free that is not the beginning of an allocation.
    #[error("{0:#x} is not the beginning of an allocation")]
    NotAllocated(u64),
    /// Two accesses to shared memory without a barrier in between, at least one of which writes.
    #[error("{access} races with thread {} at {other}", other.thread)]
    Race {
        /// The later access.
        access: Access,
        /// The earlier access.
        other: Box<Site>,
    },
    /// No warp makes progress.
    #[error("deadlock: {} parts of warps wait, the first at {}", .0.len(), .0.first().map_or(String::new(), |w| w.site.to_string()))]
    Deadlock(Vec<Waiting>),
    /// A barrier of a block at which some threads do not arrive.
    #[error("{arrived} threads of a block wait at a barrier that {missing} threads do not reach")]
    PartialBarrier {
        /// The threads that wait.
        arrived: u32,
        /// The threads that have ended, or wait elsewhere.
        missing: u32,
    },
    /// A mask of lanes that does not contain the executing lane, or contains lanes that have ended.
    #[error(
        "the mask {mask:#010x} of lanes does not fit: lanes {lanes:#010x} execute it, and lanes {ended:#010x} have ended"
    )]
    BadMask {
        /// The mask operand.
        mask: u32,
        /// The lanes that execute the instruction.
        lanes: u32,
        /// The lanes of the warp that have ended.
        ended: u32,
    },
    /// A launch that is longer than the machine allows.
    #[error("the warps executed {0} instructions, and the launch did not end")]
    TooLong(u64),
    /// The instruction `trap`.
    #[error("trap")]
    Trap,
    /// An instruction that the executor does not know.
    #[error("unknown instruction `{0}`")]
    Unknown(String),
    /// A launch that does not fit its entry.
    #[error("the launch does not fit: {0}")]
    BadLaunch(String),
}
