//! Machines that store columns and run kernels: a GPU with its driver, and the emulator on the host.
//!
//! A backend uses a machine only through this interface. Memory is given by address and size in bytes, a kernel by the
//! [`Unit`] that contains it. A machine does its work in the order of the calls.

#![expect(unsafe_code, reason = "memory is given by address, which the functions that take one cannot check")]

/// Kernels that a machine compiles or loads as a whole.
pub trait Unit {
    /// Returns its name, for messages and files: letters, digits and underscores.
    fn name(&self) -> &str;
    /// Returns a digest of everything that its code depends on, comments aside. Units with equal keys have equal code.
    fn key(&self) -> u128;
    /// Returns the CUDA C++ that defines its entries.
    ///
    /// # Errors
    /// [`Error::Source`] if a device function has no translation.
    fn source(&self) -> Result<String>;
    /// Returns PTX that a linked crate embeds for it, if there is any.
    fn precompiled(&self) -> Option<String> {
        None
    }
}

/// A machine that has its own memory and runs kernels.
///
/// # Safety
///
/// Addresses are not checked. Callers of the unsafe functions must guarantee:
/// - address and bytes are a part of an allocation of this machine that is not freed. For 0 bytes any address will do;
/// - each allocation is freed at most once, with its original address and size;
/// - the arguments of a launch are values of the entry's parameters. With them the kernel accesses only allocations of
///   this machine, and ends.
///
/// # Errors
///
/// Every function returns [`Error::Lost`] if the device failed, now or in earlier work, and [`Error::Driver`] if the driver
/// refused. Other errors are listed at each function.
pub trait Machine: Send + Sync + 'static {
    /// An entry of a unit that is ready to run.
    type Function: Clone + Send + Sync;

    /// Returns its name for people: `NVIDIA H200`, `emulator`.
    fn name(&self) -> String;

    /// Returns the number of blocks that keep it busy: its multiprocessors times the blocks that each can run.
    fn blocks(&self) -> u32;

    /// Allocates `bytes` bytes, aligned to 256, with unspecified contents. For 0 bytes the address is any number.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the number of free bytes.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Frees an allocation. Earlier work may still use it.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn free(&self, address: u64, bytes: usize);

    /// Copies from the host. The caller may change the bytes when it returns.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn upload(&self, to: u64, bytes: &[u8]) -> Result<()>;

    /// Copies to the host after all earlier work, and waits for the copy.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn download(&self, from: u64, bytes: &mut [u8]) -> Result<()>;

    /// Copies within the machine. The ranges do not overlap.
    ///
    /// # Safety
    /// As [`Machine`] says, for both ranges.
    unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()>;

    /// Sets each byte to `value`.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn fill(&self, at: u64, bytes: usize, value: u8) -> Result<()>;

    /// Returns an entry of a unit. Its first use compiles or loads the unit.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], [`Error::Compile`] or [`Error::Source`] if the unit does not compile; [`Error::DriverTooOld`]
    /// or [`Error::CompilerTooNew`] if the driver does not accept the code; [`Error::NoRoom`]; [`Error::File`].
    fn function(&self, unit: &dyn Unit, entry: &str) -> Result<Self::Function>;

    /// Runs `grid` blocks of `block` threads, both at least 1. Each argument is the bytes of one parameter, laid out as in
    /// C++.
    ///
    /// # Safety
    /// As [`Machine`] says.
    ///
    /// # Errors
    /// [`Error::Arguments`] if the number or sizes of the arguments are not those the entry takes, if its parameters are not
    /// known, or if there are no or too many blocks or threads; [`Error::Fault`] on the emulator.
    unsafe fn launch(&self, function: &Self::Function, grid: u32, block: u32, arguments: &[&[u8]]) -> Result<()>;

    /// Waits for all earlier work.
    fn synchronize(&self) -> Result<()>;
}

