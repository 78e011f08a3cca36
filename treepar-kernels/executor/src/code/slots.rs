//! Virtual registers to slots.
//!
//! A virtual register needs a slot only while it is live. Code has thousands of virtual registers and some tens of live ones,
//! so that a warp's slots stay in the host's nearest cache. Liveness is a property of one lane's path. A slot's lanes are
//! independent, so sharing slots is correct for diverged warps too.

use super::flow::Blocks;
use super::frame::Decoded;
use super::registers::{Kind, LANES, Registers};
use super::step::{Slot, Step, Use};
use super::{Code, Initial};

/// Assigns slots to all registers.
pub(super) fn assign(mut decoded: Decoded) -> Code {
    let blocks = Blocks::of(&decoded.steps);
    let live = live_at_ends(&mut decoded, &blocks);
    let mut slots = vec![Slot::MAX; decoded.registers.len()];
    let mut counts = [0; 3];
    let mut initial = Vec::new();
    for (register, &(kind, value)) in decoded.registers.iter().enumerate() {
        if let Some(value) = value {
            slots[register] = counts[kind as usize];
            counts[kind as usize] += 1;
            initial.push((kind, slots[register], value));
        }
    }
    let intervals = intervals(&mut decoded, &blocks, &live);
    share(&decoded.registers, intervals, &mut slots, &mut counts);
    for step in &mut decoded.steps {
        step.registers(&mut |_, _, slot| *slot = slots[*slot as usize]);
    }
    let mut registers = Registers::new(counts.map(|count| count as usize));
    initial.retain(|&(kind, slot, value)| match value {
        Initial::Constant(value) => {
            (0..LANES).for_each(|lane| registers.set_lane(kind, slot, lane, value));
            false
        }
        _ => true,
    });
    Code {
        steps: decoded.steps,
        registers,
        initial,
        local_bytes: decoded.local_bytes,
        shared_bytes: decoded.shared_bytes,
        dynamic_shared: decoded.dynamic_shared,
    }
}

/// A set of virtual registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(len: usize) -> Set {
        Set(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, k: u32) {
        self.0[k as usize / 64] |= 1 << (k % 64);
    }

    fn remove(&mut self, k: u32) {
        self.0[k as usize / 64] &= !(1 << (k % 64));
    }

    fn union(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().enumerate().flat_map(|(word, &bits)| {
            let ones = std::iter::successors(Some(bits), |&bits| bits.checked_sub(1).map(|less| bits & less))
                .take_while(|&bits| bits != 0);
            ones.map(move |bits| word as u32 * 64 + bits.trailing_zeros())
        })
    }
}

/// Returns the registers that are live at each block's end.
fn live_at_ends(decoded: &mut Decoded, blocks: &Blocks) -> Vec<Set> {
    let count = decoded.registers.len();
    let mut begins = vec![Set::new(count); blocks.len()];
    let mut ends = begins.clone();
    let mut predecessors = vec![Vec::new(); blocks.len()];
    for (block, successors) in blocks.successors.iter().enumerate() {
        successors.iter().for_each(|&next| predecessors[next].push(block));
    }
    let mut work: Vec<usize> = (0..blocks.len()).collect();
    let mut queued = vec![true; blocks.len()];
    while let Some(block) = work.pop() {
        queued[block] = false;
        let mut live = Set::new(count);
        blocks.successors[block].iter().for_each(|&next| live.union(&begins[next]));
        ends[block] = live.clone();
        let (from, to) = (blocks.begins[block] as usize, blocks.begins[block + 1] as usize);
        decoded.steps[from..to].iter_mut().rev().for_each(|step| live_before(step, &mut live));
        if live != begins[block] {
            begins[block] = live;
            for &before in &predecessors[block] {
                if !std::mem::replace(&mut queued[before], true) {
                    work.push(before);
                }
            }
        }
    }
    ends
}

/// Turns the set of registers live after a step into the set live before it.
fn live_before(step: &mut Step, live: &mut Set) {
    // A guarded write leaves the value of other lanes.
    if step.guard.is_none() {
        step.registers(&mut |role, _, register| {
            if role == Use::Write {
                live.remove(*register);
            }
        });
    }
    step.registers(&mut |role, _, register| {
        if role == Use::Read {
            live.insert(*register);
        }
    });
}

/// Returns the steps between which each register is live, as one interval: first and last step times two, plus one for the
/// results of the last step.
fn intervals(decoded: &mut Decoded, blocks: &Blocks, ends: &[Set]) -> Vec<(u32, u32)> {
    let mut intervals = vec![(u32::MAX, 0); decoded.registers.len()];
    let mut extend = |register: u32, at: u32| {
        let (first, last) = &mut intervals[register as usize];
        *first = at.min(*first);
        *last = at.max(*last);
    };
    for (block, end) in ends.iter().enumerate() {
        let (from, to) = (blocks.begins[block], blocks.begins[block + 1]);
        end.iter().for_each(|register| extend(register, to * 2));
        let mut live = end.clone();
        for at in (from..to).rev() {
            let step = &mut decoded.steps[at as usize];
            step.registers(&mut |role, _, register| extend(*register, at * 2 + u32::from(role == Use::Write)));
            live_before(step, &mut live);
        }
        live.iter().for_each(|register| extend(register, from * 2));
    }
    intervals
}

/// Gives registers whose intervals are disjoint the same slot.
fn share(registers: &[(Kind, Option<Initial>)], intervals: Vec<(u32, u32)>, slots: &mut [Slot], counts: &mut [u32; 3]) {
    let used = |&register: &usize| registers[register].1.is_none() && intervals[register].0 != u32::MAX;
    let mut order: Vec<usize> = (0..registers.len()).filter(used).collect();
    order.sort_unstable_by_key(|&register| intervals[register]);
    // The last use and the slot of registers that hold one.
    let mut held = std::collections::BinaryHeap::new();
    let mut free: [Vec<Slot>; 3] = Default::default();
    for register in order {
        let (first, last) = intervals[register];
        while let Some(&std::cmp::Reverse((end, kind, slot))) = held.peek() {
            if end >= first {
                break;
            }
            held.pop();
            let free: &mut Vec<Slot> = &mut free[kind];
            free.push(slot);
        }
        let kind = registers[register].0 as usize;
        let slot = free[kind].pop().unwrap_or_else(|| {
            counts[kind] += 1;
            counts[kind] - 1
        });
        slots[register] = slot;
        held.push(std::cmp::Reverse((last, kind, slot)));
    }
}
