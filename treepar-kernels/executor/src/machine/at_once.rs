//! Loads and stores of all lanes at once.
//!
//! They apply if all lanes access one allocation, and no mode needs to see the lanes one by one. If an access has a fault,
//! nothing happens here, and the lanes go one by one to find it.

use super::space::View;
use super::transfer::extend;
use super::turn::{Turn, ones};
use crate::code::{Kind, LANES, Transfer, each_lane};
use crate::memory::Written;
use crate::ptx::Space;

impl Turn<'_, '_> {
    /// Loads the elements of all lanes. Returns `false` if they have to go one by one.
    pub fn load_at_once(&mut self, transfer: &Transfer, addresses: &[u64; LANES], lanes: u32) -> bool {
        if !self.at_once(transfer.space) {
            return false;
        }
        let check = self.grid.machine.mode.unwritten_reads;
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        let Some((view, begin)) = self.region(transfer.space, addresses, lanes) else { return false };
        let Some(places) = Places::find(&view, begin, addresses, lanes, total) else { return false };
        if check && view.written.as_ref().is_some_and(|written| !places.all(written, lanes, total)) {
            return false;
        }
        for (k, element) in transfer.elements.iter().enumerate() {
            let Some((kind, slot)) = *element else { continue };
            let Some((view, _)) = self.region(transfer.space, addresses, lanes) else { return false };
            let bytes = &*view.bytes;
            let mut values = match each {
                1 => places.read::<1>(bytes, k, total, |[byte]| byte.into()),
                2 => places.read::<2>(bytes, k, total, |bytes| u16::from_le_bytes(bytes).into()),
                4 => places.read::<4>(bytes, k, total, |bytes| u32::from_le_bytes(bytes).into()),
                _ => places.read::<8>(bytes, k, total, u64::from_le_bytes),
            };
            if transfer.ty.is_signed() {
                values.iter_mut().for_each(|value| *value = extend(*value, each));
            }
            self.put(kind, slot, lanes, &values);
        }
        true
    }

