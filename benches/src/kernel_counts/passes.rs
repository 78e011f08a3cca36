//! The counts of a compilation by pass, as a record, and the times that the model predicts from it.

use std::sync::LazyLock;

use refcompiler::frontend::analysis::Found;
use refcompiler::pipeline::{After, Error, Observer, Output, compile};
use treepar::backend::gpu::Cuda;
use treepar_stand_in::take_counts;

use super::model::{Model, Work};
use super::stand_in;
use crate::gpu_check::front_end::{run, sources};
use crate::gpu_check::programs::tree;
use crate::program::{Shape, program as generated};

/// The record of passes.
const RECORD: &str = include_str!("../../records/kernel-counts-passes.csv");

/// The name of the front end, from source to tree, among the passes.
pub const FRONT_END: &str = "front end";

/// The columns of a record. A row without a kernel has the waits of its pass.
const HEADER: &str = "pass,kernel,launches,waits,slots,sectors,shared";

/// The counts of a compilation, by pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Passes {
    /// The bytes of source.
    pub source: usize,
    /// The rows, in the order of passes.
    pub rows: Vec<PassRow>,
}

/// The counts of a kernel in a pass, or the waits of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct PassRow {
    /// The pass.
    pub pass: String,
    /// The kernel's entry; empty for the waits.
    pub kernel: String,
    /// Launches of the kernel.
    pub launches: f64,
    /// Times that the host waits.
    pub waits: f64,
    /// The work of the launches.
    pub work: Work,
}

impl Passes {
    /// Returns the least time of a pass for `bytes` bytes of source, in seconds. `None` for an unknown pass.
    pub fn seconds(&self, model: &Model, pass: &str, bytes: usize) -> Option<f64> {
        let times = bytes as f64 / self.source as f64;
        let seconds = |row: &PassRow| model.seconds(row.work.times(times), row.launches, row.waits);
        let mut rows = self.rows.iter().filter(|row| row.pass == pass).peekable();
        rows.peek()?;
        Some(rows.map(seconds).sum())
    }

    /// Returns the counts as CSV.
    pub fn csv(&self) -> String {
        let mut text = format!("# {} bytes of source\n{HEADER}\n", self.source);
        for PassRow { pass, kernel, launches, waits, work: Work { slots, sectors, shared } } in &self.rows {
            text += &format!("{pass},{kernel},{launches},{waits},{slots},{sectors},{shared}\n");
        }
        text
    }

    /// Reads the counts from CSV.
    ///
    /// # Errors
    /// The line that does not fit.
    pub fn read(text: &str) -> Result<Passes, String> {
        let mut lines = text.lines();
        let source =
            lines.next().and_then(|line| line.strip_prefix("# ")?.strip_suffix(" bytes of source")?.parse().ok());
        let source = source.filter(|&bytes| bytes > 0).ok_or("the first line is not `# N bytes of source`")?;
        if lines.next() != Some(HEADER) {
            return Err(format!("the second line is not `{HEADER}`"));
        }
        let rows = lines.map(|line| row(line).ok_or_else(|| format!("`{line}` is no row")));
        Ok(Passes { source, rows: rows.collect::<Result<_, _>>()? })
    }
}

fn row(line: &str) -> Option<PassRow> {
    let mut fields = line.split(',');
    let (pass, kernel) = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let numbers: Option<Vec<f64>> = fields.map(|number| number.parse().ok()).collect();
    let [launches, waits, slots, sectors, shared] = numbers?.try_into().ok()?;
    Some(PassRow { pass, kernel, launches, waits, work: Work { slots, sectors, shared } })
}

/// Returns the least time of a pass of `refc` for `bytes` bytes of source, by the record. `None` for a pass without recorded
/// counts.
pub fn predicted_pass_seconds(model: &Model, pass: &str, bytes: usize) -> Option<f64> {
    static PASSES: LazyLock<Option<Passes>> = LazyLock::new(|| Passes::read(RECORD).ok());
    PASSES.as_ref()?.seconds(model, pass, bytes)
}

