//! Each pass against the plainest code that is right, on random trees: all columns of all passes.

use std::collections::{HashMap, HashSet};

use crate::oracle::compiler;
use crate::oracle::lowering;
use crate::toolchain;
use quickcheck::{QuickCheck, TestResult};
use refcompiler::ir::frame::Frame;
use refcompiler::ir::instruction::{
    CALL, CHECK_AT_LEAST, CHECK_BELOW, CHECK_SAME, EXTERN, HostJumps, Instruction, Jump, Jumps, NOTHING, is_call,
    is_check,
};
use refcompiler::ir::kinds::kind;
use refcompiler::ir::registers::{STACK, argument_location};
use refcompiler::ir::tree::{Tree, runtime};
use refcompiler::passes::link::{lengthen, shortest_layout};
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::listing::instructions;
use refcompiler::pipeline::{After, Error, Observer, Output, compile, compile_in_parts};
use refcompiler::target::Target;
use refcompiler::target::prelude::Prelude;
use refcompiler::target::riscv::decode::decode;
use refcompiler::target::riscv::{isa as op, registers};
use refcompiler_programs::{Rng, larger_tree, lowered, trees};
use treepar::backend::Later;
use treepar::depth::Depths;
use treepar::device::{Def, kernels};
use treepar::{Backend, Cpu, dee, key};

/// Keeps all columns, and checks the invariants of each pass.
#[derive(Default)]
struct Seen {
    columns: Columns,
    checker: Checker,
}

impl<B: Backend> Observer<B> for Seen {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        self.columns.add(backend, after)?;
        self.checker.after(backend, after)
    }
}

/// Compiles random trees, on one thread and on two, and compares all columns with the oracles.
#[test]
fn every_column_matches_its_oracle() {
    fn run(seed: u64) -> Result<(), String> {
        // Some trees have millions of nodes, which takes the oracles too long.
        let (seed, tree) =
            (seed..).map(|seed| (seed, larger_tree(seed))).find(|(_, tree)| tree.len() < 12_000).expect("one");
        let lowered = lowered(&tree, seed);
        for (tree, threads) in [(&tree, 1), (&tree, 2), (&lowered, 1), (&lowered, 2)] {
            let mut seen = Seen::default();
            let compiled = compile(&Cpu::with_threads(threads), tree, Output::Object, &mut seen);
            compiled.map_err(|error| format!("seed {seed}: {error}"))?;
            let law = matches_oracles(tree, &seen.columns);
            law.map_err(|what| format!("seed {seed}: {what}"))?;
        }
        Ok(())
    }
    fn law(seed: u32) -> TestResult {
        run(seed.into()).map_or_else(TestResult::error, |()| TestResult::passed())
    }
    QuickCheck::new().tests(30).min_tests_passed(30).quickcheck(law as fn(u32) -> TestResult);
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &[T], expected: &[T]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let at = found.iter().zip(expected).position(|(a, b)| a != b).unwrap_or(found.len().min(expected.len()));
    Err(format!(
        "{what} differs at {at}: {:?} where {:?} was expected ({} and {} rows)",
        found.get(at),
        expected.get(at),
        found.len(),
        expected.len()
    ))
}

/// Compares columns of a pass with the fields of the same names.
macro_rules! same_columns {
    ($columns:expr, $pass:literal, $elements:expr, $($name:ident: $ty:ty),*) => {
        $(same(
            concat!($pass, " ", stringify!($name)),
            &$columns.get::<$ty>($pass, stringify!($name)),
            &$elements.iter().map(|element| element.$name).collect::<Vec<$ty>>(),
        )?;)*
    };
}

/// The end of each node's subtree, from the parents.
fn ends(parents: &[Option<usize>]) -> Vec<u32> {
    let mut ends: Vec<u32> = (1..=parents.len() as u32).collect();
    for i in (0..parents.len()).rev() {
        if let Some(parent) = parents[i] {
            ends[parent] = ends[parent].max(ends[i]);
        }
    }
    ends
}

