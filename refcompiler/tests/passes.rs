//! Each pass against the plainest code that is right, on random trees.

use quickcheck::{QuickCheck, TestResult};
use refcompiler::passes::Nodes;
use refcompiler::passes::allocate::allocate;
use refcompiler::passes::check::Checker;
use refcompiler::passes::flatten::{flatten, is_value, role};
use refcompiler::passes::lift::{Lifted, lift};
use refcompiler::passes::link::link;
use refcompiler::passes::sequence::{CALL_EXTERN, CALL_STUB, Instruction};
use refcompiler::passes::structure::structure;
use refcompiler::passes::variables::{STACK, Variables, place_of_argument, variables};
use refcompiler::pipeline::Observer;
use refcompiler::riscv::op;
use refcompiler::tree::{Tree, kind, ty};
use refcompiler_programs::{Rng, tree};
use treepar::{Backend, Cpu};

/// Runs `law` on enough random trees, on one thread and on two.
fn check(law: fn(&Cpu, &Tree) -> Result<(), String>) {
    fn run(law: fn(&Cpu, &Tree) -> Result<(), String>, seed: u64) -> TestResult {
        let tree = tree(seed);
        for threads in [1, 2] {
            if let Err(what) = law(&Cpu::with_threads(threads), &tree) {
                return TestResult::error(format!("seed {seed}: {what}"));
            }
        }
        TestResult::passed()
    }
    struct Law(fn(&Cpu, &Tree) -> Result<(), String>);
    impl quickcheck::Testable for Law {
        fn result(&self, g: &mut quickcheck::Gen) -> TestResult {
            run(self.0, quickcheck::Arbitrary::arbitrary(g))
        }
    }
    QuickCheck::new().tests(30).min_tests_passed(30).quickcheck(Law(law));
}

fn upload(cpu: &Cpu, tree: &Tree) -> Nodes<Cpu> {
    Nodes {
        depth: cpu.upload(&tree.depth).unwrap(),
        kind: cpu.upload(&tree.kind).unwrap(),
        ty: cpu.upload(&tree.ty).unwrap(),
        data: cpu.upload(&tree.data).unwrap(),
    }
}

fn lifted(cpu: &Cpu, tree: &Tree) -> Lifted<Cpu> {
    let nodes = upload(cpu, tree);
    let shape = structure(cpu, &nodes.depth).unwrap();
    lift(cpu, nodes, shape, tree.functions.len()).unwrap()
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

/// Children of each node, and the roots, in order.
fn children(tree: &Tree) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut children = vec![Vec::new(); tree.len()];
    let mut roots = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    for (i, &depth) in tree.depth.iter().enumerate() {
        path.truncate(depth as usize);
        match path.last() {
            Some(&parent) => children[parent].push(i),
            None => roots.push(i),
        }
        path.push(i);
    }
    (children, roots)
}

#[test]
fn structure_matches_oracle() {
    check(|cpu, tree| {
        let shape = structure(cpu, &cpu.upload(&tree.depth).unwrap()).unwrap();
        let (children, _) = children(tree);
        let mut parent = vec![u32::MAX; tree.len()];
        let mut end: Vec<u32> = (1..=tree.len() as u32).collect();
        for i in (0..tree.len()).rev() {
            for &child in &children[i] {
                parent[child] = i as u32;
                end[i] = end[child];
            }
        }
        same("parent", &shape.parent, &parent)?;
        same("end", &shape.end, &end)
    });
}

/// The nodes of each function without those of the functions in it, functions in preorder.
fn lifted_order(tree: &Tree) -> Vec<usize> {
    fn walk(i: usize, children: &[Vec<usize>], tree: &Tree, out: &mut Vec<usize>, later: &mut Vec<usize>) {
        out.push(i);
        for &child in &children[i] {
            if tree.kind[child] == kind::FUNCTION {
                later.push(child);
            } else {
                walk(child, children, tree, out, later);
            }
        }
    }
    let (children, roots) = children(tree);
    let mut functions: Vec<Vec<usize>> = Vec::new();
    let mut waiting = roots;
    while !waiting.is_empty() {
        let mut later = Vec::new();
        for root in std::mem::take(&mut waiting) {
            let mut nodes = Vec::new();
            walk(root, &children, tree, &mut nodes, &mut later);
            functions.push(nodes);
        }
        waiting = later;
    }
    functions.sort_by_key(|nodes| nodes[0]);
    functions.concat()
}

