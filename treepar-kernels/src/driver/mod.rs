//! The CUDA driver: devices, streams, memory, and kernels that are loaded and launched.
//!
//! NVIDIA's driver is all that is needed, of CUDA 12.0 or newer, with a device of compute capability 7.5 or newer. Its
//! library is opened when a [`Device`] is; without it, that is an error. A user's own device functions are compiled by
//! NVRTC where it is installed ([`compile()`]), and kept on disk ([`Cache`]; the variable `TREEPAR_CACHE` says where),
//! so that NVRTC is needed once. One that is newer than the driver, of the same major version, makes binaries in place
//! of PTX.
//!
//! ```text
//!  Driver, a Machine                     a backend's view: addresses and bytes
//!    |
//!  Device  Stream  Event  Module         safe: values that own what they name
//!  DeviceBuffer  PinnedBuffer  Function
//!  launch!                                                          compile   Cache
//!    |                                                                 |
//!  result: a Result for each call                                   result
//!    |                                                                 |
//!  raw: tables of symbols, checked against cudarc                     raw
//!    |                                                                 |
//!  libcuda.so.1, nvcuda.dll                                 libnvrtc.so.12 or .13
//! ```
//!
//! # Example
//!
//! ```no_run
//! use treepar_kernels::driver::{Device, DeviceBuffer, DevicePointer, Module, Stream, compile};
//! use treepar_kernels::launch;
//!
//! let source = "extern \"C\" __global__ void scale(float* x, unsigned n, float by) {
//!     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) x[i] *= by;
//! }";
//! let device = Device::open(0)?;
//! let stream = Stream::new(&device)?;
//! let module = Module::from_ptx(&device, "scale", &compile("scale", source, "compute_75")?)?;
//! let scale = module.function("scale")?.typed::<(DevicePointer<f32>, u32, f32)>()?;
//!
//! let column = DeviceBuffer::from_slice(&stream, &[1.0f32, 2.0, 3.0])?;
//! let start = stream.record()?;
//! // SAFETY: these are its parameters, the column has three floats, and it is of this stream.
//! unsafe { launch!(stream, scale<<<1, 256>>>(column.pointer(), 3, 2.0)) }?;
//! let end = stream.record()?;
//! assert_eq!(column.to_vec()?, [2.0, 4.0, 6.0]);
//! println!("{} ms on {}", end.ms_since(&start)?, device.name());
//! # Ok::<(), treepar_kernels::machine::Error>(())
//! ```
//!
//! # Threads
//!
//! All types here may be used from several threads at once. A call makes its context current for its own time, and
//! leaves what was current before. Work of one stream is done in the order of the calls; streams are ordered among each
//! other by [`Stream::wait`].
//!
//! # Errors
//!
//! A fault in a kernel is reported by a later call, as [`Error::Lost`](crate::machine::Error::Lost) with the name of the
//! kernel that was launched last; from then on each call of the process to that device fails.
//!
//! A device function that loops forever is not found out: its stream waits for it, and so do [`Stream::synchronize`],
//! each download, and dropping its module. Where the device also drives a display, a watchdog may end it after some
//! seconds, which is then the fault `CUDA_ERROR_LAUNCH_TIMEOUT`.
//!
//! # Memory
//!
//! Device memory comes from the device's pool, in the order of a stream. [`Device::open`] tells the pool to keep what
//! is given back, unless somebody has said how much; when nothing is left for an allocation, a module or a launch, the
//! context is waited for, the pool trimmed, and the call made once more. A device without pools is served by
//! `cuMemAlloc`.
//!
//! # Other libraries
//!
//! Contexts, streams and memory go in by `from_raw` and out by `as_raw` and [`DeviceBuffer::into_raw`], with the types
//! of `cudarc::driver::sys`; the example `interop_cudarc` shares all three with `cudarc`.
//!
//! With `cust`, the handles are `cust::sys`'s pointers of the same kind, and a cast makes one of the other:
//! `Device::from_raw(context.as_raw().cast())`, `Stream::from_raw(&device, stream.as_inner().cast())`, and
//! `DeviceBuffer::from_raw(&stream, buffer.as_device_ptr().as_raw(), buffer.len())` inside a `ManuallyDrop`, since the
//! memory stays `cust`'s. A `DeviceBuffer` of ours goes into a kernel of `cust` by its address,
//! `cust::memory::DevicePointer::from_raw(buffer.as_raw())`. The context must be the device's primary one if CUDA's
//! runtime is used too; `cust::quick_init` makes it so.
//!
//! # Building
//!
//! `cudarc` gives the types, and its bindings check the signatures; any version of CUDA that it is told to bind will do.
//! Where it finds a toolkit that it does not know, set `CUDARC_CUDA_VERSION=13000`.

mod cache;
mod compile;
mod device;
#[cfg(test)]
mod fake;
mod image;
mod launch;
mod library;
mod machine;
mod memory;
mod module;
mod nvrtc;
mod pinned;
mod raw;
mod result;
mod signature;
mod staging;
mod status;
mod stream;
#[cfg(test)]
mod tests;

pub use cache::Cache;
pub use compile::{OLDEST_ARCHITECTURE, compile, compiler_version};
pub use device::{Device, OLDEST_CAPABILITY};
pub use launch::{Parameters, TypedFunction};
pub use machine::Driver;
pub use memory::{DeviceBuffer, DevicePointer};
pub use module::{Function, Module};
pub use pinned::{PinnedBuffer, Transfer};
pub use status::Version;
pub use stream::{Event, Stream};
