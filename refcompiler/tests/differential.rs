//! Random programs: the interpreter of the tree, the compiled program on the simulator, and the same program in C.

mod oracle;
mod toolchain;

use oracle::interpreter::{Outcome, Stop, interpret};
use refcompiler::frontend::uniqueness;
use refcompiler::simulator::Limits;
use refcompiler_programs::syntax::Program;
use refcompiler_programs::{
    SUPPORT, array_program, c_text, composite_program, lambda_program, larger_program, library, number, program,
    program_with_builtins, shrink, struct_program, whole_program,
};
use treepar::Cpu;

/// Steps of the interpreter; a program that takes more does not count.
const STEPS: u64 = 3_000_000;

/// What the interpreter says of a program; an error where it is not valid, `Stop` where it takes too long.
fn meaning(text: &str) -> Result<Result<Outcome, Stop>, String> {
    Ok(interpret(&toolchain::tree(text)?, b"", STEPS, 10_000))
}

/// What the compiled program does on the simulator.
fn simulated(text: &str) -> Result<Outcome, String> {
    let elf = toolchain::executable(&toolchain::tree(text)?)?;
    let limits = Limits { instructions: Some(200_000_000), guard_arena: true, ..Limits::default() };
    let toolchain::Simulated { status, output, .. } = toolchain::simulated(&elf, b"", limits);
    Ok(Outcome { output, status: status.map_err(|fault| fault.to_string())? })
}

/// Returns whether a text is a program that keeps the rules of uniqueness, as the compiler demands.
fn keeps_rules(text: &str) -> bool {
    let tree = toolchain::tree(text).expect("a valid program");
    uniqueness::breaches_of(&Cpu::with_threads(1), &tree).expect("breaches").rule.is_empty()
}

fn breaks_rules(program: &Program) -> bool {
    let text = program.to_string();
    toolchain::tree(&text).is_ok() && !keeps_rules(&text)
}

fn disagrees(program: &Program) -> bool {
    let text = program.to_string();
    match meaning(&text) {
        Ok(Ok(expected)) if keeps_rules(&text) => simulated(&text).as_ref() != Ok(&expected),
        _ => false,
    }
}

/// Panics with the smallest program found that fails as this one does.
fn fail(seed: u64, program: Program, what: &str, fails: impl Fn(&Program) -> bool) -> ! {
    let smallest = shrink(program, fails);
    panic!("seed {seed}: {what}\n{smallest}");
}

#[test]
fn interpreter_and_simulator_agree() {
    agree(program, 300);
}

#[test]
fn interpreter_and_simulator_agree_on_functions_of_the_runtime() {
    agree(program_with_builtins, 100);
}

#[test]
fn interpreter_and_simulator_agree_on_the_whole_language() {
    agree(larger_program, 150);
}

#[test]
fn interpreter_and_simulator_agree_on_arrays() {
    agree(array_program, 60);
}

#[test]
fn interpreter_and_simulator_agree_on_functions_as_arguments() {
    agree(lambda_program, 40);
}

#[test]
fn interpreter_and_simulator_agree_on_structs() {
    agree(struct_program, 30);
}

#[test]
fn interpreter_and_simulator_agree_on_whole_arrays() {
    agree(whole_program, 40);
}

#[test]
fn interpreter_and_simulator_agree_on_all_forms() {
    agree(composite_program, 40);
}

/// Compares the interpreter and the simulator on `programs` programs, or on the number of the environment.
fn agree(program: fn(u64) -> Program, programs: u64) {
    let first = number("TREEPAR_SEED", 1);
    let count = number("TREEPAR_PROGRAMS", programs);
    let mut stopped = 0;
    for seed in first..first + count {
        let program = program(seed);
        let text = program.to_string();
        match meaning(&text) {
            Err(errors) => panic!("seed {seed}: the generator made an invalid program\n{errors}"),
            Ok(_) if !keeps_rules(&text) => fail(seed, program, "it breaks the rules of uniqueness", breaks_rules),
            Ok(Err(_)) => stopped += 1,
            Ok(Ok(expected)) => {
                let found = simulated(&text);
                if found.as_ref() != Ok(&expected) {
                    let what = format!("expected {}, found {}", show(&Ok(expected)), show(&found));
                    fail(seed, program, &what, disagrees);
                }
            }
        }
    }
    println!("{count} programs from seed {first}: {} ran, {stopped} took too many steps", count - stopped);
    assert!(stopped * 4 <= count, "{stopped} of {count} programs took too many steps to tell anything");
}

