//! Seeded bugs: each is found by the property of its pass within a minute, and shrinks to a few nodes.
//!
//! `RVSDG_BLESS=1 cargo test -p rvsdg-passes --features seeded-bugs --test seeded_bugs` writes the table in the documentation.

mod common;

use std::fmt::Write;
use std::panic::{catch_unwind, set_hook};
use std::path::Path;
use std::time::{Duration, Instant};

use common::{BYTES, FOLDER, TIMES, any_program, keeps_meaning, shrink};
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::property::{CASES, counterexample};
use rvsdg_passes::seeded::{Bug, activate};

/// How long the suite may take to find a bug.
const TIME: Duration = Duration::from_secs(60);

/// The greatest number of nodes of what is left.
const NODES: usize = 14;

const HEAD: &str = "# Seeded bugs\n\n\
    <!-- RVSDG_BLESS=1 cargo test -p rvsdg-passes --features seeded-bugs --test seeded_bugs writes this page. -->\n\n\
    Deliberate faults in passes, compiled with the feature `seeded-bugs` only. The property \"a pass keeps what modules do\", which\n\
    CI runs with 3,000 cases, has to find each within a minute, and `rvsdg-reduce`, which is what `jlm-opt reduce` runs, has to\n\
    shrink what it found to fewer than 15 nodes, those of the ω level included. The counts are of the run that wrote this page.\n\
    To fold a division by zero to some value is no fault, since nothing is defined there; to execute one that was guarded is.\n\n\
    | pass | fault | found by | cases until found | nodes when found | nodes when shrunk |\n\
    |---|---|---|---:|---:|---:|\n";

fn size(module: &Module) -> usize {
    rvsdg_reduce::size(module)
}

#[test]
fn every_seeded_bug_is_found_and_shrinks() {
    set_hook(Box::new(|_| ()));
    let (mut table, mut problems) = (HEAD.to_owned(), String::new());
    for &bug in Bug::ALL {
        activate(Some(bug));
        let start = Instant::now();
        let property = |bytes: &[u8]| {
            keeps_meaning(&any_program(&mut Entropy::of_bytes(bytes)), bug.pass(), None);
        };
        let Some((cases, bytes)) = counterexample(BYTES, TIME, property) else {
            _ = writeln!(problems, "{bug:?}: not found");
            continue;
        };
        let found = start.elapsed();
        let module = any_program(&mut Entropy::of_bytes(&bytes));
        let is_one = &mut |module: &Module| {
            let parsed = parse_module(&module.to_string());
            parsed.is_ok_and(|parsed| catch_unwind(|| keeps_meaning(&parsed, bug.pass(), None)).is_err())
        };
        let before = size(&module);
        let smallest = shrink(module, is_one);
        let after = size(&smallest);
        eprintln!("{bug:?}: found after {cases} cases, {found:?}; {after} nodes of {before}\n{smallest}");
        if cases > TIMES * CASES || after > NODES {
            _ = writeln!(problems, "{bug:?}: {cases} cases, {after} nodes:\n{smallest}");
        }
        let (pass, text) = (bug.pass(), bug.text());
        _ = writeln!(table, "| `{pass}` | {text} | `refinement::{pass}` | {cases} | {before} | {after} |");
    }
    activate(None);
    let path = Path::new(FOLDER).join("../docs/seeded-bugs.md");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &table).expect("the documentation is writable");
    }
    let _ = std::panic::take_hook();
    assert!(problems.is_empty(), "{problems}");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    for bug in Bug::ALL {
        assert!(written.contains(bug.text()), "docs/seeded-bugs.md lacks {bug:?}: run with RVSDG_BLESS=1");
    }
}
