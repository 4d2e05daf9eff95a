//! Properties of the core and of control flow, over generated inputs. `PROPTEST_CASES` sets how many.

use rvsdg_cfg::construct::build;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_cfg::restructure::Options;
use rvsdg_core::graph::Copier;
use rvsdg_core::hash::hash_graph;
use rvsdg_core::text::{dump_graph, parse_module, print_graph, print_module};
use rvsdg_core::verify::Invariant;
use rvsdg_core::{Graph, Module};
use rvsdg_gen::cfgs::{Fill, fill};
use rvsdg_gen::edits;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::modules::{module, program};
use rvsdg_gen::mutate::{KEPT_BY_EDITS, violate};
use rvsdg_gen::predicates::routed;
use rvsdg_gen::property::{for_all, for_all_modules, for_all_regressions};
use rvsdg_gen::rng::Rng;
use rvsdg_gen::shapes::from_choices;
use rvsdg_gen::trace::{trace_cfg, trace_graph};
use rvsdg_gen::weights::{Size, Weights};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");

fn any_module(entropy: &mut Entropy<'_>) -> Module {
    module(entropy, &Weights::all(), Size::SMALL)
}

fn prints_and_parses(module: &Module) {
    let text = print_module(module);
    let parsed = parse_module(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print_module(&parsed), text);
    if let Err(violations) = parsed.verify() {
        panic!("the parsed module is not valid: {}", violations[0]);
    }
}

#[test]
fn parse_undoes_print() {
    for_all_modules(FOLDER, "text", 1500, any_module, prints_and_parses);
}

fn is_valid(module: &Module) {
    if let Err(violations) = module.verify() {
        panic!("{}", violations[0]);
    }
}

#[test]
fn what_builders_make_is_valid() {
    for_all_modules(FOLDER, "valid", 1500, any_module, is_valid);
    for poison in [false, true] {
        let weights = Weights::defined(poison);
        for_all_modules(FOLDER, "program", 1500, |entropy| program(entropy, &weights, Size::SMALL), is_valid);
    }
}

/// Every violation is found, under its name.
#[test]
fn violations_are_found() {
    let mut broken = [0; Invariant::ALL.len()];
    let counts = std::cell::RefCell::new(&mut broken);
    let make = |entropy: &mut Entropy<'_>| {
        // The kind of violation is decided first, so that it stays the same while the module shrinks.
        let invariant = entropy.pick(Invariant::ALL);
        let mut choices = entropy.clone();
        let mut module = any_module(entropy);
        let violated = violate(&mut module, invariant, &mut choices).is_some();
        (module, invariant, violated)
    };
    let show = |(module, invariant, _): &(Module, Invariant, bool)| {
        let graphs = module.bodies.values().filter_map(|body| body.graph()).map(dump_graph);
        format!("{invariant:?}\n{}", graphs.collect::<Vec<_>>().join("\n"))
    };
    for_all(1500, make, show, |(module, invariant, violated)| {
        if *violated {
            counts.borrow_mut()[*invariant as usize] += 1;
            let found = module.verify().err();
            let is_named =
                found.iter().flat_map(|found| found.iter()).any(|violation| violation.invariant == *invariant);
            assert!(is_named, "{invariant:?}: {found:?}");
        }
    });
    for &invariant in Invariant::ALL {
        println!("{invariant:?}: {}", broken[invariant as usize]);
        let expected = !KEPT_BY_EDITS.contains(&invariant);
        assert_eq!(broken[invariant as usize] > 0, expected, "{invariant:?}");
    }
}

#[test]
fn edits_do_what_the_model_does() {
    let script = |entropy: &mut Entropy<'_>| edits::script(entropy, 80);
    for_all(600, script, |script| format!("{script:#?}"), |script| edits::check(script));
}

/// A copy is the original but for its ids.
fn copies_are_equal(module: &Module) {
    for graph in module.bodies.values().filter_map(|body| body.graph()) {
        let mut copy = Graph::new(graph.pool().clone());
        let (from, to) = (graph.root(), copy.root());
        let mut copier = Copier::new();
        for &argument in graph.arguments(from) {
            copier.substitute(argument, copy.add_argument(to, graph.ty(argument)));
        }
        copier.copy_nodes(graph, from, &mut copy, to);
        for origin in graph.result_origins(from) {
            copy.add_result(to, copier.get(origin).expect("all nodes are copied"));
        }
        assert_eq!(print_graph(&copy), print_graph(graph));
        assert_eq!(hash_graph(&copy), hash_graph(graph));
    }
}

#[test]
fn a_copy_is_like_the_original() {
    for_all_modules(FOLDER, "copy", 1500, any_module, copies_are_equal);
}

#[test]
fn counterexamples_of_the_past_hold() {
    for_all_regressions(FOLDER, |_, module| {
        prints_and_parses(module);
        is_valid(module);
        copies_are_equal(module);
    });
}

#[test]
fn construction_and_recovery_keep_the_trace() {
    let make = |entropy: &mut Entropy<'_>| {
        let seed = entropy.bits(16);
        let blocks: Vec<Vec<u16>> = (0..1 + entropy.below(12))
            .map(|_| (0..1 + entropy.below(3)).map(|_| entropy.bits(8) as u16).collect())
            .collect();
        (
            fill(&from_choices(&blocks), Fill::RICH, &mut Rng::new(seed)),
            blocks,
            entropy.chance(1, 2),
            entropy.chance(1, 2),
        )
    };
    for_all(
        80,
        make,
        |(_, blocks, invert, cut)| format!("{blocks:?} {invert} {cut}"),
        |(cfg, _, invert_head_controlled, cut)| {
            let max_nesting = if *cut { 2 } else { Options::DEFAULT.max_nesting };
            let options = Options { invert_head_controlled: *invert_head_controlled, max_nesting };
            let graph = build(&cfg.verify().unwrap_or_else(|violations| panic!("{violations}")), &options);
            for recovery in [Recovery::Predicative, Recovery::Structured] {
                let recovered = destruct(&graph, 0, recovery);
                _ = recovered.verify().unwrap_or_else(|violations| panic!("{violations}"));
                for run in 0..3 {
                    let expected = trace_cfg(cfg, run, 60);
                    assert_eq!(trace_graph(&graph, run, 60), expected, "run {run}");
                    assert_eq!(trace_cfg(&recovered, run, 60), expected, "run {run}, {recovery:?}");
                }
            }
        },
    );
}

#[test]
fn recovery_of_any_graph_keeps_the_trace() {
    let make = |entropy: &mut Entropy<'_>| routed(entropy.clone(), 60);
    for_all(400, make, print_graph, |graph| {
        for recovery in [Recovery::Predicative, Recovery::Structured] {
            let recovered = destruct(graph, 0, recovery);
            _ = recovered.verify().unwrap_or_else(|violations| panic!("{violations}"));
            for run in 0..3 {
                assert_eq!(trace_cfg(&recovered, run, 60), trace_graph(graph, run, 60), "run {run}, {recovery:?}");
            }
        }
    });
}