fn matches_oracles(tree: &Tree, columns: &Columns) -> Result<(), String> {
    let mut nodes = compiler::lifted(tree);
    let mut path: Vec<usize> = Vec::new();
    let mut original = Vec::new();
    for (i, &depth) in tree.depth.iter().enumerate() {
        path.truncate(depth as usize);
        original.push(path.last().copied());
        path.push(i);
    }
    for (pass, parents) in [("structure", original), ("lift", nodes.iter().map(|node| node.parent).collect())] {
        let expected: Vec<u32> = parents.iter().map(|parent| parent.map_or(u32::MAX, |p| p as u32)).collect();
        same("parent", &columns.get::<u32>(pass, "parent"), &expected)?;
        same("end", &columns.get::<u32>(pass, "end"), &ends(&parents))?;
    }
    same_columns!(columns, "lift", nodes, depth: u32, kind: u8, ty: u8, data: u32, hops: u32);

    compiler::variables(&mut nodes);
    let placed: Vec<u32> = nodes.iter().map(|node| node.placed).collect();
    same("variables data", &columns.get::<u32>("variables", "data"), &placed)?;
    same_columns!(columns, "variables", nodes, aux: u32);

    let mut rows = compiler::rows(&nodes);
    same_columns!(columns, "flatten", rows, kind: u8, ty: u8, role: u8, data: u32, aux: u32, operand: u32, target: u32);
    let first = |r: &usize| *r == 0 || rows[*r].function != rows[*r - 1].function;
    let heads: Vec<usize> = (0..rows.len()).filter(first).collect();
    same("heads", &columns.get::<u32>("heads", "row"), &heads.iter().map(|&r| r as u32).collect::<Vec<_>>())?;

    compiler::allocate(&mut rows);
    same_columns!(columns, "allocate", rows, ints: u32, floats: u32, place: u8);
    let frames = compiler::frames(&rows);
    same("frames", &columns.get::<Frame>("frames", "frame"), &frames)?;

    let (expected, starts) = lowering::lower(&rows, &frames);
    same("instructions", &instructions(columns, Target::Riscv32), &expected)?;
    let heads: Vec<u32> = heads.iter().map(|&r| r as u32).collect();
    same("starts", &columns.get::<u32>("lower", "starts"), &heads)?;
    let last = rows.iter().filter(|row| matches!(row.kind, kind::FUNCTION | kind::EXTERN));
    let ids: Vec<u32> = last.map(|row| if row.kind == kind::FUNCTION { row.data } else { u32::MAX }).collect();
    same("ids", &columns.get::<u32>("lower", "ids"), &ids)?;
    let ends = starts.iter().copied().skip(1).chain([expected.len()]);
    let lengths = starts.iter().zip(ends).map(|(&start, end)| (end - start) as u32);
    same("lengths", &columns.get::<u32>("lower", "length"), &lengths.collect::<Vec<u32>>())?;

    let mut entries: Entries =
        ids.iter().zip(&heads).map(|(&id, &head)| (id, Entry::Here(starts[head as usize]))).collect();
    // The only function before the program.
    let stub = Prelude::new(Target::Riscv32, false, |id| id == runtime::CHECK_FAILED).words.len();
    entries.insert(runtime::CHECK_FAILED, Entry::Word(-(stub as i64)));
    let lengths = lengths_of(&expected, &entries);
    let positions = positions_of(&lengths, &starts);
    same("positions", &columns.get::<u32>("link", "positions"), &positions)?;
    meanings(&expected, &lengths, &entries, &columns.get::<u32>("encode", "words"))
}

/// Returns a program of functions that call functions near and far, in both directions, and in other objects.
fn calling_program(functions: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = "extern fn far[x: int]: int; fn main[]: int { print_int[f0[1]]; return 0; }\n".to_string();
    for f in 0..functions {
        text += &format!("fn f{f}[a: int]: int {{ var b = a;\n");
        for _ in 0..30 {
            let (callee, constant) = (rng.below(functions), rng.below(100_000));
            text += &match rng.below(5) {
                0 => format!("b = far[b] + {constant};\n"),
                1 => format!("while a < f{callee}[b] {{ a = a * {constant} + f{f}_in[b]; }}\n"),
                2 => format!("if f{callee}[a] == b {{ return {constant}; }} else {{ b = a / b; }}\n"),
                _ => format!("b = (a - {constant}) * f{callee}[b + a] / (b + {constant});\n"),
            };
        }
        text += &format!("fn f{f}_in[c: int]: int {{ return a + b * c; }}\nreturn b; }}\n");
    }
    text
}

