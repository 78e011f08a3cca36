//! Columns in device memory.

#![expect(unsafe_code, reason = "the second level is called")]

use std::marker::PhantomData;
use std::mem::ManuallyDrop;

use bytemuck::{Pod, Zeroable};
use cudarc::driver::sys::CUdeviceptr;

use super::pinned::{PinnedBuffer, Transfer};
use super::stream::Stream;
use crate::machine::{Error, Result};

/// `len` values in device memory, of the stream that made it: copies run there, and so does giving it back.
///
/// What other streams do with it is ordered by events ([`Stream::record`], [`Stream::wait`]).
pub struct DeviceBuffer<T: Pod> {
    stream: Stream,
    address: CUdeviceptr,
    len: usize,
    values: PhantomData<T>,
}

/// The address of values of type `T`, as a kernel takes it: `T*`.
///
/// It is a plain address, and keeps nothing alive: it may be copied, made of any number, and outlive the buffer that it
/// came from. What it must be for a kernel is said where a kernel is launched ([`TypedFunction::launch`]).
///
/// [`TypedFunction::launch`]: super::TypedFunction::launch
#[repr(transparent)]
pub struct DevicePointer<T> {
    address: CUdeviceptr,
    values: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    /// Room for `len` values, contents unspecified.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Lost`] or [`Error::Driver`].
    pub fn new(stream: &Stream, len: usize) -> Result<DeviceBuffer<T>> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .ok_or_else(|| Error::OutOfMemory { needed: u64::MAX, free: stream.device().free_memory().unwrap_or(0) })?;
        let address = if bytes == 0 { 0 } else { stream.allocate(bytes)? };
        Ok(DeviceBuffer { stream: stream.clone(), address, len, values: PhantomData })
    }

    /// `len` values with all bits zero.
    ///
    /// # Errors
    /// As [`DeviceBuffer::new`].
    pub fn zeroed(stream: &Stream, len: usize) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::new(stream, len)?;
        buffer.zero()?;
        Ok(buffer)
    }

    /// A copy of values on the host.
    ///
    /// # Errors
    /// As [`DeviceBuffer::new`].
    pub fn from_slice(stream: &Stream, values: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = DeviceBuffer::new(stream, values.len())?;
        buffer.upload(values)?;
        Ok(buffer)
    }

    /// Takes over memory that another library allocated; it is given back to the driver when this is dropped.
    ///
    /// To use memory that stays the other library's, keep the buffer in a [`ManuallyDrop`].
    ///
    /// # Safety
    /// `address` is device memory of the stream's context, from `cuMemAlloc` or `cuMemAllocAsync`, of at least `len`
    /// values, aligned for them; what other streams do with it is ordered before this one.
    pub unsafe fn from_raw(stream: &Stream, address: CUdeviceptr, len: usize) -> DeviceBuffer<T> {
        DeviceBuffer { stream: stream.clone(), address, len, values: PhantomData }
    }

    /// The address, for another library, which gives the memory back, and the stream whose work may still use it. The
    /// address is 0 if the buffer is empty.
    ///
    /// Nothing is waited for. `cuMemFreeAsync` on that stream gives the memory back in order; before `cuMemFree`, and
    /// before another stream uses it, wait for the stream ([`Stream::synchronize`]) or for an event of it
    /// ([`Stream::record`]).
    pub fn into_raw(self) -> (CUdeviceptr, Stream) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not used or dropped after this, so that the stream has one owner.
        (this.address, unsafe { std::ptr::read(&this.stream) })
    }

    /// The address, while this lives.
    pub fn as_raw(&self) -> CUdeviceptr {
        self.address
    }

    /// The address, as an argument of a kernel.
    pub fn pointer(&self) -> DevicePointer<T> {
        DevicePointer { address: self.address, values: PhantomData }
    }

    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its stream.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn check(&self, len: usize) -> Result<()> {
        let (found, needed) = (len, self.len);
        if found == needed { Ok(()) } else { Err(Error::Length { found, needed }) }
    }

    /// Sets all bits to zero.
    ///
    /// # Errors
    /// [`Error::Lost`] or [`Error::Driver`].
    pub fn zero(&mut self) -> Result<()> {
        if self.bytes() == 0 {
            return Ok(());
        }
        self.stream.context().call("filling memory", |cuda| {
            // SAFETY: the memory is ours, and as long as this says.
            unsafe { cuda.fill(self.address, 0, self.bytes(), self.stream.as_raw()) }
        })
    }

    /// Copies from the host, and waits for it.
    ///
    /// # Errors
    /// [`Error::Length`] if the lengths differ; [`Error::Lost`] or [`Error::Driver`].
    pub fn upload(&mut self, from: &[T]) -> Result<()> {
        self.check(from.len())?;
        if self.bytes() != 0 {
            // SAFETY: as long as each other; `from` is borrowed until the wait below.
            unsafe { self.start_upload(from) }?;
        }
        self.stream.synchronize()
    }

    /// Copies to the host, after all work of the stream before it, and waits for it.
    ///
    /// # Errors
    /// As [`DeviceBuffer::upload`].
    pub fn download(&self, into: &mut [T]) -> Result<()> {
        self.check(into.len())?;
        if self.bytes() != 0 {
            // SAFETY: as long as each other; `into` is borrowed until the wait below.
            unsafe { self.start_download(into.as_mut_ptr()) }?;
        }
        self.stream.synchronize()
    }

    /// The values, on the host.
    ///
    /// # Errors
    /// [`Error::OutOfHostMemory`], [`Error::Lost`] or [`Error::Driver`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::new();
        values.try_reserve_exact(self.len).map_err(|_| Error::OutOfHostMemory { needed: self.bytes() as u64 })?;
        // Room is all that the copy needs: zeros would be one more pass over it.
        if self.bytes() != 0 {
            // SAFETY: there is room for as many; nothing else uses it until the wait below.
            unsafe { self.start_download(values.as_mut_ptr()) }?;
        }
        self.stream.synchronize()?;
        // SAFETY: so many values were written, if they have bytes at all.
        unsafe { values.set_len(self.len) };
        Ok(values)
    }

    /// Copies from the host while the host goes on; the transfer gives the host's buffer back.
    ///
    /// # Errors
    /// As [`DeviceBuffer::upload`].
    pub fn upload_async(&mut self, from: PinnedBuffer<T>) -> Result<Transfer<T>> {
        self.check(from.len())?;
        Transfer::start(&self.stream, from, |from| match from.is_empty() {
            true => Ok(()),
            // SAFETY: as long as each other; the transfer keeps `from` until the copy is done.
            false => unsafe { self.start_upload(from) },
        })
    }

    /// Copies to the host while the host goes on; the transfer gives the host's buffer back.
    ///
    /// # Errors
    /// As [`DeviceBuffer::upload`].
    pub fn download_async(&self, into: PinnedBuffer<T>) -> Result<Transfer<T>> {
        self.check(into.len())?;
        Transfer::start(&self.stream, into, |into| match into.is_empty() {
            true => Ok(()),
            // SAFETY: as long as each other; the transfer keeps `into` until the copy is done.
            false => unsafe { self.start_download(into.as_mut_ptr()) },
        })
    }

    /// Copies within the device, in the order of both buffers' streams.
    ///
    /// # Errors
    /// As [`DeviceBuffer::upload`].
    pub fn copy_from(&mut self, from: &DeviceBuffer<T>) -> Result<()> {
        self.check(from.len)?;
        if self.bytes() == 0 {
            return Ok(());
        }
        let other = from.stream.as_raw() != self.stream.as_raw();
        if other {
            self.stream.wait(&from.stream.record()?)?;
        }
        self.stream.context().call("copying within the device", |cuda| {
            // SAFETY: two buffers of one length, alive, and two since one is borrowed mutably.
            unsafe { cuda.copy(self.address, from.address, self.bytes(), self.stream.as_raw()) }
        })?;
        if other {
            from.stream.wait(&self.stream.record()?)?;
        }
        Ok(())
    }

    /// # Safety
    /// `from` has this length, and stays as it is until the copy is done.
    unsafe fn start_upload(&self, from: &[T]) -> Result<()> {
        self.stream.context().call("copying to the device", |cuda| {
            // SAFETY: as the caller says.
            unsafe { cuda.copy_to_device(self.address, from.as_ptr().cast(), self.bytes(), self.stream.as_raw()) }
        })
    }

    /// # Safety
    /// `into` has room for this length, and is not touched until the copy is done.
    unsafe fn start_download(&self, into: *mut T) -> Result<()> {
        self.stream.context().call("copying to the host", |cuda| {
            // SAFETY: as the caller says; all bits are values.
            unsafe { cuda.copy_to_host(into.cast(), self.address, self.bytes(), self.stream.as_raw()) }
        })
    }
}

impl<T: Pod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: ours, and what is put into the stream later has no buffer to name it by.
            unsafe { self.stream.release(self.address) };
        }
    }
}

impl<T: Pod> std::fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DeviceBuffer<{}>({:#x}, {})", std::any::type_name::<T>(), self.address, self.len)
    }
}

impl<T> DevicePointer<T> {
    /// The pointer with an address, which may be any.
    pub fn from_raw(address: CUdeviceptr) -> DevicePointer<T> {
        DevicePointer { address, values: PhantomData }
    }

    /// Its address.
    pub fn as_raw(self) -> CUdeviceptr {
        self.address
    }
}

impl<T> Clone for DevicePointer<T> {
    fn clone(&self) -> DevicePointer<T> {
        *self
    }
}

impl<T> Copy for DevicePointer<T> {}

// SAFETY: a number with no padding; the address 0 is a value.
unsafe impl<T: 'static> Zeroable for DevicePointer<T> {}
// SAFETY: as above, and each number is a value: what a kernel does with it is asserted where the kernel is launched.
unsafe impl<T: 'static> Pod for DevicePointer<T> {}

impl<T> std::fmt::Debug for DevicePointer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DevicePointer({:#x})", self.address)
    }
}
