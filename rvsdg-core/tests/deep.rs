//! Deep nesting does not overflow the stack, and no step is quadratic.

#![allow(missing_docs, reason = "tests")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Pool, Type, dot, hash, text, verify};

/// γ in θ in γ …, `depth` regions deep.
fn nested(depth: usize) -> Graph {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let mut region = root;
    let mut value = graph.add_argument(root, Type::I32);
    let mut open = vec![];
    for level in 0..depth {
        let predicate = graph.add_simple(region, Op::CtlConst { value: 0, of: 2 }, &[], &[Type::CTL2]);
        let predicate = graph.output(predicate, 0);
        if level % 2 == 0 {
            let gamma = Gamma::add(&mut graph, region, predicate, 2);
            let entry = gamma.add_entry_var(&mut graph, value);
            region = gamma.regions(&graph)[0];
            value = entry.argument(&graph, gamma, 0);
            open.push((gamma.node(), Some((gamma, entry))));
        } else {
            let theta = Theta::add(&mut graph, region);
            let loop_var = theta.add_loop_var(&mut graph, value);
            region = theta.body(&graph);
            let again = graph.add_simple(region, Op::CtlConst { value: 0, of: 2 }, &[], &[Type::CTL2]);
            let again = graph.output(again, 0);
            graph.divert(theta.predicate(&graph), again);
            value = loop_var.pre;
            open.push((theta.node(), None));
        }
    }
    while let Some((node, gamma)) = open.pop() {
        value = match gamma {
            Some((gamma, entry)) => {
                let other = entry.argument(&graph, gamma, 1);
                gamma.add_exit_var(&mut graph, &[value, other]).output
            }
            None => {
                let theta = Theta::new(&graph, node).expect("it is a loop");
                let loop_var = theta.loop_var(&graph, 0);
                graph.divert(loop_var.post, value);
                loop_var.output
            }
        };
    }
    graph.add_result(root, value);
    graph
}

/// A chain of additions, one user each but for the first argument, which all use.
fn straight(nodes: usize) -> Graph {
    let mut graph = Graph::new(Arc::new(Pool::new()));
    let root = graph.root();
    let argument = graph.add_argument(root, Type::I32);
    let mut value = argument;
    let op = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
    for _ in 0..nodes {
        let node = graph.add_simple(root, op, &[value, argument], &[Type::I32]);
        value = graph.output(node, 0);
    }
    graph.add_result(root, value);
    graph
}

/// The same chain, its nodes listed in the order against the dependences.
fn reversed(nodes: usize) -> Graph {
    let mut graph = straight(nodes);
    let root = graph.root();
    for node in graph.nodes(root).collect::<Vec<_>>().into_iter().rev() {
        graph.move_to(node, root);
    }
    graph
}

fn exercise(graph: &Graph) {
    assert_eq!(verify::verify_graph(graph), []);
    let printed = text::print_graph(graph);
    let parsed = text::parse_graph(&printed, graph.pool().clone()).unwrap_or_else(|error| panic!("{error}"));
    assert!(text::print_graph(&parsed) == printed);
    assert_eq!(hash::hash_graph(&parsed), hash::hash_graph(graph));
    assert!(!dot::print_graph(graph).is_empty());
    assert!(!text::dump_graph(graph).is_empty());
}

#[test]
fn twenty_thousand_levels() {
    exercise(&nested(20_000));
}

#[test]
fn any_order_of_nodes() {
    exercise(&reversed(1000));
}

/// The least time of three runs.
fn time(work: impl Fn()) -> Duration {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..3).map(run).min().expect("there are three runs")
}

/// Four times the input may not take sixteen times as long; half of that leaves room for a busy machine.
#[test]
fn time_is_linear() {
    for (name, build) in [
        ("nested", nested as fn(usize) -> Graph),
        ("straight", straight as fn(usize) -> Graph),
        ("reversed", reversed as fn(usize) -> Graph),
    ] {
        let (small, large) = (build(5_000), build(20_000));
        let (small, large) = (time(|| exercise(&small)), time(|| exercise(&large)));
        assert!(large < small * 8, "{name}: {small:?} for 5,000 but {large:?} for 20,000");
    }
}

#[test]
fn a_switch_of_twenty_thousand_cases() {
    let cases: String = (0..20_000).map(|case| format!("{case} -> {case}, ")).collect();
    let regions: String = (0..20_001).map(|case| format!("case {case} () {{\nyield\n}}\n")).collect();
    let source = format!(
        "graph (v0: i32) {{\nv1: ctl(20001) = match i32 v0 [{cases}_ -> 20000]\ngamma v1 ()\n{regions}yield v0\n}}\n"
    );
    let graph = text::parse_graph(&source, Arc::new(Pool::new())).unwrap_or_else(|error| panic!("{error}"));
    exercise(&graph);
}
