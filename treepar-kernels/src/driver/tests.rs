//! The safe level and [`Driver`] on a driver for tests: error values, the second attempt without memory, and the cache.

#![expect(unsafe_code, reason = "kernels are launched, and functions of a driver replaced")]

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use cudarc::driver::sys::{
    CUcontext, CUdevice_attribute as Attribute, CUfunction, CUfunction_attribute, CUjit_option, CUmemoryPool, CUmodule,
    CUstream,
};

use super::cache::Key;
use super::compile::{Compiler, options};
use super::fake::{CUBIN, CUDA, NEW_PTX, NVRTC, PTX};
use super::image::{Architecture, Image};
use super::loader::image;
use super::raw::{Code, Cuda};
use super::*;
use crate::machine::{Error, Machine, Result, Unit};
use treepar_stand_in::{current_contexts, refuse_memory};

/// Returns the driver with some functions replaced.
fn with(change: impl FnOnce(&mut Cuda)) -> &'static Cuda {
    let mut cuda = *CUDA;
    change(&mut cuda);
    Box::leak(Box::new(cuda))
}

fn device() -> Device {
    Device::open_with(&CUDA, 0).unwrap()
}

fn driver_on(cuda: &'static Cuda) -> Driver {
    Driver::on(&Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap(), Cache::at("no/such/directory"))
}

/// The free memory that [`free_memory`] reports. Other tests allocate on the device meanwhile.
const FREE: u64 = 123_456_784;

unsafe extern "C" fn free_memory(free: *mut usize, _: *mut usize) -> Code {
    unsafe { *free = FREE as usize };
    0
}

