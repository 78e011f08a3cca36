//! Instructions and bytes of the kernels of each operation, per row, as an executor of PTX counts it.
//!
//! ```text
//! operations --stand-in for the driver--> counts --> rows --> table, record, comparison with a record
//!                                                     |
//!                                                   model --> predicted times, here and in `gpu-check`
//! ```

mod compilation;
#[cfg(test)]
mod entries;
mod model;
mod passes;
mod recorded;
mod rows;

use treepar::backend::gpu::Cuda;
use treepar::{Cpu, Result};
use treepar_stand_in::{Settings, add_device, symbol, take_counts};

use crate::operations::data::{Data, Shape};
use crate::operations::distinct;
pub use compilation::{Compilation, Parts, compilation};
pub use model::{H200, Model, Prediction, Work};
pub use passes::{FRONT_END, Passes, count_passes, predicted_pass_seconds};
pub use recorded::{OPERATIONS, predicted_seconds};
pub use rows::{Row, compare, csv, read, table};

/// The shapes of forests. Operations on plain columns run once, with the first shape.
const SHAPES: [Shape; 3] = [Shape::Program, Shape::Chain, Shape::Star];

/// Measures all operations whose names contain `filter` on inputs of `n` rows. `done` is called with each row.
///
/// # Errors
/// The operation that fails, or whose answer differs from that of the CPU.
pub fn measure(n: usize, filter: &str, mut done: impl FnMut(&Row)) -> std::result::Result<Vec<Row>, String> {
    let failed = |error: treepar::Error| error.to_string();
    let (gpu, ordinal) = stand_in().map_err(failed)?;
    let cpu = Cpu::new();
    let mut rows = Vec::new();
    for shape in SHAPES {
        let expected = Data::new(&cpu, n, shape).map_err(failed)?;
        let data = expected.on(&gpu).map_err(failed)?;
        for (ours, reference) in distinct::<Cuda>(shape).into_iter().zip(distinct::<Cpu>(shape)) {
            if !ours.name.contains(filter) {
                continue;
            }
            let shape = if ours.on_tree { shape.to_string() } else { String::new() };
            let name = || format!("{}, {shape}", ours.name);
            let run = |error: treepar::Error| format!("{}: {error}", name());
            // The first run loads modules and checks the answer.
            let answer = (ours.operation.ours)(&gpu, &data).and_then(|answer| answer.download(&gpu)).map_err(run)?;
            let wanted = (reference.operation.ours)(&cpu, &expected).and_then(|answer| answer.download(&cpu));
            if let Some(difference) = answer.difference(&wanted.map_err(run)?) {
                return Err(format!("{}: {difference}", name()));
            }
            take_counts(ordinal);
            drop((ours.operation.ours)(&gpu, &data).map_err(run)?);
            let row = Row::new((ours.name, shape), n, &take_counts(ordinal));
            done(&row);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Returns a GPU of the stand-in, and the number of its device.
#[expect(unsafe_code, reason = "the driver is replaced")]
pub(crate) fn stand_in() -> Result<(Cuda, usize)> {
    // SAFETY: the stand-in has the driver's functions.
    unsafe { treepar_kernels::driver::use_driver(symbol) }?;
    let ordinal = add_device(Settings::default());
    Ok((Cuda::with_device(ordinal)?, ordinal))
}

#[cfg(test)]
mod tests {
    use super::{OPERATIONS, compare, measure, read};

    #[test]
    fn no_kernel_executes_or_moves_more_than_recorded() {
        let recorded = read(OPERATIONS).expect("a record");
        let n = recorded.first().expect("a row").n;
        let found = measure(n, "", |_| {}).expect("all operations");
        let worse = compare(&recorded, &found);
        assert!(
            worse.is_empty(),
            "{}\nIf this is intended: cargo run --bin kernel-counts -- --rows {n} --record benches/records/kernel-counts.csv",
            worse.join("\n")
        );
    }
}
