//! Vector Pascal's tables: `x := a * (b - c)` on arrays of 16-bit integers and of floats, by the passes that are applied.

#[cfg(test)]
mod oracle;
pub mod peers;
pub mod report;

use serde::Deserialize;

use crate::frame::sweep::{Label, Sweep};
use crate::par::foreign::Built;
use crate::par::table::{Job, measure as measure_one};
use crate::par::variant::{Variant, Variants};
use crate::par::{Program, program};
use peers::PEERS;

/// The published tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    source: String,
    machine: String,
    #[expect(dead_code, reason = "a remark for readers of the file")]
    note: String,
    /// Tables 1 to 3.
    by_length: Vec<ByLength>,
    table_4: Ratios,
    table_5: Ratios,
    table_6: Vec<Floats>,
}

/// A published table with a value for each power of two in [`POWERS`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ByLength {
    table: String,
    machine: String,
    slow: String,
    fast: String,
    slow_us: [f64; 6],
    fast_us: [f64; 6],
    /// The ratio of both times, as printed.
    ratio: [f64; 6],
}

/// The published ratios of table 4 or 5.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ratios {
    scalar: f64,
    vector: f64,
}

/// A row of table 6.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Floats {
    name: String,
    crusoe_us: Option<f64>,
    athlon_us: Option<f64>,
}

impl Published {
    fn new() -> Published {
        serde_json::from_str(include_str!("../../data/vector-pascal.json")).expect("the file is ours")
    }
}

/// The experiment's name in the record.
pub const EXPRESSION: &str = "x := a * (b - c)";

/// The experiments with the properties of the processor: the size of each cache, and the clock.
pub const CACHES: &str = "caches";
pub const CLOCK: &str = "clock";

/// A type of elements.
pub struct Elements {
    /// The name in the record.
    pub name: &'static str,
    /// The bytes of an element.
    pub bytes: f64,
    /// The program.
    program: Program,
}

/// The types of the elements.
pub const ELEMENTS: [Elements; 3] = [
    Elements { name: "short", bytes: 2.0, program: program!("vector-pascal/short.par") },
    Elements { name: "float", bytes: 4.0, program: program!("vector-pascal/float.par") },
    Elements { name: "int", bytes: 4.0, program: program!("vector-pascal/int.par") },
];

/// The numbers of elements are these powers of two.
pub const POWERS: [u32; 6] = [10, 12, 14, 16, 18, 20];

/// The number of elements of the tables 4 to 6, as a power of two.
pub const SMALL: u32 = 10;

/// The elements up to which instructions are counted.
const COUNTED: u32 = 12;

/// Returns the name of a case.
pub fn case_of(elements: &str, power: u32) -> String {
    format!("{elements}, 2^{power}")
}

/// Measures all variants on all lengths, and the peers that are installed.
///
/// # Errors
/// The reason why a program cannot be compiled or run, or gives another result than another one.
pub fn measure(sweep: &mut Sweep) -> Result<(), String> {
    let variants = Variants::new().vector_pascal;
    let each = variants.len() + PEERS.len();
    if sweep.case("the processor".into()) {
        processor(sweep);
        sweep.keep()?;
    }
    sweep.plan((ELEMENTS.len() * POWERS.len() * each) as u64);
    for elements in &ELEMENTS {
        let peers = PEERS.iter().filter(|peer| peer.cpu.is_here());
        let peers = peers.map(|peer| Ok((peer, peer.compiled(elements.name)?))).collect::<Result<Vec<_>, String>>()?;
        for (peer, built) in &peers {
            sweep.note_once(peer.program.note(peer.name, built));
        }
        for power in POWERS {
            if sweep.is_interrupted() {
                return Ok(());
            }
            let case = case_of(elements.name, power);
            if !sweep.case(format!("{EXPRESSION}, {case} elements")) {
                sweep.step(each as u64);
                continue;
            }
            let mut expected = None;
            let n = 1u64 << power;
            let numbers = [("elements", n as f64), ("bytes", elements.bytes)];
            for variant in &variants {
                let output = one_variant(sweep, elements, power, variant, &numbers)?;
                check(&mut expected, output, &case, &variant.name)?;
                sweep.step(1);
            }
            for (peer, built) in &peers {
                if let Built::Ready { native, .. } = built {
                    let (output, seconds) = native.measure(sweep, |times| format!("{} {n} {times}\n", peer.form))?;
                    sweep.add(
                        &Label { experiment: EXPRESSION, case: &case, variant: peer.name, stage: "" },
                        &numbers,
                        seconds,
                    );
                    check(&mut expected, Some(output), &case, peer.name)?;
                }
                sweep.step(1);
            }
            sweep.keep()?;
        }
    }
    Ok(())
}

/// Records the sizes of the caches and the clock, if the system reports them.
fn processor(sweep: &mut Sweep) {
    for (name, bytes) in caches() {
        let label = Label { experiment: CACHES, case: &name, variant: "this machine", stage: "" };
        sweep.add(&label, &[("bytes", bytes)], Vec::new());
    }
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mhz = info.lines().find_map(|line| line.strip_prefix("cpu MHz")?.split_once(':')?.1.trim().parse::<f64>().ok());
    if let Some(mhz) = mhz {
        let label = Label { experiment: CLOCK, case: "core 0", variant: "this machine", stage: "" };
        sweep.add(&label, &[("GHz", mhz / 1e3)], Vec::new());
    }
}

/// Returns the name and the bytes of each cache for data.
fn caches() -> Vec<(String, f64)> {
    let read = |index: u32, file: &str| {
        std::fs::read_to_string(format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{file}")).ok()
    };
    let one = |index: u32| {
        let (level, kind, size) = (read(index, "level")?, read(index, "type")?, read(index, "size")?);
        let kibibytes: f64 = size.trim().strip_suffix('K')?.parse().ok()?;
        (kind.trim() != "Instruction").then(|| (format!("L{}", level.trim()), kibibytes * 1024.0))
    };
    (0..8).filter_map(one).collect()
}

fn one_variant(
    sweep: &mut Sweep,
    elements: &Elements,
    power: u32,
    variant: &Variant,
    numbers: &[(&str, f64)],
) -> Result<Option<String>, String> {
    let case = case_of(elements.name, power);
    let job = Job {
        experiment: EXPRESSION,
        case: &case,
        program: elements.program,
        numbers,
        is_timed: true,
        counted: if power <= COUNTED { 10 } else { 0 },
    };
    let n = 1u64 << power;
    measure_one(sweep, &job, variant, |times| format!("{} {n} {times}\n", variant.form))
}

/// Checks that all programs print the same number. Sums of floats may differ in the last digits that are printed.
fn check(expected: &mut Option<f64>, output: Option<String>, case: &str, name: &str) -> Result<(), String> {
    let Some(output) = output else { return Ok(()) };
    let value: f64 = output.trim().parse().map_err(|_| format!("{case}, {name}: `{output}` is not a number"))?;
    let wanted = *expected.get_or_insert(value);
    if (value - wanted).abs() <= 1e-3 * wanted.abs() {
        return Ok(());
    }
    Err(format!("{case}, {name}: the sum is {value}, and not {wanted}"))
}
