//! Construction keeps behaviour: the graph of every control flow graph has the same events as the control flow graph.

use proptest::prelude::*;
use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::construct::construct;
use rvsdg_cfg::restructure::tree::{LoopPredicate, Tree};
use rvsdg_cfg::restructure::{Options, restructure};
use rvsdg_cfg::shape::Shape;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::op::Op;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::text::dump_graph;
use rvsdg_core::verify::verify_graph;
use rvsdg_core::{Graph, Node, NodeKind, Origin};
use rvsdg_gen::cfgs::{Fill, fill, straight_line};
use rvsdg_gen::property::for_values;
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::{Family, exhaustive, from_choices, random, random_structured};
use rvsdg_gen::trace::{trace_cfg, trace_graph};

/// As usual, with conditions of loops copied, and with nests cut that are not deep at all.
const ALL: [Options; 3] = [
    Options::DEFAULT,
    Options { invert_head_controlled: true, ..Options::DEFAULT },
    Options { max_nesting: 2, ..Options::DEFAULT },
];

/// Checks that the graph is valid, nothing in it is unused, and its nodes are in topological order.
fn check_form(graph: &Graph, tree: &Tree) {
    let violations = verify_graph(graph);
    assert!(violations.is_empty(), "{violations:#?}");
    // What stands behind a loop without exit need not be used.
    let ends = !tree.loops.values().any(|data| matches!(data.predicate, LoopPredicate::Always));
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                let order = graph.topological(region);
                assert!(order.into_iter().eq(graph.nodes(region)), "{region} is not in topological order");
            }
            WalkItem::Node(node) => check_used(graph, node, ends),
            WalkItem::Leave(_) => {}
        }
    }
}

fn check_used(graph: &Graph, node: Node, ends: bool) {
    let used = |&origin: &Origin| graph.has_users(origin);
    match graph.kind(node) {
        NodeKind::Simple(op) => {
            let pure = matches!(op, Op::Const(_) | Op::CtlConst { .. } | Op::Match(_));
            assert!(!pure || graph.outputs(node).iter().any(used), "{node} is dead");
        }
        NodeKind::Gamma => {
            let gamma = Gamma::new(graph, node).unwrap();
            for entry in gamma.entry_vars(graph) {
                let mut arguments = (0..gamma.regions(graph).len()).map(|index| entry.argument(graph, gamma, index));
                assert!(arguments.any(|argument| used(&argument)), "entry variable {} of {node} is dead", entry.index);
            }
            assert!(!ends || graph.outputs(node).iter().all(used), "an exit variable of {node} is dead");
        }
        NodeKind::Theta => {
            for variable in Theta::new(graph, node).unwrap().loop_vars(graph) {
                let live = used(&variable.pre) || used(&variable.output);
                assert!(!ends || live, "loop variable {} of {node} is dead", variable.index);
            }
        }
        other => panic!("a body has no {other:?}"),
    }
}

fn check(cfg: &Cfg, shape: &Shape, options: &Options, seeds: u64, fuel: usize) {
    let tree = restructure(shape, options);
    let verified = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
    let graph = construct(&verified, &tree);
    let result = std::panic::catch_unwind(|| {
        check_form(&graph, &tree);
        for seed in 0..seeds {
            assert_eq!(trace_graph(&graph, seed, fuel), trace_cfg(cfg, seed, fuel), "seed {seed}");
        }
    });
    if let Err(panic) = result {
        eprintln!("{shape}\n{tree}\n{}", dump_graph(&graph));
        std::panic::resume_unwind(panic);
    }
}

fn check_shape(shape: &Shape, seed: u64, seeds: u64, fuel: usize) {
    let cfg = fill(shape, Fill::RICH, &mut Rng::new(seed));
    // The blocks of the control flow graph have numbers of their own.
    let shape = cfg.shape();
    for options in &ALL {
        check(&cfg, &shape, options, seeds, fuel);
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
    for seed in 0..3000 {
        check_shape(&random(seed, 3 + seed as usize % 40, 4), seed, 2, 80);
    }
}

#[test]
fn random_structured_shapes() {
    for seed in 0..1000 {
        check_shape(&random_structured(seed, 3 + seed as usize % 60, 4), seed, 2, 80);
    }
}

#[test]
fn shapes_of_the_past() {
    let choices = [&[21043, 6803][..], &[10848], &[0], &[0], &[0]].map(<[u16]>::to_vec);
    check_shape(&from_choices(&choices), 930_945_756_312_206_478, 2, 60);
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
fn straight_lines() {
    let cfg = straight_line(500);
    check(&cfg, &cfg.shape(), &Options::default(), 1, 1000);
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
        for options in &ALL {
            let cfg = cfg.verify().unwrap_or_else(|violations| panic!("{violations}"));
            let tree = restructure(cfg.shape(), options);
            check_form(&construct(&cfg, &tree), &tree);
        }
    }
}
