//! The Pareas thesis's chapter 5: code generation by source size, function length, and shape of the tree. Beyond the
//! thesis, this also measures the whole compiler from source text, and programs ten times as large.

pub mod claims;
mod draw;
pub mod front;
mod print;
pub mod published;
pub mod report;
mod shape;
mod signature;

use std::time::Instant;

use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::tree::Tree;
use refcompiler::object::{Image, write_relocatable};
use refcompiler::pipeline::{Output, Timing, compile};
use treepar::Cpu;

use benches::failure::Failure;

use crate::frame::backends::{Backends, Timed};
use crate::frame::sweep::{Label, Sweep, with_backends};
use published::Published;
use shape::{Shape, TOLERANCE, program};

/// The experiments' names in the record.
pub const SIZE: &str = "source file size";
pub const LENGTH: &str = "function length";
pub const SHAPE: &str = "tree shape";

/// The thesis's stages, each with refc's corresponding passes.
pub const STAGES: [(&str, &[&str]); 6] = [
    ("preprocessing", &["function table", "structure", "lift", "variables", "heads"]),
    ("optimization", &["flatten"]),
    ("register allocation", &["allocate", "frames"]),
    ("instruction generation", &["lower"]),
    ("jump linking", &["link"]),
    ("postprocessing", &["encode"]),
];

/// The sum of all stages, called the total in the thesis.
pub const TOTAL: &str = "total";
/// The upload of the tree, the download of the words, and both. They are not part of the total.
pub const UPLOAD: &str = "upload";
pub const DOWNLOAD: &str = "download";
pub const TRANSFERS: &str = "transfers";
/// The whole compiler from source text to object file, and two of its parts.
pub const WHOLE: &str = "whole compiler";
pub const FRONT_END: &str = "front end";
pub const OBJECT: &str = "object file";

/// The variants' names in the record.
pub const ALL_CORES: &str = "all cores";
pub const ONE_THREAD: &str = "one thread";
pub const GPU: &str = "GPU";

/// The maximum memory per node in bytes: text, tree, and the passes' columns.
const BYTES_PER_NODE: f64 = 130.0;

/// The additional memory per node for the words that a GPU's are compared with.
const IMAGE_BYTES_PER_NODE: f64 = 20.0;

/// The number of nodes above which a program is larger than the thesis's, and the number of runs of such a program.
const LARGE: f64 = 2e7;
const LARGE_RUNS: usize = 5;

/// Measures the three experiments and the larger programs.
pub fn measure<G: Timed>(sweep: &mut Sweep, backends: &Backends<G>) -> Result<(), String> {
    let published = Published::new();
    let limit = sweep.options.nodes() as f64 * 1.3;
    let sizes = published.table_5_2.iter().cloned().chain(published.larger()).collect();
    let experiments = [(SIZE, sizes), (LENGTH, published.table_5_4), (SHAPE, published.table_5_6)];
    let cases: Vec<(&str, Shape)> = experiments
        .into_iter()
        .flat_map(|(name, shapes)| shapes.into_iter().map(move |shape| (name, shape)))
        .filter(|(_, shape)| shape.nodes <= limit)
        .collect();
    let weight = |sweep: &Sweep, shape: &Shape| (shape.nodes as u64 + 20_000) * (1 + runs_of(sweep, shape) as u64);
    sweep.plan(cases.iter().map(|(_, shape)| weight(sweep, shape)).sum());
    for (experiment, wanted) in cases {
        if sweep.is_interrupted() {
            return Ok(());
        }
        let case = format!("{experiment}, {}", wanted.case);
        let is_new = sweep.case(case.clone());
        let bytes_per_node = BYTES_PER_NODE + if backends.gpu.is_some() { IMAGE_BYTES_PER_NODE } else { 0.0 };
        if is_new && sweep.has_room(&case, bytes_per_node * wanted.nodes) {
            with_backends(|cpu, one| one_case(sweep, backends, [cpu, one], experiment, &wanted))?;
            sweep.keep()?;
        }
        sweep.step(weight(sweep, &wanted));
    }
    Ok(())
}

/// Returns the number of runs of a program.
fn runs_of(sweep: &Sweep, shape: &Shape) -> usize {
    if shape.nodes > LARGE { sweep.options.runs().min(LARGE_RUNS) } else { sweep.options.runs() }
}

