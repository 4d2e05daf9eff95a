//! Bodies of whole modules become control flow, and graphs again: the module does what it did. How much control flow there is
//! is written down, with a hash of all of it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::module::Body;
use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Module};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::any;
use rvsdg_gen::nearby::vary_module;
use rvsdg_gen::predicates::{routed, shuffled};
use rvsdg_gen::property::for_all_modules;
use rvsdg_gen::recovered::{RECOVERIES, Recovered, control_flow, is_recoverable};
use rvsdg_gen::runs::{Effort, Tally, runs_with};
use rvsdg_gen::weights::Size;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
const EFFORT: Effort = Effort { runs: 8, fuel: 5_000, bytes: 256 };

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

/// The file tests of passes, and functions that people write, by their names.
fn files() -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    for name in ["filetests", "functions"] {
        let top = Path::new(FOLDER).join("../tests").join(name);
        let mut folders = vec![top.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the folder can be read") {
                let path = entry.expect("a file can be listed").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rvsdg") {
                    let name = path.strip_prefix(&top).expect("it is in the folder").display().to_string();
                    files.insert(name, path);
                }
            }
        }
    }
    files
}

/// What a file test begins with and ends with, and modules near that.
fn near(path: &Path, variations: u64) -> Vec<Module> {
    let text = std::fs::read_to_string(path).expect("a file test can be read");
    let mut modules = Vec::new();
    for mut module in text.split("; EXPECT:").filter_map(|part| parse_module(part).ok()) {
        for seed in 0..variations {
            if module.verify().is_ok() {
                modules.push(module.clone());
            }
            vary_module(&mut module, seed);
        }
    }
    modules
}

#[test]
fn file_tests_keep_their_meaning() {
    let tally = Cell::new(Tally::default());
    for module in files().values().flat_map(|path| near(path, 4)) {
        keeps_meaning(&module, &tally);
    }
    println!("{:?}", tally.get());
    assert!(tally.get().same > 1_000, "{:?}", tally.get());
}

/// `RVSDG_BLESS=1` writes the hashes.
#[test]
fn file_tests_have_the_control_flow_that_they_had() {
    let mut actual = String::new();
    for (name, path) in files() {
        let _ = writeln!(actual, "{name}: {}", control_flow(&near(&path, 8)));
    }
    let path = Path::new(FOLDER).join("tests/recovery.txt");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &actual).expect("the folder is writable");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differing: Vec<(&str, &str)> =
        expected.lines().zip(actual.lines()).filter(|(old, new)| old != new).take(20).collect();
    assert!(actual == expected, "control flow is another one than before (RVSDG_BLESS=1): {differing:?}");
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
    let mut hashes = [Recovered::default(), Recovered::default()];
    for graph in graphs {
        for ((recovery, sums), hash) in RECOVERIES.into_iter().zip(&mut sums).zip(&mut hashes) {
            let cfg = destruct(&graph, 0, recovery);
            sums.iter_mut().zip(sizes(&cfg)).for_each(|(sum, size)| *sum += size);
            hash.add(&cfg);
        }
    }
    let hashes = hashes.map(|hash| format!("{:016x}", hash.finish()));
    expected.assert_debug_eq(&(sums, hashes));
}

/// More or less control flow than before is no fault, and has a reason.
#[test]
fn sizes_of_recovered_graphs() {
    let routed = |seed| routed(Entropy::seeded(seed), 10 + seed as usize % 60);
    check_sizes(
        (0..500).map(routed),
        &expect![[r#"
            (
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
                ],
                [
                    "6eec8b3c1ac110f1",
                    "0a4586400c2e0dba",
                ],
            )
        "#]],
    );
    check_sizes(
        (0..500).map(|seed| shuffled(&routed(seed), &mut Entropy::seeded(seed))),
        &expect![[r#"
            (
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
                ],
                [
                    "6eec8b3c1ac110f1",
                    "0a4586400c2e0dba",
                ],
            )
        "#]],
    );
}
