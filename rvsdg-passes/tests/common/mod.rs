//! What tests of passes on generated modules share.

#![allow(dead_code, reason = "each test uses a part")]

pub mod kernels;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rvsdg_core::module::Code;
use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Module, Pool};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::any;
use rvsdg_gen::runs::{Tally, runs};
use rvsdg_gen::weights::Size;
use rvsdg_passes::{BisectLimit, BodyPass, Manager, PassCx, Pipeline, Report};

/// Where files of counterexamples are.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Bytes of choices of a module.
pub const BYTES: usize = 1_500;

/// The file tests of a pass, in order.
pub fn file_tests(pass: &str) -> Vec<PathBuf> {
    let folder = Path::new(FOLDER).join("../tests/filetests").join(pass);
    let entries = std::fs::read_dir(folder).expect("the pass has file tests");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file can be listed").path()).collect();
    files.sort();
    files
}

/// The module of a file test, as text, and its pipeline.
pub fn source_of(path: &Path) -> (String, String) {
    let text = std::fs::read_to_string(path).expect("a file test can be read");
    let head = text.split("; EXPECT:").next().expect("there is a first part");
    let pipeline = head.lines().find_map(|line| line.strip_prefix("; RUN:")).expect("a pipeline is named").trim();
    (head.to_owned(), pipeline.to_owned())
}

/// A program, one in three for a machine that executes threads in groups.
pub fn any_program(entropy: &mut Entropy<'_>) -> Module {
    let has_groups = entropy.chance(1, 3);
    let mut module = any(entropy, Size::SMALL);
    if has_groups {
        module.header.triple = "nvptx64-nvidia-cuda".into();
    }
    module
}

/// How many times as many cases as other properties the meaning of each pass gets where nobody says how many.
pub const TIMES: u32 = 3;

/// Makes a counterexample smaller.
pub fn shrink(module: Module, is_one: &mut dyn FnMut(&Module) -> bool) -> Module {
    rvsdg_reduce::reduce(module, is_one, &mut |_| ())
}

/// Runs a pipeline; the module stays valid after every pass.
pub fn transform(module: &mut Module, text: &str, limit: Option<BisectLimit>) -> Report {
    let pipeline = Pipeline::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let manager = Manager { verify_each: true, bisect_limit: limit, ..Manager::default() };
    let before = module.clone();
    manager.run(module, &pipeline).unwrap_or_else(|broken| panic!("{text}: {broken}\n{before}"))
}

#[track_caller]
pub fn keeps_meaning(module: &Module, text: &str, limit: Option<BisectLimit>) -> (Tally, Report) {
    let mut transformed = module.clone();
    let report = transform(&mut transformed, text, limit);
    match runs(module).keep(&transformed) {
        Ok(tally) => (tally, report),
        Err(why) => panic!("{text}: {why}"),
    }
}

/// The module of a text whose function `f` gets the body that `make` makes.
pub fn with_body(text: &str, make: impl FnOnce(Arc<Pool>) -> Graph) -> Module {
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let graph = make(module.pool.clone());
    *body(&mut module) = graph;
    module
}

/// The body of the function `f`.
pub fn body(module: &mut Module) -> &mut Graph {
    let Module { bodies, symbols, .. } = module;
    let mut bodies = bodies.values_mut().filter(|body| &*symbols[body.symbol].name == "f");
    match bodies.next().map(|body| &mut body.code) {
        Some(Code::Graph(graph)) => graph,
        _ => panic!("a body of @f"),
    }
}

/// Runs passes on the body of `f`, one after the other: after each the module is valid and does what it did, and a pass that
/// says that it changed nothing left all nodes. Gives what counters came to, and how many runs could be compared.
pub fn all_do_the_same(
    generate: impl Fn(u64) -> Module,
    seeds: Range<u64>,
    passes: &[&dyn BodyPass],
    counters: &[&'static str],
) -> (Vec<u64>, Tally) {
    let (mut counted, mut tally) = (vec![0; counters.len()], Tally::default());
    for seed in seeds {
        let mut module = generate(seed);
        let before = runs(&module);
        for (number, pass) in passes.iter().enumerate() {
            let cx = PassCx::new();
            let graph = body(&mut module);
            let nodes = graph.node_count();
            let change = pass.run(graph, &cx);
            assert!(change.is_changed() || graph.node_count() == nodes, "seed {seed}, pass {number}");
            match before.keep(&module) {
                Ok(runs) => tally.add(runs),
                Err(why) => panic!("seed {seed}, pass {number}: {why}\n{module}"),
            }
            counted.iter_mut().zip(counters).for_each(|(counted, counter)| *counted += cx.counter(counter));
        }
    }
    (counted, tally)
}

/// As [`all_do_the_same`]; every counter comes to more than `least`, and nothing that runs do is undefined or left open.
pub fn all_do_the_same_often(
    generate: impl Fn(u64) -> Module,
    seeds: Range<u64>,
    passes: &[&dyn BodyPass],
    counters: &[&'static str],
    least: u64,
) {
    let (counted, tally) = all_do_the_same(generate, seeds, passes, counters);
    for (counter, counted) in counters.iter().zip(counted) {
        assert!(counted > least, "{counted} {counter}: the generator makes too few");
    }
    assert!(tally.same > 0 && tally.vacuous == 0 && tally.unknown * 20 < tally.same, "{tally:?}");
}
