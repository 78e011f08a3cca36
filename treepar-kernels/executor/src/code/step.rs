//! Steps: instructions with register slots and resolved targets.

use super::registers::{Kind, Registers};
use super::table::{OPERANDS, Row};
use crate::ptx::{Space, Type};

/// A register of a warp: an index in the file of its kind.
pub(crate) type Slot = u32;

/// An instruction.
pub(crate) struct Step {
    pub action: Action,
    pub guard: Option<Guard>,
    /// The line in the PTX text.
    pub line: u32,
    /// The number of steps from here on that only compute, and between which no lanes meet.
    pub run: u32,
}

/// The lanes that execute a step: those whose predicate has a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub predicate: Slot,
    pub negated: bool,
}

impl Guard {
    /// Returns the lanes whose predicate has the value.
    #[inline]
    pub fn lanes(self, registers: &Registers) -> u32 {
        let bits = registers.predicates[self.predicate as usize];
        if self.negated { !bits } else { bits }
    }
}

/// The effect of a step. Large parts are in boxes, so that more steps fit into the host's nearest cache.
pub(crate) enum Action {
    Compute {
        row: &'static Row,
        to: Slot,
        from: [Slot; OPERANDS],
    },
    Load(Box<Transfer>),
    Store(Box<Transfer>),
    Atomic(Box<Atomic>),
    Branch(Branch),
    IndexedBranch {
        index: Slot,
        targets: Vec<u32>,
        join: u32,
    },
    Exit,
    Barrier(Box<Barrier>),
    Exchange(Box<Exchange>),
    ActiveLanes {
        to: Slot,
    },
    Clock {
        to: Slot,
        kind: Kind,
        high: bool,
    },
    /// Returns whether a generic address is in a space.
    IsSpace {
        to: Slot,
        address: (Kind, Slot),
        space: Space,
    },
    Fence {
        order: Order,
        scope: Scope,
    },
    Pause,
    Trap,
}

/// A jump of all lanes that execute it.
pub(crate) struct Branch {
    pub target: u32,
    /// The step at which lanes that part here meet again: the nearest that all of them reach.
    pub join: u32,
}

/// An address: a register, if any, and an offset.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub base: Option<(Kind, Slot)>,
    pub offset: i64,
}

/// A load or store of up to four elements per lane.
pub(crate) struct Transfer {
    pub space: Space,
    pub address: Address,
    pub ty: Type,
    /// The register of each element. `None` discards it.
    pub elements: Vec<Option<(Kind, Slot)>>,
    pub order: Order,
    pub scope: Scope,
    /// `true` if the program promises that no thread writes here during the launch (`.nc`).
    pub fixed: bool,
}

/// An atomic operation.
pub(crate) struct Atomic {
    pub space: Space,
    pub address: Address,
    pub operation: AtomicOperation,
    pub ty: Type,
    pub kind: Kind,
    pub to: Option<Slot>,
    pub value: Slot,
    /// The new value of a compare-and-swap, whose `value` is compared.
    pub swap: Option<Slot>,
    pub order: Order,
    pub scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOperation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// The order of an access or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Weak,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

impl Order {
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease)
    }

    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease)
    }
}

/// The threads that an order holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Block,
    Device,
}

/// A barrier of a block.
pub(crate) struct Barrier {
    pub kind: BarrierKind,
    pub number: Slot,
    /// The threads that take part, if not all.
    pub threads: Option<Slot>,
    pub to: Option<(Kind, Slot)>,
    pub predicate: Option<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Wait,
    Arrive,
    Count,
    All,
    Any,
}

/// An operation of the lanes that a mask names, which all execute it together.
pub(crate) struct Exchange {
    pub kind: ExchangeKind,
    pub mask: Slot,
    pub to: Option<(Kind, Slot)>,
    /// A second result.
    pub predicate: Option<Slot>,
    pub value: Option<(Kind, Slot)>,
    /// The lane operand and the clamp operand of a shuffle.
    pub lane: Slot,
    pub clamp: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExchangeKind {
    Barrier,
    ShuffleIndex,
    ShuffleUp,
    ShuffleDown,
    ShuffleButterfly,
    Ballot,
    VoteAll,
    VoteAny,
    VoteUniform,
    MatchAny,
    MatchAll,
    Elect,
    Reduce(AtomicOperation, Type),
}

/// The way a step uses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
}

