//! Checks and times every operation at growing sizes. Times are compared with a copy of the same bytes.
//!
//! Inputs are created on the host and uploaded. The first answer at each size is compared with the reference's, and the
//! following runs are timed.

use std::collections::BTreeMap;
use std::time::Instant;

use treepar::Cpu;

use crate::failure::Failure;
use crate::gpu_check::parts::{Check, Lost, caught};
use crate::gpu_check::record::PrimitiveRow;
use crate::gpu_check::run::Extent;
use crate::gpu_check::subject::Subject;
use crate::gpu_check::timing::{Runs, Times, times};
use crate::host::available_bytes;
use crate::kernel_counts::predicted_seconds;
use crate::operations::data::{Data, Shape};
use crate::operations::distinct;

/// The sizes at which all operations run, on a program's forest.
const ROWS: [usize; 4] = [100_000, 1_000_000, 10_000_000, 100_000_000];

/// The sizes in a rehearsal: one tile or less, and several.
const REHEARSED_ROWS: [usize; 2] = [1000, 10_000];

/// The number of nodes of the deepest and widest possible forests, and in a rehearsal.
const EXTREME_ROWS: [usize; 2] = [100_000, 1000];

/// The memory needed per row in bytes: all inputs, and the temporary columns of the most demanding operation.
const BYTES_PER_ROW: u64 = 150;

/// The maximum number of bytes of a measured copy. Larger copies are assumed to run at the same speed.
const LARGEST_COPY: f64 = 2e9;

/// Measures all sizes until every size is done or the time is up.
pub fn check<B: Subject>(check: &Check<B>) -> Result<(), Lost> {
    let mut copies = Copies::default();
    let (rows, extreme_rows) = match check.run.extent() {
        Extent::Rehearsal => (&REHEARSED_ROWS[..], EXTREME_ROWS[1]),
        Extent::Quick => (&ROWS[..ROWS.len() - 1], EXTREME_ROWS[0]),
        Extent::Full => (&ROWS[..], EXTREME_ROWS[0]),
    };
    let extremes = [Shape::Chain, Shape::Star].map(|shape| (extreme_rows, shape));
    let mut cases: Vec<(usize, Shape)> = rows.iter().map(|&n| (n, Shape::Program)).collect();
    // Small sizes come first, so that every operation has at least one result.
    cases.splice(1..1, extremes);
    // The time per row so far, to estimate which sizes still fit.
    let mut seconds_per_row = 0.0;
    for (n, shape) in cases {
        let count = distinct::<B>(shape).len() as u64;
        let needed = BYTES_PER_ROW * n as u64;
        let free = [("the device", check.subject.free_bytes()), ("the host", available_bytes())];
        if let Some((whose, free)) =
            free.into_iter().find_map(|(whose, free)| Some((whose, free.filter(|&f| f < needed)?)))
        {
            let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
            let why = format!("{n} rows: {:.1} GiB needed, {:.1} GiB free on {whose}", gib(needed), gib(free));
            check.run.skipped(count, why);
            continue;
        }
        // One thread creates the inputs, which takes about a third of the time.
        if check.is_late() || seconds_per_row * n as f64 / 3.0 > check.seconds_left() {
            check.run.skipped(count, format!("{n} rows, {shape}: out of time"));
            continue;
        }
        let started = Instant::now();
        size(check, n, shape, &mut copies)?;
        if shape == Shape::Program {
            seconds_per_row = started.elapsed().as_secs_f64() / n as f64;
        }
    }
    Ok(())
}

