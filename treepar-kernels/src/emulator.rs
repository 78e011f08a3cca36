//! The emulator: a machine on the host that runs the same CUDA C++ as a GPU, and finds faults that a GPU does not report.
//!
//! The system's C++ compiler compiles a unit with `kernels/emulator.hpp`, whose header lists the checks. The code is loaded
//! into the process. Compiled units are kept in the cache directory, by content (`emulator/unit.rs`).
//!
//! | variable | meaning |
//! |---|---|
//! | `CXX` | the compiler; default: `c++`, `g++` or `clang++` |
//! | `TREEPAR_CACHE` | the cache directory, none if it is empty; default: `treepar` in the user's cache directory |
//! | `TREEPAR_EMULATOR_SEED` | the seed of [`Emulator::new`]; default: 1 |

#![expect(unsafe_code, reason = "kernels are foreign functions, and columns raw memory")]

mod unit;

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::machine::{Error, Machine, Result, Unit};

/// The bytes on both sides of a column that no kernel may write.
const GUARD: usize = 64;

/// The byte that fills guards and fresh columns. Tests have no results made of it.
const PATTERN: u8 = 0xa5;

/// The default limit for the bytes of all columns.
const CAPACITY: u64 = 8 << 30;

/// Alignment of a column.
const ALIGN: usize = 256;

type Call = unsafe extern "C" fn(*mut *mut c_void);
type Sizes = unsafe extern "C" fn(*mut u64);
type Run = unsafe extern "C" fn(Call, *mut *mut c_void, u32, u32, u64, *mut c_char, u64) -> c_int;

/// A machine that runs kernels on the host.
pub struct Emulator {
    memory: Mutex<BTreeMap<u64, usize>>,
    /// The limit for the bytes of all columns.
    capacity: u64,
    seed: u64,
    launches: AtomicU64,
}

/// An entry of a compiled unit.
#[derive(Clone)]
pub struct Function {
    name: Arc<str>,
    call: Call,
    sizes: Arc<[u64]>,
    /// The code, which stays loaded while it can be called.
    code: Arc<unit::Code>,
}

impl Emulator {
    /// Creates an emulator with the seed from the environment.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is no C++ compiler.
    pub fn new() -> Result<Emulator> {
        let seed = std::env::var("TREEPAR_EMULATOR_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        Emulator::with_seed(seed)
    }

    /// Creates an emulator with a seed. With the same seed, the same calls run with the same schedules.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is no C++ compiler.
    pub fn with_seed(seed: u64) -> Result<Emulator> {
        unit::compiler()?;
        Ok(Emulator { memory: Mutex::default(), capacity: CAPACITY, seed, launches: AtomicU64::new(0) })
    }

    /// Limits its memory to `bytes` bytes, to test errors.
    pub fn with_memory(mut self, bytes: u64) -> Emulator {
        self.capacity = bytes;
        self
    }

    fn memory(&self) -> MutexGuard<'_, BTreeMap<u64, usize>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the columns, if for each address one of them contains `bytes` bytes from there. No column is freed while they are
    /// locked.
    fn holding(&self, doing: &str, addresses: &[u64], bytes: usize) -> Result<MutexGuard<'_, BTreeMap<u64, usize>>> {
        let memory = self.memory();
        let outside = |&&address: &&u64| {
            let column = memory.range(..=address).next_back();
            column.is_none_or(|(&begin, &size)| (size as u64).checked_sub(address - begin) < Some(bytes as u64))
        };
        match addresses.iter().find(outside).filter(|_| bytes > 0) {
            None => Ok(memory),
            Some(address) => {
                let what = format!("{bytes} bytes at {address:#x} are not in a column");
                Err(Error::Fault { entry: doing.into(), what })
            }
        }
    }

    /// Fails if a guard of a column was changed.
    fn check_guards(&self, entry: &str) -> Result<()> {
        for (&address, &bytes) in self.memory().iter() {
            // SAFETY: `allocate` made the column with guards on both sides, and it is not freed.
            let sides = unsafe {
                let begin = address as *const u8;
                [
                    std::slice::from_raw_parts(begin.sub(GUARD), GUARD),
                    std::slice::from_raw_parts(begin.add(bytes), GUARD),
                ]
            };
            if sides.iter().any(|side| side.iter().any(|&byte| byte != PATTERN)) {
                let what = format!("a write outside the column of {bytes} bytes at {address:#x}");
                return Err(Error::Fault { entry: entry.into(), what });
            }
        }
        Ok(())
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let columns = std::mem::take(&mut *self.memory());
        columns.into_iter().for_each(|(address, bytes)| release(address, bytes));
    }
}

/// Returns the layout of a column with its guards.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(ALIGN + GUARD)?, ALIGN).ok()
}

fn release(address: u64, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: `allocate` allocated this layout, which begins `ALIGN` bytes before the address.
        unsafe { dealloc((address as *mut u8).sub(ALIGN), layout) }
    }
}

