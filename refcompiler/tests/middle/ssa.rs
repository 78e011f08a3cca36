//! Static single assignment form: against a walk that renames, and against the meaning of programs.

use crate::oracle;
use crate::oracle::compiler::{Node, lifted};
use crate::oracle::interpreter::{functions_around, interpret, interpret_lifted};
use crate::toolchain;
use refcompiler::ir::kinds::kind;
use refcompiler::ir::tree::Tree;
use refcompiler::passes::ssa::ssa;
use refcompiler::pipeline::columns::Columns;
use refcompiler::pipeline::{After, Error, Observer, Output, compile};
use refcompiler_programs::{larger_program, larger_tree, number, program, trees};
use treepar::{Backend, Cpu};

/// Keeps the program in static single assignment form.
#[derive(Default)]
struct Seen(Columns);

impl<B: Backend> Observer<B> for Seen {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        if let After::Lift(lifted) = after {
            self.0.add_table(backend, "ssa", &ssa(backend, lifted)?)?;
        }
        Ok(())
    }
}

fn columns(tree: &Tree, threads: usize) -> Columns {
    let mut seen = Seen::default();
    compile(&Cpu::with_threads(threads), tree, Output::Object, &mut seen).expect("a compiled tree");
    seen.0
}

/// Returns the program in static single assignment form, as a tree.
fn converted(tree: &Tree) -> Tree {
    let columns = columns(tree, 2);
    let kinds = columns.get::<u8>("ssa", "kind");
    let data = columns.get::<u32>("ssa", "data");
    let mut functions = tree.functions.clone();
    for i in (0..kinds.len()).filter(|&i| matches!(kinds[i], kind::FUNCTION | kind::EXTERN)) {
        functions[data[i] as usize].node = Some(i as u32);
    }
    let pos = vec![0; kinds.len()];
    Tree {
        depth: columns.get("ssa", "depth"),
        kind: kinds,
        ty: columns.get("ssa", "ty"),
        data,
        pos,
        functions,
        ..Tree::default()
    }
}

fn equals_oracle(what: &str, tree: &Tree, threads: usize) {
    let columns = columns(tree, threads);
    let expected = oracle::ssa::ssa(&lifted(tree));
    let same = |name, of: fn(&Node) -> u32, found: Vec<u32>| {
        let expected: Vec<u32> = expected.iter().map(of).collect();
        let first = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert!(found == expected, "{what}: {name} differs, {} and {} rows, at {first:?}", found.len(), expected.len());
    };
    let bytes = |name| columns.get::<u8>("ssa", name).into_iter().map(u32::from).collect();
    same("kind", |node| node.kind.into(), bytes("kind"));
    same("depth", |node| node.depth, columns.get("ssa", "depth"));
    same("data", |node| node.data, columns.get("ssa", "data"));
    same("ty", |node| node.ty.into(), bytes("ty"));
    same("hops", |node| node.hops, columns.get("ssa", "hops"));
}

/// Returns the kinds and data of the nodes of these kinds, in the order of the program.
fn of_kinds(text: &str, kinds: &[u8]) -> Vec<(usize, u8, u32)> {
    let tree = converted(&toolchain::tree(text).expect("a valid program"));
    (0..tree.len()).filter(|&i| kinds.contains(&tree.kind[i])).map(|i| (i, tree.kind[i], tree.data[i])).collect()
}

/// Returns the numbers of merges and of names in memory of the functions of a text.
fn merges_and_names(text: &str) -> (usize, usize) {
    let count = |kinds| of_kinds(text, kinds).len();
    (count(&[kind::PHI, kind::HEAD]), count(&[kind::NAME, kind::ASSIGN, kind::DECLARE]))
}

#[test]
fn random_trees_equal_the_oracle() {
    let larger = (1..).map(|seed| (seed, larger_tree(seed))).filter(|(_, tree)| tree.len() < 3_000).take(10);
    for (seed, tree) in trees(1..3_000).take(10).chain(larger) {
        for threads in [1, 2] {
            equals_oracle(&format!("tree {seed}"), &tree, threads);
        }
    }
}

#[test]
fn random_programs_equal_the_oracle_and_keep_their_meaning() {
    for seed in 1..=number("TREEPAR_PROGRAMS", 60) {
        let text = if seed % 3 == 0 { program(seed) } else { larger_program(seed) };
        let tree = toolchain::tree(&text.to_string()).expect("a valid program");
        equals_oracle(&format!("program {seed}"), &tree, 2);
        let Ok(expected) = interpret(&tree, b"", 300_000, 1_000) else { continue };
        // Merges take steps, too.
        let found = interpret_lifted(&converted(&tree), &functions_around(&tree), b"", 30_000_000, 1_000);
        assert_eq!(found, Ok(expected), "program {seed}");
    }
}

