//! Functions to code: steps with register slots, in the order of the text, with all calls inlined.
//!
//! ```text
//! Function --decode-->  steps over virtual registers, one table row or action per instruction
//!          --flow-->    the step at which the lanes of each branch meet again
//!          --slots-->   few slots per warp instead of many virtual registers
//! ```

mod arithmetic;
mod control;
mod decode;
mod exchange;
mod flow;
mod frame;
mod registers;
mod slots;
mod step;
mod table;
mod transfer;

pub(crate) use flow::END;
pub(crate) use registers::{Kind, LANES, Registers};
pub(crate) use step::{
    Action, Address, Atomic, AtomicOperation, Barrier, BarrierKind, Exchange, ExchangeKind, Guard, Order, Scope, Slot,
    Step, Transfer,
};

use crate::ptx::{Function, Problem, Special, Text};

/// Generic addresses from here on are shared memory.
pub(crate) const SHARED_WINDOW: u64 = 1 << 32;
/// Generic addresses from here on are the thread's local memory.
pub(crate) const LOCAL_WINDOW: u64 = 2 << 32;
/// Generic addresses from here on are the launch's parameters.
pub(crate) const PARAM_WINDOW: u64 = 3 << 32;

/// An entry's code.
pub(crate) struct Code {
    pub steps: Vec<Step>,
    /// The number of slots of each kind.
    pub predicates: u32,
    pub words: u32,
    pub longs: u32,
    /// The slots that have a value when a warp begins, which no step writes.
    pub initial: Vec<(Kind, Slot, Initial)>,
    /// Bytes of local memory per thread.
    pub local_bytes: usize,
    /// Bytes of shared memory per block, and the offset of memory whose size the launch determines.
    pub shared_bytes: usize,
    pub dynamic_shared: usize,
}

/// The value of a register when a warp begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Initial {
    Constant(u64),
    Special(Special),
    /// The address of a variable of the module, with an offset.
    Variable(usize, u64),
    /// An offset in the shared memory whose size the launch determines.
    DynamicShared(u64),
}

impl Code {
    /// Decodes an entry.
    pub fn new(text: &Text, entry: &Function) -> Result<Code, Problem> {
        let mut decoded = decode::decode(text, entry)?;
        flow::set_joins(&mut decoded.steps);
        Ok(slots::assign(decoded))
    }
}
