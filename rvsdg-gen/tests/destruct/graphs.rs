//! Destruction of graphs that no construction makes. What cannot be in predicate continuation form must still behave.

use rvsdg_cfg::classify::{Class, classify};
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_core::Graph;
use rvsdg_gen::entropy::Entropy;
use rvsdg_gen::predicates::{routed, shuffled};
use rvsdg_gen::trace::{trace_cfg, trace_graph};

use crate::form::{all_return, check_definitions, check_form, listing};

fn check(original: &Graph, graph: &Graph, recovery: Recovery, seed: u64) {
    let cfg = destruct(graph, 0, recovery);
    let result = std::panic::catch_unwind(|| {
        check_form(&cfg);
        check_definitions(&cfg);
        for run in 0..4 {
            assert_eq!(trace_graph(original, run, 60), trace_cfg(&cfg, run, 60), "run {run}");
        }
        if recovery == Recovery::Structured && all_return(&cfg.shape()) {
            assert!(classify(&cfg.shape()) <= Class::Structured, "not structured");
        }
    });
    if let Err(panic) = result {
        eprintln!("graph {seed}, {recovery:?}\n{}", listing(&cfg));
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn any_graph_behaves_the_same() {
    for seed in 0..10_000 {
        let graph = routed(Entropy::seeded(seed), 10 + seed as usize % 60);
        let shuffled = shuffled(&graph, &mut Entropy::seeded(seed));
        for recovery in [Recovery::Structured, Recovery::Predicative] {
            check(&graph, &graph, recovery, seed);
            check(&graph, &shuffled, recovery, seed);
        }
    }
}