fn show(outcome: &Result<Outcome, String>) -> String {
    match outcome {
        Ok(Outcome { output, status }) => format!("status {status} and {:?}", String::from_utf8_lossy(output)),
        Err(what) => what.clone(),
    }
}

/// Programs in one C file.
const BATCH: u64 = 25;

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree() {
    agree_with_clang(program, 200);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_functions_of_the_runtime() {
    agree_with_clang(program_with_builtins, 100);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_the_whole_language() {
    agree_with_clang(larger_program, 100);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_arrays() {
    agree_with_clang(array_program, 200);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_functions_as_arguments() {
    agree_with_clang(lambda_program, 100);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_structs() {
    agree_with_clang(struct_program, 100);
}

#[test]
#[ignore = "needs clang, ld.lld and qemu-riscv32"]
fn interpreter_clang_and_qemu_agree_on_whole_arrays() {
    agree_with_clang(whole_program, 100);
}

/// Compares the interpreter and clang's code on `programs` programs, or on the number of the environment.
fn agree_with_clang(program: fn(u64) -> Program, programs: u64) {
    let first = number("TREEPAR_SEED", 1);
    let count = number("TREEPAR_PROGRAMS", programs);
    let mut compared = 0;
    for begin in (first..first + count).step_by(BATCH as usize) {
        let seeds: Vec<u64> = (begin..(begin + BATCH).min(first + count)).collect();
        compared += compare_batch(program, &seeds);
    }
    println!("{count} programs from seed {first}: {compared} compared with clang's, both run by qemu");
    assert!(compared * 4 >= count * 3, "only {compared} of {count} programs were compared");
}

/// Compares a batch; returns how many programs took few enough steps.
fn compare_batch(program: fn(u64) -> Program, seeds: &[u64]) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let mut text = format!("{SUPPORT}{}", library());
    let mut programs = Vec::new();
    for &seed in seeds {
        let program = program(seed);
        let par = program.to_string();
        if let Ok(expected) = meaning(&par).unwrap_or_else(|errors| panic!("seed {seed}: {errors}")) {
            text.push_str(&c_text(&program, &format!("p{seed}")));
            programs.push((seed, par, expected));
        }
    }
    // The number of arguments that qemu passes chooses the program.
    text.push_str("int choose(int n) { switch (n) {\n");
    for (k, (seed, ..)) in programs.iter().enumerate() {
        text.push_str(&format!("case {}: return p{seed}();\n", k + 1));
    }
    text.push_str(
        "} return 0; }\n__asm__(\".globl _start\\n_start: lw a0, 0(sp)\\n call choose\\n li a7, 93\\n ecall\\n\");\n",
    );
    std::fs::write(folder.join("batch.c"), text).expect("a written file");
    let mut arguments = toolchain::CLANG.to_vec();
    arguments.extend(["-nostdlib", "-fuse-ld=lld", "batch.c", "-o", "batch"]);
    toolchain::must("clang", &arguments, folder);
    for (k, (seed, par, expected)) in programs.iter().enumerate() {
        let mut arguments = vec!["batch"];
        arguments.extend(vec!["x"; k]);
        let c = toolchain::run("qemu-riscv32", &arguments, folder);
        let elf = toolchain::executable(&toolchain::tree(par).expect("a valid program")).expect("an executable");
        toolchain::write_runnable(&folder.join("own"), &elf);
        let own = toolchain::run("qemu-riscv32", &["own"], folder);
        for (who, found) in [("clang's program", c), ("the compiled program", own)] {
            let found_outcome = Outcome { output: found.stdout, status: found.status.code().unwrap_or(-1) as u8 };
            assert!(
                found.status.code().is_some() && found_outcome == *expected,
                "seed {seed}: {who} under qemu: expected {}, found {} ({}) {}\n{par}",
                show(&Ok(expected.clone())),
                show(&Ok(found_outcome)),
                found.status,
                String::from_utf8_lossy(&found.stderr)
            );
        }
    }
    programs.len() as u64
}
