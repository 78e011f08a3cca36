//! The safe level and [`Driver`], on a driver that is not there.

mod columns;
mod devices;
mod images;
mod launches;
mod machine;

use super::fake::{CUBIN, CUDA, CURRENT, PTX, nvrtc};
use super::raw::{Code, Cuda};
use super::*;
use crate::machine::{Error, Result, Unit};

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

/// A unit with this source; `None` is not to be asked for.
struct Text(Option<&'static str>);

impl Unit for Text {
    fn name(&self) -> &str {
        "sums"
    }
    fn key(&self) -> u128 {
        u128::MAX - 1
    }
    fn source(&self) -> Result<String> {
        self.0.map(str::to_owned).ok_or_else(|| Error::Source("asked for a source that is in the cache".to_owned()))
    }
}
