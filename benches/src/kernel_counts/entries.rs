//! The entries of the kernels that users get, and those that laws and compilations run on the stand-in for the driver.

use std::collections::BTreeSet;

use refcompiler::frontend::analysis::Found;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{Goal, Output, compile, compile_program};
use refcompiler::target::Target;
use treepar::backend::gpu::Cuda;
use treepar_codegen::{Grouping, units};
use treepar_laws::Plan;
use treepar_stand_in::take_counts;

use super::stand_in;
use crate::gpu_check::front_end::{run, sources};
use crate::gpu_check::programs;
use crate::gpu_check::subject::Subject;

/// The crates whose kernels users get.
const CRATES: [&str; 2] = ["treepar", "refcompiler"];
/// The share of entries that must run, in percent.
const LEAST: usize = 97;

/// Returns all entries of the crates.
fn entries() -> BTreeSet<String> {
    let of_users = |module: &str| CRATES.contains(&module.split("::").next().unwrap_or_default());
    let all = units(Grouping::Function).iter();
    let all = all.filter(|unit| unit.kernels().iter().all(|kernel| of_users(kernel.functions[0].module)));
    all.flat_map(|unit| unit.entries()).collect()
}

/// Compiles a text from its bytes, and once more from its tree with checks, which need more passes.
fn compiled(gpu: &Cuda, text: &str, output: Output) {
    let sources = sources(text).expect("a text");
    if let Found::Valid(program) = run(gpu, &sources).expect("a front end") {
        compile_program(gpu, program, output, &mut ()).expect("a compilation");
    }
    let tree = programs::tree(text).expect("a valid program");
    compile(gpu, &tree, output, &mut Checker::default()).expect("a compilation");
}

/// Compiles a text for both processors with all passes and with lines.
fn optimised(gpu: &Cuda, text: &str) {
    let sources = sources(text).expect("a text");
    let tree = programs::tree(text).expect("a valid program");
    for target in [Target::Riscv32, Target::X86_64] {
        let goal = Goal { target, output: Output::Object };
        let optimisations = Optimisations::of_level(1);
        let settings = Settings { optimisations, lines: Some(&sources), ..Settings::from(goal) };
        compile(gpu, &tree, settings, &mut Checker::of(target)).expect("a compilation");
    }
}

#[test]
#[ignore = "takes a minute"]
fn laws_and_compilations_run_most_entries() {
    let (gpu, ordinal) = stand_in().expect("a stand-in");
    for law in <Cuda as Subject>::laws() {
        law.check(&gpu, Plan { cases: 3, longest: 20_000, seed: Plan::SEED }).expect("a law");
    }
    for seed in 1..=12 {
        compiled(&gpu, &refcompiler_programs::program(seed).to_string(), Output::Object);
        compiled(&gpu, &refcompiler_programs::larger_program(seed).to_string(), Output::Object);
        compiled(&gpu, &refcompiler_programs::array_program(seed).to_string(), Output::Object);
    }
    // A chain of declarations without types, and one of `elif`.
    let declarations: String = (1..40).map(|k| format!("var v{k} = v{};", k - 1)).collect();
    let chain: String = (1..40).map(|k| format!("elif v0 == {k} {{ return {k}; }}")).collect();
    let text = format!(
        "fn g[x: int]: int {{ if x > 0 {{ return 1; }} else {{ return 2; }} }} fn main[]: int {{ var v0 = 1; {declarations} if v39 == 0 {{ return g[v1]; }} {chain} return 9; }}"
    );
    compiled(&gpu, &text, Output::Executable);
    let operations = "fn main[]: int { assert[if[sqrt[abs[-2.5e1]] > 4.0, 1, 0]]; return abs[-3]; }";
    compiled(&gpu, operations, Output::Executable);
    compiled(&gpu, "extern fn far[]: int; fn main[]: int { return far[]; }", Output::Object);

    for seed in 1..=4 {
        optimised(&gpu, &refcompiler_programs::larger_program(seed).to_string());
        optimised(&gpu, &refcompiler_programs::array_program(seed).to_string());
        optimised(&gpu, &refcompiler_programs::whole_program(seed).to_string());
        optimised(&gpu, &refcompiler_programs::composite_program(seed).to_string());
    }
    for example in [
        "option_prices",
        "pricing_summary",
        "planets",
        "mandelbrot_array",
        "matrix_product",
        "whole_arrays",
        "blur",
        "tridiagonal",
    ] {
        let path = format!("{}/../refcompiler/examples/{example}.par", env!("CARGO_MANIFEST_DIR"));
        optimised(&gpu, &std::fs::read_to_string(path).expect("an example"));
    }

    let run: BTreeSet<String> = take_counts(ordinal).kernels.into_keys().map(|id| id.entry).collect();
    let all = entries();
    let missing: Vec<&String> = all.difference(&run).collect();
    let percent = 100 * (all.len() - missing.len()) / all.len();
    println!("{} of {} entries run; not run:", all.len() - missing.len(), all.len());
    missing.iter().for_each(|entry| println!("{entry}"));
    assert!(percent >= LEAST, "{percent} % of the entries run");
}
