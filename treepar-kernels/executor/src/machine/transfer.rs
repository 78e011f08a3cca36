//! Loads and stores of a warp.

use super::grid::Failed;
use super::order::{Observed, Piece};
use super::races::Touch;
use super::turn::{Turn, ones, place_of};
use crate::code::{Address, Kind, LANES, Order, Transfer, each_lane};
use crate::ptx::Space;

impl Turn<'_, '_> {
    /// Returns the addresses of all lanes.
    #[inline]
    pub fn addresses(&self, address: &Address) -> [u64; LANES] {
        let offset = address.offset as u64;
        match address.base {
            None => [offset; LANES],
            Some((Kind::Long, slot)) => {
                let bases = &self.warp.registers.longs[slot as usize];
                each_lane(|lane| bases[lane].wrapping_add(offset))
            }
            Some((kind, slot)) => {
                let bases = self.warp.registers.wide(kind, slot);
                each_lane(|lane| bases[lane].wrapping_add(offset))
            }
        }
    }

    pub fn load(&mut self, transfer: &Transfer, lanes: u32) -> Result<(), Failed> {
        let addresses = self.addresses(&transfer.address);
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        self.count(transfer.space, &addresses, lanes, total, false);
        if self.load_at_once(transfer, &addresses, lanes) {
            return Ok(());
        }
        let mut values = [[0; LANES]; 8];
        for lane in ones(lanes) {
            let bytes = self.load_lane(transfer, addresses[lane], total, lane)?;
            for (k, values) in values.iter_mut().enumerate().take(transfer.elements.len()) {
                let value = read(&bytes[k * each..(k + 1) * each]);
                values[lane] = if transfer.ty.is_signed() { extend(value, each) } else { value };
            }
        }
        for (element, values) in transfer.elements.iter().zip(&values) {
            let Some((kind, slot)) = *element else { continue };
            ones(lanes).for_each(|lane| self.warp.registers.set_lane(kind, slot, lane, values[lane]));
        }
        Ok(())
    }

    /// Records whether a store changed memory. A loop that stores equal values makes no progress.
    pub fn progress(&mut self, changed: bool) {
        if changed {
            self.grid.idle = 0;
        }
    }

    /// Returns the bytes that one lane loads.
    fn load_lane(&mut self, transfer: &Transfer, address: u64, total: usize, lane: usize) -> Result<[u8; 16], Failed> {
        let mode = self.grid.machine.mode;
        let (space, address) = place_of(transfer.space, address);
        let view = self.view(space, address, total, lane, false)?;
        let mut bytes = [0; 16];
        let at = view.at;
        bytes[..total].copy_from_slice(&view.bytes[at..at + total]);
        if mode.races && space == Space::Shared {
            self.touch(at, total, lane, Touch::Read, &[])?;
        }
        if mode.is_weak() && space == Space::Global {
            let strong = transfer.order != Order::Weak;
            let load = Observed { address, len: total, fixed: transfer.fixed, strong };
            let thread = self.thread(lane);
            bytes = self.grid.observe(self.block, self.warp, thread, load).bytes;
            if transfer.order.acquires() {
                self.order(Order::Acquire, transfer.scope, lane);
            }
        }
        Ok(bytes)
    }

    pub fn store(&mut self, transfer: &Transfer, lanes: u32) -> Result<(), Failed> {
        let addresses = self.addresses(&transfer.address);
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        self.count(transfer.space, &addresses, lanes, total, true);
        if self.store_at_once(transfer, &addresses, lanes) {
            return Ok(());
        }
        for lane in ones(lanes) {
            let mut bytes = [0; 16];
            for (bytes, element) in bytes.chunks_exact_mut(each).zip(&transfer.elements) {
                let value = element.map_or(0, |(kind, slot)| self.warp.registers.lane(kind, slot, lane));
                bytes.copy_from_slice(&value.to_le_bytes()[..each]);
            }
            self.store_lane(transfer, addresses[lane], &bytes[..total], lane)?;
        }
        Ok(())
    }

    fn store_lane(&mut self, transfer: &Transfer, address: u64, bytes: &[u8], lane: usize) -> Result<(), Failed> {
        let mode = self.grid.machine.mode;
        let (space, address) = place_of(transfer.space, address);
        let at = self.view(space, address, bytes.len(), lane, true)?.at;
        if mode.races && space == Space::Shared {
            self.touch(at, bytes.len(), lane, Touch::Write, bytes)?;
        }
        if mode.is_weak() {
            if transfer.order.releases() {
                self.order(Order::Release, transfer.scope, lane);
            }
            if space == Space::Global {
                let (thread, piece) = (self.thread(lane), Piece::new(address, bytes));
                if mode.late_stores {
                    self.grid.hold(self.block, thread, piece);
                    return Ok(());
                }
                self.grid.record_store(thread, &piece);
            }
        }
        if let Some(view) = self.find(space, address, bytes.len(), lane) {
            let to = &mut view.bytes[at..at + bytes.len()];
            let changed = *to != *bytes;
            to.copy_from_slice(bytes);
            self.progress(changed);
        }
        Ok(())
    }
}

/// Returns the little-endian number in up to eight bytes.
#[inline]
pub(super) fn read(bytes: &[u8]) -> u64 {
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => 0,
    }
}

/// Extends a number of some bytes by its sign.
pub(super) fn extend(value: u64, bytes: usize) -> u64 {
    let unused = 64 - 8 * bytes as u32;
    ((value << unused) as i64 >> unused) as u64
}
