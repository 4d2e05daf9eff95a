//! What a pass asks for before it rewrites holds in its file tests: in modules near those, with another number, flag, relation or
//! operand, it often fails by one. There, too, a pass keeps what programs do.

use std::collections::BTreeMap;
use std::fmt::Write;

use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::accesses::{self, any_accesses};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::nearby::{change_module, vary_module, vary_text};
use rvsdg_gen::runs::{Effort, Tally, runs_with};

mod common;

use common::{file_tests, is_as_written, source_of, transform};

const EFFORT: Effort = Effort { runs: 12, fuel: 5_000, bytes: 256 };

/// Each file test of a pass in so many variations by chance.
fn holds_nearby(pass: &str, variations: u64) {
    let vary = |text: &str, module: &Module, seed: usize| {
        let (seed, is_word) = (seed as u64 / 2, seed % 2 == 1);
        let mut module = module.clone();
        match is_word {
            true => module = vary_text(text, seed).unwrap_or(module),
            false => vary_module(&mut module, seed),
        }
        (seed < variations).then_some(module)
    };
    let _ = holds(pass, vary, EFFORT);
}

/// Each file test of a pass, less those that say `; VARY: no` and why, as it is changed, for all numbers until there is nothing; what the pass counts in all of them.
fn holds(
    pass: &str,
    change: impl Fn(&str, &Module, usize) -> Option<Module>,
    effort: Effort,
) -> BTreeMap<&'static str, u64> {
    let (mut tally, mut counters) = (Tally::default(), BTreeMap::new());
    for path in file_tests(pass) {
        let (head, pipeline) = source_of(&path);
        let (head, pipeline) = (&*head, &*pipeline);
        if head.lines().any(|line| line.starts_with("; VARY: no")) {
            continue;
        }
        let original = parse_module(head).expect("a file test is a module");
        for (number, module) in (0..).map_while(|number| Some((number, change(head, &original, number)?))) {
            if module.verify().is_err() {
                continue;
            }
            let before = runs_with(&module, effort);
            let mut after = module.clone();
            let report = transform(&mut after, pipeline, None);
            for (&counter, count) in report.passes().iter().flat_map(|pass| &pass.counters) {
                *counters.entry(counter).or_default() += count;
            }
            match before.keep(&after) {
                Ok(runs) => tally.add(runs),
                Err(why) => panic!("{}, variation {number}: {why}\n{module}\n{after}", path.display()),
            }
        }
    }
    println!("{pass}: {tally:?}");
    assert!(tally.same > 0, "{tally:?}");
    counters
}

/// How often each rule applies in all that differs from its instances in one place: a rule that asks for more or for less
/// applies more or less often. `RVSDG_BLESS=1` writes the numbers.
#[test]
fn red_one_change_away() {
    let change = |_: &str, module: &Module, number: usize| {
        let mut module = module.clone();
        change_module(&mut module, number).then_some(module)
    };
    let mut actual = String::new();
    for (rule, count) in holds("red", change, Effort { runs: 4, ..EFFORT }) {
        let _ = writeln!(actual, "{rule} {count}");
    }
    is_as_written("nearby_red.txt", &actual);
}

/// Each pass on functions that access a few places, alone and after others that leave it more of them.
#[test]
fn accesses_stay_what_they_are() {
    let effort = Effort { runs: 6, fuel: 5_000, bytes: accesses::BYTES };
    for pipeline in
        ["mvf", "lvr,mvf", "sra,mvf", "vec", "idm", "url,mvf", "psh,mvf", "pll", "ifc", "ivs,red", "ivs<exits>"]
    {
        let mut tally = Tally::default();
        for seed in 0..250 {
            let Some(module) = any_accesses(&mut Entropy::seeded(seed)) else { continue };
            let before = runs_with(&module, effort);
            let mut after = module.clone();
            transform(&mut after, pipeline, None);
            match before.keep(&after) {
                Ok(runs) => tally.add(runs),
                Err(why) => panic!("{pipeline}, seed {seed}: {why}\n{module}\n{after}"),
            }
        }
        println!("{pipeline}: {tally:?}");
        assert!(tally.same > tally.vacuous, "{tally:?}");
    }
}

macro_rules! passes {
    ($($name:ident: $variations:literal;)*) => {
        $(#[test] fn $name() { holds_nearby(stringify!($name), $variations); })*
    };
}

passes! {
    ads: 8;
    attrs: 12;
    cld: 8;
    cne: 12;
    dne: 4;
    glv: 8;
    ifc: 24;
    iln: 8;
    inv: 8;
    ipc: 8;
    iss: 12;
    ivs: 24;
    ivt: 24;
    lmg: 12;
    lpe: 12;
    lut: 12;
    lvr: 24;
    mvf: 24;
    pll: 24;
    psh: 24;
    red: 24;
    slp: 12;
    sra: 24;
    stz: 8;
    svr: 12;
    url: 12;
}
