//! Loads and stores of a warp.

use super::grid::Failed;
use super::order::{Observed, Piece};
use super::races::Touch;
use super::turn::{Turn, ones, window_of};
use crate::code::{Address, Kind, LANES, Order, Transfer};
use crate::fault::{Access, FaultKind, Nearest};
use crate::memory::Written;
use crate::ptx::Space;

/// The memory of one space, as one lane sees it.
pub(super) struct View<'v> {
    pub bytes: &'v mut [u8],
    pub written: Option<&'v mut Written>,
    /// The offset of the access.
    pub at: usize,
}

impl Turn<'_, '_> {
    /// Returns the addresses of all lanes.
    #[inline]
    pub fn addresses(&self, address: &Address) -> [u64; LANES] {
        let offset = address.offset as u64;
        match address.base {
            None => [offset; LANES],
            Some((Kind::Long, slot)) => self.warp.registers.longs[slot as usize].map(|base| base.wrapping_add(offset)),
            Some((kind, slot)) => self.warp.registers.wide(kind, slot).map(|base| base.wrapping_add(offset)),
        }
    }

    pub fn load(&mut self, transfer: &Transfer, lanes: u32) -> Result<(), Failed> {
        let addresses = self.addresses(&transfer.address);
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        self.count(transfer.space, &addresses, lanes, total, false);
        if let [Some(to)] = transfer.elements[..]
            && !transfer.ty.is_signed()
            && self.load_row(transfer.space, &addresses, lanes, each, to)
        {
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

    /// Returns the bytes that one lane loads.
    fn load_lane(&mut self, transfer: &Transfer, address: u64, total: usize, lane: usize) -> Result<[u8; 16], Failed> {
        let mode = self.grid.machine.mode;
        let (space, view) = self.view(transfer.space, address, total, lane, false)?;
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

    /// Returns whether all lanes may access a space at once.
    fn at_once(&self, space: Space) -> bool {
        let mode = self.grid.machine.mode;
        match space {
            Space::Global => !mode.is_weak(),
            Space::Shared => !mode.races,
            _ => false,
        }
    }

    /// Loads neighbouring elements of all lanes at once. Returns `false` if they are not neighbours.
    fn load_row(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        lanes: u32,
        each: usize,
        (kind, slot): (Kind, u32),
    ) -> bool {
        if lanes != u32::MAX || !self.at_once(space) || !are_neighbours(addresses, each) {
            return false;
        }
        let total = each * LANES;
        let view = match self.view_row(space, addresses[0], total) {
            Some(view) if addresses[0].is_multiple_of(each as u64) => view,
            _ => return false,
        };
        let row = &view.bytes[view.at..view.at + total];
        match (kind, each) {
            (Kind::Word, 4) => {
                let mut column = [0; LANES];
                for (value, bytes) in column.iter_mut().zip(row.as_chunks::<4>().0) {
                    *value = u32::from_le_bytes(*bytes);
                }
                self.warp.registers.words[slot as usize] = column;
            }
            (Kind::Long, 8) => {
                let mut column = [0; LANES];
                for (value, bytes) in column.iter_mut().zip(row.as_chunks::<8>().0) {
                    *value = u64::from_le_bytes(*bytes);
                }
                self.warp.registers.longs[slot as usize] = column;
            }
            (Kind::Word, 1) => {
                let mut column = [0; LANES];
                column.iter_mut().zip(row).for_each(|(value, &byte)| *value = u32::from(byte));
                self.warp.registers.words[slot as usize] = column;
            }
            (Kind::Word, 2) => {
                let mut column = [0; LANES];
                for (value, bytes) in column.iter_mut().zip(row.as_chunks::<2>().0) {
                    *value = u32::from(u16::from_le_bytes(*bytes));
                }
                self.warp.registers.words[slot as usize] = column;
            }
            _ => return false,
        }
        true
    }

    /// Returns the bytes that a row of neighbours reads, if all are in bounds and written.
    fn view_row(&mut self, space: Space, address: u64, total: usize) -> Option<View<'_>> {
        let check = self.grid.machine.mode.unwritten_reads;
        let view = self.find(space, address, total, 0)?;
        let written = !check || view.written.as_ref().is_none_or(|written| written.all(view.at, total));
        written.then_some(view)
    }

    pub fn store(&mut self, transfer: &Transfer, lanes: u32) -> Result<(), Failed> {
        let addresses = self.addresses(&transfer.address);
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        self.count(transfer.space, &addresses, lanes, total, true);
        self.grid.idle = 0;
        if let [Some(from)] = transfer.elements[..]
            && self.store_row(transfer.space, &addresses, lanes, each, from)
        {
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
        let (space, view) = self.view(transfer.space, address, bytes.len(), lane, true)?;
        let at = view.at;
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
        if let Some(view) =
            self.find(space, if space == transfer.space { address } else { window_of(address).1 }, bytes.len(), lane)
        {
            view.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }

    fn store_row(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        lanes: u32,
        each: usize,
        from: (Kind, u32),
    ) -> bool {
        let fits = lanes == u32::MAX
            && self.at_once(space)
            && are_neighbours(addresses, each)
            && addresses[0].is_multiple_of(each as u64);
        if !fits {
            return false;
        }
        let mut row = [0; 8 * LANES];
        let total = each * LANES;
        match (from, each) {
            ((Kind::Word, slot), 4) => {
                for (bytes, value) in
                    row.as_chunks_mut::<4>().0.iter_mut().zip(&self.warp.registers.words[slot as usize])
                {
                    *bytes = value.to_le_bytes();
                }
            }
            ((Kind::Long, slot), 8) => {
                for (bytes, value) in
                    row.as_chunks_mut::<8>().0.iter_mut().zip(&self.warp.registers.longs[slot as usize])
                {
                    *bytes = value.to_le_bytes();
                }
            }
            ((Kind::Word, slot), 1) => {
                row.iter_mut()
                    .zip(&self.warp.registers.words[slot as usize])
                    .for_each(|(byte, &value)| *byte = value as u8);
            }
            ((Kind::Word, slot), 2) => {
                for (bytes, &value) in
                    row.as_chunks_mut::<2>().0.iter_mut().zip(&self.warp.registers.words[slot as usize])
                {
                    *bytes = (value as u16).to_le_bytes();
                }
            }
            _ => return false,
        }
        let Some(view) = self.find(space, addresses[0], total, 0) else { return false };
        view.bytes[view.at..view.at + total].copy_from_slice(&row[..total]);
        if let Some(written) = view.written {
            written.set(view.at, total);
        }
        true
    }

    /// Returns the memory of an access of one lane, after all checks. A write is recorded as written.
    pub fn view(
        &mut self,
        space: Space,
        address: u64,
        bytes: usize,
        lane: usize,
        write: bool,
    ) -> Result<(Space, View<'_>), Failed> {
        let check = self.grid.machine.mode.unwritten_reads;
        let (space, address) = if space == Space::Generic { window_of(address) } else { (space, address) };
        let access = Access { space: space.name(), address, bytes, write };
        if !address.is_multiple_of(bytes as u64) {
            return Err(Box::new((FaultKind::Misaligned(access), lane)));
        }
        if self.find(space, address, bytes, lane).is_none() {
            return Err(Box::new((self.out_of_bounds(space, access), lane)));
        }
        let Some(mut view) = self.find(space, address, bytes, lane) else { unreachable!("it was found before") };
        if let Some(written) = &mut view.written {
            if write {
                written.set(view.at, bytes);
            } else if check && !written.all(view.at, bytes) {
                return Err(Box::new((FaultKind::Unwritten(access), lane)));
            }
        }
        Ok((space, view))
    }

    /// Returns the memory of an access, if it is in bounds.
    #[inline]
    fn find(&mut self, space: Space, address: u64, bytes: usize, lane: usize) -> Option<View<'_>> {
        let fits =
            |len: usize| usize::try_from(address).ok().filter(|at| at.checked_add(bytes).is_some_and(|end| end <= len));
        match space {
            Space::Global | Space::Generic => {
                let access = Access { space: "global", address, bytes, write: false };
                let (allocation, at) = self.grid.memory.place_mut(access).ok()?;
                Some(View { bytes: &mut allocation.bytes, written: Some(&mut allocation.written), at })
            }
            Space::Shared => {
                let shared = &mut self.block.shared;
                let at = fits(shared.bytes.len())?;
                Some(View { bytes: &mut shared.bytes, written: Some(&mut shared.written), at })
            }
            Space::Local => {
                let each = self.grid.code.local_bytes;
                let at = fits(each)? + lane * each;
                let warp = &mut *self.warp;
                Some(View { bytes: &mut warp.local, written: Some(&mut warp.local_written), at })
            }
            Space::Param => {
                let at = fits(self.grid.parameters.len())?;
                Some(View { bytes: &mut self.grid.parameters, written: None, at })
            }
        }
    }

    #[cold]
    fn out_of_bounds(&self, space: Space, access: Access) -> FaultKind {
        let bytes = match space {
            Space::Global | Space::Generic => {
                let kind = self.grid.memory.place(access).err();
                return kind.unwrap_or(FaultKind::OutOfBounds { access, nearest: None });
            }
            Space::Shared => self.block.shared.bytes.len(),
            Space::Local => self.grid.code.local_bytes,
            Space::Param => self.grid.parameters.len(),
        };
        FaultKind::OutOfBounds { access, nearest: Some(Nearest { begin: 0, bytes, freed: false }) }
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
fn extend(value: u64, bytes: usize) -> u64 {
    let unused = 64 - 8 * bytes as u32;
    ((value << unused) as i64 >> unused) as u64
}

/// Returns whether each lane's element follows that of the lane before.
#[inline]
fn are_neighbours(addresses: &[u64; LANES], each: usize) -> bool {
    let mut same = true;
    for (lane, &address) in addresses.iter().enumerate() {
        same &= address == addresses[0].wrapping_add((lane * each) as u64);
    }
    same
}
