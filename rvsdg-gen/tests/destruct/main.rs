//! Destruction undoes construction: predicative recovery gives the control flow graph that the graph was made from,
//! structured recovery a structured one, and both do what the original does.

mod form;
mod graphs;

use cranelift_entity::EntityRef;
use form::{all_return, check_definitions, check_equal, check_form, label, listing};
use proptest::prelude::*;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_cfg::shape::Shape;
use rvsdg_core::{Graph, SourceId};
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::predicates::shuffled;
use rvsdg_gen::property::for_values;
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::{Family, exhaustive, from_choices, random, random_structured};
use rvsdg_gen::trace::trace_cfg;

const INVERTED: Options = Options { invert_head_controlled: true, ..Options::DEFAULT };
/// Cuts nests that are not deep at all.
const CUT: Options = Options { max_nesting: 2, ..Options::DEFAULT };

fn graph_of(cfg: &Cfg, options: &Options) -> Graph {
    build(&cfg.verify().unwrap_or_else(|violations| panic!("{violations}")), options)
}

fn check_recovery(cfg: &Cfg, options: &Options, recovery: Recovery, seeds: u64, fuel: usize) {
    let graph = graph_of(cfg, options);
    let recovered = destruct(&graph, cfg.contexts().len(), recovery);
    let result = std::panic::catch_unwind(|| {
        check_form(&recovered);
        check_definitions(&recovered);
        for seed in 0..seeds {
            let (before, after) = (trace_cfg(cfg, seed, fuel), trace_cfg(&recovered, seed, fuel));
            assert_eq!(before, after, "seed {seed}");
        }
        match recovery {
            Recovery::Predicative if !options.invert_head_controlled => {
                check_equal(cfg, &recovered);
                // What is recovered once does not change any more.
                let again = destruct(&graph_of(&recovered, options), cfg.contexts().len(), recovery);
                check_equal(&recovered, &again);
                let size =
                    |cfg: &Cfg| (cfg.block_count(), cfg.blocks().map(|block| cfg.block_params(block).len()).sum());
                assert_eq!(size(&again), size(&recovered) as (usize, usize));
            }
            Recovery::Predicative => {}
            // A loop without exit leaves something to be desired: its γ has no join on that side.
            Recovery::Structured => {
                assert!(
                    !all_return(&recovered.shape())
                        || matches!(classify(&recovered.shape()), Class::Linear | Class::Structured),
                    "not structured"
                );
            }
        }
    });
    if let Err(panic) = result {
        eprintln!("{recovery:?} {options:?}\n{}\n{}", listing(cfg), listing(&recovered));
        std::panic::resume_unwind(panic);
    }
}

/// A control flow graph of a shape, whose terminators have sources.
fn with_sources(shape: &Shape, seed: u64) -> Cfg {
    let mut cfg = fill(shape, Fill::RICH, &mut Rng::new(seed));
    for block in cfg.blocks() {
        cfg.terminator_mut(block).source = SourceId::new(block.index()).into();
    }
    cfg
}

fn check_shape(shape: &Shape, seed: u64, seeds: u64, fuel: usize) {
    let cfg = with_sources(shape, seed);
    for recovery in [Recovery::Predicative, Recovery::Structured] {
        for options in [Options::DEFAULT, INVERTED, CUT] {
            check_recovery(&cfg, &options, recovery, seeds, fuel);
        }
    }
}

#[test]
fn all_shapes_with_two_successors() {
    for inner in 1..=4 {
        for (number, shape) in exhaustive(inner, 2).enumerate() {
            check_shape(&shape, number as u64, 3, 30);
        }
    }
}

#[test]
fn all_shapes_with_three_successors() {
    for inner in 1..=3 {
        for (number, shape) in exhaustive(inner, 3).enumerate() {
            check_shape(&shape, number as u64, 3, 30);
        }
    }
}

