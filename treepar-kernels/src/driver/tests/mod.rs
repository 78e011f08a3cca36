//! The safe level and [`Driver`], on a driver that is not there.

mod columns;
mod devices;
mod launches;
mod machine;

use super::fake::{CUDA, CURRENT, PTX};
use super::raw::{Code, Cuda};
use super::*;

/// The driver with some functions replaced.
fn with(change: impl FnOnce(&mut Cuda)) -> &'static Cuda {
    let mut cuda = CUDA;
    change(&mut cuda);
    Box::leak(Box::new(cuda))
}

fn device() -> Device {
    Device::open_with(&CUDA, 0).unwrap()
}

fn stream() -> Stream {
    Stream::new(&device()).unwrap()
}

fn driver() -> Driver {
    Driver::on(&stream(), Cache::at("no/such/directory"))
}

/// Bytes with no period that a chunk has.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}
