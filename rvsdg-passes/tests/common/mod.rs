//! What tests of passes on generated modules share.

#![allow(dead_code, reason = "each test uses a part")]

pub mod kernels;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::Hasher;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHasher;
use rvsdg_core::module::Code;
use rvsdg_core::text::parse_module;
use rvsdg_core::{Graph, Module, Pool};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::any;
use rvsdg_gen::runs::{Tally, runs};
use rvsdg_gen::weights::Size;
use rvsdg_passes::{BisectLimit, BodyPass, Manager, PassCx, Pipeline, Registry, Report};

/// Where files of counterexamples are.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Bytes of choices of a module.
pub const BYTES: usize = 1_500;

/// What is in a folder, in order.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths
}

/// Where file tests are, in a folder for each pass.
fn file_tests_folder() -> PathBuf {
    Path::new(FOLDER).join("../tests/filetests")
}

/// The file tests of a pass, in order.
pub fn file_tests(pass: &str) -> Vec<PathBuf> {
    listed(&file_tests_folder().join(pass))
}

/// The passes that have file tests, in order.
pub fn tested_passes() -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    listed(&file_tests_folder()).iter().map(name).collect()
}

/// Functions that people write, in C, C++, Rust and LLVM IR, by the names of their files; `scripts/functions` makes the modules.
pub fn functions() -> Vec<(String, Module)> {
    let paths = listed(&Path::new(FOLDER).join("../tests/functions")).into_iter();
    let modules = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rvsdg"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a module can be read");
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, parse_module(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    };
    modules.map(read).collect()
}

/// The passes of the registry by their short names, which tests have.
pub fn names() -> Vec<&'static str> {
    let passes = Registry::builtin().passes().iter();
    let mut names: Vec<&str> = passes.map(|entry| entry.short_name()).collect();
    names.sort_unstable();
    names
}

/// The levels, and other named pipelines that none is made of.
pub fn pipelines() -> Vec<&'static str> {
    let pipelines = Registry::builtin().pipelines();
    let is_part = |name: &str| pipelines.iter().any(|pipeline| pipeline.text.split(',').any(|item| item == name));
    pipelines.iter().map(|pipeline| pipeline.name).filter(|&name| !is_part(name) && name != "default<O0>").collect()
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

/// What a pipeline does in some modules, up to a limit in each: what it counts, and a hash of what comes out.
pub fn done(pipeline: &str, limit: Option<BisectLimit>, modules: impl Iterator<Item = Module>) -> String {
    let (mut counters, mut text) = (BTreeMap::<&str, u64>::new(), FxHasher::default());
    for mut module in modules {
        let report = transform(&mut module, pipeline, limit);
        for (&counter, count) in report.passes().iter().flat_map(|pass| &pass.counters) {
            *counters.entry(counter).or_default() += count;
        }
        text.write(module.to_string().as_bytes());
    }
    let mut line = String::new();
    counters.iter().for_each(|(counter, count)| {
        let _ = write!(line, " {counter} {count}");
    });
    line + &format!(" text {:016x}", text.finish())
}

/// Demands that a file says the same as a test; `RVSDG_BLESS=1` writes it.
#[track_caller]
pub fn is_as_written(file: &str, actual: &str) {
    let path = Path::new(FOLDER).join("tests").join(file);
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, actual).expect("the folder is writable");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differing: Vec<(&str, &str)> =
        expected.lines().zip(actual.lines()).filter(|(old, new)| old != new).take(20).collect();
    assert!(actual == expected, "{file} says something else (RVSDG_BLESS=1): {differing:?}");
}

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
