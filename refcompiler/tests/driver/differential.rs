//! Random programs: the interpreter of the tree, the compiled program on the simulator, and the same program in C.
//!
//! ```text
//! seeds --draw--> programs --interpret--> what each does
//!                    |--batch--> one Par program --compile--> one executable: the simulator, and qemu
//!                    |                           --compile--> one executable for x86-64: this machine, if it can run it
//!                    `--c_text--> one C program ----tcc-----> one executable: this machine
//! ```
//!
//! Each executable is run once for each program, so the passes and the runtime are paid once for all.
//!
//! `cargo test --test driver differential::whole_arrays::` compares programs of one kind. `TREEPAR_SEED` is the first seed, and
//! `TREEPAR_PROGRAMS` the number of programs of each kind. The tests with qemu draw other programs than those without.

use std::iter::Peekable;
use std::ops::Range;
use std::path::Path;

use crate::oracle::interpreter::{Outcome, Stop, interpret};
use crate::toolchain::{self, Native};
use refcompiler::frontend::uniqueness::breaches_of;
use refcompiler::simulator::Limits;
use refcompiler::target::Target;
use refcompiler_programs::syntax::Program;
use refcompiler_programs::{
    SUPPORT, array_program, batch, c_text, composite_program, lambda_program, larger_program, library, number, program,
    program_with_builtins, shrink, struct_program, typed_program, whole_program,
};
use treepar::Cpu;

/// Steps of the interpreter; a program that takes more does not count.
const STEPS: u64 = 3_000_000;

/// The most programs in one executable.
const BATCH: usize = 40;

/// The most types of structs and tuples that a program can have.
const TYPES: usize = 128;

/// Where the seeds of programs that run in qemu begin.
const QEMU_SEEDS: u64 = 1_000_000;

/// Returns the outcome of a program by the interpreter, or the errors of one that is not valid.
fn meaning(text: &str) -> Result<Result<Outcome, Stop>, String> {
    Ok(interpret(&toolchain::tree(text)?, b"", STEPS, 10_000))
}

/// Returns the outcome of an executable on the simulator.
fn simulated(elf: &[u8], input: &[u8]) -> Result<Outcome, String> {
    let limits = Limits { instructions: Some(200_000_000), guard_arena: true, guard_blocks: true, ..Limits::default() };
    let toolchain::Simulated { status, output, .. } = toolchain::simulated(elf, input, limits);
    Ok(Outcome { output, status: status.map_err(|fault| fault.to_string())? })
}

/// Returns the outcome of an executable for x86-64 on this machine.
fn run_natively(program: &Native, input: &[u8]) -> Result<Outcome, String> {
    let found = program.run(input);
    let status = found.status.code().ok_or_else(|| found.status.to_string())?;
    Ok(Outcome { output: found.stdout, status: status as u8 })
}

/// The executables of a program.
struct Executables {
    /// The executable for the simulator.
    plain: Vec<u8>,
    /// The same, optimised.
    optimised: Vec<u8>,
    /// The executable for x86-64, optimised, if it runs on this machine.
    native: Option<Native>,
}

impl Executables {
    /// Compiles a program in all ways.
    ///
    /// # Errors
    /// The errors of a program that is not valid, that breaks a rule of uniqueness, or that does not compile.
    fn new(text: &str) -> Result<Executables, String> {
        let tree = toolchain::tree(text)?;
        let breaches = breaches_of(&Cpu::with_threads(1), &tree).map_err(|error| error.to_string())?;
        if !breaches.rule.is_empty() {
            return Err("it breaks a rule of uniqueness".into());
        }
        let native = || toolchain::built(Target::X86_64, &tree, 1).map(|elf| Native::new(&elf));
        Ok(Executables {
            plain: toolchain::executable(&tree)?,
            optimised: toolchain::built(Target::Riscv32, &tree, 1).map_err(|what| format!("optimised: {what}"))?,
            native: toolchain::IS_NATIVE.then(native).transpose().map_err(|what| format!("natively: {what}"))?,
        })
    }

