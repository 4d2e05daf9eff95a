//! Functions that people write, through every pass and every named pipeline: they do what they did, and what comes out of the
//! pipelines is what came out before, also between passes and as control flow. `RVSDG_BLESS=1` writes down the latter.

use std::fmt::Write;
use std::hash::Hasher;

use rustc_hash::FxHasher;
use rvsdg_core::Module;
use rvsdg_core::text::parse_module;
use rvsdg_gen::recovered::control_flow;
use rvsdg_gen::runs::{Effort, Tally, runs_with};
use rvsdg_passes::{Manager, Observer, Pipeline};

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

/// What stages leave, as a hash of all of it.
#[derive(Default)]
struct Stages(FxHasher);

impl Observer for Stages {
    fn wants_every_stage(&self) -> bool {
        true
    }

    fn stage_done(&mut self, module: &Module, _pass: &'static str) {
        self.0.write(module.to_string().as_bytes());
    }
}

/// What a pass does may not be seen in the end, where others do the same.
#[test]
fn stages_leave_what_they_left() {
    let mut actual = String::new();
    for text in ["default<O3>", "default<Os>"] {
        let pipeline = Pipeline::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        for (name, mut module) in functions() {
            let mut stages = Stages::default();
            let manager = Manager { trust_input: true, ..Manager::default() };
            manager
                .run_observed(&mut module, &pipeline, &mut stages)
                .unwrap_or_else(|broken| panic!("{text}: {broken}"));
            // Which constants are interned first depends on threads.
            let read = parse_module(&module.to_string()).unwrap_or_else(|error| panic!("{text} of {name}: {error}"));
            let hash = stages.0.finish();
            let _ = writeln!(actual, "{text} of {name}: stages {hash:016x} control flow {}", control_flow(&[read]));
        }
    }
    is_as_written("stages.txt", &actual);
}
