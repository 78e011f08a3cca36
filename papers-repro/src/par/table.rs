//! One measurement for each program and variant.

use refcompiler::target::Target;

use super::Program;
use super::compiled::executable;
use super::native::Native;
use super::simulated::{Count, per_repetition};
use super::variant::Variant;
use crate::frame::record::Record;
use crate::frame::sweep::{Label, Sweep};

/// The part of a measurement with the executed instructions and accesses to memory.
pub const COUNTS: &str = "counts";

/// The measurements of a program in one case.
pub struct Job<'a> {
    /// The experiment.
    pub experiment: &'a str,
    /// The case.
    pub case: &'a str,
    /// The program.
    pub program: Program,
    /// The properties of the case.
    pub numbers: &'a [(&'a str, f64)],
    /// `true` if processor time is measured, on machines that run the programs.
    pub is_timed: bool,
    /// The repetitions on the simulator; 0 if nothing is counted.
    pub counted: u64,
}

/// Measures a program in one variant. `input` returns the input for a number of repetitions. Returns the output of one repetition, or
/// `None` if nothing was measured: the compiler lacks a pass or this machine a processor, which the record notes once.
///
/// # Errors
/// The reason why the program cannot be compiled or run.
pub fn measure(
    sweep: &mut Sweep,
    job: &Job<'_>,
    variant: &Variant,
    input: impl Fn(u64) -> String,
) -> Result<Option<String>, String> {
    let Some((riscv, x86_64)) = variant.settings(Target::Riscv32).zip(variant.settings(Target::X86_64)) else {
        sweep.note_once(format!(
            "variant “{}” is left out: this compiler lacks a pass of `{}`",
            variant.name, variant.passes
        ));
        return Ok(None);
    };
    let is_host = Target::of_host() == Some(Target::X86_64);
    if is_host && !variant.cpu.is_here() {
        sweep.note_once(format!(
            "variant “{}” is left out: this machine does not run code of `{}`",
            variant.name,
            variant.options()
        ));
        return Ok(None);
    }
    let label = |stage| Label { experiment: job.experiment, case: job.case, variant: &variant.name, stage };
    let mut outputs = Vec::new();
    if job.counted > 0 {
        let elf = executable(&job.program, riscv)?;
        let (output, work) = per_repetition(&elf, job.counted, &input)
            .map_err(|error| format!("{}, {}: {error}", job.program.file, variant.options()))?;
        let numbers = [job.numbers, &work].concat();
        sweep.add(&label(COUNTS), &numbers, Vec::new());
        outputs.push(output);
    }
    if job.is_timed && is_host {
        let native = Native::of_bytes(&executable(&job.program, x86_64)?)?;
        let (output, seconds) = native
            .measure(sweep, input)
            .map_err(|error| format!("{}, {}: {error}", job.program.file, variant.options()))?;
        sweep.add(&label(""), job.numbers, seconds);
        outputs.push(output);
    }
    match outputs.as_slice() {
        [first, second] if first != second => {
            Err(format!("{}, {}: the simulator and this machine differ", job.program.file, variant.options()))
        }
        _ => Ok(outputs.pop()),
    }
}

/// Checks that all variants of a case print the same. `expected` is the first output.
///
/// # Errors
/// The name of the variant that prints something else.
pub fn check_same(
    expected: &mut Option<String>,
    output: Option<String>,
    case: &str,
    variant: &Variant,
) -> Result<(), String> {
    let Some(output) = output else { return Ok(()) };
    if *expected.get_or_insert_with(|| output.clone()) == output {
        return Ok(());
    }
    Err(format!("{case}: the result differs in the variant “{}” (`{}`)", variant.name, variant.options()))
}

/// Returns a count of a variant in a case.
pub fn count(record: &Record, experiment: &str, case: &str, variant: &str, count: Count) -> Option<f64> {
    record.find(&Label { experiment, case, variant, stage: COUNTS })?.number(count.name())
}
