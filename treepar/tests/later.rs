//! Values that a GPU computes and the host reads later, on the stand-in for the driver.

#![cfg(feature = "cuda")]

use treepar::backend::gpu::Cuda;
use treepar::backend::{Downloads, Later, Offsets, ScanKind};
use treepar::group::previous_within_below;
use treepar::monoid::{Max, Sum};
use treepar::segment::owners;
use treepar::{Backend, Column, Cpu, Error};
use treepar_stand_in::{Settings, add_device, symbol, take_counts};

/// Returns a GPU with some settings, and the number of its device.
#[expect(unsafe_code, reason = "the driver is replaced")]
fn gpu(settings: &str) -> (Cuda, usize) {
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(symbol) }.unwrap();
    let ordinal = add_device(settings.parse::<Settings>().unwrap());
    (Cuda::with_device(ordinal).unwrap(), ordinal)
}

/// Returns the number of waits since the last call.
fn waits(ordinal: usize) -> u64 {
    take_counts(ordinal).calls.waits
}

#[test]
fn values_of_several_calls_come_with_one_wait() {
    let (gpu, ordinal) = gpu("uncounted");
    let x = gpu.upload(&(0..5000).collect::<Vec<u32>>()).unwrap();
    let mask = gpu.upload(&(0..5000).map(|i| u8::from(i % 3 == 0)).collect::<Vec<u8>>()).unwrap();
    // Modules are loaded at their first use.
    gpu.reduce(&x, Sum).unwrap();
    waits(ordinal);
    let (sum, greatest) = (gpu.reduce_later(&x, Sum).unwrap(), gpu.reduce_later(&x, Max).unwrap());
    let (prefixes, total) = gpu.scan_later(ScanKind::Exclusive, &x, Sum).unwrap();
    let thirds = gpu.compact(&mask).unwrap();
    let none = gpu.compact(&gpu.filled(70, 0u8).unwrap()).unwrap();
    assert_eq!(waits(ordinal), 0);
    assert_eq!((thirds.len(), none.len()), (1667, 0));
    assert_eq!((sum.read().unwrap(), greatest.read().unwrap(), total.read().unwrap()), (12_497_500, 4999, 12_497_500));
    assert_eq!(waits(ordinal), 1);
    assert_eq!(gpu.read(&prefixes, 4999).unwrap(), 12_492_501);
    assert_eq!(gpu.download(&thirds).unwrap(), (0..5000).step_by(3).collect::<Vec<u32>>());
    assert_eq!(waits(ordinal), 2);
}

#[test]
fn a_download_brings_all_values() {
    let (gpu, ordinal) = gpu("uncounted");
    let x = gpu.upload(&[3u32, 4, 5]).unwrap();
    let y = gpu.upload(&[7u8; 9]).unwrap();
    let z = gpu.upload::<u64>(&[]).unwrap();
    let sum = gpu.reduce_later(&x, Sum).unwrap();
    waits(ordinal);
    let (mut xs, mut ys, mut zs) = (vec![1], Vec::new(), vec![1]);
    let mut downloads = Downloads::new(&gpu);
    downloads.add(&x, &mut xs).unwrap();
    downloads.add(&z, &mut zs).unwrap();
    downloads.add(&y, &mut ys).unwrap();
    downloads.run().unwrap();
    assert_eq!(sum.read().unwrap(), 12);
    assert_eq!((xs, ys, zs), (vec![3, 4, 5], vec![7; 9], vec![]));
    assert_eq!(waits(ordinal), 1);
    let mut short = [0u32; 2];
    let expected = Err(Error::LengthMismatch { array: "rows", expected: 3, found: 2 });
    assert_eq!(Downloads::new(&gpu).add_to(&x, &mut short), expected);
    let elsewhere = Cuda::with_device(ordinal).unwrap();
    let mut some = [0u8; 12];
    let expected = Err(Error::RowOutOfRange { found: 4, rows: 3 });
    assert_eq!(Downloads::new(&gpu).add_bytes(&x, 1, &mut some), expected);
    let expected = Err(Error::LengthMismatch { array: "bytes", expected: 4, found: 5 });
    assert_eq!(Downloads::new(&gpu).add_bytes(&x, 0, &mut some[..5]), expected);
    let (before, after) = some.split_at_mut(4);
    let mut downloads = Downloads::new(&gpu);
    downloads.add_bytes(&x, 1, after).unwrap();
    downloads.add_bytes(&x, 2, before).unwrap();
    downloads.add_bytes(&x, 3, &mut []).unwrap();
    downloads.run().unwrap();
    assert_eq!(some.map(u32::from), [5, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0]);
    assert_eq!(Downloads::new(&elsewhere).add(&x, &mut Vec::new()), Err(Error::OtherBackend));
    assert_eq!(Downloads::new(&gpu).run(), Ok(()));
}

#[test]
fn values_that_nobody_reads_make_room_for_others() {
    let (gpu, _) = gpu("uncounted");
    let x = gpu.upload(&[1u32, 2]).unwrap();
    let mut kept = Vec::new();
    for round in 0..700 {
        let value = gpu.reduce_later(&x, Sum).unwrap();
        if round % 2 == 0 {
            kept.push(value);
        }
    }
    assert!(kept.iter().all(|value| value.read() == Ok(3)));
}

#[test]
fn rows_are_counted_when_their_number_is_known() {
    let (gpu, _) = gpu("uncounted");
    let counted = |bytes: u64| {
        let mask = gpu.upload(&[1u8, 0, 1, 1]).unwrap();
        let before = gpu.counters();
        let rows = gpu.compact(&mask).unwrap();
        assert_eq!(gpu.counters().bytes - before.bytes, bytes);
        assert_eq!(rows.len(), 3);
        drop(rows);
        assert_eq!(gpu.counters().bytes - before.bytes, 4 + 3 * 4);
    };
    counted(4);
    gpu.wait_when_counting(true);
    counted(4 + 3 * 4);
}

