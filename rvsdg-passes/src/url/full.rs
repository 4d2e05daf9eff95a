//! All iterations of a loop, one after the other.

use rvsdg_analysis::copying::size_within;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin};

/// How many operations all iterations together may have. LLVM's bound is 300 at -O3 and 150 at -O2, before what it expects to
/// be simplified.
pub const MAX_FULL: usize = 160;

/// Whether so many iterations are few enough.
pub(super) fn fits(graph: &Graph, theta: Theta, iterations: u128) -> bool {
    let Ok(iterations @ 1..=MAX_FULL) = usize::try_from(iterations) else { return false };
    size_within(graph, theta.node(), MAX_FULL) * iterations <= MAX_FULL || iterations == 1
}

/// Puts so many copies of a loop's body before it and removes it. Returns how many operations were added.
pub(super) fn unroll(graph: &mut Graph, theta: Theta, iterations: u128, duplicator: &mut Duplicator) -> u64 {
    let before = graph.node_count();
    let values = iterate(graph, theta, iterations, duplicator);
    for (index, &value) in values.iter().enumerate() {
        graph.divert_users(graph.output(theta.node(), index), value);
    }
    graph.remove(theta.node());
    graph.node_count().saturating_sub(before) as u64
}

/// Puts so many copies of a loop's body before it, the first of which starts with what the loop starts with, and gives what
/// its variables are after the last.
fn iterate(graph: &mut Graph, theta: Theta, iterations: u128, duplicator: &mut Duplicator) -> Vec<Origin> {
    let start: Vec<Origin> = graph.input_origins(theta.node()).collect();
    let nodes = without_decision(graph, theta);
    let outside = graph.region_of(theta.node());
    let mut values = start;
    for _ in 0..iterations {
        let (copies, next) = copy(graph, theta, &nodes, &values, outside, duplicator);
        for node in copies {
            graph.move_before(node, theta.node());
        }
        values = next;
    }
    values
}

/// Puts so many copies of a loop's body, which are `nodes` of it, behind what gives `values`.
pub(super) fn append(
    graph: &mut Graph,
    theta: Theta,
    iterations: u128,
    duplicator: &mut Duplicator,
) -> (Vec<Node>, Vec<Origin>) {
    let outside = graph.region_of(theta.node());
    let nodes = without_decision(graph, theta);
    let mut values: Vec<Origin> = graph.outputs(theta.node()).to_vec();
    let mut all = Vec::new();
    for _ in 0..iterations {
        let (copies, next) = copy(graph, theta, &nodes, &values, outside, duplicator);
        all.extend(copies);
        values = next;
    }
    (all, values)
}

/// Copies a loop's body, which are `nodes`, to the end of a region, where its variables start as `values`; gives the copies and what
/// the variables are behind them.
pub(super) fn copy(
    graph: &mut Graph,
    theta: Theta,
    nodes: &[Node],
    values: &[Origin],
    into: rvsdg_core::Region,
    duplicator: &mut Duplicator,
) -> (Vec<Node>, Vec<Origin>) {
    duplicator.begin();
    let body = theta.body(graph);
    for (index, &value) in values.iter().enumerate() {
        duplicator.substitute(graph.arguments(body)[index], value);
    }
    let copies = duplicator.copy_nodes(graph, nodes, into);
    let next = graph.result_origins(body).skip(1).map(|origin| duplicator.get(origin)).collect();
    (copies, next)
}

/// The nodes of a loop's body in topological order, but for its predicate.
pub(super) fn without_decision(graph: &Graph, theta: Theta) -> Vec<Node> {
    let predicate = graph.origin(theta.predicate(graph));
    let decision = graph.producer(predicate).filter(|_| graph.has_one_user(predicate));
    graph.topological(theta.body(graph)).into_iter().filter(|&node| Some(node) != decision).collect()
}
