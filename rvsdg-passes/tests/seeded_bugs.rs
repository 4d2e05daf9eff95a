//! Seeded bugs: each is found by the property of its pass within the cases that CI runs, or by a file test of it, and shrinks
//! to a few nodes. Those of divergence analysis are found by kernels in which what it calls uniform differs.
//!
//! `RVSDG_BLESS=1 cargo test -p rvsdg-passes --features seeded-bugs --test seeded_bugs` writes the table in the documentation.

mod common;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use common::kernels::{any_kernel, nothing_uniform_differs};
use common::{BYTES, FOLDER, TIMES, any_program, keeps_meaning, shrink};
use rvsdg_analysis::seeded::{Bug, activate};
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::property::{CASES, counterexample};
use rvsdg_passes::{Manager, Pipeline};

/// The greatest number of nodes of what is left.
const NODES: usize = 14;

/// What of the seeded bugs is no pass.
const DIVERGENCE: &str = "divergence";

const HEAD: &str = "# Seeded bugs\n\n\
    <!-- RVSDG_BLESS=1 cargo test -p rvsdg-passes --features seeded-bugs --test seeded_bugs writes this page. -->\n\n\
    Seeded bugs are deliberate faults in passes and in divergence analysis: each is a dropped soundness condition, compiled only with the\n\
    feature `seeded-bugs`. Each must be found by the property \"a pass preserves the behaviour of modules\" (for the analysis, \"no value called\n\
    uniform ever differs\") or by a file test of the pass: *cases* is the number of cases, of the 3,000 that CI runs, until the property finds\n\
    it; *file test* names the file test that does. `rvsdg-reduce`, the library behind `jlm-opt reduce`, must shrink the failing module to at most\n\
    14 nodes, those of the ω level included; those that it does not are to be mended. The counts are those of the run that wrote this page. Folding a division by zero to some value\n\
    is not a fault, because its result is undefined; executing a guarded one is.\n\n\
    | pass | fault | cases until found | file test | nodes when found | nodes when shrunk |\n\
    |---|---|---:|---|---:|---:|\n";

/// Faults are switched on in the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A file test: its name, its pipeline, and the texts that go in and have to come out.
struct FileTest {
    name: String,
    pipeline: String,
    source: String,
    expected: String,
}

fn file_tests(pass: &str) -> Vec<FileTest> {
    if pass == DIVERGENCE {
        return Vec::new();
    }
    let folder = Path::new(FOLDER).join("../tests/filetests").join(pass);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("a file test is text");
        let (source, expected) = text.split_once("; EXPECT:\n")?;
        let pipeline = source.lines().find_map(|line| line.strip_prefix("; RUN: "))?;
        Some(FileTest {
            name: path.file_stem()?.to_string_lossy().into_owned(),
            pipeline: pipeline.to_owned(),
            source: source.to_owned(),
            expected: expected.to_owned(),
        })
    };
    paths.iter().filter_map(read).collect()
}

/// What a pipeline makes of a module, or why that is not valid.
fn result(module: &Module, pipeline: &str) -> String {
    let pipeline = Pipeline::parse(pipeline).unwrap_or_else(|error| panic!("{error}"));
    let manager = Manager { verify_each: true, ..Manager::default() };
    let run = || {
        let mut module = module.clone();
        manager.run(&mut module, &pipeline).map(|_| module.to_string()).unwrap_or_else(|broken| broken.to_string())
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| "it panics".to_owned())
}

/// The first file test that a fault fails.
fn failing_file_test(bug: Bug) -> Option<FileTest> {
    activate(Some(bug));
    file_tests(bug.pass()).into_iter().find(|test| {
        let module = parse_module(&test.source).unwrap_or_else(|error| panic!("{}: {error}", test.name));
        result(&module, &test.pipeline) != test.expected
    })
}

/// After how many cases the property finds a fault, and the bytes of the program.
fn failing_case(bug: Bug) -> Option<(u32, Vec<u8>)> {
    activate(Some(bug));
    counterexample(BYTES, TIMES * CASES, |bytes| holds(&program(bug, bytes), bug))
}

