//! Columns on both sides, and what goes between them.

#![expect(unsafe_code, reason = "functions of a driver are replaced")]

use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUmemoryPool, CUstream};

use super::*;
use crate::machine::Error;

#[test]
fn columns_go_up_and_come_down() {
    let stream = stream();
    let values = [1.5f64, -2.0, 7.25];
    let mut column = DeviceBuffer::from_slice(&stream, &values).unwrap();
    assert_eq!(column.to_vec().unwrap(), values);
    let mut other = DeviceBuffer::zeroed(&stream, 3).unwrap();
    assert_eq!(other.to_vec().unwrap(), [0.0; 3]);
    other.copy_from(&column).unwrap();
    column.zero().unwrap();
    assert_eq!((other.to_vec().unwrap(), column.to_vec().unwrap()), (values.to_vec(), vec![0.0; 3]));
    assert_eq!(CURRENT.get(), 0, "a context stays current");
}

#[test]
fn columns_of_no_values_need_no_memory() {
    let stream = stream();
    let mut column = DeviceBuffer::<u32>::new(&stream, 0).unwrap();
    assert!(column.is_empty() && column.as_raw() == 0);
    column.zero().unwrap();
    assert_eq!(column.to_vec().unwrap(), []);
    let pinned = PinnedBuffer::new(&device(), 0).unwrap();
    assert!(column.upload_async(pinned).unwrap().wait().unwrap().is_empty());
}

#[test]
fn lengths_that_differ_are_an_error() {
    let mut column = DeviceBuffer::<u32>::zeroed(&stream(), 4).unwrap();
    let wrong = Error::Length { found: 3, needed: 4 };
    assert_eq!(column.upload(&[1, 2, 3]), Err(wrong.clone()));
    assert_eq!(column.download(&mut [0; 3]), Err(wrong.clone()));
    let pinned = PinnedBuffer::new(&device(), 3).unwrap();
    assert_eq!(column.download_async(pinned).err(), Some(wrong));
}

#[test]
fn lengths_beyond_the_address_space_are_an_error() {
    let huge = DeviceBuffer::<u64>::new(&stream(), usize::MAX / 4).err();
    assert_eq!(huge, Some(Error::OutOfMemory { needed: u64::MAX, free: 1030 }));
    let huge = PinnedBuffer::<u64>::new(&device(), usize::MAX / 4).err();
    assert_eq!(huge, Some(Error::OutOfHostMemory { needed: u64::MAX }));
    let large = PinnedBuffer::<u8>::new(&device(), 1 << 40).err();
    assert_eq!(large, Some(Error::OutOfHostMemory { needed: 1 << 40 }));
}

#[test]
fn a_column_that_the_host_has_no_room_for_is_an_error() {
    // SAFETY: nothing is read: the host's memory comes first.
    let column = ManuallyDrop::new(unsafe { DeviceBuffer::<u8>::from_raw(&stream(), 256, 1 << 62) });
    assert_eq!(column.to_vec(), Err(Error::OutOfHostMemory { needed: 1 << 62 }));
}

#[test]
fn transfers_give_their_buffer_back() {
    let stream = stream();
    let mut column = DeviceBuffer::new(&stream, 3).unwrap();
    let up = PinnedBuffer::from_slice(&device(), &[4u16, 5, 6]).unwrap();
    let mut buffer = column.upload_async(up).unwrap().wait().unwrap();
    buffer.fill(0);
    let down = column.download_async(buffer).unwrap();
    assert_eq!(down.is_done(), Ok(true));
    assert_eq!(*down.wait().unwrap(), [4, 5, 6]);
    drop(column.download_async(PinnedBuffer::new(&device(), 3).unwrap()).unwrap());
}

#[test]
fn a_device_without_pools_is_served() {
    unsafe extern "C" fn attribute(to: *mut c_int, attribute: Attribute, device: c_int) -> Code {
        match attribute {
            Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED => {
                unsafe { *to = 0 };
                0
            }
            // SAFETY: as the caller says.
            _ => unsafe { (CUDA.cuDeviceGetAttribute)(to, attribute, device) },
        }
    }
    unsafe extern "C" fn no_pool(_: *mut u64, _: usize, _: CUstream) -> Code {
        801
    }
    let cuda = with(|cuda| (cuda.cuDeviceGetAttribute, cuda.cuMemAllocAsync) = (attribute, no_pool));
    let device = Device::open_with(cuda, 0).unwrap();
    assert_eq!(device.free_memory(), Ok(1000));
    let column = DeviceBuffer::from_slice(&Stream::new(&device).unwrap(), &[1u8, 2]).unwrap();
    assert_eq!(column.to_vec().unwrap(), [1, 2]);
}

#[test]
fn memory_without_a_pool_stays_where_a_kernel_may_still_use_it() {
    static FREED: AtomicUsize = AtomicUsize::new(0);
    static FAILS: AtomicBool = AtomicBool::new(false);
    unsafe extern "C" fn no_pool(_: *mut CUmemoryPool, _: c_int) -> Code {
        801
    }
    unsafe extern "C" fn wait(_: CUstream) -> Code {
        if FAILS.load(Ordering::SeqCst) { 700 } else { 0 }
    }
    unsafe extern "C" fn free(address: u64) -> Code {
        FREED.fetch_add(1, Ordering::SeqCst);
        // SAFETY: as the caller says.
        unsafe { (CUDA.cuMemFree_v2)(address) }
    }
    let cuda = with(|cuda| {
        (cuda.cuDeviceGetMemPool, cuda.cuStreamSynchronize, cuda.cuMemFree_v2) = (no_pool, wait, free);
    });
    let stream = Stream::new(&Device::open_with(cuda, 0).unwrap()).unwrap();
    for (fails, freed) in [(false, 1), (true, 1)] {
        FAILS.store(fails, Ordering::SeqCst);
        drop(DeviceBuffer::<u8>::new(&stream, 8).unwrap());
        assert_eq!(FREED.load(Ordering::SeqCst), freed);
    }
}
