//! Devices, streams and events, and their handles.

#![expect(unsafe_code, reason = "handles are passed in, and functions of a driver replaced")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;

use cudarc::driver::sys::{
    CUcontext, CUdevice_attribute as Attribute, CUmemPool_attribute as PoolAttribute, CUmemoryPool,
};

use super::*;
use crate::machine::{Error, Machine};

#[test]
fn a_device_tells_what_it_is() {
    let device = device();
    assert_eq!(device.name(), "fake device");
    assert_eq!(device.capability(), (9, 0));
    assert_eq!(device.driver_version().to_string(), "12.4");
    assert_eq!((device.multiprocessors(), device.multiprocessor_threads()), (132, 2048));
    assert_eq!(device.free_memory(), Ok(1000 + 50 - 20), "what the pool keeps is free");
    assert_eq!(driver().blocks(), 132 * 8);
}

#[test]
fn what_cannot_be_served_is_an_error_before_a_context_is_made() {
    unsafe extern "C" fn no_device(_: u32) -> Code {
        100
    }
    unsafe extern "C" fn stub(_: u32) -> Code {
        34
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
    let refused = |cuda, ordinal| Device::open_with(cuda, ordinal).unwrap_err();
    let owned = str::to_owned;

    assert_eq!(refused(with(|cuda| cuda.cuInit = no_device), 2), Error::NoDevice { ordinal: 2, found: 0 });
    assert_eq!(refused(&CUDA, 1), Error::NoDevice { ordinal: 1, found: 1 });
    assert_eq!(refused(&CUDA, usize::MAX), Error::NoDevice { ordinal: usize::MAX, found: 1 });
    assert!(matches!(refused(with(|cuda| cuda.cuInit = stub), 0), Error::NoDriver { .. }));
    let old = refused(with(|cuda| cuda.cuDriverGetVersion = cuda_11), 0);
    assert_eq!(old, Error::DriverTooOld { found: owned("11.8"), needed: owned("12.0") });
    let old = refused(with(|cuda| cuda.cuDeviceGetAttribute = volta), 0);
    let device = owned("fake device");
    assert_eq!(old, Error::DeviceTooOld { device, found: owned("7.0"), needed: owned("7.5") });
}

#[test]
fn a_start_that_fails_says_what_to_do() {
    unsafe extern "C" fn updated(_: u32) -> Code {
        803
    }
    unsafe extern "C" fn taken(_: *mut CUcontext, _: c_int) -> Code {
        46
    }
    unsafe extern "C" fn full(_: *mut CUcontext, _: c_int) -> Code {
        2
    }
    let refused = |cuda| Device::open_with(cuda, 0).unwrap_err();
    let text = refused(with(|cuda| cuda.cuInit = updated)).to_string();
    assert!(text.contains("starting the driver") && text.contains("restart the computer"), "{text}");
    let text = refused(with(|cuda| cuda.cuDevicePrimaryCtxRetain = taken)).to_string();
    assert!(text.contains("making a context") && text.contains("nvidia-smi"), "{text}");
    let error = refused(with(|cuda| cuda.cuDevicePrimaryCtxRetain = full));
    assert!(error.is_out_of_memory(), "{error}");
}

#[test]
fn a_pool_keeps_memory_unless_somebody_says_how_much() {
    thread_local! {
        static THRESHOLD: Cell<u64> = const { Cell::new(0) };
    }
    unsafe extern "C" fn get(pool: CUmemoryPool, which: PoolAttribute, to: *mut c_void) -> Code {
        if which != PoolAttribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD {
            // SAFETY: as the caller says.
            return unsafe { (CUDA.cuMemPoolGetAttribute)(pool, which, to) };
        }
        unsafe { to.cast::<u64>().write(THRESHOLD.get()) };
        0
    }
    unsafe extern "C" fn set(_: CUmemoryPool, _: PoolAttribute, from: *mut c_void) -> Code {
        THRESHOLD.set(unsafe { from.cast::<u64>().read() });
        0
    }
    unsafe extern "C" fn refuse(_: CUmemoryPool, _: PoolAttribute, _: *mut c_void) -> Code {
        801
    }
    let cuda = with(|cuda| (cuda.cuMemPoolGetAttribute, cuda.cuMemPoolSetAttribute) = (get, set));
    for (before, after) in [(0, u64::MAX), (1000, 1000)] {
        THRESHOLD.set(before);
        Device::open_with(cuda, 0).unwrap();
        assert_eq!(THRESHOLD.get(), after);
    }
    let cuda = with(|cuda| cuda.cuMemPoolSetAttribute = refuse);
    assert!(Device::open_with(cuda, 0).is_ok(), "a pool that keeps nothing is slower, and served");
}

#[test]
fn handles_go_out_and_come_in() {
    let ours = device();
    // SAFETY: the context lives as long as `ours`.
    let theirs = unsafe { Device::from_raw_with(&CUDA, ours.as_raw()) }.unwrap();
    assert_eq!((theirs.as_raw(), theirs.name()), (ours.as_raw(), ours.name()));
    let first = stream();
    // SAFETY: the stream lives as long as `first`.
    let second = unsafe { Stream::from_raw(&theirs, first.as_raw()) };
    let (address, stream) = DeviceBuffer::from_slice(&first, &[1u8, 2]).unwrap().into_raw();
    assert_eq!(stream.as_raw(), first.as_raw(), "whose work may still use it");
    // SAFETY: two bytes, of the same context.
    let column = ManuallyDrop::new(unsafe { DeviceBuffer::<u8>::from_raw(&second, address, 2) });
    assert_eq!(column.to_vec().unwrap(), [1, 2]);
    drop(ManuallyDrop::into_inner(column));
}

#[test]
fn all_types_go_between_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Device>();
    shared::<Stream>();
    shared::<Event>();
    shared::<Module>();
    shared::<Function>();
    shared::<TypedFunction<(DevicePointer<f32>, u32)>>();
    shared::<DeviceBuffer<u32>>();
    shared::<PinnedBuffer<u32>>();
    shared::<Transfer<u32>>();
    shared::<Driver>();
}

#[test]
fn events_take_the_time() {
    let stream = stream();
    let (start, end) = (stream.record().unwrap(), stream.record().unwrap());
    stream.wait(&end).unwrap();
    end.synchronize().unwrap();
    assert_eq!((end.is_reached(), end.ms_since(&start)), (Ok(true), Ok(1.5)));
}
