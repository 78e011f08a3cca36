//! A stand-in for NVIDIA's driver: the functions of CUDA's driver, on an executor of PTX on the host.
//!
//! Programs that use the driver run their kernels without a GPU, and with checks that no GPU makes.
//!
//! ```text
//!  program --cuLaunchKernel, cuMemcpyHtoDAsync--> calls --> device: memory, queues of work --> treepar_executor
//! ```
//!
//! # In a process
//!
//! A test makes a device with [`add_device`], gives [`symbol`] to the code that calls the driver, and opens the device by its
//! number.
//!
//! # As a library
//!
//! The dynamic library of this crate is a `libcuda.so.1`. A program that opens the driver by that name finds the stand-in if
//! a link of that name lies in a folder of `LD_LIBRARY_PATH`. The library has one device, with the settings that the
//! variable `TREEPAR_STAND_IN` names ([`Settings`]).
//!
//! ```console
//! $ cargo build --release --package treepar-stand-in
//! $ mkdir -p driver && ln -sf ../target/release/libtreepar_stand_in.so driver/libcuda.so.1
//! $ LD_LIBRARY_PATH=driver TREEPAR_STAND_IN=multiprocessors=2,races refc --backend cuda program.par
//! ```
//!
//! # Order of work
//!
//! The work of a stream waits in a queue until something waits for the stream, as work for a GPU may. So a program that
//! changes or reads page-locked memory too early gets wrong bytes here. Copies from and to ordinary memory end before their
//! call returns.
//!
//! # Faults
//!
//! A kernel that faults loses its device: each later call for it returns the status of the fault, and `cuGetErrorString`
//! returns the whole text with entry, instruction, block and thread.

mod arguments;
mod calls;
mod counts;
mod device;
mod handles;
mod settings;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod work;

pub use calls::{NAME, symbol};
pub use counts::{CallCounts, DeviceCounts, EntryCounts, EntryId};
pub use device::{add_device, current_contexts, refuse_memory, take_counts};
pub use settings::{Rewrite, Settings};
/// The machine that runs kernels, and its counts.
pub use treepar_executor::{Counts, Machine, Mode, Requests};
pub use work::ModuleId;