/// An error of a machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no driver.
    #[error("no CUDA driver was found ({library}): install NVIDIA's driver, or use the CPU backend")]
    NoDriver {
        /// The library that was searched for.
        library: &'static str,
    },
    /// There is a driver, but no such device.
    #[error("there is no CUDA device {ordinal}: the driver finds {found}; use the CPU backend")]
    NoDevice {
        /// The device asked for, counted from 0.
        ordinal: usize,
        /// The number of devices.
        found: usize,
    },
    /// The driver is older than the version that the kernels were compiled for.
    #[error("the CUDA driver is too old: it supports CUDA {found}, but {needed} is needed: update NVIDIA's driver")]
    DriverTooOld {
        /// The version that it supports.
        found: String,
        /// The version needed.
        needed: String,
    },
    /// The device is older than the architecture that the kernels were compiled for.
    #[error("device `{device}` has compute capability {found}, but {needed} is needed: use the CPU backend")]
    DeviceTooOld {
        /// The name of the device.
        device: String,
        /// The compute capability of the device.
        found: String,
        /// The oldest compute capability that is supported.
        needed: String,
    },
    /// The device has not enough free memory.
    #[error("out of device memory: {needed} bytes were requested, {free} are free; the CPU backend may have room")]
    OutOfMemory {
        /// The bytes that were requested.
        needed: u64,
        /// The bytes that are free.
        free: u64,
    },
    /// There is no memory for an operation of unknown size, such as loading a kernel.
    #[error("out of memory during {doing}: {reason}; the CPU backend may have room")]
    NoRoom {
        /// The operation.
        doing: String,
        /// The driver's reason.
        reason: String,
    },
    /// The host has not enough free memory.
    #[error("out of memory on the host: {needed} bytes were requested; try less data at a time")]
    OutOfHostMemory {
        /// The bytes that were requested.
        needed: u64,
    },
    /// The device reported a fault. Its memory is lost.
    #[error("the device was lost during {doing}: {reason}; start again, on the CPU backend if it happens again")]
    Lost {
        /// The operation that reported it.
        doing: String,
        /// The driver's reason.
        reason: String,
    },
    /// The driver refused.
    #[error("the CUDA driver refused {doing}: {reason}")]
    Driver {
        /// The operation.
        doing: String,
        /// The driver's reason.
        reason: String,
    },
    /// The compiler has a newer major version than the driver, which does not accept its code.
    #[error(
        "kernel `{unit}` must be compiled, but NVRTC {found} is too new for the driver, which supports CUDA {driver}: \
         update NVIDIA's driver, install NVRTC <= {driver}, or use the CPU backend"
    )]
    CompilerTooNew {
        /// The kernel.
        unit: String,
        /// The version of the compiler.
        found: String,
        /// The version that the driver supports.
        driver: String,
    },
    /// A kernel is not part of this build, and there is no compiler for it.
    #[error("kernel `{unit}` must be compiled, but {compiler} was not found: {advice}")]
    NoCompiler {
        /// The kernel.
        unit: String,
        /// The compiler that was searched for.
        compiler: String,
        /// Advice: the packages to install.
        advice: &'static str,
    },
    /// A compiler refused a kernel.
    #[error("kernel `{unit}` does not compile:\n{log}")]
    Compile {
        /// The kernel.
        unit: String,
        /// The compiler's log.
        log: String,
    },
    /// A device function has no translation.
    #[error("{0}")]
    Source(String),
    /// The emulator found a fault in a kernel.
    #[error("kernel `{entry}`: {what}")]
    Fault {
        /// The entry that ran.
        entry: String,
        /// The fault, with block, thread and address or row.
        what: String,
    },
    /// The arguments of a launch do not fit the entry.
    #[error("kernel `{entry}` was launched with {what}")]
    Arguments {
        /// The entry.
        entry: String,
        /// The mismatch.
        what: String,
    },
    /// Files could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
}

impl Error {
    /// Returns whether the device or the host lacked memory. Then less data, or another backend, may succeed.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfMemory { .. } | Error::NoRoom { .. } | Error::OutOfHostMemory { .. })
    }
}

/// A result of a machine.
pub type Result<T> = std::result::Result<T, Error>;
