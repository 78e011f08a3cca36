//! Sectors of requests to global memory, and conflicts of the banks of shared memory.

use super::turn::{Turn, ones, place_of};
use crate::code::LANES;
use crate::machine::Requests;
use crate::ptx::Space;

/// Bytes of a sector.
const SECTOR: u64 = 32;
/// Banks of shared memory, of four bytes each.
const BANKS: u64 = 32;

impl Turn<'_, '_> {
    /// Counts a load or a store.
    pub fn count(&mut self, space: Space, addresses: &[u64; LANES], lanes: u32, bytes: usize, write: bool) {
        let Some((space, requests)) = self.requests(space, addresses, lanes, bytes) else { return };
        let counts = &mut self.grid.counts;
        match (space, write) {
            (Space::Global, false) => counts.loads += requests,
            (Space::Global, true) => counts.stores += requests,
            _ => {}
        }
    }

    /// Counts an access of any kind, and returns the space with the requests to global memory.
    pub fn requests(
        &mut self,
        space: Space,
        addresses: &[u64; LANES],
        lanes: u32,
        bytes: usize,
    ) -> Option<(Space, Requests)> {
        let first = lanes.trailing_zeros() as usize % LANES;
        let (space, _) = place_of(space, addresses[first]);
        let counts = &mut self.grid.counts;
        if space != Space::Param {
            counts.memory_instructions += 1;
        }
        if !self.grid.machine.mode.counts {
            return None;
        }
        if space == Space::Shared {
            counts.shared_requests += 1;
            counts.bank_conflicts += conflicts(addresses, lanes, bytes);
        }
        if space != Space::Global {
            return Some((space, Requests::default()));
        }
        let sectors = sectors(addresses, lanes, bytes);
        Some((space, Requests { requests: 1, sectors, bytes: u64::from(lanes.count_ones()) * bytes as u64 }))
    }
}

/// Returns the number of different sectors.
fn sectors(addresses: &[u64; LANES], lanes: u32, bytes: usize) -> u64 {
    let mut seen = [0; LANES];
    let mut count = 0;
    let mut last = u64::MAX;
    for lane in ones(lanes) {
        let sector = addresses[lane] / SECTOR;
        if sector != last {
            last = sector;
            // Neighbouring lanes usually access increasing addresses, so the latest sectors are compared first.
            if !seen[..count].iter().rev().any(|&other| other == sector) {
                seen[count] = sector;
                count += 1;
            }
        }
    }
    count as u64 * (bytes as u64).div_ceil(SECTOR).max(1)
}

/// Returns the rounds that an access needs beyond the first. Lanes with 8 bytes go in two parts, with 16 bytes in four.
fn conflicts(addresses: &[u64; LANES], lanes: u32, bytes: usize) -> u64 {
    let words = (bytes as u64).div_ceil(4).max(1);
    let each = LANES as u64 / words;
    let mut conflicts = 0;
    for part in 0..words {
        let mut in_bank = [[0u64; LANES]; BANKS as usize];
        let mut counts = [0usize; BANKS as usize];
        let mask = ((1u64 << each) - 1) << (part * each);
        for lane in ones(lanes & mask as u32) {
            for word in addresses[lane] / 4..addresses[lane] / 4 + words {
                let bank = (word % BANKS) as usize;
                let len = counts[bank];
                if !in_bank[bank][..len].contains(&word) {
                    in_bank[bank][len] = word;
                    counts[bank] += 1;
                }
            }
        }
        conflicts += counts.iter().max().map_or(0, |&most| most.saturating_sub(1)) as u64;
    }
    conflicts
}

#[cfg(test)]
mod tests {
    use super::{conflicts, sectors};

    #[test]
    fn sectors_of_rows() {
        let strided = |stride: u64| std::array::from_fn(|lane| 0x1000 + lane as u64 * stride);
        assert_eq!(sectors(&strided(4), u32::MAX, 4), 4);
        assert_eq!(sectors(&strided(0), u32::MAX, 4), 1);
        assert_eq!(sectors(&strided(32), u32::MAX, 4), 32);
        assert_eq!(sectors(&strided(4), 0xff, 4), 1);
        assert_eq!(sectors(&strided(16), u32::MAX, 16), 16);
    }

    #[test]
    fn conflicts_of_strides() {
        let strided = |stride: u64| std::array::from_fn(|lane| lane as u64 * stride);
        for (stride, bytes, rounds) in
            [(4, 4, 0), (8, 4, 1), (128, 4, 31), (0, 4, 0), (8, 8, 0), (16, 8, 2), (16, 16, 0), (1, 1, 0)]
        {
            assert_eq!(conflicts(&strided(stride), u32::MAX, bytes), rounds, "stride {stride}");
        }
    }
}
