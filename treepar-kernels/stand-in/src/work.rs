//! The work of a stream: launches, copies and other calls that wait in its queue.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use treepar_executor::Module;

/// A module that a device has loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The digest of its text.
    pub id: ModuleId,
    /// The code.
    pub module: Module,
}

/// A module by its text: equal texts have equal ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(u64);

impl ModuleId {
    /// Returns the id of a module with this text.
    pub fn of(ptx: &str) -> ModuleId {
        let mut hasher = DefaultHasher::new();
        ptx.hash(&mut hasher);
        ModuleId(hasher.finish())
    }
}

/// The number of a stream of a device. Stream 0 is the default stream.
pub type StreamId = usize;

/// A mark in the work of a stream.
#[derive(Debug, Default)]
pub struct Event(Mutex<Mark>);

/// The state of an event.
#[derive(Clone, Copy, Debug, Default)]
pub enum Mark {
    /// Never recorded: it counts as reached.
    #[default]
    None,
    /// In the queue of a stream.
    Waiting(StreamId),
    /// Reached at a time.
    Reached(Instant),
}

impl Event {
    /// Returns its state.
    pub fn mark(&self) -> Mark {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets its state.
    pub fn set(&self, mark: Mark) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = mark;
    }
}

/// The number of blocks and the number of threads of each block, in three dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The blocks.
    pub grid: [u32; 3],
    /// The threads of a block.
    pub block: [u32; 3],
}

/// An address of page-locked memory of the host.
#[derive(Clone, Copy, Debug)]
pub struct HostAddress(pub usize);

/// One piece of work.
pub enum Work {
    /// A kernel.
    Launch {
        /// The module, which stays loaded until the kernel has run.
        module: Arc<Loaded>,
        /// The name of the entry.
        entry: String,
        /// Blocks and threads.
        shape: Shape,
        /// The bytes of dynamic shared memory.
        shared: u32,
        /// The parameters, laid out as the kernel reads them.
        arguments: Vec<u8>,
    },
    /// Bytes that were copied from ordinary memory of the host.
    Write {
        /// The address on the device.
        to: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A copy from page-locked memory, which is read when the work is done.
    Upload {
        /// The address on the device.
        to: u64,
        /// The address on the host.
        from: HostAddress,
        /// The number of bytes.
        bytes: usize,
    },
    /// A copy to page-locked memory.
    Download {
        /// The address on the host.
        to: HostAddress,
        /// The address on the device.
        from: u64,
        /// The number of bytes.
        bytes: usize,
    },
    /// A copy within the device.
    Copy {
        /// The address that is written.
        to: u64,
        /// The address that is read.
        from: u64,
        /// The number of bytes.
        bytes: usize,
    },
    /// A value for each byte.
    Fill {
        /// The address.
        at: u64,
        /// The value.
        value: u8,
        /// The number of bytes.
        bytes: usize,
    },
    /// The end of an allocation.
    Free(u64),
    /// An event.
    Record(Arc<Event>),
}