impl Machine for Emulator {
    type Function = Function;

    fn name(&self) -> String {
        "emulator".into()
    }

    fn blocks(&self) -> u32 {
        8
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let mut memory = self.memory();
        let used: u64 = memory.values().map(|&bytes| bytes as u64).sum();
        let free = self.capacity.saturating_sub(used);
        let full = || Error::OutOfMemory { needed: bytes as u64, free };
        let layout = layout(bytes).filter(|_| bytes as u64 <= free).ok_or_else(full)?;
        // SAFETY: the layout has more than 0 bytes, and only bytes inside it are written.
        let address = unsafe {
            let begin = alloc(layout);
            if begin.is_null() {
                return Err(full());
            }
            begin.write_bytes(PATTERN, layout.size());
            begin.add(ALIGN) as u64
        };
        memory.insert(address, bytes);
        Ok(address)
    }

    unsafe fn free(&self, address: u64, _bytes: usize) {
        if let Some(bytes) = self.memory().remove(&address) {
            release(address, bytes);
        }
    }

    unsafe fn upload(&self, to: u64, bytes: &[u8]) -> Result<()> {
        let _held = self.holding("upload", &[to], bytes.len())?;
        // SAFETY: the range is in a column, and the caller's bytes are not.
        unsafe { (to as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    unsafe fn download(&self, from: u64, bytes: &mut [u8]) -> Result<()> {
        let _held = self.holding("download", &[from], bytes.len())?;
        // SAFETY: the range is in a column, and the caller's bytes are not.
        unsafe { bytes.as_mut_ptr().copy_from_nonoverlapping(from as *const u8, bytes.len()) };
        Ok(())
    }

    unsafe fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<()> {
        let _held = self.holding("copy", &[from, to], bytes)?;
        // SAFETY: both ranges are in columns.
        unsafe { (to as *mut u8).copy_from(from as *const u8, bytes) };
        Ok(())
    }

    unsafe fn fill(&self, at: u64, bytes: usize, value: u8) -> Result<()> {
        let _held = self.holding("fill", &[at], bytes)?;
        // SAFETY: the range is in a column.
        unsafe { (at as *mut u8).write_bytes(value, bytes) };
        Ok(())
    }

    fn function(&self, unit: &dyn Unit, entry: &str) -> Result<Function> {
        let code = unit::loaded(unit)?;
        let missing = |error: libloading::Error| Error::Compile {
            unit: unit.name().into(),
            log: format!("it has no entry `{entry}`: {error}"),
        };
        let mut sizes = [0; 65];
        // SAFETY: `TREEPAR_ENTRY` declares these names with these types; an entry has at most 64 parameters.
        let call = unsafe {
            let sizes_of = code.library.get::<Sizes>(format!("sizes_{entry}").as_bytes()).map_err(missing)?;
            sizes_of(sizes.as_mut_ptr());
            *code.library.get::<Call>(format!("call_{entry}").as_bytes()).map_err(missing)?
        };
        let sizes = sizes[1..=sizes[0] as usize].into();
        Ok(Function { name: entry.into(), call, sizes, code })
    }

    unsafe fn launch(&self, function: &Function, grid: u32, block: u32, arguments: &[&[u8]]) -> Result<()> {
        let entry = || function.name.to_string();
        let sizes: Vec<u64> = arguments.iter().map(|bytes| bytes.len() as u64).collect();
        if sizes != *function.sizes || grid == 0 || block == 0 || block > 1024 {
            let what = format!(
                "{grid} blocks of {block} threads and arguments of {sizes:?} bytes; its parameters have {:?}",
                function.sizes
            );
            return Err(Error::Arguments { entry: entry(), what });
        }
        // Parameters need the alignment of their types.
        let mut aligned: Vec<Vec<u128>> = sizes.iter().map(|&size| vec![0; size.div_ceil(16) as usize]).collect();
        let mut pointers: Vec<*mut c_void> = Vec::new();
        for (to, bytes) in aligned.iter_mut().zip(arguments) {
            // SAFETY: `to` has room for as many bytes.
            unsafe { to.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            pointers.push(to.as_mut_ptr().cast());
        }
        let launch = self.launches.fetch_add(1, Ordering::Relaxed);
        let seed = self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(launch);
        let mut fault = [0; 512];
        // SAFETY: the arguments have the number, sizes and alignments of the parameters; the caller ensures their values.
        let status = unsafe {
            let fault_size = fault.len() as u64;
            (function.code.run)(function.call, pointers.as_mut_ptr(), grid, block, seed, fault.as_mut_ptr(), fault_size)
        };
        if status != 0 {
            // SAFETY: the runtime ends its message with a zero.
            let what = unsafe { CStr::from_ptr(fault.as_ptr()) }.to_string_lossy().into_owned();
            return Err(Error::Fault { entry: entry(), what });
        }
        self.check_guards(&function.name)
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