    /// Runs the executables until one disagrees with the interpreter. Returns the outcome of the last.
    fn run(&self, input: &[u8], expected: &Outcome) -> Result<Outcome, String> {
        let mut found = simulated(&self.plain, input);
        if found.as_ref() == Ok(expected) {
            found = simulated(&self.optimised, input).map_err(|what| format!("optimised: {what}"));
        }
        if let (Some(program), true) = (&self.native, found.as_ref() == Ok(expected)) {
            found = run_natively(program, input).map_err(|what| format!("natively: {what}"));
        }
        found
    }
}

/// Returns why the simulator disagrees with the interpreter on a program, if it does.
fn disagreement(program: &Program) -> Option<String> {
    let text = program.to_string();
    let Ok(Ok(expected)) = meaning(&text) else { return None };
    let found = Executables::new(&text).and_then(|executables| executables.run(b"", &expected));
    (found.as_ref() != Ok(&expected)).then(|| format!("expected {}, found {}", show(&Ok(expected)), show(&found)))
}

fn show(outcome: &Result<Outcome, String>) -> String {
    match outcome {
        Ok(Outcome { output, status }) => format!("status {status} and {:?}", String::from_utf8_lossy(output)),
        Err(what) => what.clone(),
    }
}

/// Returns the kind of a disagreement: the part of the text that does not depend on the program.
fn kind_of(what: &str) -> String {
    let found = what.rsplit("found ").next().unwrap_or(what);
    found.chars().filter(|c| !c.is_ascii_digit()).take(24).collect()
}

/// Panics with the smallest program found that fails as this one does.
fn fail(seed: u64, program: Program, what: &str) -> ! {
    let kind = kind_of(what);
    let smallest = shrink(program, |smaller| disagreement(smaller).is_some_and(|what| kind_of(&what) == kind));
    panic!("seed {seed}: {what}\n{smallest}");
}

/// Programs of some seeds that take few enough steps.
#[derive(Default)]
struct Batch {
    seeds: Vec<u64>,
    programs: Vec<Program>,
    expected: Vec<Outcome>,
}

impl Batch {
    /// Takes as many seeds as fit.
    fn new(draw: fn(u64) -> Program, seeds: &mut Peekable<Range<u64>>) -> Batch {
        let mut drawn = Batch::default();
        let mut types = 0;
        while drawn.seeds.len() < BATCH
            && let Some(&seed) = seeds.peek()
        {
            let program = draw(seed).renamed(&format!("p{seed}_"));
            let tree = toolchain::tree(&program.to_string());
            let tree = tree.unwrap_or_else(|errors| panic!("seed {seed}: it is not valid\n{errors}"));
            types += tree.composites.len();
            if types > TYPES && !drawn.seeds.is_empty() {
                break;
            }
            seeds.next();
            if let Ok(expected) = interpret(&tree, b"", STEPS, 10_000) {
                drawn.seeds.push(seed);
                drawn.programs.push(program);
                drawn.expected.push(expected);
            }
        }
        drawn
    }

    /// Compiles all programs to executables that run the program whose index they read.
    fn compile(&self) -> Executables {
        Executables::new(&batch(&self.programs)).unwrap_or_else(|errors| self.explain(&errors))
    }

    /// Panics with the program because of which the batch is wrong.
    fn explain(&self, what: &str) -> ! {
        for (&seed, program) in self.seeds.iter().zip(&self.programs) {
            if let Some(what) = disagreement(program) {
                fail(seed, program.clone(), &what);
            }
        }
        panic!("the programs of {:?} fail only together: {what}", self.seeds);
    }

    /// Compares the programs on the simulator, and on this machine.
    fn simulate(&self, executables: &Executables) {
        for (k, expected) in self.expected.iter().enumerate() {
            let found = executables.run(&[k as u8], expected);
            if found.as_ref() != Ok(expected) {
                let what = format!("expected {}, found {}", show(&Ok(expected.clone())), show(&found));
                if let Some(what) = disagreement(&self.programs[k]) {
                    fail(self.seeds[k], self.programs[k].clone(), &what);
                }
                panic!("seed {}, only together with others: {what}", self.seeds[k]);
            }
        }
    }

