//! Functions that people write, through every pass and every named pipeline: they do what they did, and what comes out of the
//! pipelines is what came out before. `RVSDG_BLESS=1` writes down the latter.

use std::fmt::Write;

use rvsdg_gen::runs::{Effort, Tally, runs_with};

mod common;

use common::{done, functions, is_as_written, names, pipelines, transform};

const EFFORT: Effort = Effort { runs: 6, fuel: 5_000, bytes: 64 };

#[test]
fn functions_do_the_same() {
    let mut tally = Tally::default();
    for (name, module) in functions() {
        let before = runs_with(&module, EFFORT);
        for text in names().into_iter().chain(pipelines()) {
            let mut after = module.clone();
            transform(&mut after, text, None);
            tally.add(before.keep(&after).unwrap_or_else(|why| panic!("{text} of {name}: {why}")));
        }
    }
    println!("{tally:?}");
    assert!(tally.same > tally.vacuous + tally.unknown, "{tally:?}");
}

#[test]
fn pipelines_make_what_they_made() {
    let mut actual = String::new();
    for text in pipelines() {
        for (name, module) in functions() {
            let _ = writeln!(actual, "{text} of {name}:{}", done(text, None, [module].into_iter()));
        }
    }
    is_as_written("functions.txt", &actual);
}