/// A unit with this source; `None` must not be asked for.
struct Text(Option<&'static str>);

impl Unit for Text {
    fn name(&self) -> &str {
        "sums"
    }
    fn key(&self) -> u128 {
        u128::MAX - 1
    }
    fn source(&self) -> Result<String> {
        self.0.map(str::to_owned).ok_or_else(|| Error::Source("a source that is in the cache".to_owned()))
    }
}

#[test]
fn devices_that_cannot_be_served_are_errors() {
    unsafe extern "C" fn no_device(_: u32) -> Code {
        100
    }
    unsafe extern "C" fn stub(_: u32) -> Code {
        34
    }
    unsafe extern "C" fn updated(_: u32) -> Code {
        803
    }
    unsafe extern "C" fn cuda_11(to: *mut c_int) -> Code {
        unsafe { *to = 11080 };
        0
    }
    unsafe extern "C" fn volta(to: *mut c_int, attribute: Attribute, _: c_int) -> Code {
        let major = attribute == Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        unsafe { *to = if major { 7 } else { 0 } };
        0
    }
    unsafe extern "C" fn full(_: *mut CUcontext, _: c_int) -> Code {
        2
    }
    let refused = |cuda, ordinal| Device::open_with(cuda, ordinal).unwrap_err();
    let owned = str::to_owned;

    assert_eq!(refused(with(|cuda| cuda.cuInit = no_device), 2), Error::NoDevice { ordinal: 2, found: 0 });
    assert_eq!(refused(&CUDA, 1), Error::NoDevice { ordinal: 1, found: 1 });
    assert_eq!(refused(&CUDA, usize::MAX), Error::NoDevice { ordinal: usize::MAX, found: 1 });
    assert!(matches!(refused(with(|cuda| cuda.cuInit = stub), 0), Error::NoDriver { .. }));
    let old = refused(with(|cuda| cuda.cuDriverGetVersion = cuda_11), 0);
    assert_eq!(old, Error::DriverTooOld { found: owned("11.8"), needed: owned("12.0") });
    let old = refused(with(|cuda| cuda.cuDeviceGetAttribute = volta), 0);
    assert_eq!(
        old,
        Error::DeviceTooOld { device: owned("stand-in (no GPU)"), found: owned("7.0"), needed: owned("7.5") }
    );
    let text = refused(with(|cuda| cuda.cuInit = updated), 0).to_string();
    assert!(text.contains("starting the driver") && text.contains("restart the computer"), "{text}");
    assert!(refused(with(|cuda| cuda.cuDevicePrimaryCtxRetain = full), 0).is_out_of_memory());
}

#[test]
fn uploads_of_all_sizes_arrive() {
    unsafe extern "C" fn none(_: *mut *mut c_void, _: usize, _: u32) -> Code {
        2
    }
    const CHUNK: usize = 4 << 20;
    for driver in [driver_on(&CUDA), driver_on(with(|cuda| cuda.cuMemHostAlloc = none))] {
        for len in [0, 1, 65, CHUNK - 1, CHUNK + 1, 2 * CHUNK + 13, 5 * CHUNK] {
            // Bytes without a period of a chunk.
            let from: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
            let mut back = vec![0; len];
            let address = driver.allocate(len).unwrap();
            // SAFETY: the memory is this driver's, of as many bytes, and freed once.
            unsafe {
                driver.upload(address, &from).unwrap();
                driver.download(address, &mut back).unwrap();
                driver.free(address, len);
            }
            assert!(back == from, "{len} bytes");
        }
    }
    assert_eq!(current_contexts(), 0, "a context stays current");
}

#[test]
fn memory_is_asked_for_once_more_after_the_pool_is_trimmed() {
    static TRIMMED: AtomicUsize = AtomicUsize::new(0);
    unsafe extern "C" fn trim(_: CUmemoryPool, _: usize) -> Code {
        TRIMMED.fetch_add(1, Ordering::Relaxed);
        0
    }
    unsafe extern "C" fn fault() -> Code {
        700
    }
    let driver = driver_on(with(|cuda| (cuda.cuMemPoolTrimTo, cuda.cuMemGetInfo_v2) = (trim, free_memory)));
    refuse_memory(1);
    let address = driver.allocate(100).unwrap();
    assert_eq!(TRIMMED.load(Ordering::Relaxed), 1);
    // SAFETY: the driver gave it.
    unsafe { driver.free(address, 100) };
    assert_eq!(driver.allocate(1 << 40), Err(Error::OutOfMemory { needed: 1 << 40, free: FREE }));
    let driver = driver_on(with(|cuda| cuda.cuCtxSynchronize = fault));
    assert!(matches!(driver.allocate(1 << 40), Err(Error::Lost { .. })), "a fault found meanwhile is the error");
}

#[test]
fn kernels_without_room_are_tried_once_more() {
    let cuda = with(|cuda| cuda.cuMemGetInfo_v2 = free_memory);
    let device = || Device::open_with(cuda, 0).unwrap();
    let stream = Stream::new(&device()).unwrap();
    let is_full = |error: Error, doing: &str| {
        let text = error.to_string();
        assert!(error.is_out_of_memory() && text.contains(doing) && text.contains(&format!("{FREE} bytes")), "{text}");
    };
    let load = |calls| {
        refuse_memory(calls);
        Module::from_ptx(&device(), "sums", PTX)
    };
    is_full(load(2).unwrap_err(), "loading kernel `sums`");
    let module = load(1).unwrap();
    let find = |calls| {
        refuse_memory(calls);
        module.function("add")
    };
    is_full(find(2).unwrap_err(), "entry `add`");
    let add = find(1).unwrap();
    let launch = |calls| {
        refuse_memory(calls);
        // SAFETY: no number is touched.
        unsafe { add.launch(&stream, 1, 1, &[&[0; 8], &[0; 4], &[0; 8]]) }
    };
    is_full(launch(2).unwrap_err(), "launching kernel `add`");
    launch(1).unwrap();
}

#[test]
fn launches_that_do_not_fit_the_kernel_are_errors() {
    unsafe extern "C" fn loads(
        to: *mut CUmodule,
        _: *const c_void,
        _: c_uint,
        _: *mut CUjit_option,
        _: *mut *mut c_void,
    ) -> Code {
        unsafe { *to = std::ptr::without_provenance_mut(1) };
        0
    }
    unsafe extern "C" fn finds(to: *mut CUfunction, _: CUmodule, _: *const c_char) -> Code {
        unsafe { *to = std::ptr::without_provenance_mut(1) };
        0
    }
    unsafe extern "C" fn takes_512_threads(to: *mut c_int, _: CUfunction_attribute, _: CUfunction) -> Code {
        unsafe { *to = 512 };
        0
    }
    #[rustfmt::skip]
    unsafe extern "C" fn launches(
        _: CUfunction, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: c_uint, _: CUstream,
        _: *mut *mut c_void, _: *mut *mut c_void,
    ) -> Code {
        0
    }
    unsafe extern "C" fn unloads(_: CUmodule) -> Code {
        0
    }
    // Any module loads, and nothing runs.
    let driver = driver_on(with(|cuda| {
        (cuda.cuModuleLoadDataEx, cuda.cuModuleGetFunction) = (loads, finds);
        (cuda.cuFuncGetAttribute, cuda.cuLaunchKernel, cuda.cuModuleUnload) = (takes_512_threads, launches, unloads);
    }));
    let add = Module::from_ptx(driver.device(), "sums", PTX).unwrap().function("add").unwrap();
    let wrong = |what: String| Err(Error::Arguments { entry: "add".to_owned(), what });
    // SAFETY: no number is touched.
    let launch = |grid, block| unsafe { add.launch(driver.stream(), grid, block, &[&[0; 8], &[0; 4], &[0; 8]]) };
    let most = i32::MAX as usize;
    assert_eq!(launch(most, 512), Ok(()));
    for grid in [0, most + 1, (1 << 32) + 1] {
        assert_eq!(launch(grid, 1), wrong(format!("{grid} blocks, where 1 to 2147483647 can run")));
    }
    for block in [0, 513, (1 << 32) + 1] {
        assert_eq!(launch(1, block), wrong(format!("{block} threads per block, where 1 to 512 can run")));
    }
    // SAFETY: it is not launched.
    let sizes = unsafe { driver.launch(&add, 1, 1, &[&[0; 8], &[0; 3], &[0; 8]]) };
    assert_eq!(sizes, wrong("arguments of [8, 3, 8] bytes, and it takes [8, 4, 8]".to_owned()));
    let odd = PTX.replacen(".u64", ".texref", 1);
    let odd = Module::from_ptx(driver.device(), "odd", &odd).unwrap().function("add").unwrap();
    // SAFETY: it is not launched.
    let unknown = unsafe { driver.launch(&odd, 1, 1, &[&[0; 8], &[0; 4], &[0; 8]]) };
    assert!(matches!(unknown, Err(Error::Arguments { what, .. }) if what.contains("cannot be checked")));
}

#[test]
fn arguments_arrive_wherever_their_bytes_are() {
    let driver = driver_on(&CUDA);
    let add = Module::from_ptx(driver.device(), "sums", PTX).unwrap().function("add").unwrap();
    let mut back = [0; 16];
    let address = driver.allocate(16).unwrap();
    let bytes = [&[0][..], &address.to_ne_bytes(), &2u32.to_ne_bytes(), &(5u64 << 40).to_ne_bytes()].concat();
    // SAFETY: the memory has two numbers, and is freed once.
    unsafe {
        driver.upload(address, &back).unwrap();
        driver.launch(&add, 1, 2, &[&bytes[1..9], &bytes[9..13], &bytes[13..]]).unwrap();
        driver.download(address, &mut back).unwrap();
        driver.free(address, 16);
    }
    assert_eq!(back, [(5u64 << 40).to_ne_bytes(); 2].concat()[..]);
}

#[test]
fn ptx_that_cannot_be_loaded_is_an_error() {
    let load = |ptx: &str| Module::from_ptx(&device(), "scan_add", ptx).unwrap_err();
    let owned = str::to_owned;
    let text = load(&PTX.replacen("ret;", "frobnicate;", 1)).to_string();
    for part in ["kernel `scan_add` does not compile", "CUDA_ERROR_INVALID_PTX (218)", "frobnicate"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(load(NEW_PTX), Error::DriverTooOld { found: owned("12.4"), needed: owned("one with PTX 99.0") });
    assert!(matches!(load("\0"), Error::Compile { .. }));
    let missing = Module::from_ptx(&device(), "sums", PTX).unwrap().function("mul").unwrap_err();
    let text = "the CUDA driver refused looking for entry `mul` of kernel `sums`: CUDA_ERROR_NOT_FOUND (500), named symbol not found";
    assert_eq!(missing.to_string(), text);
}

#[test]
fn a_fault_names_the_last_kernel() {
    unsafe extern "C" fn fails(_: CUstream) -> Code {
        700
    }
    let driver = driver_on(with(|cuda| cuda.cuStreamSynchronize = fails));
    let add = Module::from_ptx(driver.device(), "sums", PTX).unwrap().function("add").unwrap();
    // SAFETY: no number is touched.
    unsafe { driver.launch(&add, 1, 1, &[&[0; 8], &[0; 4], &[0; 8]]) }.unwrap();
    let reason = "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered".to_owned();
    let doing = "waiting for a stream after kernel `add`".to_owned();
    assert_eq!(driver.synchronize(), Err(Error::Lost { doing, reason }));
}

/// Returns the compiler as if it were of this version. The driver is 12.4, the device 9.0.
fn compiler(major: u32, minor: u32) -> Option<Compiler> {
    Some((&NVRTC, Version { major, minor }))
}

/// Makes a driver load the kernel of [`PTX`] from a binary.
fn takes_binaries(cuda: &mut Cuda) {
    unsafe extern "C" fn load(
        to: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
    ) -> Code {
        let is_binary = unsafe { *image.cast::<u8>() } == CUBIN[0];
        let text = std::ffi::CString::new(PTX).unwrap();
        let image = if is_binary { text.as_ptr().cast() } else { image };
        unsafe { (CUDA.cuModuleLoadDataEx)(to, image, count, options, values) }
    }
    cuda.cuModuleLoadDataEx = load;
}

#[test]
fn a_newer_compiler_makes_a_binary_that_loads_where_its_ptx_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let unit = Text(Some("the kernel"));
    let made = image(&unit, &device(), &Cache::at(folder.path()), compiler(12, 4)).unwrap();
    assert_eq!(made, Image { ptx: NEW_PTX.to_owned(), cubin: None }, "a compiler no newer than the driver makes PTX");
    let made = image(&unit, &device(), &Cache::at(folder.path()), compiler(12, 5)).unwrap();
    assert_eq!(made.cubin.as_deref(), Some(CUBIN));
    // SAFETY: as the compiler made it.
    let module = unsafe { Module::from_image(driver_on(with(takes_binaries)).device(), "sums", &made) }.unwrap();
    assert_eq!(module.function("add").unwrap().parameters(), Some(&[8, 4, 8][..]), "launches are checked");
    assert_eq!(image(&Text(None), &device(), &Cache::at(folder.path()), compiler(12, 5)), Ok(made), "from the cache");
    let error = image(&unit, &device(), &Cache::at("none"), compiler(13, 0)).unwrap_err();
    assert!(matches!(error, Error::CompilerTooNew { .. }), "{error}");
    assert!(error.to_string().contains("install NVRTC <= 12.4"), "{error}");
}

#[test]
fn the_cache_serves_without_a_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path());
    let kept = || image(&Text(None), &device(), &cache, None);
    let put = |minor, architecture, ptx: &str| {
        let (compiler, options) = (Version { major: 12, minor }, options());
        let key = Key { unit: Text(None).key(), compiler, architecture, options: &options };
        cache.put(&key, &Image { ptx: ptx.to_owned(), cubin: None });
    };
    put(5, Architecture::Virtual(75), "PTX too new for the driver");
    put(0, Architecture::Virtual(100), "PTX too new for the device");
    assert!(matches!(kept(), Err(Error::NoCompiler { .. })));
    put(1, Architecture::Virtual(80), PTX);
    assert_eq!(kept().unwrap().ptx, PTX);
    assert_eq!(image(&Text(None), &device(), &cache, compiler(13, 0)).unwrap().ptx, PTX);
}

#[test]
#[ignore = "needs NVRTC"]
fn a_unit_is_compiled_once_for_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let driver = || Driver::on(&Stream::new(&device()).unwrap(), Cache::at(folder.path()));
    let source = "extern \"C\" __global__ void add(unsigned long long* to, unsigned n, unsigned long long by) {
        if (threadIdx.x < n) to[threadIdx.x] += by;
    }";
    let function = driver().function(&Text(Some(source)), "add").unwrap();
    assert_eq!(function.parameters(), Some(&[8, 4, 8][..]));
    driver().function(&Text(None), "add").unwrap();
}
