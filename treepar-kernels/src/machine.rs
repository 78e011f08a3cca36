//! Machines that hold columns and run kernels: a GPU behind its driver, and the emulator on the host.
//!
//! A backend needs no more of a machine than this. Memory is named by address and size in bytes, a kernel by the
//! [`Unit`] that holds it; all work of one machine happens in the order of its calls.

#![expect(unsafe_code, reason = "memory is named by address, which the functions that take one cannot check")]

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

/// A machine with memory of its own that runs kernels.
///
/// # Safety
///
/// No call can see whose memory an address names. Whoever calls what is `unsafe` here answers for it:
/// - address and bytes name a part of what [`allocate`](Machine::allocate) of this machine gave, and
///   [`free`](Machine::free) has not taken (of 0 bytes, any address); `free` gets both as they were, once;
/// - what a launch gives as arguments are values of the entry's parameters, and with them the kernel touches such memory
///   alone, and ends.
///
/// # Errors
///
/// Of each function: [`Error::Lost`] where the device failed, now or in work that was asked for before, and
/// [`Error::Driver`] where its driver refused. Others are named where they occur.
pub trait Machine: Send + Sync + 'static {
    /// An entry of a unit that is ready to run.
    type Function: Clone + Send + Sync;

    /// What a person calls it: `NVIDIA H200`, `emulator`.
    fn name(&self) -> String;

    /// How many blocks keep it busy: its multiprocessors, times the blocks that each holds.
    fn blocks(&self) -> u32;

    /// Memory of `bytes`, aligned to 256, contents unspecified; for 0 bytes any address.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] with the bytes that are free.
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// Gives back what [`Machine::allocate`] gave. Work that was asked for before may still use it.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn free(&self, address: u64, bytes: usize);

    /// Copies from the host. The bytes may be changed when it returns.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn upload(&self, to: u64, bytes: &[u8]) -> Result<()>;

    /// Copies to the host, after all work before it; waits for both.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn download(&self, from: u64, bytes: &mut [u8]) -> Result<()>;

    /// Copies within the machine. The ranges do not overlap.
    ///
    /// # Safety
    /// As [`Machine`] says, of both ranges.
    unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()>;

    /// Sets each byte to `value`.
    ///
    /// # Safety
    /// As [`Machine`] says.
    unsafe fn fill(&self, at: u64, bytes: usize, value: u8) -> Result<()>;

    /// The entry `entry` of a unit, compiled or loaded if this is its first use.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], [`Error::Compile`], or [`Error::Source`] where the unit does not compile;
    /// [`Error::DriverTooOld`] or [`Error::CompilerTooNew`] where the driver does not take what comes of it;
    /// [`Error::NoRoom`]; [`Error::File`].
    fn function(&self, unit: &dyn Unit, entry: &str) -> Result<Self::Function>;

    /// Runs `grid` blocks of `block` threads, both at least 1. Each argument is the bytes of one parameter, laid out as
    /// C++ does.
    ///
    /// # Safety
    /// As [`Machine`] says.
    ///
    /// # Errors
    /// [`Error::Arguments`] if they have not the number and sizes of the entry's parameters, or the entry's parameters
    /// are not known, or there are no or too many blocks or threads; [`Error::Fault`] of the emulator.
    unsafe fn launch(&self, function: &Self::Function, grid: u32, block: u32, arguments: &[&[u8]]) -> Result<()>;

    /// Waits for all work that was asked for.
    fn synchronize(&self) -> Result<()>;
}

/// Why a machine cannot do what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no driver.
    #[error("no CUDA driver was found ({library}): install NVIDIA's driver, or use the CPU backend")]
    NoDriver {
        /// The library that was looked for.
        library: &'static str,
    },
    /// There is a driver, and no device that it serves.
    #[error("there is no CUDA device {ordinal}: the driver finds {found}; use the CPU backend")]
    NoDevice {
        /// The device asked for, counted from 0.
        ordinal: usize,
        /// How many there are.
        found: usize,
    },
    /// The driver is older than what the kernels were compiled for.
    #[error("the CUDA driver is too old: it serves CUDA {found}, and {needed} is needed: update NVIDIA's driver")]
    DriverTooOld {
        /// The version that it serves.
        found: String,
        /// The version needed.
        needed: String,
    },
    /// The device is older than what the kernels were compiled for.
    #[error("device `{device}` has compute capability {found}, and {needed} is needed: use the CPU backend")]
    DeviceTooOld {
        /// Its name.
        device: String,
        /// What it has.
        found: String,
        /// What is needed.
        needed: String,
    },
    /// The memory of the device is used up.
    #[error("out of device memory: {needed} bytes were asked for, {free} are free; the CPU backend may have room")]
    OutOfMemory {
        /// Bytes asked for.
        needed: u64,
        /// Bytes free.
        free: u64,
    },
    /// Memory was used up by what is no allocation of a known size, such as a kernel that is loaded.
    #[error("out of memory during {doing}: {reason}; the CPU backend may have room")]
    NoRoom {
        /// The operation.
        doing: String,
        /// What the driver said.
        reason: String,
    },
    /// The memory of the host is used up.
    #[error("out of memory on the host: {needed} bytes were asked for; less data at a time may do")]
    OutOfHostMemory {
        /// Bytes asked for.
        needed: u64,
    },
    /// The device reported a fault; what it held is lost.
    #[error("the device was lost during {doing}: {reason}; start again, on the CPU backend if it happens again")]
    Lost {
        /// The operation that found it.
        doing: String,
        /// What the driver said.
        reason: String,
    },
    /// The driver refused.
    #[error("the CUDA driver refused {doing}: {reason}")]
    Driver {
        /// The operation.
        doing: String,
        /// What the driver said.
        reason: String,
    },
    /// A compiler of a newer major version than the driver, which takes nothing that it makes.
    #[error(
        "kernel `{unit}` must be compiled, and NVRTC {found} is too new for the driver, which serves CUDA {driver}: \
         update NVIDIA's driver, install NVRTC <= {driver}, or use the CPU backend"
    )]
    CompilerTooNew {
        /// The kernel.
        unit: String,
        /// The version of the compiler.
        found: String,
        /// The version that the driver serves.
        driver: String,
    },
    /// A kernel that is not part of this build, and no compiler for it.
    #[error("kernel `{unit}` must be compiled, and {compiler} was not found: {advice}")]
    NoCompiler {
        /// The kernel.
        unit: String,
        /// What was looked for.
        compiler: String,
        /// What to install.
        advice: &'static str,
    },
    /// A compiler refused a kernel.
    #[error("kernel `{unit}` does not compile:\n{log}")]
    Compile {
        /// The kernel.
        unit: String,
        /// What the compiler said.
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
        /// What happened, where, and in which thread.
        what: String,
    },
    /// A launch whose arguments are not those of the entry.
    #[error("kernel `{entry}` was launched with {what}")]
    Arguments {
        /// The entry.
        entry: String,
        /// What does not fit.
        what: String,
    },
    /// Two lengths that must be one.
    #[error("{found} values were given for a buffer of {needed}")]
    Length {
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Files could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
}

impl Error {
    /// Whether memory was too small, the device's or the host's: less data, or another backend, may do.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, Error::OutOfMemory { .. } | Error::NoRoom { .. } | Error::OutOfHostMemory { .. })
    }
}

/// A result of a machine.
pub type Result<T> = std::result::Result<T, Error>;
