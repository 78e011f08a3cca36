//! A model of time: counts and the rates of a GPU give the least time of kernels.

use super::rows::Row;

/// Bytes of a sector.
const SECTOR_BYTES: f64 = 32.0;
/// Lanes of a warp.
const LANES: f64 = 32.0;

/// The rates of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Instructions of warps per second, of all schedulers together.
    pub warp_instructions: f64,
    /// Bytes of memory per second, read and written, as a copy reaches them.
    pub memory_bytes: f64,
    /// Requests of warps to shared memory per second, of all multiprocessors together.
    pub shared_requests: f64,
    /// The seconds of a launch, if the next one waits in the queue.
    pub launch: f64,
    /// The seconds from the end of a kernel until the host has its result and the next kernel begins.
    pub wait: f64,
}

/// An NVIDIA H200: 132 multiprocessors of 4 schedulers and 32 banks at 1.7 GHz, and a copy of 4.3 TB/s.
pub const H200: Model = Model {
    warp_instructions: 132.0 * 4.0 * 1.7e9,
    memory_bytes: 4.3e12,
    shared_requests: 132.0 * 1.7e9,
    launch: 3e-6,
    wait: 10e-6,
};

/// A predicted time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The seconds.
    pub seconds: f64,
    /// The resource that limits them.
    pub limit: &'static str,
}

impl Model {
    /// Returns the least time of an operation's kernels, without launches and waits.
    pub fn kernel_seconds(&self, row: &Row) -> Prediction {
        let n = row.n as f64;
        let limits = [
            ("instructions", row.slots * n / LANES / self.warp_instructions),
            ("memory", row.sectors * n * SECTOR_BYTES / self.memory_bytes),
            ("shared memory", (row.shared + row.conflicts) * n / self.shared_requests),
        ];
        let (limit, seconds) =
            limits.into_iter().fold(("", 0.0), |most, next| if next.1 > most.1 { next } else { most });
        Prediction { seconds, limit }
    }

    /// Returns the predicted time of an operation on `n` rows, with launches and waits.
    pub fn seconds(&self, row: &Row, n: usize) -> f64 {
        let kernels = self.kernel_seconds(row).seconds * n as f64 / row.n as f64;
        // The queue hides launches behind kernels that take longer.
        kernels.max(row.launches * self.launch) + row.waits * self.wait
    }
}
