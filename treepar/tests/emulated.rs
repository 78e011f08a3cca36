//! What is the machine's matter and no law's: memory that is too small, threads that share a backend, a device function
//! that reads outside its columns.

#![cfg(feature = "emulate")]

use treepar::backend::ScanKind;
use treepar::backend::gpu::Emulated;
use treepar::depth::Depths;
use treepar::device::device;
use treepar::monoid::sum_u32;
use treepar::scan::scan;
use treepar::{Backend, Column, Error, MachineError};

#[test]
fn a_forest_that_does_not_fit_is_an_error_and_the_backend_goes_on() {
    let backend = Emulated::with_memory(100_000).unwrap();
    let depth: Vec<u32> = (0..20_000).map(|i| i % 7).collect();
    let views = |depth: &[u32]| {
        let forest = Depths::new(&backend, backend.upload(depth)?)?;
        let parents = forest.parents(&backend)?;
        forest.ends(&backend)?;
        backend.download(&parents)
    };
    let found = views(&depth).unwrap_err();
    assert!(found.is_out_of_memory(), "{found}");
    let Error::Machine(MachineError::OutOfMemory { needed, free }) = found else { panic!("{found}") };
    assert!(needed > free && free < 100_000, "{needed} of {free}");
    assert_eq!(
        Error::Machine(MachineError::OutOfMemory { needed: 9, free: 4 }).to_string(),
        "out of device memory: 9 bytes were asked for, 4 are free; the CPU backend may have room"
    );
    // All that was taken on the way was given back.
    let parents = views(&depth[..1000]).unwrap();
    assert_eq!(parents[8], 7);
    assert_eq!(backend.upload(&[0u8; 100_000]).unwrap().len(), 100_000);
}

#[test]
fn threads_share_a_backend() {
    let backend = Emulated::with_seed(3).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4u32 {
            let backend = &backend;
            scope.spawn(move || {
                for n in [1, 300, 5000] {
                    let rows: Vec<u32> = (0..n).map(|i| i * thread % 11).collect();
                    let column = backend.upload(&rows).unwrap();
                    let (sums, total) = scan::<sum_u32, _>(backend, ScanKind::Inclusive, &column).unwrap();
                    let mut expected = rows.clone();
                    (1..rows.len()).for_each(|i| expected[i] += expected[i - 1]);
                    assert_eq!(backend.download(&sums).unwrap(), expected);
                    assert_eq!(Some(&total), expected.last());
                }
            });
        }
    });
}

#[device(map)]
fn next_row(i: usize, x: &[u32]) -> u32 {
    x[i + 1]
}

#[test]
fn a_device_function_that_reads_outside_is_told_with_its_kernel() {
    let backend = Emulated::new().unwrap();
    let x = backend.upload(&[1u32, 2, 3]).unwrap();
    let found = backend.map::<next_row>(3, (&x,)).map(drop).unwrap_err();
    let Error::Machine(MachineError::Fault { entry, what }) = found else { panic!("{found}") };
    assert!(entry.ends_with("next_row"), "{entry}");
    assert!(what.ends_with("read of row 3 of a column with 3 rows"), "{what}");
    // Nothing is lost on a host.
    assert_eq!(backend.download(&backend.map::<next_row>(2, (&x,)).unwrap()).unwrap(), [2, 3]);
}