    /// Compares the programs in qemu, and their C on this machine.
    fn emulate(&self, executables: &Executables) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path();
        toolchain::write_runnable(&folder.join("own"), &executables.plain);
        self.write_c(folder);
        for (k, expected) in self.expected.iter().enumerate() {
            std::fs::write(folder.join("input"), [k as u8]).expect("a written file");
            let input = std::fs::File::open(folder.join("input")).expect("an input");
            self.expect(k, "the compiled program in qemu", toolchain::emulated("own", &[], input, folder), expected);
            // The number of arguments chooses the program in C.
            self.expect(k, "the C program", toolchain::run("./c", &vec!["x"; k], folder), expected);
        }
    }

    /// Panics if a process did not do what the interpreter does.
    fn expect(&self, k: usize, who: &str, found: std::process::Output, expected: &Outcome) {
        let status = found.status.code().map_or(Err(found.status.to_string()), |status| Ok(status as u8));
        let outcome = status.map(|status| Outcome { output: found.stdout, status });
        assert!(
            outcome.as_ref() == Ok(expected),
            "seed {}: {who}: expected {}, found {} {}\n{}",
            self.seeds[k],
            show(&Ok(expected.clone())),
            show(&outcome),
            String::from_utf8_lossy(&found.stderr),
            self.programs[k]
        );
    }

    /// Writes and compiles the programs in C, with the compiler that takes the least time.
    fn write_c(&self, folder: &Path) {
        let mut text = format!("{SUPPORT}{}", library());
        let mut choices = String::new();
        for (k, program) in self.programs.iter().enumerate() {
            text.push_str(&c_text(program, &format!("p{k}")));
            choices.push_str(&format!("case {}: return p{k}();\n", k + 1));
        }
        text.push_str(&format!("int main(int n) {{ switch (n) {{\n{choices}}} return 0; }}\n"));
        std::fs::write(folder.join("batch.c"), text).expect("a written file");
        toolchain::must("tcc", &["-w", "batch.c", "-lm", "-o", "c"], folder);
    }
}

/// Compares the interpreter and the simulator on `programs` programs, and qemu and C if `in_qemu`. The environment can set the number.
fn agree(draw: fn(u64) -> Program, programs: u64, in_qemu: bool) {
    let first = number("TREEPAR_SEED", 1) + if in_qemu { QEMU_SEEDS } else { 0 };
    let count = number("TREEPAR_PROGRAMS", programs);
    let mut compared = 0;
    let mut seeds = (first..first + count).peekable();
    while seeds.peek().is_some() {
        let batch = Batch::new(draw, &mut seeds);
        let executables = batch.compile();
        batch.simulate(&executables);
        if in_qemu {
            batch.emulate(&executables);
        }
        compared += batch.seeds.len() as u64;
    }
    println!("{count} programs from seed {first}: {compared} compared, the others take too many steps");
    assert!(compared * 4 >= count * 3, "only {compared} of {count} programs were compared");
}

/// The forms that only programs of all types have: narrow arrays, sizes of parameters and variables, arrays of structs in fields.
#[test]
fn programs_of_all_types_have_narrow_arrays_and_sizes() {
    let texts: Vec<String> = (1..=80).map(|seed| typed_program(seed).to_string()).collect();
    for form in ["[byte", "[short", ": [byte])", "; n", "]; n", ": [S0]", "print["] {
        let count = texts.iter().filter(|text| text.contains(form)).count();
        assert!(count >= 8, "only {count} of {} programs have `{form}`", texts.len());
    }
}

/// Tests of programs of each kind: on the simulator, and in qemu as well.
macro_rules! kinds {
    ($($kind:ident: $draw:ident, $simulated:literal, $emulated:literal;)*) => {$(
        mod $kind {
            use super::{agree, $draw};

            #[test]
            fn interpreter_and_simulator_agree() {
                agree($draw, $simulated, false);
            }

            #[test]
            #[ignore = "needs tcc and qemu-riscv32"]
            fn interpreter_simulator_qemu_and_c_agree() {
                agree($draw, $emulated, true);
            }
        }
    )*};
}

kinds! {
    programs: program, 300, 200;
    runtime: program_with_builtins, 100, 100;
    whole_language: larger_program, 150, 100;
    arrays: array_program, 80, 400;
    functions_as_arguments: lambda_program, 80, 400;
    structs: struct_program, 80, 400;
    whole_arrays: whole_program, 80, 400;
    all_forms: composite_program, 80, 400;
    all_types: typed_program, 80, 400;
}
