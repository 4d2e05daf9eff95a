//! Passes against the interpreter: what any pipeline makes of a generated module is valid and does what the module does, also
//! where the pipeline is stopped after some rewrite.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::{any, pipeline};
use rvsdg_gen::runs::runs;
use rvsdg_gen::weights::Size;
use rvsdg_passes::{BisectLimit, Manager, Pipeline, Registry};

fuzz_target!(|bytes: &[u8]| {
    let entropy = &mut Entropy::of_bytes(bytes);
    let names: Vec<&str> = Registry::builtin().passes().iter().map(|entry| entry.name).collect();
    let text = pipeline(entropy, &names);
    let limit = BisectLimit { executions: entropy.bits(5), rewrites: Some(entropy.bits(4)) };
    let bisect_limit = entropy.chance(1, 3).then_some(limit);
    let module = any(entropy, Size::SMALL);
    let mut transformed = module.clone();
    let manager = Manager { verify_each: true, bisect_limit, ..Manager::default() };
    let pipeline = Pipeline::parse(&text).expect("it consists of passes");
    if let Err(broken) = manager.run(&mut transformed, &pipeline) {
        panic!("{text}: {broken}\n{module}");
    }
    if let Err(why) = runs(&module).keep(&transformed) {
        panic!("{text} {bisect_limit:?}: {why}\n{module}");
    }
});
