//! The order of queued work, faults, and calls that a driver refuses.

#![expect(unsafe_code, reason = "functions of C are called")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use crate::calls::*;
use crate::status::Status;
use crate::{ModuleId, Settings, add_device, current_contexts, refuse_memory, take_counts};

/// Adds `by` to each of `count` numbers; the thread of number 0 reads beyond them if `by` is 0.
const PTX: &CStr = c".version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 to, .param .u32 count, .param .u32 by)
.maxntid 64, 1, 1
{
    .reg .pred %p<3>;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [count];
    ld.param.u32 %r2, [by];
    mov.u32 %r3, %tid.x;
    setp.ge.u32 %p1, %r3, %r1;
    @%p1 bra DONE;
    setp.eq.u32 %p2, %r2, 0;
    selp.b32 %r4, %r1, %r3, %p2;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r5, [%rd3];
    add.s32 %r5, %r5, %r2;
    st.global.u32 [%rd3], %r5;
DONE:
    ret;
}
";

/// Asserts that a call succeeds.
fn ok(code: u32) {
    assert_eq!(code, 0);
}

/// Returns the value that a call writes.
fn written<T>(mut value: T, call: impl FnOnce(*mut T) -> u32) -> T {
    ok(call(&mut value));
    value
}

/// Makes a device and its context current, and returns the device's number.
fn device(settings: Settings) -> c_int {
    let ordinal = add_device(settings) as c_int;
    let device = written(-1, |to| unsafe { cuDeviceGet(to, ordinal) });
    let context = written(null_mut(), |to| unsafe { cuDevicePrimaryCtxRetain(to, device) });
    ok(unsafe { cuCtxPushCurrent_v2(context) });
    device
}

fn stream() -> *mut c_void {
    written(null_mut(), |to| unsafe { cuStreamCreate(to, 1) })
}

/// Loads the module, and returns its entry.
fn add() -> *mut c_void {
    let image = PTX.as_ptr().cast();
    let module = written(null_mut(), |to| unsafe { cuModuleLoadDataEx(to, image, 0, null_mut(), null_mut()) });
    written(null_mut(), |to| unsafe { cuModuleGetFunction(to, module, c"add".as_ptr()) })
}

fn launch(add: *mut c_void, block: u32, stream: *mut c_void, (to, count, by): (u64, u32, u32)) -> u32 {
    let mut arguments =
        [(&raw const to).cast_mut().cast(), (&raw const count).cast_mut().cast(), (&raw const by).cast_mut().cast()];
    unsafe { cuLaunchKernel(add, 1, 1, 1, block, 1, 1, 0, stream, arguments.as_mut_ptr(), null_mut()) }
}

fn download(from: u64, numbers: usize, stream: *mut c_void) -> (u32, Vec<u32>) {
    let mut to = vec![0u32; numbers];
    let code = unsafe { cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, 4 * numbers, stream) };
    (code, to)
}

#[test]
fn work_is_done_in_the_order_of_its_stream_and_late() {
    let ordinal = device(Settings::default());
    let (stream, add) = (stream(), add());
    let column = written(0, |to| unsafe { cuMemAllocAsync(to, 16, stream) });
    let pinned = written(null_mut(), |to| unsafe { cuMemHostAlloc(to, 16, 1) });
    let numbers = pinned.cast::<[u32; 4]>();
    unsafe { *numbers = [1, 2, 3, 4] };
    ok(unsafe { cuMemcpyHtoDAsync_v2(column, pinned, 16, stream) });
    ok(launch(add, 4, stream, (column, 4, 10)));
    // The copy has not read this memory: a program that writes it now is wrong.
    unsafe { (*numbers)[0] = 5 };
    assert_eq!(download(column, 4, stream), (0, vec![15, 12, 13, 14]));
    // Ordinary memory is read before the call returns.
    let mut ordinary = [7u32; 4];
    ok(unsafe { cuMemcpyHtoDAsync_v2(column, ordinary.as_ptr().cast(), 16, stream) });
    ordinary[0] = 8;
    ok(unsafe { cuMemsetD8Async(column + 4, 1, 4, stream) });
    ok(unsafe { cuMemcpyDtoDAsync_v2(column + 12, column + 4, 4, stream) });
    ok(unsafe { cuMemcpyDtoHAsync_v2(pinned, column, 16, stream) });
    assert_eq!(unsafe { (*numbers)[3] }, 4, "the copy to page-locked memory waits, too");
    ok(unsafe { cuStreamSynchronize(stream) });
    assert_eq!((ordinary[0], unsafe { *numbers }), (8, [7, 0x0101_0101, 7, 0x0101_0101]));
    ok(unsafe { cuMemFreeHost(pinned) });
    ok(unsafe { cuMemFreeAsync(column, stream) });
    ok(unsafe { cuCtxSynchronize() });
    let counts = take_counts(ordinal as usize);
    assert_eq!((counts.calls.launches, counts.calls.uploads, counts.calls.fills, counts.calls.waits), (1, 2, 2, 3));
    let counts = counts.kernels;
    let [(id, add)] = &counts.into_iter().collect::<Vec<_>>()[..] else { panic!("one entry has run") };
    assert_eq!((&id.entry[..], id.module), ("add", ModuleId::of(PTX.to_str().unwrap())));
    assert_eq!((add.launches, add.counts.loads.bytes), (1, 16));
    assert!(take_counts(ordinal as usize).kernels.is_empty());
}

