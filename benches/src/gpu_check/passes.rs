//! Times of `refc`, pass by pass, on programs of growing size; the words are compared with the CPU's.

use std::time::Instant;

use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::sequential::Sources;
use refcompiler::ir::tree::Tree;
use refcompiler::pipeline::{Compiled, Output, Timing, compile_program};
use treepar::Backend;

use crate::failure::Failure;
use crate::gpu_check::front_end;
use crate::gpu_check::parts::{Check, Lost, caught};
use crate::gpu_check::programs::{compared, run, tree};
use crate::gpu_check::record::{Compilation, PassRow};
use crate::gpu_check::run::Extent;
use crate::gpu_check::subject::Subject;
use crate::kernel_counts::{FRONT_END, predicted_pass_seconds};
use crate::program::{Shape, program};

/// Bytes of source.
const SIZES: [usize; 4] = [100_000, 1_000_000, 10_000_000, 50_000_000];

/// Bytes of source in a rehearsal.
const REHEARSED_SIZES: [usize; 2] = [5000, 50_000];

/// Runs on the machine under check, and with waits between passes, at most.
const RUNS: usize = 7;

/// Runs on the reference, at most.
const REFERENCE_RUNS: usize = 3;

/// Measures all sizes until they are through or the time is over.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    let sizes = match check.run.extent() {
        Extent::Rehearsal => &REHEARSED_SIZES[..],
        Extent::Quick => &SIZES[..3],
        Extent::Full => &SIZES,
    };
    // Seconds that a byte takes once through: text, tree, and one run on each machine.
    let mut seconds_a_byte = 0.0;
    for &bytes in sizes {
        let why = format!("a program of {bytes} bytes: out of time");
        if check.is_late() || seconds_a_byte * bytes as f64 > check.seconds_left() {
            check.run.skipped(1, why);
            continue;
        }
        check.run.doing(format!("passes: a program of {bytes} bytes"));
        let started = Instant::now();
        let source = program(bytes, Shape::ManyFunctions, 1).par;
        let parsing = Instant::now();
        let tree = match tree(&source) {
            Ok(tree) => tree,
            Err(errors) => {
                check.failed(format!("a program of {bytes} bytes"), errors)?;
                continue;
            }
        };
        let parse_seconds = parsing.elapsed().as_secs_f64();
        let before = started.elapsed().as_secs_f64();
        match compilation(check, &source, parse_seconds, &tree) {
            Ok(measured) => {
                let once = before + 2.0 * measured.seconds[0] + measured.cpu_seconds[0];
                seconds_a_byte = once / bytes as f64;
                check.run.record(|record| record.passes.push(measured));
                check.run.passed(1);
            }
            Err(Failure::Full(why)) => check.run.skipped(1, format!("a program of {bytes} bytes: {why}")),
            Err(Failure::Other(why)) => check.failed(format!("a program of {bytes} bytes"), why)?,
        }
    }
    Ok(())
}

/// Compiles one program some times.
fn compilation<B: Subject>(
    check: &Check<B>,
    source: &str,
    parse_seconds: f64,
    tree: &Tree,
) -> Result<Compilation, Failure> {
    let (subject, reference) = (check.subject, check.reference);
    // First runs bring memory and kernels, and are compared.
    let words = compared(check, tree, Output::Object)?.image.words.len();

    let seconds = times(check, RUNS, || {
        run(subject, tree, Output::Object)?;
        Ok(subject.synchronize()?)
    })?;
    let mut passes: Vec<PassRow> = Vec::new();
    for k in 0..RUNS {
        if k > 0 && is_long(check, seconds[0]) {
            break;
        }
        subject.wait_when_counting(true);
        let compiled = run(subject, tree, Output::Object);
        subject.wait_when_counting(false);
        keep_best(&mut passes, &compiled?.timings, |pass| predicted_pass_seconds(check.model(), pass, source.len()));
    }
    let cpu_seconds = times(check, REFERENCE_RUNS, || run(reference, tree, Output::Object).map(drop))?;
    let sources = front_end::sources(source)?;
    front_end::compared(check, source)?;
    let front_end_seconds = times(check, RUNS, || {
        front_end::run(subject, &sources)?;
        Ok(subject.synchronize()?)
    })?;
    let cpu_front_end_seconds = times(check, REFERENCE_RUNS, || front_end::run(reference, &sources).map(drop))?;
    // First runs bring memory, and are compared.
    if from_source(subject, &sources)?.image.words != from_source(reference, &sources)?.image.words {
        return Err(Failure::Other("the words of the source differ".into()));
    }
    let whole_seconds = times(check, RUNS, || from_source(subject, &sources).map(drop))?;
    let cpu_whole_seconds = times(check, REFERENCE_RUNS, || from_source(reference, &sources).map(drop))?;
    Ok(Compilation {
        source_bytes: source.len(),
        nodes: tree.len(),
        words,
        parse_seconds,
        front_end_seconds,
        predicted_front_end_seconds: predicted_pass_seconds(check.model(), FRONT_END, source.len()),
        cpu_front_end_seconds,
        whole_seconds,
        cpu_whole_seconds,
        seconds,
        cpu_seconds,
        passes,
    })
}

/// Compiles a source on one backend, whose tree stays there.
fn from_source<B: Backend>(backend: &B, sources: &Sources) -> Result<Compiled, Failure> {
    match front_end::run(backend, sources)? {
        Found::Valid(program) => caught(|| Ok(compile_program(backend, program, Output::Object, &mut ())?)),
        Found::Unknown { .. } => Err(Failure::Other("the front end: the program is refused".into())),
    }
}

/// Seconds of each of some runs, at least one.
fn times<B: Subject>(
    check: &Check<B>,
    most: usize,
    work: impl Fn() -> Result<(), Failure>,
) -> Result<Vec<f64>, Failure> {
    let mut seconds = Vec::new();
    while seconds.is_empty() || seconds.len() < most && !is_long(check, seconds[0]) {
        let start = Instant::now();
        work()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

/// Returns whether one run is enough: it takes more than a fiftieth of the remaining time, which later checks need, or this is
/// a rehearsal.
fn is_long<B: Subject>(check: &Check<B>, seconds: f64) -> bool {
    seconds * 50.0 > check.seconds_left() || check.run.extent() == Extent::Rehearsal
}

/// Keeps the best time of each pass, beside the predicted one.
fn keep_best(passes: &mut Vec<PassRow>, timings: &[Timing], predicted: impl Fn(&str) -> Option<f64>) {
    for (k, timing) in timings.iter().enumerate() {
        let seconds = timing.time.as_secs_f64();
        match passes.get_mut(k) {
            Some(row) => row.seconds = row.seconds.min(seconds),
            None => passes.push(PassRow {
                pass: timing.pass.into(),
                seconds,
                predicted_seconds: predicted(timing.pass),
                templates: timing.work.templates,
                bytes: timing.work.bytes,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use treepar::backend::Counters;

    use super::*;

    #[test]
    fn each_pass_keeps_its_own_best_run() {
        let timing =
            |pass, ms| Timing { pass, time: Duration::from_millis(ms), work: Counters { templates: 1, bytes: 8 } };
        let mut passes = Vec::new();
        keep_best(&mut passes, &[timing("a", 3), timing("b", 5)], |_| None);
        keep_best(&mut passes, &[timing("a", 4), timing("b", 1)], |_| None);
        let found: Vec<(&str, f64)> = passes.iter().map(|row| (row.pass.as_str(), row.seconds)).collect();
        assert_eq!(found, [("a", 0.003), ("b", 0.001)]);
    }
}
