//! Context, stream and memory shared with `cudarc`: its column, our kernel, its copy back.
//!
//! ```text
//! cargo run -p treepar-kernels --features cuda --example interop_cudarc
//! ```

#![allow(unsafe_code, reason = "raw handles are passed between two libraries")]

use std::error::Error;
use std::process::ExitCode;

use cudarc::driver::{CudaContext, DevicePtrMut};
use treepar_kernels::driver::{Device, DeviceBuffer, DevicePointer, Module, Stream};
use treepar_kernels::launch;

/// `extern "C" __global__ void twice(unsigned* x, unsigned n)`, as a compiler writes it.
const TWICE: &str = "
.version 7.0
.target sm_75
.address_size 64

.visible .entry twice(.param .u64 twice_x, .param .u32 twice_n)
{
    .reg .pred %outside;
    .reg .b32 %i, %n, %block, %threads, %thread, %value;
    .reg .b64 %x, %at;

    ld.param.u64 %x, [twice_x];
    ld.param.u32 %n, [twice_n];
    mov.u32 %block, %ctaid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.s32 %i, %block, %threads, %thread;
    setp.ge.u32 %outside, %i, %n;
    @%outside bra DONE;
    cvta.to.global.u64 %x, %x;
    mul.wide.u32 %at, %i, 4;
    add.s64 %at, %x, %at;
    ld.global.u32 %value, [%at];
    shl.b32 %value, %value, 1;
    st.global.u32 [%at], %value;
DONE:
    ret;
}
";

fn main() -> ExitCode {
    match share() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn share() -> Result<(), Box<dyn Error>> {
    // Ours is asked first: without a driver it returns an error, where cudarc panics.
    Device::open(0)?;

    let theirs = CudaContext::new(0)?;
    let their_stream = theirs.new_stream()?;
    let mut their_column = their_stream.clone_htod(&[1u32, 2, 3, 4])?;

    // SAFETY: context and stream are dropped after all that is made of them here.
    let (device, stream) = unsafe {
        let device = Device::from_raw(theirs.cu_ctx())?;
        let stream = Stream::from_raw(&device, their_stream.cu_stream());
        (device, stream)
    };
    let module = Module::from_ptx(&device, "twice", TWICE)?;
    let twice = module.function("twice")?.typed::<(DevicePointer<u32>, u32)>()?;

    // Our kernel on their column: in their stream, so after their copy and before the next.
    let (address, their_note) = their_column.device_ptr_mut(&their_stream);
    // SAFETY: these are its parameters, and it stays within n values, which their column has until it is copied back.
    unsafe { launch!(stream, twice<<<1, 32>>>(DevicePointer::from_raw(address), 4)) }?;
    drop(their_note); // cudarc notes that its column was written.
    assert_eq!(their_stream.clone_dtoh(&their_column)?, [2, 4, 6, 8]);

    // Our column, given away with the stream whose work it is part of, and taken back.
    let (address, stream) = DeviceBuffer::from_slice(&stream, &[10u32, 20])?.into_raw();
    // SAFETY: memory of this stream for two values, and nobody else's since the line above.
    let ours = unsafe { DeviceBuffer::<u32>::from_raw(&stream, address, 2) };
    // SAFETY: as above, for two values.
    unsafe { launch!(stream, twice<<<1, 32>>>(ours.pointer(), 2)) }?;
    assert_eq!(ours.to_vec()?, [20, 40]);

    println!("{}: one context, one stream, two libraries", device.name());
    Ok(())
}
