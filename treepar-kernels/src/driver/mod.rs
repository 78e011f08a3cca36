//! The CUDA driver: devices, streams, memory, and kernels that are loaded and launched.
//!
//! It needs only NVIDIA's driver of CUDA 12.0 or newer, and a device of compute capability 7.5 or newer. The driver's
//! library is opened when a [`Device`] is opened; without it, that is an error. Kernels of a crate come precompiled
//! ([`crate::ptx`]). NVRTC compiles other device functions, if it is installed ([`compile()`]). The results are kept on
//! disk ([`Cache`]), so that NVRTC is needed once. If NVRTC is newer than the driver but of the same major version, it
//! makes binaries instead of PTX.
//!
//! ```text
//!  Driver, a Machine                     what a backend uses: addresses and bytes
//!    |
//!  Device  Stream  Event  Module         safe: values that own their handles
//!  Function                                                         compile   Cache
//!    |                                                                 |
//!  result: each call returns a Result                               result
//!    |                                                                 |
//!  raw: tables of symbols, checked against cudarc                     raw
//!    |                                                                 |
//!  libcuda.so.1, nvcuda.dll                                 libnvrtc.so.12 or .13
//! ```
//!
//! # Example
//!
//! ```no_run
//! use treepar_kernels::driver::{Cache, Device, Driver, Module, Stream, compile};
//! use treepar_kernels::machine::Machine;
//!
//! let source = "extern \"C\" __global__ void scale(float* x, unsigned n, float by) {
//!     unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) x[i] *= by;
//! }";
//! let device = Device::open(0)?;
//! let stream = Stream::new(&device)?;
//! let driver = Driver::on(&stream, Cache::of_user());
//! let module = Module::from_ptx(&device, "scale", &compile("scale", source, "compute_75")?)?;
//! let scale = module.function("scale")?;
//!
//! let mut bytes = [1.0f32, 2.0, 3.0].map(f32::to_ne_bytes).concat();
//! let column = driver.allocate(12)?;
//! // SAFETY: the column has three floats, these are the parameters of `scale`, and the memory is freed once.
//! unsafe {
//!     driver.upload(column, &bytes)?;
//!     scale.launch(&stream, 1, 256, &[&column.to_ne_bytes(), &3u32.to_ne_bytes(), &2.0f32.to_ne_bytes()])?;
//!     driver.download(column, &mut bytes)?;
//!     driver.free(column, 12);
//! }
//! assert_eq!(bytes, [2.0f32, 4.0, 6.0].map(f32::to_ne_bytes).concat());
//! # Ok::<(), treepar_kernels::machine::Error>(())
//! ```
//!
//! # Threads
//!
//! Several threads may use all types here at once. Each call makes its context current, and afterwards restores the one
//! that was current before. A stream does its work in the order of the calls.
//!
//! # Errors
//!
//! A later call reports a fault in a kernel, as [`Error::Lost`](crate::machine::Error::Lost) with the name of the kernel
//! that was launched last. From then on every call of the process to that device fails.
//!
//! Nothing detects a device function that loops forever. Its stream waits for it, and so do [`Stream::synchronize`], each
//! download, and dropping its module. If the device also drives a display, a watchdog may end the kernel after some
//! seconds, with the fault `CUDA_ERROR_LAUNCH_TIMEOUT`.
//!
//! # Memory
//!
//! Device memory comes from the device's pool, in the order of a stream. [`Device::open`] makes the pool keep freed
//! memory, unless a threshold is already set. If there is no memory for an allocation, a module or a launch, the library
//! waits for the context, trims the pool, and makes the call once more. A device without pools uses `cuMemAlloc`.
//!
//! # Other libraries
//!
//! Contexts and streams are shared by `from_raw` and `as_raw`, with the types of `cudarc::driver::sys`. Memory is shared
//! as addresses: a kernel takes any address of its context. The example `interop_cudarc` shares all three with `cudarc`.
//! The handles of `cust::sys` are pointers of the same kind, and a cast converts them. If CUDA's runtime is used too, the
//! context must be the device's primary one.
//!
//! # Building
//!
//! `cudarc` provides the types, and its bindings check the signatures. Any version of CUDA that it binds will do. If it
//! finds a toolkit that it does not know, set `CUDARC_CUDA_VERSION=13000`.

mod cache;
mod compile;
mod device;
#[cfg(test)]
mod fake;
mod image;
mod launch;
mod library;
mod loader;
mod machine;
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
pub use library::use_driver;
pub use machine::Driver;
pub use module::{Function, Module};
pub use raw::Symbol;
pub use status::Version;
pub use stream::{Event, Stream};
