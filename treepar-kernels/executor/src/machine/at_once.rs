//! Loads and stores of all lanes at once.
//!
//! They apply if all lanes access one allocation, and no mode needs to see the lanes one by one. If an access has a fault,
//! nothing happens here, and the lanes go one by one to find it.

use super::space::View;
use super::transfer::extend;
use super::turn::{Turn, ones};
use crate::code::{Kind, LANES, Transfer};
use crate::ptx::Space;

/// The bytes that a lane accesses, as words.
type Bytes = [u64; 2];

impl Turn<'_, '_> {
    /// Loads the elements of all lanes. Returns `false` if they have to go one by one.
    pub fn load_at_once(&mut self, transfer: &Transfer, addresses: &[u64; LANES], lanes: u32) -> bool {
        let each = transfer.ty.bytes();
        if !self.at_once(transfer.space) {
            return false;
        }
        if let ([Some(to)], u32::MAX, false) = (&transfer.elements[..], lanes, transfer.ty.is_signed())
            && are_neighbours(addresses, each)
            && self.load_row(transfer.space, addresses[0], each, *to)
        {
            return true;
        }
        let check = self.grid.machine.mode.unwritten_reads;
        let total = each * transfer.elements.len();
        let Some((view, begin)) = self.region(transfer.space, addresses, lanes) else { return false };
        let gathered = match total {
            1 => gather::<1>(&view, begin, check, addresses, lanes),
            2 => gather::<2>(&view, begin, check, addresses, lanes),
            4 => gather::<4>(&view, begin, check, addresses, lanes),
            8 => gather::<8>(&view, begin, check, addresses, lanes),
            16 => gather::<16>(&view, begin, check, addresses, lanes),
            _ => None,
        };
        let Some(bytes) = gathered else { return false };
        for (k, element) in transfer.elements.iter().enumerate() {
            let Some((kind, slot)) = *element else { continue };
            let mut values = [0; LANES];
            for (value, bytes) in values.iter_mut().zip(&bytes) {
                let cut = part(bytes, k * each, each);
                *value = if transfer.ty.is_signed() { extend(cut, each) } else { cut };
            }
            self.put(kind, slot, lanes, &values);
        }
        true
    }

    /// Stores the elements of all lanes. Returns `false` if they have to go one by one.
    pub fn store_at_once(&mut self, transfer: &Transfer, addresses: &[u64; LANES], lanes: u32) -> bool {
        let each = transfer.ty.bytes();
        if !self.at_once(transfer.space) || transfer.space == Space::Param {
            return false;
        }
        let mut bytes = [[0; 2]; LANES];
        for (k, element) in transfer.elements.iter().enumerate() {
            let Some((kind, slot)) = *element else { return false };
            let column = match kind {
                Kind::Long => self.warp.registers.longs[slot as usize],
                _ => self.warp.registers.wide(kind, slot),
            };
            for (bytes, value) in bytes.iter_mut().zip(column) {
                set_part(bytes, k * each, each, value);
            }
        }
        let Some((view, begin)) = self.region(transfer.space, addresses, lanes) else { return false };
        let changed = match each * transfer.elements.len() {
            1 => scatter::<1>(view, begin, addresses, lanes, &bytes),
            2 => scatter::<2>(view, begin, addresses, lanes, &bytes),
            4 => scatter::<4>(view, begin, addresses, lanes, &bytes),
            8 => scatter::<8>(view, begin, addresses, lanes, &bytes),
            16 => scatter::<16>(view, begin, addresses, lanes, &bytes),
            _ => None,
        };
        self.progress(changed == Some(true));
        changed.is_some()
    }

    /// Returns whether all lanes may access a space at once.
    fn at_once(&self, space: Space) -> bool {
        let mode = self.grid.machine.mode;
        match space {
            Space::Global => !mode.is_weak(),
            Space::Shared => !mode.races,
            Space::Param => true,
            Space::Generic | Space::Local => false,
        }
    }

    /// Returns the memory that the first lane accesses, and the address of its first byte.
    fn region(&mut self, space: Space, addresses: &[u64; LANES], lanes: u32) -> Option<(View<'_>, u64)> {
        let address = addresses[lanes.trailing_zeros() as usize % LANES];
        let view = self.find(space, address, 0, 0)?;
        let begin = address - view.at as u64;
        Some((view, begin))
    }

