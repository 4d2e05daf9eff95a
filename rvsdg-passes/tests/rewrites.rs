//! How often passes make each of their rewrites in modules near their file tests, in those of other passes, in generated programs
//! and in functions that people write, and a hash of what comes out: a condition that asks for more or for less shows there.
//! `RVSDG_BLESS=1` writes the numbers.

use std::fmt::Write;
use std::hash::Hasher;

use rustc_hash::FxHasher;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::accesses::any_accesses;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::nearby::{vary_module, vary_text};
use rvsdg_gen::steer::steer;
use rvsdg_passes::BisectLimit;

mod common;

use common::{any_program, done, file_tests, functions, is_as_written, source_of, tested_passes};

/// A module, and valid ones among so many near it.
fn near(module: Module, variations: u64) -> impl Iterator<Item = Module> {
    let original = module.clone();
    let vary = move |seed| {
        let mut module = module.clone();
        vary_module(&mut module, seed);
        module.verify().is_ok().then_some(module)
    };
    std::iter::once(original).chain((0..variations).filter_map(vary))
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
        let file = path.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(actual, "{file}:{}", done(pipeline, None, near(original.clone(), variations)));
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
    for other in tested_passes().iter().filter(|other| *other != pass) {
        let modules = file_tests(other)
            .into_iter()
            .flat_map(|path| near(parse_module(&source_of(&path).0).expect("a file test is a module"), 2));
        let _ = writeln!(actual, "(of {other}):{}", done(pass, None, modules));
    }
    for (name, module) in functions() {
        let _ = writeln!(actual, "(near {name}):{}", done(pass, None, near(module, 8)));
    }
    is_as_written(&format!("rewrites/{pass}.txt"), &actual);
}

macro_rules! passes {
    ($($name:ident)*) => {
        $(#[test] fn $name() { are_made_as_often(stringify!($name), 48, 40); })*
    };
}

passes! { ads alr attrs cld cne dne glv idm ifc iln inv ipc iss ivs ivt jam lib lmg lpe lut lvr mvf pll psh red slp sra stz svr tre url vec }