/// A program in which a fault may show.
fn program(bug: Bug, bytes: &[u8]) -> Module {
    let mut entropy = Entropy::of_bytes(bytes);
    if bug.pass() == DIVERGENCE { any_kernel(&mut entropy) } else { any_program(&mut entropy) }
}

/// The property that has to find a fault.
fn holds(module: &Module, bug: Bug) {
    if bug.pass() == DIVERGENCE {
        nothing_uniform_differs(module);
    } else {
        keeps_meaning(module, bug.pass(), None);
    }
}

/// Shrinks a program that shows a fault: nodes before and after, and what is left.
fn shrunk(module: Module, is_one: &mut dyn FnMut(&Module) -> bool) -> (usize, usize, Module) {
    let before = rvsdg_reduce::size(&module);
    let smallest = shrink(module, is_one);
    (before, rvsdg_reduce::size(&smallest), smallest)
}

/// What CI runs: who finds a fault, the cheap way first.
#[test]
fn every_seeded_bug_is_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let is_hidden = |bug: &&Bug| failing_file_test(**bug).is_none() && failing_case(**bug).is_none();
    let hidden: Vec<&Bug> = Bug::ALL.iter().filter(is_hidden).collect();
    activate(None);
    set_hook(hook);
    assert!(hidden.is_empty(), "{hidden:?}: neither a file test nor {} cases find them", TIMES * CASES);
}

/// File tests pass where nothing is wrong on purpose.
#[test]
fn no_bug_is_found_where_none_is() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    activate(None);
    for pass in rvsdg_passes::Registry::builtin().passes() {
        for test in file_tests(pass.short_name()) {
            let module = parse_module(&test.source).unwrap_or_else(|error| panic!("{}: {error}", test.name));
            assert_eq!(result(&module, &test.pipeline), test.expected, "{}/{}", pass.name, test.name);
        }
    }
}

#[test]
fn every_seeded_bug_shrinks() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = take_hook();
    set_hook(Box::new(|_| ()));
    let (mut table, mut problems) = (HEAD.to_owned(), String::new());
    for &bug in Bug::ALL {
        let (pass, text) = (bug.pass(), bug.text());
        let (case, test) = (failing_case(bug), failing_file_test(bug));
        let cases = case.as_ref().map_or_else(|| "–".to_owned(), |(cases, _)| cases.to_string());
        let name = test.as_ref().map_or_else(|| "–".to_owned(), |test| format!("`{}`", test.name));
        let of_case = case.map(|(_, bytes)| {
            shrunk(program(bug, &bytes), &mut |module| {
                activate(Some(bug));
                let parsed = parse_module(&module.to_string());
                parsed.is_ok_and(|parsed| catch_unwind(|| holds(&parsed, bug)).is_err())
            })
        });
        let is_small =
            |shrunk: &Option<(usize, usize, Module)>| shrunk.as_ref().is_some_and(|shrunk| shrunk.1 <= NODES);
        // What comes out is not what comes out without the fault.
        let of_test = test.filter(|_| !is_small(&of_case)).map(|test| {
            let module = parse_module(&test.source).unwrap_or_else(|error| panic!("{}: {error}", test.name));
            shrunk(module, &mut |module| {
                activate(None);
                let right = result(module, &test.pipeline);
                activate(Some(bug));
                result(module, &test.pipeline) != right
            })
        });
        let Some((before, after, smallest)) = of_case.into_iter().chain(of_test).min_by_key(|&(_, after, _)| after)
        else {
            _ = writeln!(problems, "{bug:?}: not found");
            continue;
        };
        eprintln!("{bug:?}: {cases} cases, file test {name}; {after} nodes of {before}\n{smallest}");
        if after > NODES {
            _ = writeln!(problems, "{bug:?}: {after} nodes:\n{smallest}");
        }
        _ = writeln!(table, "| `{pass}` | {text} | {cases} | {name} | {before} | {after} |");
    }
    activate(None);
    let path = Path::new(FOLDER).join("../docs/seeded-bugs.md");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &table).expect("the documentation is writable");
    }
    set_hook(hook);
    assert!(problems.is_empty(), "{problems}");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for bug in Bug::ALL {
        assert!(written.contains(bug.text()), "docs/seeded-bugs.md lacks {bug:?}: run with RVSDG_BLESS=1");
    }
}
