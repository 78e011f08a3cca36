//! The times from which lanes see all deliveries.

use crate::code::LANES;
use crate::machine::turn::ones;
use std::collections::HashMap;

/// The acquired values of a warp's lanes, as times of the log.
#[derive(Default)]
pub(in crate::machine) struct Views {
    /// The time from which a lane sees all deliveries.
    pub(super) acquired: [u64; LANES],
    /// The latest time of a value that a lane has seen.
    pub(super) latest: [u64; LANES],
    /// The time of the value that a lane has seen at an address.
    pub(super) floors: HashMap<(u8, u64), u64>,
}

impl Views {
    pub fn reset(&mut self) {
        *self = Views::default();
    }

    pub(super) fn acquire(&mut self, lane: usize, time: u64) {
        self.acquired[lane] = self.acquired[lane].max(time);
    }

    /// Combines what lanes have acquired.
    pub fn combine(&mut self, lanes: u32) {
        let time = self.most(lanes);
        self.raise(lanes, time);
    }

    pub fn most(&self, lanes: u32) -> u64 {
        ones(lanes).map(|lane| self.acquired[lane]).max().unwrap_or(0)
    }

    pub fn raise(&mut self, lanes: u32, time: u64) {
        ones(lanes).for_each(|lane| self.acquire(lane, time));
    }
}