#[test]
fn a_stream_waits_for_an_event_of_another_and_the_host_does_not() {
    let ordinal = device(Settings::default());
    let (first, second) = (stream(), stream());
    let column = written(0, |to| unsafe { cuMemAlloc_v2(to, 4) });
    let event = written(null_mut(), |to| unsafe { cuEventCreate(to, 0) });
    ok(unsafe { cuMemsetD8Async(column, 1, 4, first) });
    ok(unsafe { cuEventRecord(event, first) });
    let reached = || unsafe { cuEventElapsedTime(&mut 0.0, event, event) };
    assert_eq!(reached(), Status::NotReady as u32);
    ok(unsafe { cuStreamWaitEvent(second, event, 0) });
    ok(reached());
    assert_eq!(take_counts(ordinal as usize).calls.waits, 0);
    assert_eq!(download(column, 1, second), (0, vec![0x0101_0101]));
}

#[test]
fn the_current_context_is_set_and_unset() {
    let now = || written(null_mut(), |to| unsafe { cuCtxGetCurrent(to) });
    assert!(now().is_null());
    device(Settings::default());
    let context = now();
    ok(unsafe { cuCtxSetCurrent(null_mut()) });
    assert!(now().is_null() && current_contexts() == 0);
    assert_eq!(unsafe { cuMemAlloc_v2(&mut 0, 4) }, Status::InvalidContext as u32);
    ok(unsafe { cuCtxSetCurrent(context) });
    ok(unsafe { cuCtxSetCurrent(context) });
    assert_eq!((now(), current_contexts()), (context, 1));
    assert_eq!(unsafe { cuCtxSetCurrent(stream()) }, Status::InvalidContext as u32);
}

#[test]
fn a_fault_loses_the_device_and_names_the_instruction() {
    let lost = device(Settings::default());
    let (stream, add) = (stream(), add());
    let column = written(0, |to| unsafe { cuMemAlloc_v2(to, 16) });
    ok(unsafe { cuMemsetD8Async(column, 0, 16, stream) });
    ok(launch(add, 4, stream, (column, 4, 0)));
    let (code, _) = download(column, 4, stream);
    assert_eq!(code, Status::IllegalAddress as u32);
    let text = written(null(), |to: *mut *const c_char| unsafe { cuGetErrorString(code, to) });
    let text = unsafe { CStr::from_ptr(text) }.to_str().unwrap();
    assert!(text.contains("ld.global.u32 %r5, [%rd3]") && text.contains("entry add"), "{text}");
    let name = written(null(), |to: *mut *const c_char| unsafe { cuGetErrorName(code, to) });
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_eq!(unsafe { cuStreamSynchronize(stream) }, code);
    assert_eq!(unsafe { cuMemAlloc_v2(&mut 0, 16) }, code);
    // Other devices live.
    assert_ne!(device(Settings::default()), lost);
    let column = written(0, |to| unsafe { cuMemAlloc_v2(to, 4) });
    ok(unsafe { cuMemFree_v2(column) });
}

#[test]
fn memory_is_limited_and_freed_in_order() {
    device(Settings { memory: 1000, ..Settings::default() });
    let stream = stream();
    let column = written(0, |to| unsafe { cuMemAllocAsync(to, 600, stream) });
    let mut other = 0;
    assert_eq!(unsafe { cuMemAllocAsync(&mut other, 600, stream) }, Status::OutOfMemory as u32);
    ok(unsafe { cuMemFreeAsync(column, stream) });
    ok(unsafe { cuMemAllocAsync(&mut other, 600, stream) });
    let (mut free, mut total) = (0, 0);
    ok(unsafe { cuMemGetInfo_v2(&mut free, &mut total) });
    assert_eq!((free, total), (400, 1000));
    refuse_memory(2);
    assert_eq!(unsafe { cuMemAllocAsync(&mut other, 1, stream) }, Status::OutOfMemory as u32);
    assert_eq!(unsafe { cuMemHostAlloc(&mut null_mut(), 1, 0) }, Status::OutOfMemory as u32);
    ok(unsafe { cuMemAllocAsync(&mut other, 1, stream) });
    assert_eq!(unsafe { cuMemAllocAsync(&mut other, 0, stream) }, Status::InvalidValue as u32);
}