#[test]
fn a_length_that_a_lost_device_cannot_tell_fails_the_next_call() {
    let (gpu, _) = gpu("uncounted,limit=20");
    let mask = gpu.upload(&[1u8; 4000]).unwrap();
    let rows = gpu.compact(&mask).unwrap();
    assert_eq!(rows.len(), 0);
    assert!(matches!(gpu.filled(3, 0u8), Err(Error::Machine(_))));
    assert!(matches!(gpu.download(&rows), Err(Error::Machine(_))));
}

#[test]
fn a_cpu_knows_values_at_once() {
    let cpu = Cpu::with_threads(1);
    let x = cpu.upload(&[2u32, 5]).unwrap();
    let (prefixes, total) = cpu.scan_later(ScanKind::Inclusive, &x, Sum).unwrap();
    assert_eq!((&prefixes[..], total.read()), (&[2, 7][..], Ok(7)));
    assert_eq!(cpu.reduce_later(&x, Max).unwrap().read(), Ok(5));
}

/// Sorts keys below 2^20 by their bits, and checks the result.
fn sorts_by_bits<B: Backend>(b: &B) {
    let keys: Vec<u64> = (0..3000u64).map(|i| (((i * 7919) % 4096) << 33) | ((i * 31) % 700)).collect();
    let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
    expected.sort();
    let payload = b.upload(&(0..3000).collect::<Vec<u32>>()).unwrap();
    let column = b.upload(&keys).unwrap();
    for bits in [(4095 << 33) | 1023, u64::MAX] {
        let (sorted, order) = b.sort_by_key_bits(&column, &payload, bits).unwrap();
        let found: Vec<(u64, u32)> =
            b.download(&sorted).unwrap().into_iter().zip(b.download(&order).unwrap()).collect();
        assert!(found == expected, "{bits:x}");
    }
    let same = b.filled(5, 9u32).unwrap();
    let (sorted, order) = b.sort_by_key_bits(&same, &b.slice(&payload, 0..5).unwrap(), 0).unwrap();
    assert_eq!((b.download(&sorted).unwrap(), b.download(&order).unwrap()), (vec![9; 5], vec![0, 1, 2, 3, 4]));
    let short = Err(Error::LengthMismatch { array: "payload", expected: 5, found: 3000 });
    assert_eq!(b.sort_by_key_bits(&same, &payload, 0).map(drop), short);
}

#[test]
fn keys_are_sorted_by_bits_without_a_wait() {
    sorts_by_bits(&Cpu::with_threads(2));
    let (gpu, ordinal) = gpu("uncounted");
    sorts_by_bits(&gpu);
    let keys = gpu.upload(&(0..3000u32).rev().collect::<Vec<u32>>()).unwrap();
    waits(ordinal);
    let groups = gpu.filled(3000, 5u32).unwrap();
    let found = previous_within_below(&groups, &keys, 5).unwrap();
    if cfg!(not(debug_assertions)) {
        // A debug build checks scatters.
        assert_eq!(waits(ordinal), 0);
    }
    assert_eq!(gpu.read(&found, 2999).unwrap(), u32::MAX);
    let found =
        previous_within_below(&gpu.upload(&[7u32, 3, 7, 7]).unwrap(), &gpu.upload(&[1u32, 0, 5, 4]).unwrap(), 7);
    assert_eq!(gpu.download(&found.unwrap()).unwrap(), [u32::MAX, u32::MAX, 0, 0]);
}

/// Checks offsets that are right or wrong.
fn checks_offsets<B: Backend>(b: &B) {
    let new = |offsets: &[u32], rows| Offsets::new(b, &b.upload(offsets).unwrap(), rows).map(|offsets| offsets.rows());
    assert_eq!(new(&[0, 2, 2], 5), Ok(5));
    assert_eq!(new(&[], 5), Ok(5));
    assert_eq!(new(&[0, 3, 2], 5), Err(Error::InvalidOffset { index: 1, found: 3, limit: 2 }));
    assert_eq!(new(&[0, 6], 5), Err(Error::InvalidOffset { index: 1, found: 6, limit: 5 }));
    let late = b.upload(&[1u32, 2]).unwrap();
    let late = Offsets::new(b, &late, 3).unwrap();
    let expected = Error::InvalidOffset { index: 0, found: 1, limit: 0 };
    assert_eq!(owners(late.column(), 3).map(drop), Err(expected));
    let right = b.upload(&[0u32, 2, 2]).unwrap();
    assert_eq!(Offsets::assume(b, &right, 5).unwrap().rows(), 5);
    assert_eq!(b.download(&owners(&right, 5).unwrap()).unwrap(), [0, 0, 2, 2, 2]);
}

#[test]
fn offsets_are_checked_unless_they_are_assumed_on_a_gpu() {
    checks_offsets(&Cpu::with_threads(2));
    let (gpu, ordinal) = gpu("uncounted");
    checks_offsets(&gpu);
    let offsets = gpu.upload(&[0u32, 2]).unwrap();
    waits(ordinal);
    Offsets::assume(&gpu, &offsets, 5).unwrap();
    assert_eq!(waits(ordinal), 0);
    Offsets::new(&gpu, &offsets, 5).unwrap();
    assert_eq!(waits(ordinal), 1);
    let cpu = Cpu::with_threads(1);
    let falling = cpu.upload(&[0u32, 3, 2]).unwrap();
    let expected = Some(Error::InvalidOffset { index: 1, found: 3, limit: 2 });
    assert_eq!(Offsets::assume(&cpu, &falling, 5).err(), expected, "a CPU checks");
}
