//! Tests that need a device. `cargo test -p treepar-kernels --features cuda --test device -- --ignored`
#![cfg(feature = "cuda")]
#![expect(unsafe_code, reason = "kernels are launched")]

use std::process::Command;

use treepar_kernels::driver::{Cache, Device, Driver, Function, Module, Stream};
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

fn add(driver: &Driver) -> Function {
    Module::from_ptx(driver.device(), "add", ADD).unwrap().function("add").unwrap()
}

/// Adds 7 to `n` numbers by a kernel between two copies.
fn add_seven(driver: &Driver, n: usize) {
    let values: Vec<u8> = (0..n as u32).flat_map(u32::to_ne_bytes).collect();
    let mut back = vec![0; values.len()];
    let column = driver.allocate(values.len()).unwrap();
    let start = driver.stream().record().unwrap();
    // SAFETY: the column has n numbers, and is freed once.
    unsafe {
        driver.upload(column, &values).unwrap();
        let arguments = [&column.to_ne_bytes()[..], &(n as u32).to_ne_bytes(), &7u32.to_ne_bytes()];
        driver.launch(&add(driver), n.div_ceil(256) as u32, 256, &arguments).unwrap();
        driver.download(column, &mut back).unwrap();
        driver.free(column, values.len());
    }
    let end = driver.stream().record().unwrap();
    let expected: Vec<u8> = (7..n as u32 + 7).flat_map(u32::to_ne_bytes).collect();
    assert!(back == expected, "{n} numbers");
    end.synchronize().unwrap();
    assert!(end.ms_since(&start).unwrap() > 0.0);
}

#[test]
#[ignore = "needs a GPU"]
fn a_kernel_runs_between_copies() {
    let driver = Driver::new(0).unwrap();
    [1, 255, 256, 257, 1_000_003].into_iter().for_each(|n| add_seven(&driver, n));
}

#[test]
#[ignore = "needs a GPU"]
fn handles_of_a_device_open_it_again() {
    let device = Device::open(0).unwrap();
    let stream = Stream::new(&device).unwrap();
    // SAFETY: both outlive everything that is made of them.
    let again = unsafe { Device::from_raw(device.as_raw()).unwrap() };
    assert_eq!(again.name(), device.name());
    // SAFETY: the stream outlives everything that is made of it.
    let shared = unsafe { Stream::from_raw(&again, stream.as_raw()) };
    add_seven(&Driver::on(&shared, Cache::of_user()), 2);
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
    let driver = Driver::new(0).unwrap();
    let arguments = [&16u64.to_ne_bytes()[..], &32u32.to_ne_bytes(), &1u32.to_ne_bytes()];
    // SAFETY: there is no memory at 16: the device finds the fault, and nothing else of this process uses the device.
    unsafe { driver.launch(&add(&driver), 1, 32, &arguments) }.unwrap();
    for _ in 0..2 {
        match driver.synchronize() {
            Err(Error::Lost { doing, reason }) => {
                assert!(doing.contains("`add`") && reason.contains("ILLEGAL_ADDRESS"), "{doing}: {reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(driver.allocate(1), Err(Error::Lost { .. })));
}
