//! Copies of a loop's iterations.

use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin, Region};

/// Copies a loop's body, which are `nodes`, to the end of a region, where its variables start as `values`; gives the copies and what
/// the variables are behind them.
pub(crate) fn copy(
    graph: &mut Graph,
    theta: Theta,
    nodes: &[Node],
    values: &[Origin],
    into: Region,
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