    /// Loads neighbouring elements of all lanes.
    fn load_row(&mut self, space: Space, address: u64, each: usize, (kind, slot): (Kind, u32)) -> bool {
        let total = each * LANES;
        let check = self.grid.machine.mode.unwritten_reads;
        let Some(view) = self.find(space, address, total, 0) else { return false };
        let written = !check || view.written.as_ref().is_none_or(|written| written.all(view.at, total));
        if !written || !address.is_multiple_of(each as u64) {
            return false;
        }
        let row = &view.bytes[view.at..view.at + total];
        let mut words = [0; LANES];
        match (kind, each) {
            (Kind::Word, 1) => words.iter_mut().zip(row).for_each(|(value, &byte)| *value = u32::from(byte)),
            (Kind::Word, 2) => {
                let all = words.iter_mut().zip(row.as_chunks().0);
                all.for_each(|(value, &bytes)| *value = u32::from(u16::from_le_bytes(bytes)));
            }
            (Kind::Word, 4) => {
                let all = words.iter_mut().zip(row.as_chunks().0);
                all.for_each(|(value, &bytes)| *value = u32::from_le_bytes(bytes));
            }
            (Kind::Long, 8) => {
                let mut longs = [0; LANES];
                let all = longs.iter_mut().zip(row.as_chunks().0);
                all.for_each(|(value, &bytes)| *value = u64::from_le_bytes(bytes));
                self.warp.registers.longs[slot as usize] = longs;
                return true;
            }
            _ => return false,
        }
        self.warp.registers.words[slot as usize] = words;
        true
    }

    /// Writes lanes of a register.
    fn put(&mut self, kind: Kind, slot: u32, lanes: u32, values: &[u64; LANES]) {
        match kind {
            Kind::Word => {
                let column = &mut self.warp.registers.words[slot as usize];
                for lane in 0..LANES {
                    column[lane] = if lanes & 1 << lane != 0 { values[lane] as u32 } else { column[lane] };
                }
            }
            Kind::Long => {
                let column = &mut self.warp.registers.longs[slot as usize];
                for lane in 0..LANES {
                    column[lane] = if lanes & 1 << lane != 0 { values[lane] } else { column[lane] };
                }
            }
            Kind::Predicate => {}
        }
    }
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

/// Returns the `N` bytes of each lane, or `None` if an access has a fault.
fn gather<const N: usize>(
    view: &View,
    begin: u64,
    check: bool,
    addresses: &[u64; LANES],
    lanes: u32,
) -> Option<[Bytes; LANES]> {
    let mut all = [[0; 2]; LANES];
    for lane in ones(lanes) {
        let at = offset::<N>(addresses[lane], begin)?;
        let bytes: &[u8; N] = view.bytes.get(at..)?.first_chunk()?;
        if check && view.written.as_ref().is_some_and(|written| !written.aligned(at, N)) {
            return None;
        }
        let mut wide = [0; 16];
        wide[..N].copy_from_slice(bytes);
        let wide = u128::from_le_bytes(wide);
        all[lane] = [wide as u64, (wide >> 64) as u64];
    }
    Some(all)
}

/// Writes the `N` bytes of each lane, in the order of lanes. Returns whether memory changed, or `None` if an access has a
/// fault.
fn scatter<const N: usize>(
    mut view: View,
    begin: u64,
    addresses: &[u64; LANES],
    lanes: u32,
    bytes: &[Bytes; LANES],
) -> Option<bool> {
    let len = view.bytes.len();
    let fits = |lane: usize| {
        offset::<N>(addresses[lane], begin).is_some_and(|at| at.checked_add(N).is_some_and(|end| end <= len))
    };
    if !ones(lanes).all(fits) {
        return None;
    }
    let mut changed = false;
    for lane in ones(lanes) {
        let Some(at) = offset::<N>(addresses[lane], begin) else { continue };
        let mut wide = [0; 16];
        wide[..8].copy_from_slice(&bytes[lane][0].to_le_bytes());
        wide[8..].copy_from_slice(&bytes[lane][1].to_le_bytes());
        let to = &mut view.bytes[at..at + N];
        changed |= *to != wide[..N];
        to.copy_from_slice(&wide[..N]);
        if let Some(written) = &mut view.written {
            written.set(at, N);
        }
    }
    Some(changed)
}

/// Returns the offset of an address, if it is aligned.
#[inline]
fn offset<const N: usize>(address: u64, begin: u64) -> Option<usize> {
    address.is_multiple_of(N as u64).then(|| address.checked_sub(begin)).flatten().map(|at| at as usize)
}

/// Returns an element of a lane's bytes.
#[inline]
fn part(bytes: &Bytes, at: usize, each: usize) -> u64 {
    let value = bytes[at / 8] >> (8 * (at % 8));
    if each == 8 { value } else { value & ((1 << (8 * each)) - 1) }
}

#[inline]
fn set_part(bytes: &mut Bytes, at: usize, each: usize, value: u64) {
    let cut = if each == 8 { value } else { value & ((1 << (8 * each)) - 1) };
    bytes[at / 8] |= cut << (8 * (at % 8));
}
