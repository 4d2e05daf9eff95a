//! Reduction of small expressions: they mean what they meant, and each rule applies as often as before, with the same result.
//! `RVSDG_BLESS=1` writes down the latter.

use std::fmt::Write;

use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::expressions::any_expressions;
use rvsdg_gen::runs::{Effort, Tally, runs_with};

mod common;

use common::{done, is_as_written, transform};

const PIPELINES: [&str; 2] = ["red", "cne,red,dne"];

#[test]
fn expressions_do_the_same() {
    let effort = Effort { runs: 8, fuel: 1_000, bytes: 64 };
    let mut tally = Tally::default();
    for seed in 0..600 {
        let module = any_expressions(&mut Entropy::seeded(seed));
        let before = runs_with(&module, effort);
        let mut after = module.clone();
        transform(&mut after, "red", None);
        match before.keep(&after) {
            Ok(runs) => tally.add(runs),
            Err(why) => panic!("seed {seed}: {why}\n{module}\n{after}"),
        }
    }
    println!("{tally:?}");
    assert!(tally.same > tally.vacuous, "{tally:?}");
}

#[test]
fn rules_apply_as_often() {
    let mut actual = String::new();
    for pipeline in PIPELINES {
        for part in 0..4 {
            let modules = (0..1_500).map(|seed| any_expressions(&mut Entropy::seeded(part * 1_500 + seed)));
            let _ = writeln!(actual, "{pipeline}, part {part}:{}", done(pipeline, None, modules));
        }
    }
    is_as_written("expressions.txt", &actual);
}
