//! The emulator finds planted faults, and runs kernels without faults.

#![cfg(feature = "emulate")]
#![expect(unsafe_code, reason = "a machine's memory is given by address; planted kernels are wrong on purpose")]

use std::path::Path;
use std::process::Command;

use treepar_kernels::emulator::Emulator;
use treepar_kernels::machine::{Error, Machine, Result, Unit};

/// A kernel `k` written for these tests, over an array of rows.
struct Planted {
    name: &'static str,
    body: &'static str,
}

impl Unit for Planted {
    fn name(&self) -> &str {
        self.name
    }
    fn key(&self) -> u128 {
        self.body.bytes().fold(7, |key, byte| key.wrapping_mul(131).wrapping_add(byte.into()))
    }
    fn source(&self) -> Result<String> {
        let types = include_str!("../kernels/types.cuh").replace("#pragma once", "");
        let words = include_str!("../kernels/words.cuh").replace("#pragma once", "");
        Ok(format!(
            "{types}{words}#include \"emulator.hpp\"\nusing namespace treepar;\nusing Rows = Shared<u32, 256>;\n\
             extern \"C\" __global__ void k(Array<u32> rows) {{\n{}\n}}\nTREEPAR_ENTRY(k, Array<u32>)\n",
            self.body
        ))
    }
}

/// Runs a kernel over 2048 rows, as 8 blocks of 256 threads, and returns the rows. At first each row is its index.
fn run(seed: u64, name: &'static str, body: &'static str) -> Result<Vec<u32>> {
    let emulator = Emulator::with_seed(seed).expect("a C++ compiler");
    let function = emulator.function(&Planted { name, body }, "k")?;
    let rows: Vec<u8> = (0..2048u32).flat_map(u32::to_ne_bytes).collect();
    let address = emulator.allocate(rows.len())?;
    let array = [address.to_ne_bytes(), 2048u64.to_ne_bytes()].concat();
    let mut after = vec![0; rows.len()];
    // SAFETY: the memory is this emulator's, of as many bytes; it finds the faults of a kernel before they do harm.
    unsafe {
        emulator.upload(address, &rows)?;
        let status = emulator.launch(&function, 8, 256, &[&array]);
        emulator.download(address, &mut after)?;
        emulator.free(address, rows.len());
        status?;
    }
    Ok(after.chunks_exact(4).map(|row| u32::from_ne_bytes([row[0], row[1], row[2], row[3]])).collect())
}