/// Compiles a generated program of about `bytes` bytes on the stand-in, twice, and returns the counts of the second time.
///
/// # Errors
/// The compilation fails.
pub fn count_passes(bytes: usize) -> Result<Passes, String> {
    let (gpu, ordinal) = stand_in().map_err(|error| error.to_string())?;
    let text = generated(bytes, Shape::ManyFunctions, super::compilation::SEED).par;
    let (tree, sources) = (tree(&text)?, sources(&text).map_err(|failure| failure.to_string())?);
    let mut rows = Vec::new();
    for _ in 0..2 {
        take_counts(ordinal);
        let mut counter = Counter { ordinal, rows: Vec::new() };
        let found = run(&gpu, &sources).map_err(|failure| failure.to_string())?;
        if !matches!(found, Found::Valid(_)) {
            return Err("the program is refused".to_owned());
        }
        counter.end(FRONT_END);
        compile(&gpu, &tree, Output::Object, &mut counter).map_err(|error| error.to_string())?;
        rows = counter.rows;
    }
    Ok(Passes { source: text.len(), rows })
}

/// Counts the work between the ends of passes.
struct Counter {
    ordinal: usize,
    rows: Vec<PassRow>,
}

impl Counter {
    /// Adds the rows of a pass, which ends here. A pass that did nothing has none.
    fn end(&mut self, pass: &str) {
        let counts = take_counts(self.ordinal);
        if counts.kernels.is_empty() && counts.calls.waits == 0 {
            return;
        }
        let row = |kernel: String, launches: u64, waits: u64, work: Work| PassRow {
            pass: pass.to_owned(),
            kernel,
            launches: launches as f64,
            waits: waits as f64,
            work,
        };
        let kernels = counts.kernels.into_iter();
        self.rows.extend(kernels.map(|(id, run)| row(id.entry, run.launches, 0, Work::of(&run.counts))));
        self.rows.push(row(String::new(), 0, counts.calls.waits, Work::default()));
    }
}

impl Observer<Cuda> for Counter {
    fn after(&mut self, _gpu: &Cuda, after: &After<'_, Cuda>) -> Result<(), Error> {
        self.end(after.pass());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_counts::H200;

    #[test]
    fn counts_are_read_as_they_were_written() {
        let work = Work { slots: 320.0, sectors: 4.5, shared: 1.0 };
        let kernel = PassRow { pass: "lift".into(), kernel: "k".into(), launches: 2.0, waits: 0.0, work };
        let waits =
            PassRow { kernel: String::new(), launches: 0.0, waits: 3.0, work: Work::default(), ..kernel.clone() };
        let passes = Passes { source: 1000, rows: vec![kernel, waits] };
        assert_eq!(Passes::read(&passes.csv()), Ok(passes.clone()));
        assert_eq!(passes.seconds(&H200, "lift", 1000), Some(2.0 * H200.launch + 3.0 * H200.wait));
        assert_eq!(passes.seconds(&H200, "flatten", 1000), None);
        assert_eq!(Passes::read("x"), Err("the first line is not `# N bytes of source`".to_owned()));
        assert_eq!(Passes::read("# 1 bytes of source\nx"), Err(format!("the second line is not `{HEADER}`")));
        let text = format!("# 1 bytes of source\n{HEADER}\na,b,1\n");
        assert_eq!(Passes::read(&text), Err("`a,b,1` is no row".to_owned()));
    }

    #[test]
    fn every_pass_is_counted_and_recorded() {
        let counted = count_passes(2_000).unwrap();
        let recorded = Passes::read(RECORD).unwrap();
        let mut passes: Vec<&str> = counted.rows.iter().map(|row| row.pass.as_str()).collect();
        passes.dedup();
        assert!(passes.len() > 10 && passes[0] == FRONT_END, "{passes:?}");
        for pass in passes {
            assert!(
                recorded.seconds(&H200, pass, 1).is_some(),
                "`{pass}` is not recorded: cargo run --release --bin kernel-counts -- --program 100000 --record benches/records/kernel-counts-passes.csv"
            );
        }
    }
}
