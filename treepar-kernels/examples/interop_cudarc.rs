//! A context, a stream and memory shared with `cudarc`: its column, our kernel, its copy back.
//!
//! ```text
//! cargo run -p treepar-kernels --features cuda --example interop_cudarc
//! ```

#![allow(unsafe_code, reason = "raw handles are passed between two libraries")]

use std::error::Error;

use cudarc::driver::{CudaContext, DevicePtrMut};
use treepar_kernels::driver::{Device, Module, Stream};

/// `extern "C" __global__ void twice(unsigned* x)`, for one block.
const TWICE: &str = "
.version 7.0
.target sm_75
.address_size 64

.visible .entry twice(.param .u64 twice_x)
{
    .reg .b32 %thread, %value;
    .reg .b64 %x, %at;

    ld.param.u64 %x, [twice_x];
    mov.u32 %thread, %tid.x;
    cvta.to.global.u64 %x, %x;
    mul.wide.u32 %at, %thread, 4;
    add.s64 %at, %x, %at;
    ld.global.u32 %value, [%at];
    shl.b32 %value, %value, 1;
    st.global.u32 [%at], %value;
    ret;
}
";

fn main() -> Result<(), Box<dyn Error>> {
    // Open the device here first: without a driver this is an error, where cudarc panics.
    Device::open(0)?;

    let context = CudaContext::new(0)?;
    let their_stream = context.new_stream()?;
    let mut column = their_stream.clone_htod(&[1u32, 2, 3, 4])?;

    // SAFETY: context and stream are dropped after everything that is made of them here.
    let (device, stream) = unsafe {
        let device = Device::from_raw(context.cu_ctx())?;
        let stream = Stream::from_raw(&device, their_stream.cu_stream());
        (device, stream)
    };
    let twice = Module::from_ptx(&device, "twice", TWICE)?.function("twice")?;

    let (address, written) = column.device_ptr_mut(&their_stream);
    // SAFETY: this is its parameter, and the column has one value per thread. The launch is in the column's stream: after
    // the copy to the device and before the copy back.
    unsafe { twice.launch(&stream, 1, 4, &[&address.to_ne_bytes()]) }?;
    drop(written); // cudarc notes that its column was written.
    assert_eq!(their_stream.clone_dtoh(&column)?, [2, 4, 6, 8]);

    println!("{}: one context, one stream, two libraries", device.name());
    Ok(())
}
