//! [`Driver`] as the machine of a backend.

#![expect(unsafe_code, reason = "functions of a driver are replaced")]

use std::sync::Mutex;

use cudarc::driver::sys::{CUmemoryPool, CUstream};

use super::*;
use crate::machine::{Error, Machine};

/// What comes back of bytes that were uploaded.
fn there_and_back(driver: &Driver, from: &[u8]) -> Vec<u8> {
    let mut back = vec![0; from.len()];
    let address = driver.allocate(from.len()).unwrap();
    // SAFETY: the memory is this driver's, of as many bytes, and given back once.
    unsafe {
        driver.upload(address, from).unwrap();
        driver.upload(address, &[]).unwrap();
        driver.download(address, &mut back).unwrap();
        driver.free(address, from.len());
    }
    back
}

#[test]
fn memory_is_asked_for_again_when_all_work_is_done_and_the_pool_trimmed() {
    static STEPS: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    fn step(name: &'static str) -> Code {
        STEPS.lock().unwrap().push(name);
        0
    }
    unsafe extern "C" fn wait() -> Code {
        step("wait for the context")
    }
    unsafe extern "C" fn trim(_: CUmemoryPool, _: usize) -> Code {
        step("trim")
    }
    unsafe extern "C" fn once_trimmed(to: *mut u64, bytes: usize, stream: CUstream) -> Code {
        let trimmed = STEPS.lock().unwrap().contains(&"trim");
        // SAFETY: as the caller says.
        if trimmed { unsafe { (CUDA.cuMemAllocAsync)(to, bytes, stream) } } else { 2 }
    }
    let cuda = with(|cuda| {
        (cuda.cuCtxSynchronize, cuda.cuMemPoolTrimTo, cuda.cuMemAllocAsync) = (wait, trim, once_trimmed);
    });
    let driver = Driver::on(&Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap(), Cache::at("none"));
    let address = driver.allocate(100).unwrap();
    assert_eq!(*STEPS.lock().unwrap(), ["wait for the context", "trim"]);
    // SAFETY: the driver gave it.
    unsafe { driver.free(address, 100) };
    assert_eq!(driver.allocate(1 << 40), Err(Error::OutOfMemory { needed: 1 << 40, free: 1030 }));
    assert_eq!(STEPS.lock().unwrap().len(), 4);
}

#[test]
fn a_fault_found_while_memory_is_waited_for_is_the_error() {
    unsafe extern "C" fn fault() -> Code {
        700
    }
    let cuda = with(|cuda| cuda.cuCtxSynchronize = fault);
    let driver = Driver::on(&Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap(), Cache::at("none"));
    assert!(matches!(driver.allocate(1 << 40), Err(Error::Lost { .. })));
}

#[test]
fn uploads_of_all_sizes_arrive() {
    let driver = driver();
    const CHUNK: usize = 4 << 20;
    for len in [0, 1, 63, 65, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 13, 5 * CHUNK] {
        let from = bytes(len);
        assert!(there_and_back(&driver, &from) == from, "{len} bytes");
    }
    assert_eq!(CURRENT.get(), 0, "a context stays current");
}

#[test]
fn uploads_do_without_page_locked_memory() {
    unsafe extern "C" fn none(_: *mut *mut std::ffi::c_void, _: usize, _: u32) -> Code {
        2
    }
    let cuda = with(|cuda| cuda.cuMemHostAlloc = none);
    let driver = Driver::on(&Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap(), Cache::at("none"));
    assert_eq!(there_and_back(&driver, &bytes(1000)), bytes(1000));
}

#[test]
fn a_machine_copies_and_fills() {
    let driver = driver();
    let (a, b) = (driver.allocate(10).unwrap(), driver.allocate(10).unwrap());
    let mut back = [1; 10];
    // SAFETY: both are this driver's, of 10 bytes.
    unsafe {
        driver.fill(a, 10, 0xab).unwrap();
        driver.fill(b, 10, 0).unwrap();
        driver.copy(a, b + 2, 3).unwrap();
        driver.copy(a, b, 0).unwrap();
        driver.download(b, &mut back).unwrap();
        driver.free(a, 10);
        driver.free(b, 10);
    }
    assert_eq!(back, [0, 0, 0xab, 0xab, 0xab, 0, 0, 0, 0, 0]);
    assert_eq!(driver.name(), "fake device");
}

#[test]
fn threads_share_a_driver() {
    let driver = driver();
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let driver = &driver;
            scope.spawn(move || {
                for round in 0..50 {
                    let from = vec![(thread * 50 + round) as u8; 300_000 + thread];
                    assert!(there_and_back(driver, &from) == from);
                }
                assert_eq!(CURRENT.get(), 0);
            });
        }
    });
}

#[test]
fn an_entry_whose_parameters_are_not_known_is_not_launched() {
    let ptx = PTX.replacen(".u64", ".texref", 1);
    let odd = Module::from_ptx(&device(), "odd", &ptx).unwrap().function("add").unwrap();
    assert_eq!(odd.parameters(), None);
    // SAFETY: it is not launched.
    let launched = unsafe { driver().launch(&odd, 1, 1, &[&[0; 8], &[0; 4], &[0; 8]]) };
    let what = "arguments that cannot be checked: its PTX has a parameter that is no scalar or struct".to_owned();
    assert_eq!(launched, Err(Error::Arguments { entry: "add".to_owned(), what }));
}

#[test]
fn a_unit_that_is_not_precompiled_needs_a_compiler() {
    match driver().function(&Text(Some("no C++ at all")), "add").unwrap_err() {
        Error::NoCompiler { unit, .. } | Error::Compile { unit, .. } => assert_eq!(unit, "sums"),
        other => panic!("{other}"),
    }
}

#[test]
#[ignore = "needs NVRTC"]
fn a_unit_is_compiled_once_for_all_processes() {
    let folder = tempfile::tempdir().unwrap();
    let driver = || Driver::on(&stream(), Cache::at(folder.path()));
    let source = "extern \"C\" __global__ void add(unsigned long long* to, unsigned n, unsigned long long by) {
        if (threadIdx.x < n) to[threadIdx.x] += by;
    }";
    let first = driver();
    let function = first.function(&Text(Some(source)), "add").unwrap();
    assert_eq!(function.parameters(), Some(&[8, 4, 8][..]));
    first.function(&Text(None), "add").unwrap();
    driver().function(&Text(None), "add").unwrap();
}
