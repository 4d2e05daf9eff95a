//! How often passes make each of their rewrites in modules near their file tests and in generated programs, and a hash of what
//! comes out: a condition that asks for more or for less shows there. `RVSDG_BLESS=1` writes the numbers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hash::Hasher;
use std::path::Path;

use rustc_hash::FxHasher;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::accesses::any_accesses;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::nearby::{vary_module, vary_text};
use rvsdg_gen::steer::steer;
use rvsdg_passes::BisectLimit;

mod common;

use common::{FOLDER, any_program, file_tests, source_of, transform};

/// What a pipeline does in some modules, up to a limit in each.
fn done(pipeline: &str, limit: Option<BisectLimit>, modules: impl Iterator<Item = Module>) -> String {
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

fn are_made_as_often(pass: &str, variations: u64, words: u64) {
    let programs = (0..400).map(|seed| {
        let mut module = any_program(&mut Entropy::seeded(seed));
        steer(pass, &mut module);
        module
    });
    let mut actual = format!("(generated):{}\n", done(pass, None, programs));
    let accesses = (0..400).filter_map(|seed| any_accesses(&mut Entropy::seeded(seed)));
    let _ = writeln!(actual, "(accesses):{}", done(pass, None, accesses));
    for path in file_tests(pass) {
        let (head, pipeline) = source_of(&path);
        let (head, pipeline) = (&*head, &*pipeline);
        let original = parse_module(head).expect("a file test is a module");
        let near = (0..variations).filter_map(|seed| {
            let mut module = original.clone();
            vary_module(&mut module, seed);
            module.verify().is_ok().then_some(module)
        });
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(actual, "{file}:{}", done(pipeline, None, near));
        let words = (0..words).filter_map(|seed| vary_text(head, seed));
        let _ = writeln!(actual, "{file} in other words:{}", done(pipeline, None, words));
        // What is left where only some rewrites are allowed.
        let mut hash = FxHasher::default();
        for number in 0..12 {
            let limit = BisectLimit { executions: 1 + number / 4, rewrites: Some(number % 4) };
            hash.write(done(pipeline, Some(limit), [original.clone()].into_iter()).as_bytes());
        }
        let _ = writeln!(actual, "{file} in part: {:016x}", hash.finish());
    }
    let path = Path::new(FOLDER).join("tests/rewrites").join(pass).with_extension("txt");
    if std::env::var_os("RVSDG_BLESS").is_some() {
        std::fs::write(&path, &actual).expect("the folder is writable");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differing: Vec<(&str, &str)> =
        expected.lines().zip(actual.lines()).filter(|(old, new)| old != new).take(20).collect();
    assert!(actual == expected, "more or fewer rewrites are made than before (RVSDG_BLESS=1): {differing:?}");
}

macro_rules! passes {
    ($($name:ident)*) => {
        $(#[test] fn $name() { are_made_as_often(stringify!($name), 48, 40); })*
    };
}

passes! { alr attrs cld cne dne idm ifc iln inv ipc iss ivs ivt jam lpe lvr mvf pll psh red sra stz svr tre url vec }