/// Returns the emulator's message for a fault, which every seed must find.
fn fault(name: &'static str, body: &'static str) -> String {
    let mut said = String::new();
    for seed in 1..=5 {
        match run(seed, name, body) {
            Err(Error::Fault { what, .. }) => said = what,
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    said
}

/// Each block turns its rows around, by way of shared memory.
macro_rules! turn_around {
    ($barrier:literal) => {
        concat!(
            "TREEPAR_SHARED(Rows, turned);
             const u32 first = block() * 256;
             turned.set(255 - thread(), rows.get(first + thread()));",
            $barrier,
            "rows.set(first + thread(), turned.get(thread()));"
        )
    };
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_kernel_without_a_fault_runs_the_same_with_every_seed() {
    let expected: Vec<u32> = (0..2048).map(|i| i / 256 * 256 + 255 - i % 256).collect();
    for seed in 1..=5 {
        assert_eq!(run(seed, "turn_around", turn_around!("barrier();")), Ok(expected.clone()));
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_missing_barrier_is_found() {
    let said = fault("no_barrier", turn_around!(""));
    assert!(said.contains("no barrier between") || said.contains("never written"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_barrier_of_one_warp_is_not_one_of_the_block() {
    let said = fault("warp_barrier_only", turn_around!("warp_barrier();"));
    assert!(said.contains("no barrier between") || said.contains("never written"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_write_outside_is_found_with_its_place() {
    let said = fault("outside", "rows.set(block() * 256 + thread() + 1, 7);");
    assert_eq!(said, "block 7, thread 255: write of row 2048 of an array with 2048 rows");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_write_past_the_memory_that_the_host_gave_is_found() {
    let said = fault(
        "past_the_end",
        "if (block() == 3 && thread() == 9) {
             Array<u32>{rows.data, rows.rows + 4}.set(2049, 7);
         }",
    );
    assert!(said.starts_with("a write outside the column of 8192 bytes"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_read_outside_a_column_is_found() {
    let said = fault(
        "read_outside",
        "const Column<u32> column = {rows.data, 2048u};
         rows.set(thread(), column[2040 + u64(thread() % 9)]);",
    );
    assert!(said.ends_with("read of row 2048 of a column with 2048 rows"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_read_of_shared_memory_never_written_is_found() {
    let said = fault(
        "never_written",
        "TREEPAR_SHARED(Rows, some);
         if (thread() < 255) {
             some.set(thread(), 1);
         }
         barrier();
         rows.set(thread(), some.get(255 - thread()));",
    );
    assert!(said.ends_with("thread 0: read of row 255 of shared memory that was never written"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_divergent_barrier_is_found() {
    let ended = fault("divergent", "if (thread() < 100) { barrier(); } rows.set(thread(), 1);");
    assert!(ended.contains("divergent barrier"), "{ended}");
    let two = fault(
        "two_barriers",
        "if (thread() < 128) {
             barrier();
         } else {
             barrier();
         }
         rows.set(thread(), 1);",
    );
    assert!(two.contains("divergent barrier"), "{two}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_divergent_warp_is_found() {
    let said = fault("divergent_warp", "if (lane() < 20) { rows.set(thread(), ballot(true)); }");
    assert!(said.contains("divergent warp"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn an_assumed_order_of_blocks_fails() {
    // Each block counts on the one before to have added its part.
    let body = "if (thread() == 0) { rows.set(block(), block() == 0 ? 1 : rows.get(block() - 1) + 1); }";
    let right: Vec<u32> = (1..=8).collect();
    let is_right = |seed| run(seed, "order", body).is_ok_and(|rows| rows[..8] == right);
    let wrong = (1..=20).filter(|&seed| !is_right(seed)).count();
    assert!(wrong >= 15, "only {wrong} of 20 seeds show it");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_seed_is_a_schedule() {
    // Each block and each thread of it writes when its turn came.
    let body = "const u32 turn = rows.add(2047, 1); if (thread() < 255) { rows.set(block() * 255 + thread(), turn); }";
    let turns = |seed| run(seed, "turns", body).expect("no fault");
    let of_seeds: Vec<_> = (1..=5).map(turns).collect();
    for (seed, first) in (1..=5).zip(&of_seeds) {
        assert_eq!(turns(seed), *first, "seed {seed}");
    }
    assert!(of_seeds.windows(2).all(|pair| pair[0] != pair[1]), "two seeds have one schedule");
}

/// The first thread writes a row and a flag, the others wait for the flag and read the row.
macro_rules! told {
    ($writer:literal, $reader:literal) => {
        concat!(
            "if (rows.add(1024, 1) == 1024) {
                 rows.set(0, 7);",
            $writer,
            "rows.store_fresh(1025, 7);
             } else {
                 while (rows.load_fresh(1025) != 7) {
                     wait_a_little();
                 }",
            $reader,
            "rows.store_fresh(1026, rows.get(0));
             }"
        )
    };
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_value_behind_a_flag_needs_a_fence_on_both_sides() {
    for seed in 1..=5 {
        let rows = run(seed, "told", told!("fence();", "fence();")).expect("no fault");
        assert_eq!(rows[1026], 7);
    }
    let writer = fault("told_no_writer", told!("", "fence();"));
    assert!(writer.contains("it has had no fence since"), "{writer}");
    let reader = fault("told_no_reader", told!("fence();", ""));
    assert!(reader.contains("no fence here since it had one"), "{reader}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_row_of_another_thread_needs_a_barrier() {
    let body = |barrier| match barrier {
        true => "rows.set(block() * 256 + thread(), 3); barrier(); rows.get(block() * 256 + 255 - thread());",
        false => "rows.set(block() * 256 + thread(), 3); rows.get(block() * 256 + 255 - thread());",
    };
    assert_eq!(run(1, "in_block", body(true)), Ok(vec![3; 2048]));
    let said = fault("in_block_without", body(false));
    assert!(said.contains("it has had no fence since"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn waiting_for_a_block_that_has_not_begun_is_found() {
    // As many blocks as are begun together can be fewer than all.
    let said = fault(
        "waits_for_later",
        "if (thread() == 0) {
             rows.add(0, 1);
             while (rows.load_fresh(0) < 8) {
                 wait_a_little();
             }
         }
         barrier();",
    );
    assert!(said.contains("none of those that run will write"), "{said}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn wrong_arguments_are_an_error() {
    let emulator = Emulator::with_seed(1).expect("a C++ compiler");
    let unit = Planted { name: "turn_around", body: turn_around!("barrier();") };
    let function = emulator.function(&unit, "k").expect("a kernel");
    // SAFETY: none of these is launched.
    let launch = |grid, block, arguments: &[&[u8]]| unsafe { emulator.launch(&function, grid, block, arguments) };
    let array = [0; 16];
    let wrong: [(u32, u32, &[&[u8]]); 5] =
        [(8, 256, &[]), (8, 256, &[&[0; 8]]), (8, 256, &[&array, &[0; 4]]), (0, 256, &[&array]), (1, 2048, &[&array])];
    for (grid, block, arguments) in wrong {
        let found = launch(grid, block, arguments);
        assert!(matches!(found, Err(Error::Arguments { .. })), "{found:?}");
    }
    assert!(matches!(emulator.function(&unit, "absent"), Err(Error::Compile { .. })));
}

#[test]
#[ignore = "needs a C++ compiler"]
fn what_does_not_compile_is_an_error_with_the_compilers_words() {
    let emulator = Emulator::with_seed(1).expect("a C++ compiler");
    let Err(Error::Compile { unit, log }) = emulator.function(&Planted { name: "broken", body: "int f( {" }, "k")
    else {
        panic!("it compiled");
    };
    assert_eq!(unit, "broken");
    assert!(log.contains("error"), "{log}");
}

#[test]
#[ignore = "needs a C++ compiler"]
fn copies_outside_columns_are_errors() {
    let emulator = Emulator::with_seed(1).expect("a C++ compiler");
    let address = emulator.allocate(100).expect("memory");
    // SAFETY: that a range is outside is found before anything is copied.
    unsafe {
        assert!(matches!(emulator.upload(address, &[0; 101]), Err(Error::Fault { .. })));
        assert!(matches!(emulator.download(address + 100, &mut [0]), Err(Error::Fault { .. })));
        assert!(matches!(emulator.fill(address - 1, 4, 0), Err(Error::Fault { .. })));
        assert!(matches!(emulator.copy(address, address + 60, 50), Err(Error::Fault { .. })));
        assert!(matches!(emulator.fill(u64::MAX, usize::MAX, 0), Err(Error::Fault { .. })));
        assert_eq!(emulator.copy(u64::MAX, 0, 0), Ok(()));
        emulator.free(address, 100);
        assert!(matches!(emulator.upload(address, &[0; 1]), Err(Error::Fault { .. })));
    }
}

#[test]
#[ignore = "needs a C++ compiler"]
fn what_is_freed_is_what_was_allocated() {
    let emulator = Emulator::with_seed(1).expect("a C++ compiler").with_memory(100);
    for _ in 0..3 {
        let address = emulator.allocate(100).expect("memory");
        // SAFETY: a size that is not the memory's is what is tested: the emulator knows its own.
        unsafe {
            emulator.free(address, 7);
            emulator.free(address, 100);
        }
    }
}

/// Runs one of these tests in a process of its own, whose units are kept in `cache`.
fn run_with_cache(cache: &Path, temporary: &Path) {
    let test = "a_kernel_without_a_fault_runs_the_same_with_every_seed";
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", test])
        .env("TREEPAR_CACHE", cache)
        .env("TMPDIR", temporary)
        .output()
        .expect("a process");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The files in a folder and below it.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_damaged_file_of_the_cache_is_compiled_anew() {
    let cache = tempfile::tempdir().expect("a folder");
    run_with_cache(cache.path(), cache.path());
    let [unit] = &files(cache.path())[..] else { panic!("{:?}", files(cache.path())) };
    let code = std::fs::read(unit).expect("a unit");
    // No library at all, and a library of something else.
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let other = cache.path().join("other.so");
    let source = cache.path().join("other.cpp");
    std::fs::write(&source, "int other() { return 1; }").expect("a file");
    let made = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).arg(&other).arg(&source).status();
    assert!(made.expect("a C++ compiler").success());
    for damage in [b"not a library".to_vec(), std::fs::read(&other).expect("a library")] {
        std::fs::write(unit, damage).expect("a file");
        run_with_cache(cache.path(), cache.path());
        assert_eq!(std::fs::read(unit).expect("a unit").len(), code.len());
    }
    // An undamaged file is used as it is.
    let made = std::fs::metadata(unit).and_then(|unit| unit.modified()).expect("a time");
    run_with_cache(cache.path(), cache.path());
    assert_eq!(std::fs::metadata(unit).and_then(|unit| unit.modified()).expect("a time"), made);
}

#[test]
#[ignore = "needs a C++ compiler"]
fn a_process_has_room_for_many_units() {
    let cache = tempfile::tempdir().expect("a folder");
    run_with_cache(cache.path(), cache.path());
    let [unit] = &files(cache.path())[..] else { panic!("{:?}", files(cache.path())) };
    let load = |k: u32| {
        let copy = cache.path().join(format!("{k}.so"));
        std::fs::copy(unit, &copy).expect("a file");
        // SAFETY: a unit has no initializers.
        unsafe { libloading::Library::new(copy) }.unwrap_or_else(|error| panic!("unit {k}: {error}"))
    };
    let units: Vec<_> = (0..200).map(load).collect();
    assert_eq!(units.len(), 200);
}

#[test]
#[ignore = "needs a C++ compiler"]
fn without_a_cache_nothing_is_kept() {
    let temporary = tempfile::tempdir().expect("a folder");
    run_with_cache(Path::new(""), temporary.path());
    assert_eq!(files(temporary.path()), [] as [std::path::PathBuf; 0]);
}
