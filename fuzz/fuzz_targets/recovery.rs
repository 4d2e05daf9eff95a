//! Construction and recovery: any control flow graph behaves the same after the round trip through the RVSDG.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_gen::cfgs::{Fill, fill};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::from_choices;
use rvsdg_gen::trace::trace_cfg;

/// At most so many blocks, of so many arcs each, and so many operations of a run.
const BLOCKS: usize = 24;
const ARCS: usize = 4;
const FUEL: usize = 200;

fuzz_target!(|input: (u64, Vec<Vec<u16>>)| {
    let (seed, mut choices) = input;
    choices.truncate(BLOCKS);
    choices.iter_mut().for_each(|arcs| arcs.truncate(ARCS));
    choices.retain(|arcs| !arcs.is_empty());
    if choices.is_empty() {
        return;
    }
    let cfg = fill(&from_choices(&choices), Fill::RICH, &mut Rng::new(seed));
    for invert_head_controlled in [false, true] {
        let verified = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
        let graph = build(&verified, &Options { invert_head_controlled, ..Options::DEFAULT });
        for recovery in [Recovery::Predicative, Recovery::Structured] {
            let recovered = destruct(&graph, 0, recovery);
            for run in 0..4 {
                let expected = trace_cfg(&cfg, seed ^ run, FUEL);
                assert_eq!(trace_cfg(&recovered, seed ^ run, FUEL), expected, "{recovery:?}");
            }
        }
    }
});
