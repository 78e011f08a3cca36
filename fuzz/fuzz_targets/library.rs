//! The laws of the library, each against its oracle. The fuzzer chooses the law, its columns, and the number of threads.
#![no_main]

use std::sync::LazyLock;

use treepar::Cpu;
use treepar_laws::drawn::Rng;
use treepar_laws::{Law, laws};

static LAWS: LazyLock<Vec<Law<Cpu>>> = LazyLock::new(laws);
static CPUS: LazyLock<[Cpu; 3]> = LazyLock::new(|| [1, 2, 5].map(Cpu::with_threads));

#[derive(arbitrary::Arbitrary, Debug)]
struct Case {
    law: u8,
    cpu: u8,
    rows: u8,
    /// One case of 16 has so many rows that threads share them.
    many: Option<(u8, u8)>,
    seed: u8,
    numbers: Vec<u32>,
}

libfuzzer_sys::fuzz_target!(|case: Case| {
    treepar_fuzz::input();
    let law = &LAWS[usize::from(case.law) % LAWS.len()];
    let cpu = &CPUS[usize::from(case.cpu) % CPUS.len()];
    let rows = match case.many {
        Some((high, low)) if low < 16 => 8192 + 64 * usize::from(high),
        _ => usize::from(case.rows),
    };
    (law.holds)(cpu, &mut Rng::with_given(case.seed.into(), case.numbers), rows.min(law.longest));
    treepar_fuzz::checked();
});
