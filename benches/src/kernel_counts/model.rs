//! A model of time: counts and the rates of a GPU give the least time of kernels.
//!
//! NVIDIA publishes the numbers of multiprocessors, schedulers and banks. The other rates are those of an H100 in
//! `records/h100`, or assumptions:
//!
//! | rate | H100, measured | H200, assumed | published |
//! |---|---|---|---|
//! | clock under load | assumed: 1.7 GHz | 1.7 GHz | 1.98 GHz at most |
//! | memory, as a copy reaches it | 2.99 TB/s | 4.3 TB/s | 3.35 and 4.8 TB/s |
//! | between host and GPU | 50 GB/s | 50 GB/s | PCIe 5.0, 64 GB/s |
//! | a launch, if the next one waits in the queue | 3.4 us | the H100's | |
//! | a wait, from the end of a kernel until the next one begins | 8 us | the H100's | |

use treepar_stand_in::Counts;

/// Bytes of a sector.
const SECTOR_BYTES: f64 = 32.0;
/// Lanes of a warp.
const LANES: f64 = 32.0;

/// The rates of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The name of the GPU.
    pub name: &'static str,
    /// Instructions of warps per second, of all schedulers together.
    pub warp_instructions: f64,
    /// Bytes of memory per second, read and written, as a copy reaches them.
    pub memory_bytes: f64,
    /// Requests of warps to shared memory per second, of all multiprocessors together.
    pub shared_requests: f64,
    /// The seconds of a launch, if the next one waits in the queue.
    pub launch: f64,
    /// Bytes per second between the host and the GPU.
    pub host_bytes: f64,
    /// The seconds from the end of a kernel until the host has its result and the next kernel begins.
    pub wait: f64,
}

/// An NVIDIA H200: 132 multiprocessors of 4 schedulers and 32 banks, at the rates of the table above.
pub const H200: Model = Model {
    name: "NVIDIA H200",
    warp_instructions: 132.0 * 4.0 * 1.7e9,
    memory_bytes: 4.3e12,
    shared_requests: 132.0 * 1.7e9,
    launch: 3.4e-6,
    host_bytes: 50e9,
    wait: 8e-6,
};

/// An NVIDIA H100: an H200 with slower memory.
pub const H100: Model = Model { name: "NVIDIA H100", memory_bytes: 2.99e12, ..H200 };

/// A predicted time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The seconds.
    pub seconds: f64,
    /// The resource that limits them.
    pub limit: &'static str,
}

/// The work of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Lanes of the instructions that warps issue.
    pub slots: f64,
    /// Sectors of global memory that requests access.
    pub sectors: f64,
    /// Rounds of requests to shared memory.
    pub shared: f64,
}

impl Work {
    /// Returns the work that counts describe.
    pub fn of(counts: &Counts) -> Work {
        Work {
            slots: counts.warp_instructions as f64 * LANES,
            sectors: (counts.loads.sectors + counts.stores.sectors + counts.atomics.sectors) as f64,
            shared: (counts.shared_requests + counts.bank_conflicts) as f64,
        }
    }

    /// Returns the work of `times` times as much input.
    pub fn times(self, times: f64) -> Work {
        Work { slots: self.slots * times, sectors: self.sectors * times, shared: self.shared * times }
    }
}

impl Model {
    /// Returns the model of a device by its name: that of an H200 if there is no other.
    pub fn of(device: &str) -> &'static Model {
        if device.starts_with(H100.name) { &H100 } else { &H200 }
    }

    /// Returns the least time of launches with their waits: that of the work, or of the launches if it is longer.
    pub fn seconds(&self, work: Work, launches: f64, waits: f64) -> f64 {
        self.kernel_seconds(work).seconds.max(launches * self.launch) + waits * self.wait
    }

    /// Returns the least time of kernels, without launches and waits.
    pub fn kernel_seconds(&self, work: Work) -> Prediction {
        let limits = [
            ("instructions", work.slots / LANES / self.warp_instructions),
            ("memory", work.sectors * SECTOR_BYTES / self.memory_bytes),
            ("shared memory", work.shared / self.shared_requests),
        ];
        let (limit, seconds) =
            limits.into_iter().fold(("", 0.0), |most, next| if next.1 > most.1 { next } else { most });
        Prediction { seconds, limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcest_resource_limits() {
        // A scan of 10^9 rows of 4 bytes by a copy's rate: 8 GB at 4.3 TB/s.
        let scan = Work { slots: 22e9, sectors: 0.25e9, shared: 0.0 };
        let Prediction { seconds, limit } = H200.kernel_seconds(scan);
        assert!(limit == "memory" && (seconds - 8.0 / 4300.0).abs() < 1e-9, "{seconds} {limit}");
        let search = H200.kernel_seconds(Work { slots: 94e9, ..scan });
        assert!(search.limit == "instructions" && search.seconds > seconds);
        assert_eq!(H200.kernel_seconds(scan.times(2.0)).seconds, 2.0 * seconds);
        assert_eq!(H200.kernel_seconds(Work::default()), Prediction { seconds: 0.0, limit: "" });
    }

    #[test]
    fn a_device_has_its_own_rates() {
        let names = ["NVIDIA H100 80GB HBM3", "NVIDIA H200", "another"].map(|device| Model::of(device).name);
        assert_eq!(names, [H100.name, H200.name, H200.name]);
    }

    #[test]
    fn short_kernels_take_the_time_of_their_launches() {
        let scan = Work { slots: 22e9, sectors: 0.25e9, shared: 0.0 };
        assert_eq!(H200.seconds(scan, 2.0, 0.0), H200.kernel_seconds(scan).seconds);
        assert_eq!(H200.seconds(scan.times(1e-6), 2.0, 0.0), 2.0 * H200.launch);
        assert_eq!(H200.seconds(Work::default(), 0.0, 3.0), 3.0 * H200.wait);
    }
}
