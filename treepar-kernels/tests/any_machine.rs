//! Tests that pass with and without a driver, and with and without a device.
#![cfg(feature = "cuda")]

use treepar_kernels::driver::{Device, Driver};
use treepar_kernels::machine::Machine;

/// A device that cannot be had is one sentence that says what to do, from each thread, and never a panic.
#[test]
fn a_device_is_had_or_not_in_all_threads() {
    let answers: Vec<Result<String, String>> = std::thread::scope(|scope| {
        let ask = || Driver::new(0).map(|driver| driver.name()).map_err(|error| error.to_string());
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a panic")).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    if let Err(sentence) = &answers[0] {
        assert!(sentence.contains("CPU backend") || sentence.contains("update NVIDIA's driver"), "{sentence}");
        assert_eq!(sentence.lines().count(), 1, "{sentence}");
    }
}

#[test]
fn no_machine_has_a_device_of_that_number() {
    let error = Device::open(1 << 40).expect_err("a device");
    assert!(!error.to_string().is_empty() && !format!("{error:?}").is_empty());
}