impl Step {
    /// Calls a function for each register that the step uses, reads first.
    pub fn registers(&mut self, visit: &mut impl FnMut(Use, Kind, &mut Slot)) {
        if let Some(guard) = &mut self.guard {
            visit(Use::Read, Kind::Predicate, &mut guard.predicate);
        }
        self.action.registers(visit);
    }

    /// Returns whether the next step can follow this one.
    pub fn falls_through(&self) -> bool {
        self.guard.is_some()
            || !matches!(self.action, Action::Branch(_) | Action::IndexedBranch { .. } | Action::Exit | Action::Trap)
    }

    /// Returns the targets of a branch.
    pub fn targets(&self) -> &[u32] {
        match &self.action {
            Action::Branch(branch) => std::slice::from_ref(&branch.target),
            Action::IndexedBranch { targets, .. } => targets,
            _ => &[],
        }
    }
}

impl Address {
    fn registers(&mut self, visit: &mut impl FnMut(Use, Kind, &mut Slot)) {
        if let Some((kind, slot)) = &mut self.base {
            visit(Use::Read, *kind, slot);
        }
    }
}

impl Action {
    fn registers(&mut self, visit: &mut impl FnMut(Use, Kind, &mut Slot)) {
        match self {
            Action::Compute { row, to, from } => {
                row.from.iter().zip(from).for_each(|(&kind, slot)| visit(Use::Read, kind, slot));
                visit(Use::Write, row.to, to);
            }
            Action::Load(transfer) => {
                transfer.address.registers(visit);
                transfer.elements.iter_mut().flatten().for_each(|(kind, slot)| visit(Use::Write, *kind, slot));
            }
            Action::Store(transfer) => {
                transfer.address.registers(visit);
                transfer.elements.iter_mut().flatten().for_each(|(kind, slot)| visit(Use::Read, *kind, slot));
            }
            Action::Atomic(atomic) => {
                atomic.address.registers(visit);
                visit(Use::Read, atomic.kind, &mut atomic.value);
                atomic.swap.iter_mut().for_each(|slot| visit(Use::Read, atomic.kind, slot));
                atomic.to.iter_mut().for_each(|slot| visit(Use::Write, atomic.kind, slot));
            }
            Action::IndexedBranch { index, .. } => visit(Use::Read, Kind::Word, index),
            Action::Barrier(barrier) => {
                visit(Use::Read, Kind::Word, &mut barrier.number);
                barrier.threads.iter_mut().for_each(|slot| visit(Use::Read, Kind::Word, slot));
                barrier.predicate.iter_mut().for_each(|slot| visit(Use::Read, Kind::Predicate, slot));
                barrier.to.iter_mut().for_each(|(kind, slot)| visit(Use::Write, *kind, slot));
            }
            Action::Exchange(exchange) => {
                visit(Use::Read, Kind::Word, &mut exchange.mask);
                exchange.value.iter_mut().for_each(|(kind, slot)| visit(Use::Read, *kind, slot));
                visit(Use::Read, Kind::Word, &mut exchange.lane);
                visit(Use::Read, Kind::Word, &mut exchange.clamp);
                exchange.to.iter_mut().for_each(|(kind, slot)| visit(Use::Write, *kind, slot));
                exchange.predicate.iter_mut().for_each(|slot| visit(Use::Write, Kind::Predicate, slot));
            }
            Action::ActiveLanes { to } => visit(Use::Write, Kind::Word, to),
            Action::Clock { to, kind, .. } => visit(Use::Write, *kind, to),
            Action::IsSpace { to, address, .. } => {
                visit(Use::Read, address.0, &mut address.1);
                visit(Use::Write, Kind::Predicate, to);
            }
            Action::Branch(_) | Action::Exit | Action::Fence { .. } | Action::Pause | Action::Trap => {}
        }
    }
}
