//! One measurement for each program and variant.

use refcompiler::target::Target;

use super::Program;
use super::compiled::executable;
use super::native::Native;
use super::simulated::per_repetition;
use super::variant::Variant;
use crate::frame::record::Record;
use crate::frame::sweep::{Label, Sweep};

/// The part of a measurement with the executed instructions and accesses to memory.
pub const COUNTS: &str = "counts";

/// What is measured of a program.
pub struct Job<'a> {
    /// The experiment, and the case in it.
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
/// `None` if the compiler lacks a pass, which the record notes once.
///
/// # Errors
/// The reason why the program cannot be compiled or run.
pub fn measure(
    sweep: &mut Sweep,
    job: &Job<'_>,
    variant: &Variant,
    input: impl Fn(u64) -> String,
) -> Result<Option<String>, String> {
    let Some(passes) = variant.optimisations() else {
        sweep.note_once(format!(
            "variant “{}” is left out: this compiler lacks a pass of `{}`",
            variant.name, variant.passes
        ));
        return Ok(None);
    };
    let label = |stage| Label { experiment: job.experiment, case: job.case, variant: &variant.name, stage };
    let mut outputs = Vec::new();
    if job.counted > 0 {
        let elf = executable(&job.program, Target::Riscv32, passes)?;
        let (output, work) = per_repetition(&elf, job.counted, &input)
            .map_err(|error| format!("{}, {}: {error}", job.program.file, variant.options()))?;
        let numbers = [job.numbers, &work.numbers()].concat();
        sweep.add(&label(COUNTS), &numbers, Vec::new());
        outputs.push(output);
    }
    if job.is_timed && Target::of_host() == Some(Target::X86_64) {
        let native = Native::of_bytes(&executable(&job.program, Target::X86_64, passes)?)?;
        let (output, seconds) = native.measure(sweep, input)?;
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

/// Returns a count of a measurement.
pub fn count(record: &Record, experiment: &str, case: &str, variant: &str, name: &str) -> Option<f64> {
    record.find(experiment, case, variant, COUNTS)?.number(name)
}
