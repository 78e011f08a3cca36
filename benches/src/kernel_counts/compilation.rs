//! The counts of one compilation, from bytes to words, and its predicted time.

use comfy_table::Table;
use refcompiler::frontend::analysis::Found;
use refcompiler::frontend::program::{Request, program};
use refcompiler::frontend::sequential::{Extent, Sources};
use refcompiler::pipeline::{Output, compile_program};
use treepar::Backend;
use treepar_stand_in::{DeviceCounts, EntryCounts, take_counts};

use super::model::{H200, Work};
use super::stand_in;
use crate::program::{Shape, program as generated};
use crate::table::{number, table as empty, text};

/// The seed of the generated program.
pub(super) const SEED: u64 = 1;

/// The number of kernels in the table.
const SHOWN: usize = 15;

/// The counts of one compilation, after earlier ones have loaded the kernels.
pub struct Compilation {
    /// The bytes of source.
    pub source: usize,
    /// The words of the program.
    pub words: usize,
    /// The calls of the driver, and the kernels.
    pub counts: DeviceCounts,
}

/// The predicted time of a compilation, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// The kernels; for a kernel shorter than a launch, the launch.
    pub kernels: f64,
    /// The waits of the host.
    pub waits: f64,
    /// The source to the GPU, and the words back.
    pub copies: f64,
}

impl Parts {
    /// Returns the sum.
    pub fn seconds(&self) -> f64 {
        self.kernels + self.waits + self.copies
    }
}

/// Compiles a generated program of about `bytes` bytes on the stand-in, three times, and returns the counts of the last.
///
/// # Errors
/// The compilation fails.
pub fn compilation(bytes: usize) -> Result<Compilation, String> {
    let (gpu, ordinal) = stand_in().map_err(|error| error.to_string())?;
    let text = generated(bytes, Shape::ManyFunctions, SEED).par;
    let source = text.len();
    let mut sources = Sources::new();
    sources.add("program.par", text.into_bytes()).map_err(|error| error.to_string())?;
    let compiled = || compiled(&gpu, &sources);
    compiled()?;
    compiled()?;
    take_counts(ordinal);
    let words = compiled()?;
    Ok(Compilation { source, words, counts: take_counts(ordinal) })
}

/// Returns the number of words of the compiled program.
fn compiled<B: Backend>(backend: &B, sources: &Sources) -> Result<usize, String> {
    let request = Request { extent: Extent::Object, warnings: true, lines: false };
    let found = program(backend, sources, request).map_err(|error| error.to_string())?;
    let Found::Valid(program) = found else { return Err("the program is refused".to_owned()) };
    let compiled = compile_program(backend, program, Output::Object, &mut ()).map_err(|error| error.to_string())?;
    Ok(compiled.image.words.len())
}

/// Returns the name of an entry with its template and its first function.
fn shortened(entry: &str) -> String {
    let name = entry.strip_prefix("treepar_").unwrap_or(entry);
    let mut parts = name.splitn(3, "__refcompiler__");
    let (template, function) = (parts.next().unwrap_or_default(), parts.next());
    function.map_or(template.to_owned(), |function| format!("{template} {}", function.replace("__", "::")))
}

impl Compilation {
    /// Returns the predicted time of a program of `bytes` bytes on an H200.
    pub fn predicted(&self, bytes: f64) -> Parts {
        let times = bytes / self.source as f64;
        let kernel = |run: &EntryCounts| H200.seconds(Work::of(&run.counts).times(times), run.launches as f64, 0.0);
        Parts {
            kernels: self.counts.kernels.values().map(kernel).sum(),
            waits: self.counts.calls.waits as f64 * H200.wait,
            copies: (bytes + 4.0 * self.words as f64 * times) / H200.host_bytes,
        }
    }

    /// Returns the kernels with the most predicted time for a program of `bytes` bytes.
    pub fn table(&self, bytes: f64) -> Table {
        let times = bytes / self.source as f64;
        let mut rows: Vec<_> = self
            .counts
            .kernels
            .iter()
            .map(|(id, run)| (id, run, H200.kernel_seconds(Work::of(&run.counts).times(times))))
            .collect();
        rows.sort_by(|a, b| b.2.seconds.total_cmp(&a.2.seconds));
        let all: f64 = rows.iter().map(|row| row.2.seconds).sum();
        let mut table = empty([
            "kernel",
            "launches",
            "instructions per byte",
            "sectors per byte",
            "predicted, µs",
            "share",
            "limit",
        ]);
        for (id, run, prediction) in rows.into_iter().take(SHOWN) {
            let per_byte = |count: f64| count / self.source as f64;
            table.add_row([
                text(shortened(&id.entry)),
                number(run.launches),
                number(format!("{:.2}", per_byte(run.counts.thread_instructions as f64))),
                number(format!("{:.3}", per_byte(Work::of(&run.counts).sectors))),
                number(format!("{:.1}", prediction.seconds * 1e6)),
                number(format!("{:.0} %", 100.0 * prediction.seconds / all)),
                text(prediction.limit),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_entries_are_short() {
        let name = "treepar_scan_map__refcompiler__passes__link__length__refcompiler__passes__link__sum";
        assert_eq!(shortened(name), "scan_map passes::link::length");
        assert_eq!(shortened("treepar_scatter_4"), "scatter_4");
    }

    #[test]
    fn a_compilation_is_counted_and_predicted() {
        let counted = compilation(2_000).unwrap();
        assert!(counted.source >= 2_000 && counted.words > 100);
        assert!(counted.counts.calls.launches > 50 && counted.counts.calls.modules == 0, "{:?}", counted.counts.calls);
        let launches: u64 = counted.counts.kernels.values().map(|run| run.launches).sum();
        assert_eq!(launches, counted.counts.calls.launches);
        // Launches and waits take the time of a small program, bytes that of a large one.
        let (small, large) = (counted.predicted(2e3), counted.predicted(2e9));
        assert!(small.seconds() > 1e-4 && small.kernels < 2.0 * launches as f64 * H200.launch);
        assert!(large.kernels > 100.0 * small.kernels && large.waits == small.waits);
    }
}