/// Parts of all sizes make the same image, with the same symbols and calls.
#[test]
fn parts_make_the_same_image() {
    for (functions, seed) in [(20, 1), (1_600, 2)] {
        let tree = toolchain::tree(&calling_program(functions, seed)).unwrap();
        let whole = compile_in_parts(&Cpu::with_threads(1), &tree, Output::Object, usize::MAX, &mut ()).unwrap();
        let is_far = whole.image.words.len() > 1 << 18;
        assert_eq!(is_far, functions > 1_000, "{} words", whole.image.words.len());
        for (nodes, threads) in [(1, 1), (tree.len() / 9, 3), (tree.len() / 3, 2)] {
            let cpu = Cpu::with_threads(threads);
            let parts = compile_in_parts(&cpu, &tree, Output::Object, nodes, &mut ()).unwrap();
            assert!(parts.image == whole.image, "{functions} functions, parts of {nodes} nodes by {threads} threads");
            assert_eq!(parts.timings.len(), whole.timings.len());
        }
    }
}

/// Where a function begins.
#[derive(Clone, Copy)]
enum Entry {
    /// At an instruction.
    Here(usize),
    /// At a word, counted from the first instruction.
    Word(i64),
}

/// The functions by id. Other functions are in other objects.
type Entries = HashMap<u32, Entry>;

/// Returns the word that a jump or call goes to, if it is known.
fn target_of(x: &Instruction, entries: &Entries, position: &[i64]) -> Option<i64> {
    match entries.get(&x.imm) {
        Some(&Entry::Here(instruction)) if is_call(x.op) => Some(position[instruction]),
        Some(&Entry::Word(word)) if is_call(x.op) => Some(word),
        None if is_call(x.op) => None,
        _ => Some(position[x.imm as usize % position.len()]),
    }
}

/// Returns the first word of each row, given the first instruction of each.
fn positions_of(lengths: &[u8], starts: &[usize]) -> Vec<u32> {
    let mut position = vec![0];
    for &length in lengths {
        position.push(position.last().unwrap() + u32::from(length));
    }
    starts.iter().map(|&start| position[start]).collect()
}

