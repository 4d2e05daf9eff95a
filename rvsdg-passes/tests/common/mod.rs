//! What tests of passes on generated modules share.

#![allow(dead_code, reason = "each test uses a part")]

use rvsdg_core::Module;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::any;
use rvsdg_gen::runs::{Tally, runs};
use rvsdg_gen::weights::Size;
use rvsdg_passes::{BisectLimit, Manager, Pipeline, Report};

/// Where files of counterexamples are.
pub const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

/// Bytes of choices of a module.
pub const BYTES: usize = 1_500;

pub fn any_program(entropy: &mut Entropy<'_>) -> Module {
    any(entropy, Size::SMALL)
}

/// How many times as many cases as other properties the meaning of each pass gets.
pub const TIMES: u32 = 3;

/// Makes a counterexample smaller.
pub fn shrink(module: Module, is_one: &mut dyn FnMut(&Module) -> bool) -> Module {
    rvsdg_reduce::reduce(module, is_one, &mut |_| ())
}

/// Runs a pipeline; the module stays valid after every pass.
pub fn transform(module: &mut Module, text: &str, limit: Option<BisectLimit>) -> Report {
    let pipeline = Pipeline::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let manager = Manager { verify_each: true, bisect_limit: limit };
    manager.run(module, &pipeline).unwrap_or_else(|broken| panic!("{text}: {broken}"))
}

#[track_caller]
pub fn keeps_meaning(module: &Module, text: &str, limit: Option<BisectLimit>) -> (Tally, Report) {
    let mut transformed = module.clone();
    let report = transform(&mut transformed, text, limit);
    match runs(module).keep(&runs(&transformed)) {
        Ok(tally) => (tally, report),
        Err(why) => panic!("{text}: {why}"),
    }
}