#[test]
fn a_loop_and_a_branch_merge_what_they_assign() {
    let text = "fn f[n: int]: int { var x = 1; while x < n { if n > 5 { x = 2; } var y = x; y = 3; } return x; }";
    // x in the loop and in the branch; y is not visible outside.
    assert_eq!(merges_and_names(text), (2, 0));
    let found = of_kinds(text, &[kind::HEAD, kind::PHI, kind::LET, kind::USE]);
    let [(x0, ..), (x1, head, _), rest @ ..] = &found[..] else { panic!("{found:?}") };
    assert_eq!(*head, kind::HEAD);
    let phi = found.iter().find(|node| node.1 == kind::PHI).expect("a PHI").0;
    let reads: Vec<usize> = rest.iter().filter(|node| node.1 == kind::USE).map(|node| node.2 as usize).collect();
    let x2 = found.iter().filter(|node| node.1 == kind::LET).nth(1).expect("x = 2").0;
    // The head, the condition with n, the branch's condition, the PHI, y, and the result.
    assert_eq!(reads, [*x0, phi, *x1, 2, 2, x2, *x1, phi, *x1]);
}

#[test]
fn counted_loops_and_conditional_expressions_merge_too() {
    let counted = "fn f[n: int]: int { var x = 1; for i < x + n { x = x + i; } return x; }";
    assert_eq!(merges_and_names(counted), (1, 0));
    let kinds = [kind::COUNT, kind::HEAD, kind::LET, kind::USE];
    let [(x0, ..), (count, ..), bound, _, (head, k, _), rest @ ..] = &of_kinds(counted, &kinds)[..] else { panic!() };
    assert_eq!((*k, bound.2 as usize), (kind::HEAD, *x0));
    let x1 = rest[2].0;
    let reads: Vec<usize> = rest.iter().filter(|node| node.1 == kind::USE).map(|node| node.2 as usize).collect();
    assert_eq!(reads, [*x0, x1, *head, *count, *head]);
    assert_eq!(merges_and_names("fn f[n: int]: int { var x = 1; return if[n, x = 2, 3] + x; }"), (1, 0));
    // A condition with a branch of its own, which the other branches are not in.
    assert_eq!(merges_and_names("fn f[n: int]: int { if n > if[n, 1, 2] { n = 3; } return n; }"), (1, 0));
    // A loop whose count has a merge: the merge of the inner one comes first.
    assert_eq!(
        merges_and_names("fn f[n: int]: int { var x = 1; for i < if[n, x = 2, 3] { x = i; } return x; }"),
        (2, 0)
    );
}

#[test]
fn variables_that_escape_stay_in_memory() {
    // Used by a nested function, declared in the condition of a loop, and in that of an `elif`.
    let nested = "fn f[]: int { var x = 1; fn g[] { x = 2; } g[]; return x; }";
    let repeated = "fn f[]: int { while (var x = 1) > 2 { x = 3; } return x; }";
    let other = "fn f[c: int]: int { if c { return 1; } elif (var x = c) > 2 { x = 3; } return x; }";
    assert_eq!(merges_and_names(nested), (0, 3));
    assert_eq!(merges_and_names(repeated), (0, 3));
    assert_eq!(merges_and_names(other), (0, 3));
    // The condition of an `if` is always evaluated.
    assert_eq!(merges_and_names("fn f[c: int]: int { if (var x = c) > 2 { x = 3; } return x; }"), (1, 0));
}

#[test]
fn deep_and_long_programs_equal_the_oracle() {
    let chain: String = (0..3_000).map(|k| format!("elif n == {k} {{ x = {k}; }} ")).collect();
    let deep = |n: usize, open: &str| format!("{}x = 1;{}", open.repeat(n), "}".repeat(n));
    let variables: String = (0..300).map(|k| format!("var v{k} = {k};")).collect();
    let assignments: String = (0..300).map(|k| format!("v{k} = v{};", (k + 1) % 300)).collect();
    for body in [
        String::new(),
        format!("if n {{ x = 1; }} {chain} else {{ x = n; }}"),
        deep(1_000, "while n { "),
        deep(1_000, "if n { x = n; "),
        format!("{variables} {} {assignments} {}", "while n { if n { ".repeat(10), "}}".repeat(10)),
        "while x { x = x - (x = (x = 3) + x); }".repeat(500),
    ] {
        let tree = toolchain::tree(&format!("fn f[n: int]: int {{ var x = 0; {body} return x; }}")).expect("valid");
        equals_oracle(&body[..body.len().min(40)], &tree, 2);
    }
    equals_oracle("no function", &toolchain::tree("extern fn g[x: int];").expect("valid"), 1);
}
