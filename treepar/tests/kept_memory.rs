//! Memory of dropped columns goes to later columns, up to a limit, on the stand-in for the driver.

#![cfg(feature = "cuda")]

use treepar::backend::gpu::Cuda;
use treepar::{Backend, Column, Error};
use treepar_stand_in::{Settings, add_device, symbol, take_counts};

/// Returns a GPU with memory of `bytes` bytes, and the number of its device.
#[expect(unsafe_code, reason = "the driver is replaced")]
fn gpu(bytes: u64) -> (Cuda, usize) {
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(symbol) }.unwrap();
    let ordinal = add_device(Settings { memory: bytes, ..Settings::default() });
    (Cuda::with_device(ordinal).unwrap(), ordinal)
}

/// Returns the number of allocations since the last call.
fn allocations(ordinal: usize) -> u64 {
    take_counts(ordinal).calls.allocations
}

#[test]
fn a_second_run_allocates_nothing() {
    let (gpu, ordinal) = gpu(1 << 20);
    let run = || {
        let x = gpu.upload(&[1u32; 1000]).unwrap();
        let (mask, ones) = (gpu.filled(1000, 1u8).unwrap(), gpu.filled(1000, 1u64).unwrap());
        assert_eq!(gpu.compact(&mask).unwrap().len(), 1000);
        drop((mask, ones));
        gpu.histogram(&x, 3).and_then(|counts| gpu.download(&counts)).unwrap()
    };
    assert_eq!(run(), [0, 1000, 0]);
    assert!(allocations(ordinal) > 3);
    for _ in 0..3 {
        assert_eq!(run(), [0, 1000, 0]);
    }
    assert_eq!(allocations(ordinal), 0);
    gpu.keep_memory(0);
    run();
    assert!(allocations(ordinal) > 3, "without kept memory, columns are allocated again");
}

#[test]
fn earlier_work_reads_a_column_whose_memory_is_written_later() {
    let (gpu, ordinal) = gpu(1 << 20);
    let mut results = Vec::new();
    for round in 0..20u32 {
        let x = gpu.upload(&vec![round; 500]).unwrap();
        let y = gpu.upload(&vec![round; 500]).unwrap();
        let mut sums = gpu.filled(1, 0u32).unwrap();
        gpu.scatter(&mut sums, &gpu.filled(1, 0u32).unwrap(), &gpu.slice(&y, 7..8).unwrap()).unwrap();
        results.push((round, sums, x));
        // Nothing has waited: the copies and the scatter of this round may still be in the queue.
    }
    for (round, sums, x) in &results {
        assert_eq!((gpu.read(sums, 0).unwrap(), gpu.read(x, 499).unwrap()), (*round, *round));
    }
    assert!(allocations(ordinal) < 80);
}

#[test]
fn memory_that_is_kept_is_freed_when_there_is_no_other() {
    let (gpu, ordinal) = gpu(1 << 20);
    let half = 150_000;
    drop((gpu.filled(half, 1u32).unwrap(), gpu.filled(half / 4, 1u32).unwrap()));
    // There is room for this column or for the kept ones.
    let large = gpu.filled(half * 3 / 2, 7u32).unwrap();
    assert_eq!(gpu.read(&large, half).unwrap(), 7);
    take_counts(ordinal);
    assert!(matches!(gpu.filled(half, 1u32), Err(Error::OutOfMemory { .. } | Error::Machine(_))));
    assert_eq!(allocations(ordinal), 0);
    drop(large);
    assert_eq!(gpu.read(&gpu.filled(half, 1u32).unwrap(), 0).unwrap(), 1);
}

#[test]
fn the_limit_bounds_the_memory_that_is_kept() {
    let (gpu, ordinal) = gpu(1 << 20);
    gpu.keep_memory(4096);
    let allocated = |rows: usize| {
        drop(gpu.allocate::<u32>(rows).unwrap());
        allocations(ordinal)
    };
    assert_eq!([allocated(1024), allocated(1024), allocated(1024)], [1, 0, 0]);
    // The larger column goes back to the driver, and the smaller one stays.
    assert_eq!([allocated(2048), allocated(2048), allocated(1024)], [1, 1, 0]);
}

#[test]
fn columns_with_kept_memory_have_their_own_rows() {
    let (gpu, _) = gpu(1 << 20);
    drop(gpu.upload(&[9u32; 60]).unwrap());
    let x = gpu.upload(&(0..33).collect::<Vec<u32>>()).unwrap();
    assert_eq!(x.len(), 33);
    // A debug build finds two rows with one target, so a scatter needs scratch memory too.
    let rows = gpu.sort_by_key(&x, &x).unwrap().1;
    assert_eq!(gpu.download(&rows).unwrap(), (0..33).collect::<Vec<u32>>());
}