fn one_case<G: Timed>(
    sweep: &mut Sweep,
    backends: &Backends<G>,
    [cpu, one]: [&Cpu; 2],
    experiment: &str,
    wanted: &Shape,
) -> Result<(), String> {
    let (text, _) = program(wanted, sweep.options.seed);
    let mut sources = Sources::new();
    sources.add("generated.par", text.into_bytes()).map_err(|error| error.to_string())?;
    let tree = parse(&sources)?;
    let reached = Shape::of(&wanted.case, &tree.depth, sources.bytes());
    if reached.distance(wanted) > TOLERANCE {
        let percent = 100.0 * reached.distance(wanted);
        sweep.note(format!("{experiment}, {}: the shape differs by {percent:.0} %", wanted.case));
    }
    let numbers = [
        ("bytes", reached.bytes),
        ("nodes", reached.nodes),
        ("width", reached.width),
        ("height", reached.height),
        ("functions", reached.functions),
        ("longest", reached.longest),
    ];
    let case = Case { experiment, name: &wanted.case, numbers };
    let runs = runs_of(sweep, wanted);
    // If memory is too small for the stages, it is too small for the whole compiler.
    let mut fits = backends.has_cpu;
    if backends.has_cpu {
        for (variant, backend) in [(ALL_CORES, cpu), (ONE_THREAD, one)] {
            let measured = stages(sweep, backend, runs, &tree, None);
            fits &= case.add(sweep, variant, measured)?;
        }
    }
    let mut expected = None;
    if let Some(gpu) = &backends.gpu {
        let measured = compile(cpu, &tree, Output::Object, &mut ()).map_err(Failure::from).and_then(|compiled| {
            let table = stages(sweep, gpu, runs, &tree, Some(&compiled.image))?;
            expected = Some(compiled.image);
            Ok(table)
        });
        case.add(sweep, GPU, measured)?;
    }
    drop(tree);
    if fits {
        let measured = whole(sweep, cpu, runs, &sources, None);
        case.add(sweep, ALL_CORES, measured)?;
        for (variant, backend) in [(ALL_CORES, cpu), (ONE_THREAD, one)] {
            if experiment == SIZE {
                let measured = front::measure(sweep, backend, runs, &sources);
                case.add(sweep, variant, measured)?;
            }
        }
    }
    if let Some((gpu, image)) = backends.gpu.as_ref().zip(expected) {
        let measured = whole(sweep, gpu, runs, &sources, Some(&image));
        case.add(sweep, GPU, measured)?;
    }
    Ok(())
}

/// A program's name and properties in the record.
struct Case<'a> {
    experiment: &'a str,
    name: &'a str,
    numbers: [(&'a str, f64); 6],
}

impl Case<'_> {
    /// Records a variant's times. If memory was too small, adds a note and returns `false`.
    fn add(&self, sweep: &mut Sweep, variant: &str, measured: Result<Table, Failure>) -> Result<bool, String> {
        let fits = measured.is_ok();
        let measured = measured.map(|table| {
            for (stage, seconds) in table {
                let label = Label { experiment: self.experiment, case: self.name, variant, stage };
                sweep.add(&label, &self.numbers, seconds);
            }
        });
        sweep.unless_full(&format!("{}, {}, {variant}", self.experiment, self.name), measured)?;
        Ok(fits)
    }
}

fn parse(sources: &Sources) -> Result<Tree, String> {
    parse_program(sources).map_err(|errors| format!("a generated program has errors: {:?}", errors.first()))
}

/// Returns the total seconds of some passes.
fn seconds_of(timings: &[Timing], passes: &[&str]) -> f64 {
    timings.iter().filter(|timing| passes.contains(&timing.pass)).map(|timing| timing.time.as_secs_f64()).sum()
}

