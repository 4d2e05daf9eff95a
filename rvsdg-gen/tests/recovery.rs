//! Bodies of whole modules become control flow, and graphs again: the module does what it did. How much control flow there is
//! is written down.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::module::Body;
use rvsdg_core::op::CallExits;
use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Module, Op, Origin, Type};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::any;
use rvsdg_gen::nearby::vary_module;
use rvsdg_gen::predicates::{routed, shuffled};
use rvsdg_gen::property::for_all_modules;
use rvsdg_gen::runs::{Effort, Tally, runs_with};
use rvsdg_gen::weights::Size;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const EFFORT: Effort = Effort { runs: 8, fuel: 5_000, bytes: 256 };
const RECOVERIES: [Recovery; 2] = [Recovery::Structured, Recovery::Predicative];

/// The module with control flow of its bodies recovered, and made graphs again.
fn recovered(module: &Module, recovery: Recovery) -> Module {
    let lambdas = module.lambdas().into_iter();
    let contexts: FxHashMap<Body, usize> =
        lambdas.map(|lambda| (lambda.body(), module.context_symbols(lambda).len())).collect();
    let mut module = module.clone();
    for (body, data) in module.bodies.iter_mut() {
        let (Some(graph), Some(&contexts)) = (data.graph_mut(), contexts.get(&body)) else { continue };
        if !is_recoverable(graph) {
            continue;
        }
        let cfg = destruct(graph, contexts, recovery);
        let verified = cfg.verify().unwrap_or_else(|violations| panic!("{recovery:?}: {violations}"));
        *graph = build(&verified, &Options::default());
    }
    module
}

/// Whether a body is one that control flow can have. Generated funclets are not nested as it has them, and generated calls that
/// end the function return anything.
fn is_recoverable(graph: &Graph) -> bool {
    let values = |origins: &mut dyn Iterator<Item = Origin>| -> Vec<Type> {
        origins.map(|origin| graph.ty(origin)).filter(|ty| !ty.is_state()).collect()
    };
    let results = values(&mut graph.result_origins(graph.root()));
    let is_right = |node| match graph.op(node) {
        Some(Op::Call(call)) if graph.pool().call(call).tail.ends_function() => {
            values(&mut graph.outputs(node).iter().copied()) == results
        }
        Some(Op::Invoke(call)) => graph.pool().call(call).exits != CallExits::UnwindToFunclet,
        _ => true,
    };
    !graph.has_funclets() && graph.all_nodes().all(is_right)
}

fn keeps_meaning(module: &Module, tally: &Cell<Tally>) {
    let before = runs_with(module, EFFORT);
    for recovery in RECOVERIES {
        let after = recovered(module, recovery);
        let mut sum = tally.get();
        sum.add(before.keep(&after).unwrap_or_else(|why| panic!("{recovery:?}: {why}\n{module}\n{after}")));
        tally.set(sum);
    }
}

#[test]
fn modules_keep_their_meaning() {
    let tally = Cell::new(Tally::default());
    for_all_modules(
        FOLDER,
        "recovery",
        1500,
        |entropy| any(entropy, Size::SMALL),
        |module| keeps_meaning(module, &tally),
    );
    let Tally { same, vacuous, unknown } = tally.get();
    assert!(same > vacuous + unknown, "{:?}", tally.get());
}

/// What file tests of passes begin with and end with, and modules near that.
#[test]
fn file_tests_keep_their_meaning() {
    let tally = Cell::new(Tally::default());
    let mut folders = vec![Path::new(FOLDER).join("../tests/filetests")];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("a file can be listed").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file test can be read");
        for part in text.split("; EXPECT:") {
            let Ok(mut module) = parse_module(part) else { continue };
            for seed in 0..4 {
                if module.verify().is_ok() {
                    keeps_meaning(&module, &tally);
                }
                vary_module(&mut module, seed);
            }
        }
    }
    println!("{:?}", tally.get());
    assert!(tally.get().same > 1_000, "{:?}", tally.get());
}

/// Assembly whose labels do the same keeps a block for each.
#[test]
fn labels_that_do_the_same_are_several() {
    let module = parse_module(
        r#"module ""
@f = function i32 (i32)
lambda @f [] (v0: i32, mem0, io0) {
  v1: ctl(3), mem1, io1 = callbr void () asm "", "!i,!i" () to [0, 1, 2], mem0, io0
  yield v0, mem1, io1
}
"#,
    );
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    let graph = module.bodies.values().find_map(|body| body.graph()).expect("a body");
    for recovery in RECOVERIES {
        let cfg = destruct(graph, 0, recovery);
        let _ = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        assert_eq!(cfg.terminator(cfg.entry()).arcs.len(), 3);
    }
}

/// Blocks, arcs, parameters and instructions.
fn sizes(cfg: &Cfg) -> [usize; 4] {
    let mut sizes = [0; 4];
    for block in cfg.blocks() {
        sizes[0] += 1;
        sizes[1] += cfg.terminator(block).arcs.len();
        sizes[2] += cfg.block_params(block).len();
        sizes[3] += cfg.insts(block).len();
    }
    sizes
}

fn check_sizes(graphs: impl Iterator<Item = Graph>, expected: &Expect) {
    let mut sums = [[0; 4]; 2];
    for graph in graphs {
        for (recovery, sums) in RECOVERIES.into_iter().zip(&mut sums) {
            sums.iter_mut().zip(sizes(&destruct(&graph, 0, recovery))).for_each(|(sum, size)| *sum += size);
        }
    }
    expected.assert_debug_eq(&sums);
}

/// More or less control flow than before is no fault, and has a reason.
#[test]
fn sizes_of_recovered_graphs() {
    let routed = |seed| routed(Entropy::seeded(seed), 10 + seed as usize % 60);
    check_sizes(
        (0..500).map(routed),
        &expect![[r#"
            [
                [
                    5139,
                    6553,
                    1182,
                    5452,
                ],
                [
                    4424,
                    5754,
                    993,
                    5416,
                ],
            ]
        "#]],
    );
    check_sizes(
        (0..500).map(|seed| shuffled(&routed(seed), &mut Entropy::seeded(seed))),
        &expect![[r#"
            [
                [
                    5139,
                    6553,
                    1182,
                    5452,
                ],
                [
                    4424,
                    5754,
                    993,
                    5416,
                ],
            ]
        "#]],
    );
}
