//! Executed instructions and accesses to memory, by the simulator.

use refcompiler::simulator::{Limits, Streams, Work, run_counted};

/// The work of one repetition, on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerRepetition {
    /// Instructions.
    pub instructions: f64,
    /// Loads and stores.
    pub accesses: f64,
    /// Bytes that loads and stores move.
    pub bytes: f64,
}

impl PerRepetition {
    /// Returns the numbers with their names in the record.
    pub fn numbers(&self) -> [(&'static str, f64); 3] {
        [("instructions", self.instructions), ("accesses", self.accesses), ("bytes moved", self.bytes)]
    }
}

/// The most bytes of arrays.
const MAPPED: u64 = 1 << 30;

/// Runs an executable for RISC-V on the simulator. Returns its output and its work.
///
/// # Errors
/// The reason why the program was stopped.
pub fn run(elf: &[u8], input: &str) -> Result<(String, Work), String> {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let streams = Streams { input: &mut input.as_bytes(), output: &mut output, errors: &mut errors };
    let limits = Limits { mapped_bytes: MAPPED, ..Limits::default() };
    match run_counted(elf, streams, limits) {
        Ok((0, work)) => Ok((String::from_utf8_lossy(&output).into_owned(), work)),
        Ok((status, _)) => Err(format!("status {status}: {}", String::from_utf8_lossy(&errors))),
        Err(fault) => Err(fault.to_string()),
    }
}

/// Returns the work of one of `times` repetitions, and the output of one repetition.
///
/// # Errors
/// As [`run`].
pub fn per_repetition(
    elf: &[u8],
    times: u64,
    input: impl Fn(u64) -> String,
) -> Result<(String, PerRepetition), String> {
    let (_, start) = run(elf, &input(0))?;
    let (output, first) = run(elf, &input(1))?;
    let all = if times == 1 { first } else { run(elf, &input(times))?.1 };
    let each = |of: fn(&Work) -> u64| (of(&all) as f64 - of(&start) as f64) / times as f64;
    let work = PerRepetition {
        instructions: each(|work| work.instructions),
        accesses: each(|work| work.loads + work.stores),
        bytes: each(|work| work.loaded_bytes + work.stored_bytes),
    };
    Ok((output, work))
}