    /// Stores the elements of all lanes. Returns `false` if they have to go one by one.
    pub fn store_at_once(&mut self, transfer: &Transfer, addresses: &[u64; LANES], lanes: u32) -> bool {
        if !self.at_once(transfer.space) || transfer.space == Space::Param {
            return false;
        }
        let each = transfer.ty.bytes();
        let total = each * transfer.elements.len();
        // The bytes of lane after lane.
        let mut rows = [0; MOST_BYTES * LANES];
        for (k, element) in transfer.elements.iter().enumerate() {
            let Some((kind, slot)) = *element else { return false };
            let values = match kind {
                Kind::Long => self.warp.registers.longs[slot as usize],
                _ => self.warp.registers.wide(kind, slot),
            };
            let at = k * each;
            match each {
                1 => spread(&mut rows, at, total, &values, |value| [value as u8]),
                2 => spread(&mut rows, at, total, &values, |value| (value as u16).to_le_bytes()),
                4 => spread(&mut rows, at, total, &values, |value| (value as u32).to_le_bytes()),
                _ => spread(&mut rows, at, total, &values, u64::to_le_bytes),
            }
        }
        let Some((mut view, begin)) = self.region(transfer.space, addresses, lanes) else { return false };
        let Some(places) = Places::find(&view, begin, addresses, lanes, total) else { return false };
        let changed = match (places, total) {
            (Places::Rows(at), _) => write(&mut view, at, &rows[..total * LANES]),
            (Places::Same(at), _) => {
                // The last lane writes last.
                let last = LANES - 1 - lanes.leading_zeros() as usize;
                write(&mut view, at, &rows[last * total..][..total])
            }
            (Places::Each(places), 1) => scatter::<1>(&mut view, &places, lanes, &rows),
            (Places::Each(places), 2) => scatter::<2>(&mut view, &places, lanes, &rows),
            (Places::Each(places), 4) => scatter::<4>(&mut view, &places, lanes, &rows),
            (Places::Each(places), 8) => scatter::<8>(&mut view, &places, lanes, &rows),
            (Places::Each(places), _) => scatter::<16>(&mut view, &places, lanes, &rows),
        };
        self.progress(changed);
        true
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

/// The greatest number of bytes of a lane.
const MOST_BYTES: usize = 16;

/// The places in a memory that lanes access.
#[expect(clippy::large_enum_variant, reason = "a value lives on the stack for one access")]
enum Places {
    /// One for all lanes.
    Same(usize),
    /// Those of all lanes, one after another from here on.
    Rows(usize),
    /// One per lane. Lanes that access nothing have the place of one that does.
    Each([u64; LANES]),
}

impl Places {
    /// Returns the places at which lanes access `total` bytes each, or `None` if one is not in the memory or not aligned.
    fn find(view: &View, begin: u64, addresses: &[u64; LANES], lanes: u32, total: usize) -> Option<Places> {
        if !total.is_power_of_two() || total > MOST_BYTES {
            return None;
        }
        let limit = view.bytes.len().checked_sub(total)? as u64;
        let first = addresses[lanes.trailing_zeros() as usize % LANES].wrapping_sub(begin);
        let mut places = each_lane(|lane| addresses[lane].wrapping_sub(begin));
        if lanes != u32::MAX {
            ones(!lanes).for_each(|lane| places[lane] = first);
        }
        // Loops without branches, which the optimizer turns into vector instructions. Bits of `outside` show that a place is not in
        // the memory.
        let (mut outside, mut differences, mut gaps) = (0, 0, 0);
        for place in places {
            outside |= place | limit.wrapping_sub(place);
            differences |= place ^ first;
        }
        for lane in 1..LANES {
            gaps |= places[lane] ^ places[lane - 1].wrapping_add(total as u64);
        }
        if outside >> 63 != 0 || (first | differences) & (total as u64 - 1) != 0 {
            return None;
        }
        Some(if differences == 0 {
            Places::Same(first as usize)
        } else if gaps == 0 && lanes == u32::MAX {
            Places::Rows(first as usize)
        } else {
            Places::Each(places)
        })
    }

    /// Returns whether all bytes that lanes access were written.
    fn all(&self, written: &Written, lanes: u32, total: usize) -> bool {
        match self {
            Places::Same(at) => written.aligned(*at, total),
            Places::Rows(at) => written.all(*at, total * LANES),
            Places::Each(places) => ones(lanes).all(|lane| written.aligned(places[lane] as usize, total)),
        }
    }

    /// Returns element `k` of each lane, which has `N` of the lane's `total` bytes.
    #[inline(always)]
    fn read<const N: usize>(
        &self,
        bytes: &[u8],
        k: usize,
        total: usize,
        value: impl Fn([u8; N]) -> u64,
    ) -> [u64; LANES] {
        let element = |at: usize| bytes[at + k * N..].first_chunk().map_or(0, |&bytes| value(bytes));
        match self {
            Places::Same(at) => [element(*at); LANES],
            Places::Rows(at) if N == total => {
                let rows = bytes[*at..*at + N * LANES].as_chunks().0;
                each_lane(|lane| value(rows[lane]))
            }
            Places::Rows(at) => each_lane(|lane| element(at + lane * total)),
            Places::Each(places) => each_lane(|lane| element(places[lane] as usize)),
        }
    }
}

/// Writes a value per lane as `N` bytes into rows of `total` bytes.
#[inline(always)]
fn spread<const N: usize>(
    rows: &mut [u8; MOST_BYTES * LANES],
    at: usize,
    total: usize,
    values: &[u64; LANES],
    bytes: impl Fn(u64) -> [u8; N],
) {
    if N == total {
        rows.as_chunks_mut::<N>().0.iter_mut().zip(values).for_each(|(row, &value)| *row = bytes(value));
    } else {
        let rows = rows.chunks_exact_mut(total).zip(values);
        rows.for_each(|(row, &value)| row[at..at + N].copy_from_slice(&bytes(value)));
    }
}

/// Writes bytes, and returns whether memory changed.
fn write(view: &mut View, at: usize, bytes: &[u8]) -> bool {
    let to = &mut view.bytes[at..at + bytes.len()];
    let changed = *to != *bytes;
    to.copy_from_slice(bytes);
    if let Some(written) = &mut view.written {
        written.set(at, bytes.len());
    }
    changed
}

/// Writes the `N` bytes of each lane, in the order of lanes. Returns whether memory changed.
fn scatter<const N: usize>(
    view: &mut View,
    places: &[u64; LANES],
    lanes: u32,
    rows: &[u8; MOST_BYTES * LANES],
) -> bool {
    let mut changed = false;
    for lane in ones(lanes) {
        let (at, row) = (places[lane] as usize, &rows.as_chunks::<N>().0[lane]);
        if let Some(to) = view.bytes[at..].first_chunk_mut::<N>() {
            changed |= *to != *row;
            *to = *row;
        }
        if let Some(written) = &mut view.written {
            written.set_aligned(at, N);
        }
    }
    changed
}