/// The fused passes of the compiler equal treepar's own operations: lifting is `key::lift` without the leaves that
/// remain of functions, and `dee` finds the same dead nodes below expression statements.
#[test]
fn lifting_and_dead_code_equal_the_library() {
    let cpu = Cpu::with_threads(2);
    for (seed, tree) in trees(1_000..60_000).take(8) {
        let mut seen = Seen::default();
        compile(&cpu, &tree, Output::Object, &mut seen).unwrap();
        let columns = seen.columns;
        let is_function = |&k: &u8| u8::from(k == kind::FUNCTION || k == kind::EXTERN);
        let forest = Depths::new(cpu.upload(&tree.depth).unwrap()).unwrap();
        let marks: Vec<u8> = tree.kind.iter().map(is_function).collect();
        let lifted = key::lift(&forest, &cpu.upload(&marks).unwrap(), false).unwrap();
        let stays = |&r: &usize| lifted.role[r] != key::Role::Reference as u8;
        let rows: Vec<usize> = (0..lifted.origin.len()).filter(stays).collect();
        let depths: Vec<u32> = rows.iter().map(|&r| lifted.forest.depths()[r]).collect();
        let kinds: Vec<u8> = rows.iter().map(|&r| tree.kind[lifted.origin[r] as usize]).collect();
        same("depth", &columns.get::<u32>("lift", "depth"), &depths).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        same("kind", &columns.get::<u8>("lift", "kind"), &kinds).unwrap_or_else(|e| panic!("seed {seed}: {e}"));

        let nodes = compiler::lifted(&tree);
        let found = columns.get::<u8>("flatten", "kind");
        let mut row_of = vec![0; nodes.len()];
        for (r, row) in compiler::rows(&nodes).iter().enumerate() {
            row_of[row.node] = r;
        }
        // The depth of each node below an expression statement, whose own node is left out.
        let mut below: Vec<Option<u32>> = Vec::new();
        for node in &nodes {
            let parent = node.parent.map(|p| (nodes[p].kind, below[p]));
            below.push(match parent {
                Some((kind::EXPRESSION, _)) => Some(0),
                Some((_, Some(depth))) => Some(depth + 1),
                _ => None,
            });
        }
        let inside: Vec<usize> = (0..nodes.len()).filter(|&i| below[i].is_some()).collect();
        let depths: Vec<u32> = inside.iter().filter_map(|&i| below[i]).collect();
        let effects: Vec<u8> = inside.iter().map(|&i| u8::from(!compiler::is_pure(nodes[i].kind))).collect();
        let forest = Depths::new(cpu.upload(&depths).unwrap()).unwrap();
        let live = dee::tree_single_scan(&forest, &cpu.upload(&effects).unwrap()).unwrap().mask;
        let kept: Vec<u8> = inside.iter().map(|&i| u8::from(found[row_of[i]] != kind::EMPTY)).collect();
        same("live", &kept, &live).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// The calling convention, argument by argument, as the specification counts.
#[test]
fn arguments_are_placed_one_by_one() {
    for pattern in 0u32..1 << 20 {
        let (mut a, mut fa, mut stack) = (0u32, 0u32, 0u32);
        let (mut ints, mut floats) = (0, 0);
        for k in 0..20 {
            let is_float = pattern >> k & 1 == 1;
            let expected = if is_float && fa < 8 {
                fa += 1;
                42 + fa - 1
            } else if a < 8 {
                a += 1;
                10 + a - 1
            } else {
                stack += 1;
                STACK + stack - 1
            };
            assert_eq!(
                argument_location(Target::Riscv32, is_float, ints, floats),
                expected,
                "pattern {pattern:b}, argument {k}"
            );
            *(if is_float { &mut floats } else { &mut ints }) += 1;
        }
    }
}

/// Returns the lengths of instructions by the plainest fixpoint: lengths that do not reach grow, until none does.
fn lengths_of(instructions: &[Instruction], entries: &Entries) -> Vec<u8> {
    let mut lengths: Vec<u8> = instructions
        .iter()
        .enumerate()
        .map(|(i, x)| match x.op {
            CALL if !entries.contains_key(&x.imm) => 2,
            op::JAL if x.imm as usize == i + 1 => 0,
            op if is_check(op) => 2,
            _ => 1,
        })
        .collect();
    loop {
        let mut position = vec![0i64];
        for &length in &lengths {
            position.push(position.last().unwrap() + i64::from(length));
        }
        let mut grew = false;
        for (i, x) in instructions.iter().enumerate() {
            let Some(target) = target_of(x, entries, &position) else { continue };
            let bytes = 4 * (target - position[i]);
            let reaches = match (x.op, lengths[i]) {
                (_, 0) => true,
                (op::BEQ, 1) => (-4096..4096).contains(&bytes),
                (op::BEQ, 2) => (-(1 << 20)..1 << 20).contains(&(bytes - 4)),
                (op::JAL | CALL, 1) => (-(1 << 20)..1 << 20).contains(&bytes),
                (op, 2) if is_check(op) => (-(1 << 20)..1 << 20).contains(&(bytes - 4)),
                _ => true,
            };
            if !reaches {
                lengths[i] += 1;
                grew = true;
            }
        }
        if !grew {
            return lengths;
        }
    }
}

/// The word at which the rows of the test of linking begin.
const FIRST: u32 = 4;

/// Rows of all shapes that the pass `lower` yields, and the targets that jumps often have.
#[test]
fn link_matches_oracle() {
    for (seed, n) in [(1u64, 0usize), (2, 1), (3, 900), (4, 1100), (5, 5000), (6, 20_000), (7, 300_000), (8, 600_000)] {
        let mut rng = Rng::new(seed);
        let (add, nothing) = ((op::ADD, 5), (NOTHING, 0));
        // Function 0 is in another object, function 1 begins at word 2 of the image, and function `r + 2` at row `r`.
        let call = |_: &mut Rng| (CALL, 1);
        let (mut instructions, mut starts, mut shortest) = (Vec::new(), Vec::new(), Vec::new());
        let mut jumps = HostJumps::default();
        for r in 0..n {
            // Most targets are near, some just at the edges of a branch's reach, some anywhere.
            let mut target = || {
                let near = r as i64 + rng.one_of(&[0, 1, 2, 3, -30, 50, 900, -800, 1023, -1024, 1030]);
                if rng.once_in(5) { rng.below(n) as u32 } else { near.clamp(0, n as i64 - 1) as u32 }
            };
            let targets = [target(), target()];
            let (before, first, after, last) = match rng.below(8) {
                0 => (0, nothing, 0, nothing),
                1 => (rng.below(4), nothing, 0, nothing),
                2 => (rng.below(3), nothing, 0, (op::BEQ, 0)),
                3 => (0, (op::JAL, 0), 0, nothing),
                4 => (rng.below(3), call(&mut rng), rng.below(2), (op::BEQ, 0)),
                5 => (rng.below(3), call(&mut rng), rng.below(2), nothing),
                6 => (rng.below(3), (rng.one_of(&[CHECK_BELOW, CHECK_SAME]), 1), rng.below(2), nothing),
                _ => (1, nothing, 0, nothing),
            };
            let jump = |(op, rd), target| Instruction { op, rd, rs1: 28, rs2: 0, imm: target };
            let imm = match first.0 {
                CALL => rng.one_of(&[0, 1, targets[0] + 2]),
                op if is_check(op) => rng.one_of(&[1, targets[0] + 2]),
                _ => targets[0],
            };
            let (first, last) = (jump(first, imm), jump(last, targets[1]));
            starts.push(instructions.len());
            let adds = |count: usize| std::iter::repeat_n(jump(add, 0), count);
            let row = adds(before).chain([first]).chain(adds(after)).chain([last]);
            instructions.extend(row.filter(|x| x.op != NOTHING));
            shortest.push((instructions.len() - starts[r]) as u32);
            if first.op != NOTHING || last.op != NOTHING {
                let (before, rest) = (before as u32, (before + after) as u32);
                jumps.push(Jump { row: r as u32, before, rest, first, branch: last });
            }
        }
        for x in &mut instructions {
            if matches!(x.op, op::BEQ | op::JAL) {
                x.imm = starts[x.imm as usize] as u32;
            }
        }
        // A target after the last instruction is not the first of an instruction: none jumps there.
        instructions.push(Instruction { op: op::ADD, ..Instruction::default() });
        let functions = starts.iter().zip(2..).map(|(&start, id)| (id, Entry::Here(start)));
        let entries: Entries = functions.chain([(1, Entry::Word(2 - FIRST as i64))]).collect();
        let expected = lengths_of(&instructions, &entries);
        let positions = positions_of(&expected, &starts);
        for threads in [1, 2] {
            let cpu = Cpu::with_threads(threads);
            let (lengths, jumps) = (cpu.upload(&shortest).unwrap(), Jumps::upload(&cpu, &jumps).unwrap());
            let entry = |positions: &[u32]| {
                let words = positions.iter().map(|position| FIRST + position);
                cpu.upload(&[EXTERN, 2].into_iter().chain(words).collect::<Vec<u32>>()).unwrap()
            };
            let mut layout = shortest_layout(&cpu, Target::Riscv32, lengths, &jumps, &entry(&vec![0; n])).unwrap();
            let mut grows = true;
            while grows {
                let entry = entry(&layout.positions);
                grows = lengthen(&cpu, Target::Riscv32, &mut layout, &jumps, &entry, FIRST).unwrap();
            }
            same("positions", &layout.positions, &positions).unwrap();
            assert_eq!(
                layout.words.read().unwrap(),
                expected[..expected.len() - 1].iter().map(|&l| u32::from(l)).sum::<u32>()
            );
        }
    }
}

/// Checks the operation and the target of each word against its instruction.
fn meanings(instructions: &[Instruction], lengths: &[u8], entries: &Entries, words: &[u32]) -> Result<(), String> {
    let mut position = vec![0i64];
    for &length in lengths {
        position.push(position.last().unwrap() + i64::from(length));
    }
    if words.len() as i64 != *position.last().unwrap() {
        return Err(format!("{} words, {} expected", words.len(), position.last().unwrap()));
    }
    // The target of `auipc` and `jalr` in the words `at` and `at + 1`.
    let pair = |at: usize| {
        let (upper, lower) = (decode(words[at]).unwrap(), decode(words[at + 1]).unwrap());
        assert_eq!((upper.op, lower.op, upper.rd), (op::AUIPC, op::JALR, lower.rs1), "word {at}");
        (lower.rd, at as i64 + i64::from(upper.imm.wrapping_add(lower.imm) as i32) / 4)
    };
    for (i, x) in instructions.iter().enumerate() {
        let at = position[i] as usize;
        let goes = |at: usize, word: Instruction| at as i64 + i64::from(word.imm as i32) / 4;
        let to = target_of(x, entries, &position);
        let target = || to.expect("a known target");
        let first = (lengths[i] > 0).then(|| decode(words[at]).expect("an instruction"));
        let holds = match (x.op, lengths[i], first) {
            (_, 0, _) => true,
            (CALL, 2, _) if to.is_none() => pair(at) == (registers::RA, at as i64),
            (op::BEQ, 1, Some(word)) => {
                (word.op, word.rs1, word.rs2) == (x.op, x.rs1, x.rs2) && goes(at, word) == target()
            }
            (op::BEQ, n, Some(word)) => {
                let over = (word.op, word.rs1, word.rs2) == (op::BNE, x.rs1, x.rs2)
                    && goes(at, word) == at as i64 + i64::from(n);
                let jump = decode(words[at + 1]).expect("an instruction");
                over && match n {
                    2 => (jump.op, jump.rd) == (op::JAL, registers::ZERO) && goes(at + 1, jump) == target(),
                    _ => pair(at + 1) == (registers::ZERO, target()),
                }
            }
            (op, n, Some(word)) if is_check(op) => {
                let holds = match op {
                    CHECK_BELOW => op::BLTU,
                    CHECK_AT_LEAST => op::BGE,
                    CHECK_SAME => op::BEQ,
                    _ => unreachable!("no check"),
                };
                let over = (word.op, word.rs1, word.rs2) == (holds, x.rs1, x.rs2)
                    && goes(at, word) == at as i64 + i64::from(n);
                let call = decode(words[at + 1]).expect("an instruction");
                over && match n {
                    2 => (call.op, call.rd) == (op::JAL, registers::RA) && goes(at + 1, call) == target(),
                    _ => pair(at + 1) == (registers::RA, target()),
                }
            }
            (op::JAL | CALL, 1, Some(word)) => (word.op, word.rd) == (op::JAL, x.rd) && goes(at, word) == target(),
            (op::JAL | CALL, 2, _) => pair(at) == (x.rd, target()),
            (_, 1, Some(word)) => word == *x,
            _ => false,
        };
        if !holds {
            return Err(format!("instruction {i}, {x:?}: wrong words from {at} on"));
        }
    }
    Ok(())
}

/// A device function has at most five parameters besides its row: more tables are one parameter.
#[test]
fn device_functions_have_few_parameters() {
    /// Returns the parameters that a template gives: the row, and the value or the number that comes with it.
    fn own(template: &str) -> usize {
        let has_more = ["expand", "walk_down", "walk_up", "walk_slots", "scan_map", "positions"].contains(&template);
        1 + has_more as usize
    }
    let is_of_passes = |function: &Def| function.module.starts_with("refcompiler::passes");
    let kernels = kernels();
    let rows = kernels.iter().map(|kernel| (kernel.functions[0], own(kernel.template)));
    let mut left: Vec<(&'static Def, usize)> = rows.filter(|(function, _)| is_of_passes(function)).collect();
    let (mut seen, mut long) = (HashSet::new(), Vec::new());
    while let Some((function, own)) = left.pop() {
        if !seen.insert((function.module, function.name)) {
            continue;
        }
        if function.parameters.len() > own + 5 {
            long.push(format!("{function:?} has {} parameters", function.parameters.len()));
        }
        left.extend(function.calls.iter().filter(|call| is_of_passes(call)).map(|call| (*call, 1)));
    }
    assert!(seen.len() > 500, "only {} functions", seen.len());
    assert!(long.is_empty(), "{long:#?}");
}
