//! The form of operations on whole arrays: the verifier on random trees, trees that it refuses, and the form of small programs as text.

use crate::oracle::nodes::host;
use crate::toolchain;
use refcompiler::ir::kinds::{Kind, Type};
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::ir::tree::{Tree, kind, runtime};
use refcompiler::passes::multiloops::multiloops;
use refcompiler::pipeline::check::Checker;
use refcompiler::pipeline::listing::Listing;
use refcompiler::pipeline::{After, Observer, Output, compile};
use refcompiler::target::Target;
use refcompiler_programs::whole_tree;
use treepar::Cpu;

/// Returns the findings of the verifier about nodes.
fn verdict(cpu: &Cpu, nodes: &Nodes<Cpu>) -> Result<(), String> {
    Checker::default().after(cpu, &After::Multiloops(nodes)).map_err(|error| error.to_string())
}

/// Returns the form of a program.
fn gathered(cpu: &Cpu, tree: &Tree) -> Nodes<Cpu> {
    multiloops(cpu, Nodes::upload(cpu, &host(tree)).expect("nodes"), &tree.composites, &mut Positions::none())
        .expect("a pass")
}

#[test]
fn random_trees_keep_the_invariants() {
    for seed in 1..=150 {
        let tree = whole_tree(seed, [1, 20, 300, 3_000][seed as usize % 4]);
        for threads in [1, 4] {
            let cpu = Cpu::with_threads(threads);
            verdict(&cpu, &gathered(&cpu, &tree)).unwrap_or_else(|error| panic!("tree {seed}: {error}"));
        }
    }
}

/// A program whose form the tests damage.
const PROGRAM: &str = "fn main[]: int { var a = iota[4]; var x = a * (a - 1);
    return reduce[(+), 0, map[fn[y: int]: int = y + 1, x]] + size[filter[fn[y: int]: int = y % 2, a]]; }";

/// Returns the first node of a kind.
fn first(nodes: &HostNodes, kind: Kind) -> usize {
    nodes.kind.iter().position(|&other| other == kind).expect("a node")
}

/// A change that breaks a form.
type Change = dyn Fn(&mut HostNodes);

#[test]
fn broken_forms_are_found() {
    let cpu = Cpu::with_threads(1);
    let tree = toolchain::tree(PROGRAM).expect("a program");
    let nodes = gathered(&cpu, &tree).download(&cpu).expect("nodes");
    let cases: &[(&str, &Change)] = &[
        ("it names nothing in scope: Read", &|nodes| {
            let (read, collect) = (first(nodes, Kind::Read), first(nodes, Kind::YieldCollect));
            nodes.data[read] = collect as u32;
        }),
        ("it names nothing in scope: View", &|nodes| {
            let view = first(nodes, Kind::View);
            nodes.data[view] = view as u32;
        }),
        ("it names nothing in scope: Name", &|nodes| {
            let (element, name) = (first(nodes, Kind::Element), first(nodes, Kind::Name));
            nodes.data[name] = element as u32;
        }),
        ("it is a float with a int", &|nodes| {
            let element = first(nodes, Kind::Element);
            nodes.ty[element] = Type::Float;
        }),
        ("it is a float of a [int]", &|nodes| {
            let read = first(nodes, Kind::Read);
            nodes.ty[read] = Type::Float;
        }),
        ("its parts are not inputs, checks and views, and then a LAMBDA", &|nodes| {
            let input = first(nodes, Kind::Input);
            nodes.kind[input] = Kind::Ascribe;
        }),
        ("it is a part of no MULTILOOP: YieldCollect", &|nodes| {
            let ascribe = first(nodes, Kind::Ascribe);
            nodes.kind[ascribe] = Kind::YieldCollect;
        }),
        ("its operator has other parameters", &|nodes| {
            let reduce = first(nodes, Kind::YieldReduce);
            nodes.kind[reduce] = Kind::YieldCollect;
        }),
        ("it is no MULTILOOP: Where of type [int]", &|nodes| {
            let multiloop = first(nodes, Kind::Multiloop);
            nodes.kind[multiloop] = Kind::Where;
        }),
    ];
    for (what, change) in cases {
        let mut nodes = HostNodes {
            depth: nodes.depth.clone(),
            kind: nodes.kind.clone(),
            ty: nodes.ty.clone(),
            data: nodes.data.clone(),
        };
        change(&mut nodes);
        let nodes = Nodes::upload(&cpu, &nodes).expect("nodes");
        let error = verdict(&cpu, &nodes).expect_err(what);
        assert!(error.ends_with(what), "{error}, not {what}");
    }
}

/// Returns the listing of the function `f` of a program: its statements only.
fn listed(pass: &'static str, text: &str) -> String {
    let tree = toolchain::tree(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    assert!(tree.kind.contains(&kind::FUNCTION));
    let mut listing = Listing::after(pass, Target::Riscv32);
    compile(&Cpu::with_threads(1), &tree, Output::Object, &mut listing).unwrap_or_else(|error| panic!("{error}"));
    let lines = listing.text.lines();
    let first = format!("function {}", runtime::COUNT);
    let own = lines.skip_while(|line| !line.starts_with(&first)).skip(1);
    own.take_while(|line| line.starts_with(' ')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn listings_show_inputs_bodies_and_yields() {
    let found = listed("multiloops", "fn f[a: [int], y: int]: [int] { return map[fn[x: int]: int = x + y, a]; }");
    let expected = "  \
  Header
  Param v0: [int]
  Param v1: int
  Block
    Return
      multiloop: [int]
        Input v2: [int]
          Name v0: [int]
        over v2: int
          Element v3: int
            Read v2: int
          YieldCollect: int
            Add: int
              Name v3: int
              Name v1: int
";
    assert_eq!(found, expected);
}
