//! Copies of a loop, and of its iterations.

use rvsdg_core::build::Insert;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Origin, Region};

/// Copies a loop's body, which is `nodes`, to the end of a region, where its variables start as `values`; returns the copies and the
/// values of the variables after them.
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

/// Moves a loop into a γ, whose other alternative executes a copy if a condition does not hold; returns both.
pub(crate) fn choose(graph: &mut Graph, theta: Theta, condition: Origin, duplicator: &mut Duplicator) -> (Gamma, Node) {
    let mut at = Insert::before(graph, theta.node());
    let predicate = at.decide(condition, 1);
    let gamma = at.gamma(predicate, 2);
    let users: Vec<Vec<_>> =
        graph.outputs(theta.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
    let inputs: Vec<Origin> = graph.input_origins(theta.node()).collect();
    for &input in &inputs {
        gamma.add_entry_var(graph, input);
    }
    let [other, same] = [0, 1].map(|alternative| gamma.regions(graph)[alternative]);
    duplicator.begin();
    let copy = duplicator.copy_nodes(graph, &[theta.node()], other)[0];
    graph.move_to(theta.node(), same);
    for (node, region) in [(copy, other), (theta.node(), same)] {
        for index in 0..inputs.len() {
            let argument = graph.arguments(region)[index];
            graph.divert(graph.inputs(node)[index], argument);
        }
    }
    for (index, users) in users.into_iter().enumerate() {
        let results = [graph.output(copy, index), graph.output(theta.node(), index)];
        let output = gamma.add_exit_var(graph, &results).output;
        for user in users {
            graph.divert(user, output);
        }
    }
    (gamma, copy)
}