/// Measures all operations at one size.
fn size<B: Subject>(check: &Check<B>, n: usize, shape: Shape, copies: &mut Copies) -> Result<(), Lost> {
    check.run.doing(format!("primitives: inputs of {n} rows, {shape}"));
    let inputs = caught(|| {
        let expected = Data::new(check.reference, n, shape)?;
        Ok((expected.on(check.subject)?, expected))
    });
    let wanted = distinct::<B>(shape);
    let (data, expected) = match inputs {
        Ok(inputs) => inputs,
        Err(Failure::Full(why)) => {
            check.run.skipped(wanted.len() as u64, format!("inputs of {n} rows: {why}"));
            return Ok(());
        }
        Err(Failure::Other(why)) => return check.failed(format!("inputs of {n} rows, {shape}"), why),
    };
    let total = wanted.len();
    for (k, (wanted, reference)) in wanted.into_iter().zip(distinct::<Cpu>(shape)).enumerate() {
        if check.is_late() {
            let left = total - k;
            check.run.skipped(left as u64, format!("{left} operations on {n} rows, {shape}: out of time"));
            return Ok(());
        }
        let on_tree = wanted.on_tree;
        let name = format!("{}, {n} rows{}", wanted.name, if on_tree { format!(", {shape}") } else { String::new() });
        check.run.doing(format!("primitives: {name}"));
        let ours = wanted.operation.ours;
        let measured = caught(|| {
            let before = check.subject.counters().bytes;
            let answer = ours(check.subject, &data)?;
            let moved_bytes = check.subject.counters().bytes - before;
            let answer = answer.download(check.subject)?;
            let expected = (reference.operation.ours)(check.reference, &expected)?.download(check.reference)?;
            if let Some(difference) = answer.difference(&expected) {
                return Err(Failure::Other(difference));
            }
            let bytes = wanted.operation.bytes(n, &answer);
            drop((answer, expected));
            let runs = match check.run.extent() {
                Extent::Rehearsal => Runs { most: 3, seconds: 0.0 },
                Extent::Quick => Runs { most: 7, seconds: 0.2 },
                Extent::Full => Runs { most: 15, seconds: 0.6 },
            };
            let Times { seconds, device_seconds } =
                times(check.subject, runs, || ours(check.subject, &data).map(drop))?;
            let shape = if on_tree { shape.to_string() } else { String::new() };
            Ok(PrimitiveRow {
                operation: wanted.name.into(),
                rows: n,
                predicted_seconds: predicted_seconds(check.model(), wanted.name, &shape, n),
                shape,
                bytes,
                moved_bytes,
                seconds,
                device_seconds,
                copy_seconds: copies.seconds(check.subject, bytes)?,
            })
        });
        match measured {
            Ok(row) => {
                check.run.record(|record| record.primitives.push(row));
                check.run.passed(1);
            }
            Err(Failure::Full(why)) => check.run.skipped(1, format!("{name}: {why}")),
            Err(Failure::Other(why)) => check.failed(name, why)?,
        }
    }
    Ok(())
}

/// The measured copy times in seconds, by bytes.
#[derive(Default)]
struct Copies(BTreeMap<u64, f64>);

impl Copies {
    fn seconds<B: Subject>(&mut self, subject: &B, bytes: f64) -> treepar::Result<f64> {
        let copied = bytes.min(LARGEST_COPY);
        let seconds = match self.0.get(&(copied as u64)) {
            Some(&seconds) => seconds,
            None => {
                let seconds = subject.copy_seconds(copied as usize, 7)?;
                self.0.insert(copied as u64, seconds);
                seconds
            }
        };
        Ok(seconds * bytes / copied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::Scratch;

    #[test]
    fn an_operation_with_several_peers_occurs_once() {
        let all = distinct::<Cpu>(Shape::Program);
        let trees = distinct::<Cpu>(Shape::Chain);
        assert!(trees.iter().all(|wanted| wanted.on_tree) && trees.len() < all.len());
        let sorts = all.iter().filter(|wanted| wanted.name == "sort pairs, 32 bits").count();
        assert_eq!(sorts, 1);
        assert!(all.iter().any(|wanted| wanted.name == "sort pairs, 64 bits"));
    }

    /// Checks that a backend, the CPU and plain code agree for every operation on every shape.
    fn same_answers<B: Subject>(subject: &B, rows: usize) {
        let reference = Cpu::with_threads(1);
        for shape in [Shape::Program, Shape::Chain, Shape::Star] {
            let data = Data::new(&reference, rows, shape).unwrap();
            let other = data.on(subject).unwrap();
            for (wanted, expected) in distinct::<B>(shape).into_iter().zip(distinct::<Cpu>(shape)) {
                let name = format!("{}, {shape}", wanted.name);
                let answer = (expected.operation.ours)(&reference, &data).unwrap().download(&reference).unwrap();
                let found = (wanted.operation.ours)(subject, &other).and_then(|answer| answer.download(subject));
                let found = found.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(found.difference(&answer), None, "{name}");
                let mut scratch = Scratch::new(rows);
                (expected.operation.plain)(&data, &mut scratch);
                assert!(answer.equals(&scratch), "plain code for {name}");
            }
        }
    }

    #[test]
    fn every_operation_equals_its_plain_code() {
        same_answers(&Cpu::with_threads(2), 20_000);
    }

    #[cfg(feature = "emulate")]
    #[test]
    #[ignore = "needs a C++ compiler"]
    fn every_operation_on_the_emulator_equals_the_cpu() {
        // Enough rows for several tiles of most templates, and few enough for seconds.
        same_answers(&treepar::backend::gpu::Emulated::with_seed(1).expect("a C++ compiler"), 3000);
    }
}
