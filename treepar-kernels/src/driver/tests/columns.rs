//! Columns on both sides, and what goes between them.

#![expect(unsafe_code, reason = "functions of a driver are replaced")]

use std::ffi::c_int;

use cudarc::driver::sys::{CUdevice_attribute as Attribute, CUstream};

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
    assert!(matches!(PinnedBuffer::<u64>::new(&device(), usize::MAX / 4), Err(Error::Driver { .. })));
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