/// The seconds of each run, by part.
type Table = Vec<(&'static str, Vec<f64>)>;

/// Returns an error if a run's code differs from the expected code.
fn check(run: usize, image: &Image, expected: Option<&Image>) -> Result<(), Failure> {
    let Some(expected) = expected.filter(|&expected| expected != image) else { return Ok(()) };
    let word = image.words.iter().zip(&expected.words).position(|(a, b)| a != b);
    let what = word.map_or("symbols, calls or length".into(), |word| format!("word {word}"));
    Err(Failure::Other(format!("the code of run {run} differs from the CPU's, first in {what}")))
}

/// Calls `run` once without counting it and then `runs` times, unless the sweep is interrupted. `run` returns the
/// seconds of each part.
fn run_by_run(
    sweep: &Sweep,
    runs: usize,
    parts: impl IntoIterator<Item = &'static str>,
    mut run: impl FnMut(usize) -> Result<Vec<f64>, Failure>,
) -> Result<Table, Failure> {
    let mut table: Table = parts.into_iter().map(|part| (part, Vec::new())).collect();
    for at in 0..=runs {
        if sweep.is_interrupted() {
            break;
        }
        let seconds = run(at)?;
        if at > 0 {
            table.iter_mut().zip(seconds).for_each(|((_, all), one)| all.push(one));
        }
    }
    Ok(table)
}

/// Measures each of the thesis's stages. The backend waits for each pass before the next one starts. All runs must
/// yield the expected code.
fn stages<B: Timed>(
    sweep: &Sweep,
    backend: &B,
    runs: usize,
    tree: &Tree,
    expected: Option<&Image>,
) -> Result<Table, Failure> {
    let parts = STAGES.iter().map(|(stage, _)| *stage).chain([TOTAL, TRANSFERS, UPLOAD, DOWNLOAD]);
    backend.wait_when_counting(true);
    let table = run_by_run(sweep, runs, parts, |run| {
        let compiled = compile(backend, tree, Output::Object, &mut ())?;
        check(run, &compiled.image, expected)?;
        let parts = STAGES.map(|(_, passes)| seconds_of(&compiled.timings, passes));
        let [upload, download] = [UPLOAD, DOWNLOAD].map(|pass| seconds_of(&compiled.timings, &[pass]));
        Ok(parts.into_iter().chain([parts.iter().sum(), upload + download, upload, download]).collect())
    });
    backend.wait_when_counting(false);
    table
}

/// Measures the whole compiler from source text to object file, and the parts that are not stages.
fn whole<B: Timed>(
    sweep: &Sweep,
    backend: &B,
    runs: usize,
    sources: &Sources,
    expected: Option<&Image>,
) -> Result<Table, Failure> {
    run_by_run(sweep, runs, [WHOLE, FRONT_END, OBJECT], |run| {
        let start = Instant::now();
        let tree = parse(sources)?;
        let parsed = start.elapsed();
        let compiled = compile(backend, &tree, Output::Object, &mut ())?;
        drop(tree);
        let compiled_at = start.elapsed();
        let file = write_relocatable(&compiled.image).map_err(|error| format!("cannot write ELF: {error}"))?;
        let end = start.elapsed();
        check(run, &compiled.image, expected)?;
        drop((compiled, std::hint::black_box(file)));
        Ok([end, parsed, end - compiled_at].map(|time| time.as_secs_f64()).to_vec())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::options::Options;
    use crate::frame::record::Record;

    fn tree_of(text: String) -> Tree {
        let mut sources = Sources::new();
        sources.add("test.par", text.into_bytes()).unwrap();
        parse(&sources).unwrap()
    }

    #[test]
    fn generated_programs_have_the_published_shapes_and_compile() {
        let published = Published::new();
        let shapes = published.table_5_2.iter().chain(&published.table_5_4).chain(&published.table_5_6);
        let cpu = Cpu::with_threads(2);
        for wanted in shapes.filter(|shape| shape.nodes < 1_000_000.0) {
            let (text, expected) = program(wanted, 1);
            let bytes = text.len();
            let tree = tree_of(text);
            let reached = Shape::of(&wanted.case, &tree.depth, bytes);
            assert_eq!(reached, expected, "the generator predicts the tree");
            assert!(reached.distance(wanted) <= TOLERANCE, "{reached:?} for {wanted:?}");
            compile(&cpu, &tree, Output::Object, &mut ()).unwrap();
        }
    }

    /// Measures the smallest program, which checks its code. `gpu` takes the role of the GPU.
    fn measured<G: Timed>(gpu: G) -> Record {
        let (wanted, backends) =
            (Published::new().table_5_2.swap_remove(0), Backends { has_cpu: true, gpu: Some(gpu) });
        let mut sweep = Sweep::new("pareas", &Options::smallest(), backends.gpu.as_ref().map(Timed::name));
        let cpus = [&Cpu::with_threads(2), &Cpu::with_threads(1)];
        one_case(&mut sweep, &backends, cpus, SIZE, &wanted).unwrap();
        let of = |variant| sweep.record().measurements.iter().filter(move |m| m.variant == variant).map(|m| &m.stage);
        let has_both = |stage: &&String| !stage.starts_with(front::PREFIX);
        assert!(of(GPU).eq(of(ALL_CORES).filter(has_both)) && of(GPU).count() == STAGES.len() + 7);
        assert_eq!(of(ONE_THREAD).count(), STAGES.len() + 4 + front::STAGES.len());
        sweep.record().clone()
    }

    #[test]
    fn the_report_mentions_a_gpu_only_if_the_record_has_one() {
        // The thesis's title mentions one.
        let text =
            |record: &Record| format!("{:?}", report::section(record).blocks).replace("Generation on the GPU", "");
        let mut record = measured(Cpu::with_threads(2));
        assert!(text(&record).contains("refc, GPU") && text(&record).contains("pareas-size-stages-gpu"));
        record.measurements.retain(|m| m.variant != GPU);
        assert!(!text(&record).contains("refc, GPU") && !text(&record).contains("on the GPU"));
        assert!(!text(&record).contains("-gpu"));
    }

    #[cfg(feature = "emulate")]
    #[test]
    #[ignore = "needs a C++ compiler"]
    fn the_emulator_compiles_to_the_same_words() {
        measured(treepar::backend::gpu::Emulated::new().expect("a C++ compiler"));
    }

    #[test]
    fn a_variant_without_enough_memory_is_noted_and_the_others_continue() {
        let case = Case { experiment: SIZE, name: "1MB", numbers: [("bytes", 1.0); 6] };
        let mut sweep = Sweep::new("pareas", &Options::smallest(), None);
        let full = || Err(Failure::Full("no room".into()));
        assert_eq!(case.add(&mut sweep, ALL_CORES, full()), Ok(false));
        assert_eq!(case.add(&mut sweep, GPU, full()), Ok(false));
        assert_eq!(case.add(&mut sweep, ONE_THREAD, Ok(vec![(TOTAL, vec![0.5])])), Ok(true));
        assert!(case.add(&mut sweep, ALL_CORES, Err(Failure::Other("wrong".into()))).is_err());
        let notes = [ALL_CORES, GPU].map(|variant| format!("{SIZE}, 1MB, {variant}: left out: no room"));
        assert_eq!(sweep.record().notes, notes);
        assert_eq!(sweep.record().measurements.len(), 1);
    }

    #[test]
    fn a_wrong_word_is_an_error() {
        let tree = tree_of("fn f[]: int { return 1; }".into());
        let cpu = Cpu::with_threads(1);
        let mut image = compile(&cpu, &tree, Output::Object, &mut ()).unwrap().image;
        image.words[1] += 1;
        let sweep = Sweep::new("pareas", &Options::smallest(), None);
        let error = stages(&sweep, &cpu, 1, &tree, Some(&image)).unwrap_err();
        assert_eq!(error.to_string(), "the code of run 0 differs from the CPU's, first in word 1");
    }

    #[test]
    fn every_pass_belongs_to_one_stage() {
        let tree = tree_of("fn f[]: int { return 1; }".into());
        let timings = compile(&Cpu::with_threads(1), &tree, Output::Object, &mut ()).unwrap().timings;
        let stage = |pass: &str| STAGES.iter().filter(|(_, passes)| passes.contains(&pass)).count();
        for timing in timings {
            let times = stage(timing.pass) + usize::from([UPLOAD, DOWNLOAD].contains(&timing.pass));
            assert_eq!(times, 1, "pass {}", timing.pass);
        }
    }

    #[test]
    fn larger_programs_have_up_to_500_mb() {
        let larger = Published::new().larger();
        let cases: Vec<&str> = larger.iter().map(|shape| shape.case.as_str()).collect();
        assert_eq!(cases, ["100MB", "250MB", "500MB"]);
        assert_eq!(larger[2].nodes, 123_011_460.0);
    }
}