/// The function of each node, and how many functions are around it.
fn scopes(tree: &Tree) -> Vec<(usize, u32)> {
    let mut scopes = Vec::new();
    let mut path: Vec<(usize, u32)> = Vec::new();
    for i in 0..tree.len() {
        path.truncate(tree.depth[i] as usize);
        let above = path.last().copied();
        let scope = if tree.kind[i] == kind::FUNCTION || tree.kind[i] == kind::EXTERN {
            (i, above.map_or(0, |(_, level)| level + 1))
        } else {
            above.expect("a root is a function")
        };
        scopes.push(scope);
        path.push(scope);
    }
    scopes
}

#[test]
fn lift_matches_oracle() {
    check(|cpu, tree| {
        let lifted = lifted(cpu, tree);
        let order = lifted_order(tree);
        let scopes = scopes(tree);
        let mut place = vec![0u32; tree.len()];
        for (at, &old) in order.iter().enumerate() {
            place[old] = at as u32;
        }
        let level_of_function = |id: u32| {
            let found = tree.functions[id as usize].node;
            found.map_or(0, |node| scopes[node as usize].1)
        };
        let mut expected = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &old in &order {
            let level = scopes[old].1;
            expected.0.push(tree.depth[old] - tree.depth[scopes[old].0]);
            expected.1.push(tree.kind[old]);
            let is_variable = matches!(tree.kind[old], kind::NAME | kind::ASSIGN);
            expected.2.push(if is_variable { place[tree.data[old] as usize] } else { tree.data[old] });
            expected.3.push(match tree.kind[old] {
                kind::NAME | kind::ASSIGN => level - scopes[tree.data[old] as usize].1,
                kind::CALL if level_of_function(tree.data[old]) > 0 => level + 2 - level_of_function(tree.data[old]),
                kind::FUNCTION => level,
                _ => 0,
            });
        }
        same("depth", &lifted.nodes.depth, &expected.0)?;
        same("kind", &lifted.nodes.kind, &expected.1)?;
        same("data", &lifted.nodes.data, &expected.2)?;
        same("hops", &lifted.hops, &expected.3)
    });
}

/// The lifted program as a tree, for the oracles of the passes after lifting.
fn lifted_tree(lifted: &Lifted<Cpu>) -> Tree {
    Tree {
        depth: lifted.nodes.depth.to_vec(),
        kind: lifted.nodes.kind.to_vec(),
        ty: lifted.nodes.ty.to_vec(),
        data: lifted.nodes.data.to_vec(),
        ..Tree::default()
    }
}

#[test]
fn variables_match_oracle() {
    check(|cpu, tree| {
        let lifted = lifted(cpu, tree);
        let found: Variables<Cpu> = variables(cpu, &lifted).unwrap();
        let tree = lifted_tree(&lifted);
        let mut offset = vec![0i32; tree.len()];
        let (mut slot, mut ints, mut floats) = (0, 0, 0);
        for (i, offset) in offset.iter_mut().enumerate() {
            match tree.kind[i] {
                kind::FUNCTION | kind::EXTERN => (slot, ints, floats) = (0, 0, 0),
                kind::PARAM => {
                    let is_float = tree.ty[i] == ty::FLOAT;
                    let place = place_of_argument(is_float, ints, floats);
                    *offset = if place >= STACK { 4 * (place - STACK) as i32 } else { -12 - 4 * slot };
                    *(if is_float { &mut floats } else { &mut ints }) += 1;
                    slot += 1;
                }
                kind::DECLARE => {
                    *offset = -12 - 4 * slot;
                    slot += 1;
                }
                _ => {}
            }
        }
        let expected: Vec<u32> = (0..tree.len())
            .map(|i| match tree.kind[i] {
                kind::PARAM | kind::DECLARE => offset[i] as u32,
                _ => tree.data[i],
            })
            .collect();
        same("offsets", &found.data, &expected)
    });
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
            assert_eq!(place_of_argument(is_float, ints, floats), expected, "pattern {pattern:b}, argument {k}");
            *(if is_float { &mut floats } else { &mut ints }) += 1;
        }
    }
}