#[test]
fn random_shapes() {
    for seed in 0..2000 {
        check_shape(&random(seed, 3 + seed as usize % 60, 4), seed, 2, 80);
    }
}

/// Definitions and uses of predicates are brought together whatever the order of nodes is (EVALORDER).
#[test]
fn the_order_of_nodes_does_not_matter() {
    for seed in 0..1000 {
        let cfg = with_sources(&random(seed, 3 + seed as usize % 40, 4), seed);
        let graph = shuffled(&graph_of(&cfg, &Options::default()), &mut Entropy::seeded(seed));
        check_equal(&cfg, &destruct(&graph, 0, Recovery::Predicative));
    }
}

#[test]
fn random_structured_shapes() {
    for seed in 0..1000 {
        check_shape(&random_structured(seed, 3 + seed as usize % 60, 4), seed, 2, 80);
    }
}

#[test]
fn any_shape() {
    let choices = prop::collection::vec(prop::collection::vec(any::<u16>(), 1..4), 1..12);
    for_values(&(choices, any::<u64>()), |(choices, seed)| check_shape(&from_choices(&choices), seed, 2, 60));
}

#[test]
fn families() {
    for family in Family::ALL {
        for size in [1, 2, 3, 7, 20] {
            check_shape(&family.shape(size), size as u64, 2, 200);
        }
    }
}

#[test]
fn blocks_keep_their_order() {
    for seed in 0..1000 {
        let mut cfg = fill(&random(seed, 3 + seed as usize % 60, 3), Fill::RICH, &mut Rng::new(seed));
        let mut sources = 0;
        let mut next = || {
            sources += 1;
            Some(SourceId::new(sources))
        };
        for block in cfg.blocks() {
            for inst in cfg.insts(block).to_vec() {
                cfg.set_source(inst, next());
            }
            cfg.terminator_mut(block).source = next().into();
        }
        let recovered = destruct(&graph_of(&cfg, &Options::default()), 0, Recovery::Predicative);
        let order = |cfg: &Cfg| -> Vec<u32> {
            let blocks = cfg.blocks().filter(|&block| !cfg.insts(block).is_empty());
            blocks.map(|block| label(cfg, cfg.insts(block)[0])).collect()
        };
        let kept = order(&recovered);
        // A block that continues its only predecessor is joined with it, and none comes before all that lead to it.
        let expected: Vec<u32> = order(&cfg).into_iter().filter(|label| kept.contains(label)).collect();
        if kept != expected {
            assert!(starts_late(&cfg), "seed {seed}: {kept:?} instead of {expected:?}");
        }
    }
}

/// Whether a block comes before all that lead to it.
fn starts_late(cfg: &Cfg) -> bool {
    let predecessors = cfg.shape().predecessors();
    cfg.blocks().any(|block| {
        let arcs = predecessors.arcs(block);
        block != cfg.exit() && !arcs.is_empty() && arcs.iter().all(|arc| arc.from >= block)
    })
}

#[test]
fn straight_lines() {
    let cfg = straight_line(500);
    for recovery in [Recovery::Predicative, Recovery::Structured] {
        let recovered = destruct(&graph_of(&cfg, &Options::default()), 0, recovery);
        assert_eq!(recovered.block_count(), 2);
        assert_eq!(trace_cfg(&cfg, 1, 1000), trace_cfg(&recovered, 1, 1000));
    }
}

#[test]
fn deep_and_wide() {
    let sizes = |family| match family {
        Family::FallThrough | Family::NestedIrreducible => 100,
        Family::NestedLoops | Family::NestedDoWhile => 5000,
        _ => 20_000,
    };
    for family in Family::ALL {
        let cfg = fill(&family.shape(sizes(family)), Fill::LINEAR, &mut Rng::new(1));
        let graph = graph_of(&cfg, &Options::default());
        let recovered = destruct(&graph, 0, Recovery::Predicative);
        check_equal(&cfg, &recovered);
        destruct(&graph, 0, Recovery::Structured);
    }
}
