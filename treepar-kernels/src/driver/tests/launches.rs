//! Modules, and launches with their arguments.

#![expect(unsafe_code, reason = "kernels are launched, and functions of a driver replaced")]

use std::cell::Cell;
use std::ffi::{c_char, c_uint, c_void};

use cudarc::driver::sys::{CUfunction, CUjit_option, CUmodule, CUstream};

use super::*;
use crate::launch;
use crate::machine::{Error, Machine};

#[test]
fn arguments_arrive_as_they_were_given() {
    let stream = stream();
    let module = Module::from_ptx(&device(), "sums", PTX).unwrap();
    let add = module.function("add").unwrap().typed::<(DevicePointer<u64>, u32, u64)>().unwrap();
    let column = DeviceBuffer::from_slice(&stream, &[1u64, 2, u64::MAX]).unwrap();
    let grid = 7;
    // SAFETY: the column has as many numbers.
    unsafe {
        launch!(stream, add<<<1, 32>>>(column.pointer(), 2, 1 << 40)).unwrap();
        launch!(&stream, add<<<grid, (16 * 2)>>>(column.pointer(), 3, 1,)).unwrap();
    }
    assert_eq!(column.to_vec().unwrap(), [(1 << 40) + 2, (1 << 40) + 3, 0]);

    // Bytes that lie anywhere.
    let mut all = vec![0u8];
    all.extend(column.as_raw().to_ne_bytes());
    all.extend(1u32.to_ne_bytes());
    all.extend(5u64.to_ne_bytes());
    let arguments = [&all[1..9], &all[9..13], &all[13..]];
    // SAFETY: these are its arguments.
    unsafe { add.untyped().launch_bytes(&stream, 1, 1, &arguments) }.unwrap();
    assert_eq!(column.to_vec().unwrap()[0], (1 << 40) + 7);
}

#[test]
fn arguments_of_other_sizes_are_an_error() {
    let add = Module::from_ptx(&device(), "sums", PTX).unwrap().function("add").unwrap();
    assert_eq!(add.parameters(), Some(&[8, 4, 8][..]));
    let (few, wide) = (add.typed::<(u64, u32)>().err(), add.typed::<(u64, u64, u64)>().err());
    let wrong = |what: &str| Error::Arguments { entry: "add".to_owned(), what: what.to_owned() };
    assert_eq!(few, Some(wrong("arguments of [8, 4] bytes, and it takes [8, 4, 8]")));
    assert_eq!(wide, Some(wrong("arguments of [8, 8, 8] bytes, and it takes [8, 4, 8]")));
    // SAFETY: it is not launched.
    let launched = unsafe { driver().launch(&add, 1, 1, &[&[0; 8], &[0; 3], &[0; 8]]) };
    assert_eq!(launched, Err(wrong("arguments of [8, 3, 8] bytes, and it takes [8, 4, 8]")));
}

#[test]
fn grids_and_blocks_have_limits() {
    let stream = stream();
    let module = Module::from_ptx(&device(), "sums", PTX).unwrap();
    let add = module.function("add").unwrap().typed::<(DevicePointer<u64>, u32, u64)>().unwrap();
    // SAFETY: no number is touched.
    let launch = |grid, block| unsafe { add.launch(&stream, grid, block, (DevicePointer::from_raw(0), 0, 0)) };
    let wrong = |what: String| Err(Error::Arguments { entry: "add".to_owned(), what });
    let most = i32::MAX as usize;
    assert_eq!(launch(most, 512), Ok(()));
    for grid in [0, most + 1, (1 << 32) + 1] {
        assert_eq!(launch(grid, 1), wrong(format!("{grid} blocks, where 1 to 2147483647 can run")));
    }
    for block in [0, 513, (1 << 32) + 1] {
        assert_eq!(launch(1, block), wrong(format!("{block} threads a block, where 1 to 512 can run")));
    }
}

#[test]
fn ptx_that_cannot_be_loaded_is_an_error() {
    let load = |ptx| Module::from_ptx(&device(), "scan_add", ptx).unwrap_err();
    let owned = str::to_owned;
    let log = owned("CUDA_ERROR_INVALID_PTX (218)\nptxas fatal: no entry");
    assert_eq!(load(".version 8.0\n"), Error::Compile { unit: owned("scan_add"), log });
    let needed = owned("one with PTX 99.0");
    assert_eq!(load(".version 99.0\n"), Error::DriverTooOld { found: owned("12.4"), needed });
    assert!(matches!(load("\0"), Error::Compile { .. }));
    let missing = Module::from_ptx(&device(), "sums", PTX).unwrap().function("mul").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "the CUDA driver refused looking for entry `mul` of kernel `sums`: CUDA_ERROR_NOT_FOUND (500)"
    );
}