#[test]
fn discard_and_flatten_match_oracle() {
    check(|cpu, tree| {
        let lifted = lifted(cpu, tree);
        let vars = variables(cpu, &lifted).unwrap();
        let parameters: Vec<u32> = tree.functions.iter().map(|f| f.parameters).collect();
        let rows = flatten(cpu, &lifted, &vars, &cpu.upload(&parameters).unwrap()).unwrap();
        Checker.flat(cpu, &rows).map_err(|e| e.to_string())?;

        let tree = lifted_tree(&lifted);
        let (children, roots) = children(&tree);
        let mut expected: Vec<(u8, bool)> = Vec::new();
        for root in roots {
            walk_rows(root, kind::EMPTY, false, &tree, &children, &mut expected);
        }
        let found: Vec<(u8, bool)> =
            rows.kind.iter().zip(&rows.role[..]).map(|(&k, &role)| (k, role == role::DISCARDED)).collect();
        return same("rows", &found, &expected);

        /// Kinds of rows in evaluation order, and whether each value is discarded.
        fn walk_rows(
            i: usize,
            above: u8,
            unused: bool,
            tree: &Tree,
            children: &[Vec<usize>],
            out: &mut Vec<(u8, bool)>,
        ) {
            let k = tree.kind[i];
            let pure = k >= kind::LITERAL;
            let below = if pure { unused } else { k == kind::EXPRESSION };
            for &child in &children[i] {
                walk_rows(child, k, below, tree, children, out);
            }
            if k == kind::CALL {
                out.extend(children[i].iter().map(|_| (kind::ARG, false)));
            }
            let discarded = is_value(k) && unused;
            let dead = discarded && pure || k == kind::PARAM && above == kind::EXTERN;
            if k != kind::ARG {
                out.push((if dead { kind::EMPTY } else { k }, discarded));
            }
        }
    });
}

#[test]
fn allocation_keeps_waiting_values_apart() {
    check(|cpu, tree| {
        let lifted = lifted(cpu, tree);
        let vars = variables(cpu, &lifted).unwrap();
        let parameters: Vec<u32> = tree.functions.iter().map(|f| f.parameters).collect();
        let rows = flatten(cpu, &lifted, &vars, &cpu.upload(&parameters).unwrap()).unwrap();
        let allocation = allocate(cpu, &rows).unwrap();
        Checker.lifted(cpu, &lifted, &vars).map_err(|e| e.to_string())?;
        Checker.allocated(cpu, &rows, &allocation).map_err(|e| e.to_string())
    });
}

/// Lengths of instructions by the plainest fixpoint: all that do not reach grow, until none does.
fn lengths_of(instructions: &[Instruction], prelude: i64) -> Vec<u8> {
    let mut lengths: Vec<u8> = instructions
        .iter()
        .enumerate()
        .map(|(i, x)| match x.op {
            CALL_EXTERN => 2,
            op::JAL if x.rd == 0 && x.imm as usize == i + 1 => 0,
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
            let target =
                if x.op == CALL_STUB { i64::from(x.imm) - prelude } else { position[x.imm as usize % position.len()] };
            let bytes = 4 * (target - position[i]);
            let reaches = match (x.op, lengths[i]) {
                (_, 0) => true,
                (op::BEQ, 1) => (-4096..4096).contains(&bytes),
                (op::BEQ, 2) => (-(1 << 20)..1 << 20).contains(&(bytes - 4)),
                (op::JAL | CALL_STUB, 1) => (-(1 << 20)..1 << 20).contains(&bytes),
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

#[test]
fn link_matches_oracle() {
    for (seed, m) in [(1u64, 0usize), (2, 1), (3, 900), (4, 1100), (5, 5000), (6, 20_000), (7, 300_000), (8, 700_000)] {
        let mut rng = Rng::new(seed);
        let instructions: Vec<Instruction> = (0..m)
            .map(|i| {
                // Most targets are near, some just at the edges of what a branch reaches, some anywhere.
                let near = i as i64 + rng.one_of(&[0, 1, 2, -30, 50, 1000, -1010, 1023, -1024, 1030]);
                let target = if rng.once_in(5) { rng.below(m) as i64 } else { near.clamp(0, m as i64 - 1) };
                let all = [(op::BEQ, 0), (op::JAL, 0), (op::JAL, 1), (op::ADD, 5), (op::ADD, 5), (CALL_EXTERN, 1)];
                let (op, rd) = rng.one_of(&all);
                Instruction { op, rd, rs1: 28, rs2: 0, imm: if op == op::ADD { 0 } else { target as u32 } }
            })
            .collect();
        for threads in [1, 2] {
            let cpu = Cpu::with_threads(threads);
            let layout = link(&cpu, &cpu.upload(&instructions).unwrap(), 4).unwrap();
            let expected = lengths_of(&instructions, 4);
            same("lengths", &layout.lengths, &expected).unwrap();
            assert_eq!(layout.words, expected.iter().map(|&l| u32::from(l)).sum::<u32>());
        }
    }
}
