//! A warp: registers, and its lanes in fragments that execute together.
//!
//! Lanes that part at a branch become fragments of a *join*, the step at which they meet again. A fragment that arrives there
//! waits for the others. Fragments run in any order, so a lane may wait for another lane of its warp. If no fragment can run,
//! a join gives up the lanes that wait at it: joins are for speed, and no program needs them.

use crate::code::{Code, Initial, LANES, Registers};
use crate::machine::order::Views;
use crate::memory::Written;

/// The index of no join.
pub(super) const NO_JOIN: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Warp {
    /// The index in its block.
    pub index: u32,
    pub registers: Registers,
    pub fragments: Vec<Fragment>,
    pub joins: Vec<Join>,
    /// Lanes that have not ended.
    pub alive: u32,
    /// Lanes that have a thread.
    pub threads: u32,
    /// The local memory of all lanes, one after the other.
    pub local: Vec<u8>,
    pub local_written: Written,
    /// The acquired values of its lanes.
    pub views: Views,
    /// The number of executed `bar.warp.sync`, and the last one of each lane.
    pub clock: u32,
    pub synced: [u32; LANES],
}

/// Lanes at one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub at: u32,
    pub lanes: u32,
    pub join: u32,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a barrier of the block with this number.
    Barrier(u32),
    /// At an operation of the lanes of this mask.
    Lanes(u32),
}

/// Lanes that meet at a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Join {
    pub at: u32,
    pub expected: u32,
    pub arrived: u32,
    /// The join that the lanes belong to afterwards.
    pub parent: u32,
}

impl Warp {
    pub fn has_ready(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.state == State::Ready)
    }

    /// Returns the step of the join of a fragment. No step has the number of `NO_JOIN`.
    pub fn join_step(&self, join: u32) -> u32 {
        self.joins.get(join as usize).map_or(u32::MAX, |join| join.at)
    }

    /// Adds lanes that arrive at a join. If they are the last, all continue as one fragment.
    pub fn arrive(&mut self, join: u32, lanes: u32) {
        self.joins[join as usize].arrived |= lanes;
        self.release(join);
    }

    /// Lets the lanes of a join continue if all have arrived.
    pub fn release(&mut self, join: u32) {
        let Join { at, expected, arrived, parent } = self.joins[join as usize];
        if arrived != expected {
            return;
        }
        self.joins[join as usize].expected = 0;
        self.joins[join as usize].arrived = 0;
        if arrived != 0 {
            if self.join_step(parent) == at {
                self.arrive(parent, arrived);
            } else {
                self.fragments.push(Fragment { at, lanes: arrived, join: parent, state: State::Ready });
            }
        }
        while self.joins.last().is_some_and(|join| join.expected == 0) {
            self.joins.pop();
        }
    }

    /// Removes lanes from joins up to an ancestor, which is not changed.
    pub fn leave(&mut self, mut join: u32, lanes: u32, ancestor: u32) {
        while join != ancestor && join != NO_JOIN {
            let parent = self.joins[join as usize].parent;
            self.joins[join as usize].expected &= !lanes;
            self.release(join);
            join = parent;
        }
    }

    /// Ends lanes.
    pub fn end(&mut self, join: u32, lanes: u32) {
        self.alive &= !lanes;
        self.leave(join, lanes, NO_JOIN);
    }

    /// Returns the nearest join that two joins are part of.
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        // A join's parent has a smaller index.
        let order = |join: u32| join.wrapping_add(1);
        while a != b {
            if order(a) > order(b) {
                a = self.joins[a as usize].parent;
            } else {
                b = self.joins[b as usize].parent;
            }
        }
        a
    }

    /// Makes one fragment of all fragments that satisfy a condition. They are at one step.
    pub fn merge(&mut self, condition: impl Fn(&Fragment) -> bool) {
        let Some(first) = self.fragments.iter().position(&condition) else { return };
        let chosen: Vec<Fragment> = self.fragments.iter().copied().filter(&condition).collect();
        let join = chosen.iter().map(|fragment| fragment.join).reduce(|a, b| self.common(a, b)).unwrap_or(NO_JOIN);
        let lanes = chosen.iter().fold(0, |lanes, fragment| lanes | fragment.lanes);
        let merged = Fragment { join, lanes, state: State::Ready, ..chosen[0] };
        let mut k = 0;
        self.fragments.retain_mut(|fragment| {
            let keep = !condition(fragment) || k == first;
            if k == first {
                *fragment = merged;
            }
            k += 1;
            keep
        });
        chosen.iter().for_each(|fragment| self.leave(fragment.join, fragment.lanes, join));
    }

    /// Lets the lanes that wait at the latest join continue. Returns `false` if there are none.
    pub fn break_join(&mut self) -> bool {
        let Some(index) = self.joins.iter().rposition(|join| join.arrived != 0) else { return false };
        let Join { arrived, at, parent, .. } = self.joins[index];
        self.joins[index].expected &= !arrived;
        self.joins[index].arrived = 0;
        self.release(index as u32);
        if self.join_step(parent) == at {
            self.arrive(parent, arrived);
        } else {
            self.fragments.push(Fragment { at, lanes: arrived, join: parent, state: State::Ready });
        }
        true
    }

    /// Prepares the registers and local memory for a new block.
    pub fn reset(&mut self, code: &Code, value: &dyn Fn(Initial, usize) -> u64) {
        self.registers.copy_from(&code.registers);
        for &(kind, slot, initial) in &code.initial {
            (0..LANES).for_each(|lane| self.registers.set_lane(kind, slot, lane, value(initial, lane)));
        }
        self.local.clear();
        self.local.resize(code.local_bytes * LANES, 0);
        self.local_written = Written::new(self.local.len());
        self.fragments.clear();
        self.fragments.push(Fragment { at: 0, lanes: self.threads, join: NO_JOIN, state: State::Ready });
        self.joins.clear();
        self.views.reset();
        self.clock = 0;
        self.synced = [0; LANES];
        self.alive = self.threads;
    }
}