#[test]
fn a_fault_names_the_kernel() {
    unsafe extern "C" fn fails(_: CUstream) -> Code {
        700
    }
    let cuda = with(|cuda| cuda.cuStreamSynchronize = fails);
    let stream = Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap();
    let module = Module::from_ptx(&stream.device(), "sums", PTX).unwrap();
    let add = module.function("add").unwrap().typed::<(DevicePointer<u64>, u32, u64)>().unwrap();
    let fault = module.function("fault").unwrap().typed::<()>().unwrap();
    // SAFETY: no number is touched.
    unsafe { launch!(stream, add<<<1, 1>>>(DevicePointer::from_raw(0), 0, 0)) }.unwrap();
    let reason = "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered".to_owned();
    let doing = "waiting for a stream after kernel `add`".to_owned();
    assert_eq!(stream.synchronize(), Err(Error::Lost { doing, reason: reason.clone() }));
    let doing = "launching kernel `fault` after kernel `add`".to_owned();
    // SAFETY: it is no kernel.
    let launched = unsafe { launch!(stream, fault<<<1, 1>>>()) };
    assert_eq!(launched, Err(Error::Lost { doing, reason }));
}

#[test]
fn modules_and_launches_that_do_not_fit_are_tried_again_and_then_no_room() {
    thread_local! {
        /// How many calls find no memory.
        static FULL: Cell<usize> = const { Cell::new(0) };
    }
    fn full() -> bool {
        let left = FULL.get();
        FULL.set(left.saturating_sub(1));
        left > 0
    }
    unsafe extern "C" fn load(
        to: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
    ) -> Code {
        // SAFETY: as the caller says.
        if full() { 2 } else { unsafe { (CUDA.cuModuleLoadDataEx)(to, image, count, options, values) } }
    }
    unsafe extern "C" fn find(to: *mut CUfunction, module: CUmodule, name: *const c_char) -> Code {
        // SAFETY: as above.
        if full() { 2 } else { unsafe { (CUDA.cuModuleGetFunction)(to, module, name) } }
    }
    #[rustfmt::skip]
    unsafe extern "C" fn run(
        function: CUfunction, x: c_uint, y: c_uint, z: c_uint, block: c_uint, v: c_uint, w: c_uint, shared: c_uint,
        stream: CUstream, arguments: *mut *mut c_void, extra: *mut *mut c_void,
    ) -> Code {
        // SAFETY: as above.
        if full() { 2 } else {
            unsafe { (CUDA.cuLaunchKernel)(function, x, y, z, block, v, w, shared, stream, arguments, extra) }
        }
    }
    let cuda = with(|cuda| {
        (cuda.cuModuleLoadDataEx, cuda.cuModuleGetFunction, cuda.cuLaunchKernel) = (load, find, run);
    });
    let stream = Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap();
    let is_full = |error: Error, doing: &str| {
        let text = error.to_string();
        assert!(error.is_out_of_memory() && text.contains(doing), "{text}");
        assert!(text.contains("1030 bytes of the device are free") && text.contains("CPU backend"), "{text}");
    };
    let load = |calls| {
        FULL.set(calls);
        Module::from_ptx(&stream.device(), "sums", PTX)
    };
    is_full(load(2).unwrap_err(), "loading kernel `sums`");
    let module = load(1).unwrap();
    let find = |calls| {
        FULL.set(calls);
        module.function("add")
    };
    is_full(find(2).unwrap_err(), "entry `add`");
    let add = find(1).unwrap().typed::<(DevicePointer<u64>, u32, u64)>().unwrap();
    let launch = |calls| {
        FULL.set(calls);
        // SAFETY: no number is touched.
        unsafe { launch!(stream, add<<<1, 1>>>(DevicePointer::from_raw(0), 0, 0)) }
    };
    is_full(launch(2).unwrap_err(), "launching kernel `add`");
    launch(1).unwrap();
}

#[test]
fn a_module_that_may_still_run_is_not_unloaded() {
    thread_local! {
        static UNLOADED: Cell<usize> = const { Cell::new(0) };
        static WAIT: Cell<Code> = const { Cell::new(0) };
    }
    unsafe extern "C" fn wait() -> Code {
        WAIT.get()
    }
    unsafe extern "C" fn unload(_: CUmodule) -> Code {
        UNLOADED.set(UNLOADED.get() + 1);
        0
    }
    let cuda = with(|cuda| (cuda.cuCtxSynchronize, cuda.cuModuleUnload) = (wait, unload));
    let device = Device::open_with(cuda, 0).unwrap();
    for (answer, unloaded) in [(0, 1), (700, 1)] {
        WAIT.set(answer);
        drop(Module::from_ptx(&device, "sums", PTX).unwrap());
        assert_eq!(UNLOADED.get(), unloaded);
    }
}
