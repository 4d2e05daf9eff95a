//! Everything that is generated is valid, and everything there is gets generated.

use rvsdg_core::op::OpCode;
use rvsdg_core::text::{assert_round_trip, dump_graph, print_module};
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Graph, Module, NodeKind};
use rvsdg_gen::bodies::body;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::{module, program};
use rvsdg_gen::weights::{Size, Weights};

/// How often each operation and node kind was generated.
#[derive(Default)]
struct Counts {
    ops: Vec<usize>,
    kinds: [usize; 5],
}

impl Counts {
    fn graph(&mut self, graph: &Graph) {
        self.ops.resize(OpCode::ALL.len(), 0);
        for node in graph.all_nodes() {
            match graph.kind(node) {
                NodeKind::Simple(op) => self.ops[op.code() as usize] += 1,
                NodeKind::Gamma => self.kinds[0] += 1,
                NodeKind::Theta => self.kinds[1] += 1,
                NodeKind::Lambda(_) => self.kinds[2] += 1,
                NodeKind::Phi => self.kinds[3] += 1,
                NodeKind::Delta(_) => self.kinds[4] += 1,
            }
        }
    }

    fn module(&mut self, module: &Module) {
        self.graph(&module.omega);
        module.bodies.values().filter_map(|body| body.graph()).for_each(|graph| self.graph(graph));
    }

    /// What was never generated.
    fn missing(&self) -> Vec<&'static str> {
        let ops = OpCode::ALL.iter().zip(&self.ops).filter(|&(_, &count)| count == 0);
        let kinds = ["gamma", "theta", "lambda", "phi", "delta"].into_iter().zip(self.kinds);
        let kinds = kinds.filter(|&(_, count)| count == 0);
        ops.map(|(code, _)| code.info().mnemonic).chain(kinds.map(|(name, _)| name)).collect()
    }

    fn print(&self, title: &str, graphs: usize) {
        println!("{title}: {graphs} of {graphs} valid; γ θ λ φ δ {:?}", self.kinds);
        for (code, count) in OpCode::ALL.iter().zip(&self.ops).filter(|&(_, &count)| count > 0) {
            println!("  {:<16} {count}", code.info().mnemonic);
        }
    }
}

#[track_caller]
fn check_graph(graph: &Graph, seed: u64) {
    if let Some(violation) = verify_graph(graph).first() {
        panic!("seed {seed}: {violation}\n{}", dump_graph(graph));
    }
}

#[track_caller]
fn check_module(module: &Module, seed: u64) {
    if let Err(violations) = module.verify() {
        panic!("seed {seed}: {}\n{}", violations[0], print_module(module));
    }
}

#[test]
fn bodies_of_all_operations_are_valid() {
    let mut counts = Counts::default();
    let weights = Weights::all();
    let graphs = 3_000;
    for seed in 0..graphs {
        let graph = body(&mut Entropy::seeded(seed), &weights, Size { nodes: 5 + seed as usize % 80, depth: 4 });
        check_graph(&graph, seed);
        counts.graph(&graph);
    }
    counts.print("bodies", graphs as usize);
    assert_eq!(counts.missing(), ["lambda", "phi", "delta"]);
}

#[test]
fn modules_are_valid() {
    let mut counts = Counts::default();
    let weights = Weights::all();
    let modules = 2_000;
    for seed in 0..modules {
        let module = module(&mut Entropy::seeded(seed), &weights, Size { nodes: 5 + seed as usize % 30, depth: 3 });
        check_module(&module, seed);
        counts.module(&module);
    }
    counts.print("modules", modules as usize);
    assert_eq!(counts.missing(), [] as [&str; 0]);
}

/// Left out of programs: what makes numbers of addresses, what leaves a function in other ways than by returning, and what
/// only its dialect or its list of arguments gives a meaning.
const NOT_IN_PROGRAMS: &[&str] = &[
    "ptrtoint",
    "ptrtoaddr",
    "inttoptr",
    "addrspacecast",
    "callbr",
    "indirectbr",
    "catchswitch",
    "catchpad",
    "cleanuppad",
    "catchret",
    "cleanupret",
    "va_arg",
    "ext",
];

#[test]
fn programs_are_valid() {
    let mut counts = Counts::default();
    for (poison, seed) in (0..1_500).map(|seed| (seed % 2 == 0, seed)) {
        let module = program(&mut Entropy::seeded(seed), &Weights::defined(poison), Size { nodes: 40, depth: 3 });
        check_module(&module, seed);
        counts.module(&module);
    }
    counts.print("programs", 1_500);
    assert_eq!(counts.missing(), NOT_IN_PROGRAMS);
}

/// Bytes give valid graphs too, however few there are, and fewer bytes give smaller graphs.
#[test]
fn bytes_make_valid_modules() {
    let bytes: Vec<u8> = (0..4_000u32).map(|index| (index.wrapping_mul(0x9e37_79b9) >> 13) as u8).collect();
    let mut sizes = vec![];
    for len in [0, 1, 2, 3, 10, 50, 200, 1000, 4000] {
        for weights in [Weights::all(), Weights::defined(true), Weights::defined(false)] {
            let any = module(&mut Entropy::of_bytes(&bytes[..len]), &weights, Size::SMALL);
            check_module(&any, len as u64);
            assert_round_trip(&any);
        }
        let module = program(&mut Entropy::of_bytes(&bytes[..len]), &Weights::defined(false), Size::SMALL);
        check_module(&module, len as u64);
        sizes.push(print_module(&module).len());
    }
    assert!(sizes[0] < 400 && sizes[0] < sizes[5] && sizes[5] < sizes[8], "{sizes:?}");
}
