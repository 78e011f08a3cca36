//! What only a device can show. `cargo test -p treepar-kernels --features cuda --test device -- --ignored`
#![cfg(feature = "cuda")]
#![expect(unsafe_code, reason = "kernels are launched")]

use std::process::Command;

use treepar_kernels::driver::{
    Device, DeviceBuffer, DevicePointer, Driver, Module, PinnedBuffer, Stream, TypedFunction,
};
use treepar_kernels::launch;
use treepar_kernels::machine::{Error, Machine};

/// `void add(unsigned* x, unsigned n, unsigned by)`, with `by` added to the first n of x.
const ADD: &str = "
.version 8.0
.target sm_75
.address_size 64

.visible .entry add(.param .u64 add_x, .param .u32 add_n, .param .u32 add_by)
{
    .reg .pred %outside;
    .reg .b32 %i, %n, %by, %block, %threads, %thread, %value;
    .reg .b64 %x, %at;

    ld.param.u64 %x, [add_x];
    ld.param.u32 %n, [add_n];
    ld.param.u32 %by, [add_by];
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
    add.u32 %value, %value, %by;
    st.global.u32 [%at], %value;
DONE:
    ret;
}
";

type Add = TypedFunction<(DevicePointer<u32>, u32, u32)>;

fn add(device: &Device) -> Add {
    let module = Module::from_ptx(device, "add", ADD).unwrap();
    module.function("add").unwrap().typed().unwrap()
}

#[test]
#[ignore = "needs a GPU"]
fn a_kernel_runs_between_copies() {
    let device = Device::open(0).unwrap();
    let stream = Stream::new(&device).unwrap();
    let add = add(&device);
    for n in [1usize, 255, 256, 257, 1_000_003] {
        let values: Vec<u32> = (0..n as u32).collect();
        let column = DeviceBuffer::from_slice(&stream, &values).unwrap();
        let start = stream.record().unwrap();
        // SAFETY: the column has n values.
        unsafe { launch!(stream, add<<<(n.div_ceil(256)), 256>>>(column.pointer(), n as u32, 7)) }.unwrap();
        let end = stream.record().unwrap();
        assert!(column.to_vec().unwrap().iter().zip(values).all(|(now, before)| *now == before + 7), "{n} values");
        assert!(end.ms_since(&start).unwrap() > 0.0);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn transfers_run_beside_the_host() {
    let device = Device::open(0).unwrap();
    let stream = Stream::new(&device).unwrap();
    let add = add(&device);
    let values: Vec<u32> = (0..1 << 22).collect();
    let mut column = DeviceBuffer::zeroed(&stream, values.len()).unwrap();
    let up = column.upload_async(PinnedBuffer::from_slice(&device, &values).unwrap()).unwrap();
    // SAFETY: the column has as many values.
    unsafe { launch!(stream, add<<<(1 << 14), 256>>>(column.pointer(), 1 << 22, 1)) }.unwrap();
    let down = column.download_async(PinnedBuffer::new(&device, values.len()).unwrap()).unwrap();
    let down = down.wait().unwrap();
    assert_eq!(up.is_done(), Ok(true), "it was put in before");
    assert_eq!(*up.wait().unwrap(), values);
    assert!(down.iter().zip(values).all(|(now, before)| *now == before + 1));
}

#[test]
#[ignore = "needs a GPU"]
fn threads_share_a_driver() {
    let driver = Driver::new(0).unwrap();
    println!("{}, {} blocks", driver.name(), driver.blocks());
    std::thread::scope(|scope| {
        for thread in 0..8usize {
            let driver = &driver;
            scope.spawn(move || {
                for round in 0..20 {
                    let mut from = vec![(thread * 20 + round) as u8; 9_000_000 + thread];
                    let (expected, mut back) = (from.clone(), vec![0; from.len()]);
                    let address = driver.allocate(from.len()).unwrap();
                    assert_eq!(address % 256, 0);
                    // SAFETY: the memory is this driver's, of as many bytes, and given back once.
                    unsafe {
                        driver.upload(address, &from).unwrap();
                        from.fill(0); // They may change at once.
                        driver.download(address, &mut back).unwrap();
                        driver.free(address, from.len());
                    }
                    assert!(back == expected, "thread {thread}, round {round}");
                }
            });
        }
    });
}

#[test]
#[ignore = "needs a GPU"]
fn memory_that_is_used_up_is_an_error_and_comes_back() {
    let driver = Driver::new(0).unwrap();
    let total = driver.device().total_memory();
    match driver.allocate(total * 2) {
        Err(Error::OutOfMemory { needed, free }) => {
            assert_eq!(needed, total as u64 * 2);
            assert!(free > 0 && free <= total as u64);
        }
        other => panic!("{other:?}"),
    }
    // Each time the memory of the last, given back by the stream.
    let half = total / 2;
    for _ in 0..8 {
        let address = driver.allocate(half).unwrap();
        // SAFETY: the driver gave it.
        unsafe { driver.free(address, half) };
    }
    driver.synchronize().unwrap();
}

#[test]
#[ignore = "needs a GPU"]
fn handles_of_a_device_open_it_again() {
    let device = Device::open(0).unwrap();
    let stream = Stream::new(&device).unwrap();
    // SAFETY: both outlive what is made of them.
    let (again, shared) = unsafe {
        let again = Device::from_raw(device.as_raw()).unwrap();
        (again.clone(), Stream::from_raw(&again, stream.as_raw()))
    };
    assert_eq!(again.name(), device.name());
    let column = DeviceBuffer::from_slice(&shared, &[1u32, 2]).unwrap();
    let add = add(&device);
    // SAFETY: the column has two values, and the stream is one.
    unsafe { launch!(stream, add<<<1, 32>>>(column.pointer(), 2, 5)) }.unwrap();
    assert_eq!(column.to_vec().unwrap(), [6, 7]);
}

/// A process cannot use the device again after a fault: the fault happens in a process of its own.
#[test]
#[ignore = "needs a GPU"]
fn a_fault_is_a_lost_device_and_names_the_kernel() {
    const MARK: &str = "TREEPAR_TEST_FAULT";
    if std::env::var_os(MARK).is_none() {
        let this = std::env::current_exe().unwrap();
        let name = "a_fault_is_a_lost_device_and_names_the_kernel";
        let child = Command::new(this).args(["--ignored", "--exact", name]).env(MARK, "1").output().unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        return;
    }
    let device = Device::open(0).unwrap();
    let stream = Stream::new(&device).unwrap();
    let add = add(&device);
    // SAFETY: it is not: the device finds it out, and nothing else of this process uses it.
    unsafe { launch!(stream, add<<<1, 32>>>(DevicePointer::from_raw(16), 32, 1)) }.unwrap();
    for _ in 0..2 {
        match stream.synchronize() {
            Err(Error::Lost { doing, reason }) => {
                assert!(doing.contains("`add`") && reason.contains("ILLEGAL_ADDRESS"), "{doing}: {reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(DeviceBuffer::<u32>::zeroed(&stream, 1), Err(Error::Lost { .. })));
}
