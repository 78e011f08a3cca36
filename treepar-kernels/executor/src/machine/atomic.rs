//! Atomic operations. Lanes take turns in an order that the seed determines.

use super::grid::Failed;
use super::races::Touch;
use super::transfer::read;
use super::turn::{Turn, ones, place_of};
use crate::code::{Atomic, AtomicOperation, LANES, Order};
use crate::ptx::{Space, Type};

impl Turn<'_, '_> {
    pub fn atomic(&mut self, atomic: &Atomic, lanes: u32) -> Result<(), Failed> {
        let addresses = self.addresses(&atomic.address);
        let bytes = atomic.ty.bytes();
        if let Some((Space::Global, requests)) = self.requests(atomic.space, &addresses, lanes, bytes) {
            self.grid.counts.atomics += requests;
        }
        let first = self.grid.random.below(LANES) as u32;
        let mut old = [0; LANES];
        for lane in ones(lanes.rotate_right(first)).map(|lane| (lane + first as usize) % LANES) {
            let value = self.warp.registers.lane(atomic.kind, atomic.value, lane);
            let swap = atomic.swap.map(|slot| self.warp.registers.lane(atomic.kind, slot, lane));
            let (space, address) = place_of(atomic.space, addresses[lane]);
            let at = self.view(space, address, bytes, lane, false)?.at;
            self.before_atomic(atomic, space, address, at, lane)?;
            let Some(view) = self.find(space, address, bytes, lane) else { continue };
            if let Some(written) = view.written {
                written.set_aligned(at, bytes);
            }
            let place = &mut view.bytes[at..at + bytes];
            old[lane] = read(place);
            let new = apply(atomic.operation, atomic.ty, old[lane], value, swap);
            place.copy_from_slice(&new.to_le_bytes()[..bytes]);
            if new != old[lane] {
                self.grid.idle = 0;
            }
        }
        if self.grid.machine.mode.is_weak() && atomic.order.acquires() {
            ones(lanes).for_each(|lane| self.order(Order::Acquire, atomic.scope, lane));
        }
        if let Some(to) = atomic.to {
            ones(lanes).for_each(|lane| self.warp.registers.set_lane(atomic.kind, to, lane, old[lane]));
        }
        Ok(())
    }

    /// Orders an atomic operation after its lane's earlier accesses.
    fn before_atomic(
        &mut self,
        atomic: &Atomic,
        space: Space,
        address: u64,
        at: usize,
        lane: usize,
    ) -> Result<(), Failed> {
        let (bytes, mode) = (atomic.ty.bytes(), self.grid.machine.mode);
        if mode.races && space == Space::Shared {
            self.touch(at, bytes, lane, Touch::Atomic, &[])?;
        }
        if mode.is_weak() {
            if atomic.order.releases() {
                self.order(Order::Release, atomic.scope, lane);
            }
            if space == Space::Global {
                let thread = self.thread(lane);
                self.grid.begin_atomic(self.block, self.warp, thread, address, bytes);
            }
        }
        Ok(())
    }
}

/// Returns the new value of an atomic operation.
pub(super) fn apply(operation: AtomicOperation, ty: Type, old: u64, value: u64, swap: Option<u64>) -> u64 {
    let signed = |value: u64| if ty == Type::S32 { i64::from(value as i32) } else { value as i64 };
    let new = match operation {
        AtomicOperation::Add if ty == Type::F32 => {
            let sum = f32::from_bits(old as u32) + f32::from_bits(value as u32);
            u64::from(sum.to_bits())
        }
        AtomicOperation::Add if ty == Type::F64 => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        AtomicOperation::Add => old.wrapping_add(value),
        AtomicOperation::Min if ty.is_signed() => signed(old).min(signed(value)) as u64,
        AtomicOperation::Max if ty.is_signed() => signed(old).max(signed(value)) as u64,
        AtomicOperation::Min => old.min(value),
        AtomicOperation::Max => old.max(value),
        AtomicOperation::And => old & value,
        AtomicOperation::Or => old | value,
        AtomicOperation::Xor => old ^ value,
        AtomicOperation::Exchange => value,
        AtomicOperation::CompareAndSwap if old == value => swap.unwrap_or(old),
        AtomicOperation::CompareAndSwap => old,
        AtomicOperation::Increment => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomicOperation::Decrement => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
    };
    if ty.bytes() == 8 { new } else { new & ((1 << (8 * ty.bytes())) - 1) }
}
