//! Executed instructions and accesses to memory, by the simulator.

use refcompiler::simulator::{Limits, Streams, Work, run_counted};

/// A count of the simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Instructions.
    Instructions,
    /// Loads and stores.
    Accesses,
    /// Bytes that loads and stores move.
    Bytes,
}

impl Count {
    /// All counts.
    pub const ALL: [Count; 3] = [Count::Instructions, Count::Accesses, Count::Bytes];

    /// Returns the name in the record.
    pub fn name(self) -> &'static str {
        match self {
            Count::Instructions => "instructions",
            Count::Accesses => "accesses",
            Count::Bytes => "bytes moved",
        }
    }

    fn of(self, work: &Work) -> u64 {
        match self {
            Count::Instructions => work.instructions,
            Count::Accesses => work.loads + work.stores,
            Count::Bytes => work.loaded_bytes + work.stored_bytes,
        }
    }
}

/// The counts of one repetition, on average, with their names in the record.
pub type PerRepetition = [(&'static str, f64); 3];

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
    let each = |count: Count| (count.of(&all) as f64 - count.of(&start) as f64) / times as f64;
    Ok((output, Count::ALL.map(|count| (count.name(), each(count)))))
}