#[test]
fn calls_that_do_not_fit_are_refused() {
    let before = current_contexts();
    assert_eq!(unsafe { cuStreamCreate(&mut null_mut(), 1) }, Status::InvalidContext as u32);
    let ordinal = device(Settings::default());
    assert_eq!(current_contexts(), before + 1);
    assert_eq!(written(0, |to| unsafe { cuDeviceGetAttribute(to, 75, ordinal) }), 9);
    assert_eq!(unsafe { cuDeviceGet(&mut 0, 1 << 20) }, Status::InvalidDevice as u32);
    assert_eq!(unsafe { cuDeviceGet(&mut 0, -1) }, Status::InvalidDevice as u32);
    let (stream, add) = (stream(), add());
    for handle in [null_mut(), std::ptr::without_provenance_mut(7), stream] {
        assert_eq!(launch(handle, 1, stream, (0, 0, 1)), Status::InvalidHandle as u32);
    }
    assert_eq!(launch(add, 65, stream, (0, 0, 1)), Status::InvalidValue as u32, "more threads than .maxntid");
    assert_eq!(launch(add, 0, stream, (0, 0, 1)), Status::InvalidValue as u32);
    ok(launch(add, 64, stream, (0, 0, 1)));
    let load = |image: &CStr| {
        let mut log = [0u8; 100];
        let (mut options, mut values) =
            ([5, 6], [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(log.len())]);
        let (options, values) = (options.as_mut_ptr(), values.as_mut_ptr());
        let code = unsafe { cuModuleLoadDataEx(&mut null_mut(), image.as_ptr().cast(), 2, options, values) };
        (code, CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap().to_owned())
    };
    assert_eq!(load(c"\x7fELF").0, Status::NoBinary as u32);
    assert_eq!(load(c".version 99.0\n.target sm_75").0, Status::UnsupportedVersion as u32);
    let (code, log) = load(c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry f() { frobnicate; }");
    assert_eq!(code, Status::InvalidPtx as u32);
    assert!(log.contains("frobnicate") && log.contains('4'), "{log}");
    ok(unsafe { cuStreamDestroy_v2(stream) });
    assert_eq!(unsafe { cuStreamSynchronize(stream) }, Status::InvalidHandle as u32);
    ok(unsafe { cuCtxPopCurrent_v2(null_mut()) });
    assert_eq!(current_contexts(), before);
}

#[test]
fn events_have_times_and_other_streams_wait_for_nothing() {
    device(Settings::default());
    let (one, two) = (stream(), stream());
    let [first, second] = [(); 2].map(|()| written(null_mut(), |to| unsafe { cuEventCreate(to, 0) }));
    ok(unsafe { cuEventSynchronize(first) });
    assert_eq!(unsafe { cuEventElapsedTime(&mut 0.0, first, second) }, Status::InvalidHandle as u32);
    ok(unsafe { cuEventRecord(first, one) });
    ok(unsafe { cuEventRecord(second, two) });
    assert_eq!(unsafe { cuEventElapsedTime(&mut 0.0, first, second) }, Status::NotReady as u32);
    ok(unsafe { cuEventSynchronize(first) });
    assert_eq!(unsafe { cuEventElapsedTime(&mut 0.0, first, second) }, Status::NotReady as u32);
    ok(unsafe { cuStreamSynchronize(two) });
    let ms = written(-1.0, |to| unsafe { cuEventElapsedTime(to, first, second) });
    assert!(ms >= 0.0);
    ok(unsafe { cuEventDestroy_v2(first) });
    assert_eq!(unsafe { cuEventRecord(first, one) }, Status::InvalidHandle as u32);
}

#[test]
fn every_function_has_a_symbol() {
    for name in ["cuInit", "cuLaunchKernel", "cuGetErrorString", "cuMemFreeHost"] {
        assert!(crate::symbol(name).is_some(), "{name}");
    }
    assert_eq!(crate::symbol("cuGraphLaunch"), None);
}
