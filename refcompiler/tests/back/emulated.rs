//! The pass `vectors` on the emulator of a GPU.

use crate::oracle;
use refcompiler::frontend::sequential::{Sources, parse_program};
use refcompiler::ir::kinds::Kind;
use refcompiler::ir::lanes::Cpu as Processor;
use refcompiler::ir::nodes::{HostNodes, Nodes};
use refcompiler::ir::positions::Positions;
use refcompiler::passes::vectors::vectors;
use refcompiler::pipeline::settings::{Optimisations, Settings};
use refcompiler::pipeline::{After, Error, Goal, Observer, Output, compile};
use refcompiler::target::Target;
use treepar::backend::gpu::Emulated;
use treepar::{Backend, Cpu};

/// The nodes of a program before the pass.
struct Before(HostNodes);

impl<B: Backend> Observer<B> for Before {
    fn after(&mut self, backend: &B, after: &After<'_, B>) -> Result<(), Error> {
        if let After::Arrays(nodes) = after {
            self.0 = nodes.download(backend)?;
        }
        Ok(())
    }
}

/// The pass on the emulator of a GPU yields the same nodes as on the CPU.
#[test]
#[ignore = "needs a C++ compiler"]
fn the_emulator_makes_the_same_loops() {
    let text = "
        fn f[x: *[float], a: [float], k: float]: *[float] { for i < size[a] { var t = -(a[i] * x[i]); x[i] = t / k; } return x; }
        fn g[x: [short], y: [short]]: [short] { return addsat[x, y] * (y << 3) + subsat[x, 5 + 0 * y]; }
        fn h[a: [int], b: [byte]]: int { var s = 0; var m = 9; for i < size[b] { s = s + a[i] * b[i]; m = m ^ a[i]; } return s + m + max[a]; }
        fn w[a: [int], b: [int]]: [int] { return where[a < b && a > 3, a >> 2, ~b]; }
        fn main[]: int { return 0; }";
    let mut sources = Sources::new();
    sources.add("a.par", text.as_bytes().to_vec()).expect("a small file");
    let tree = parse_program(&sources).unwrap_or_else(|_| panic!("a valid program"));
    let goal = Goal { target: Target::X86_64, output: Output::Object };
    let settings =
        Settings { optimisations: Optimisations { fusion: true, ..Optimisations::default() }, ..goal.into() };
    let mut before = Before(HostNodes::default());
    compile(&Cpu::with_threads(2), &tree, settings, &mut before).expect("a compilation");
    fn changed<B: Backend>(backend: &B, nodes: &HostNodes, cpu: Processor) -> HostNodes {
        let nodes = Nodes::upload(backend, nodes).expect("nodes");
        let changed = vectors(backend, nodes, cpu, true, &mut Positions::none()).expect("the pass");
        changed.download(backend).expect("nodes")
    }
    let emulator = Emulated::with_seed(1).expect("a C++ compiler");
    for cpu in [Processor::Baseline, Processor::Avx512] {
        let expected = changed(&Cpu::with_threads(1), &before.0, cpu);
        assert!(expected.kind.contains(&Kind::VectorLoop));
        oracle::nodes::assert_same("the emulator", &changed(&emulator, &before.0, cpu), &expected);
    }
}
