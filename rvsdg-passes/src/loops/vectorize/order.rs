//! The order in which the operations of a body are emitted.

use rustc_hash::FxHashMap;
use rvsdg_analysis::dependence::Accesses;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin};

use super::plan::{Decline, Role, Use};

/// The nodes that are used, each after those that it needs: accesses in the order of the memory state, and users of a value of the
/// previous iteration after the node that computes the value of this one, because the lanes of both together form the vector that they
/// use.
///
/// # Errors
/// If an access that precedes another one needs, in lanes, the result of that other one.
pub(super) fn order(
    graph: &Graph,
    theta: Theta,
    roles: &[Role],
    accesses: &Accesses,
    uses: &FxHashMap<Node, Use>,
    masks: &FxHashMap<Node, Origin>,
) -> Result<Vec<(Node, Use)>, Decline> {
    let mut before: FxHashMap<Node, Node> = FxHashMap::default();
    let mut last = None;
    for access in accesses.list().iter().filter(|access| uses.contains_key(&access.node)) {
        if let Some(last) = last {
            before.insert(access.node, last);
        }
        last = Some(access.node);
    }
    enum Visit {
        Enter(Node),
        Leave(Node),
    }
    let body = theta.body(graph);
    let mut state: FxHashMap<Node, bool> = FxHashMap::default();
    let mut order = Vec::new();
    let mut pending: Vec<Visit> =
        graph.topological(body).into_iter().rev().filter(|node| uses.contains_key(node)).map(Visit::Enter).collect();
    while let Some(visit) = pending.pop() {
        match visit {
            Visit::Leave(node) => {
                state.insert(node, true);
                order.push((node, uses[&node]));
            }
            Visit::Enter(node) => {
                match state.get(&node) {
                    Some(true) => continue,
                    Some(false) => return Err(Decline::Recurrence),
                    None => {}
                }
                state.insert(node, false);
                pending.push(Visit::Leave(node));
                pending.extend(before.get(&node).copied().map(Visit::Enter));
                let needed = graph.input_origins(node).chain(masks.get(&node).copied());
                let needed = needed.filter_map(|origin| producer(graph, theta, roles, origin));
                pending.extend(needed.filter(|needed| uses.contains_key(needed)).map(Visit::Enter));
            }
        }
    }
    Ok(order)
}

/// The node that must come first for a value to be known in lanes.
fn producer(graph: &Graph, theta: Theta, roles: &[Role], mut origin: Origin) -> Option<Node> {
    // A chain of variables that become each other is no longer than their number.
    for _ in 0..=roles.len() {
        if graph.ty(origin).is_state() {
            return None;
        }
        if let Some(node) = graph.producer(origin) {
            return Some(node);
        }
        let (of, variable) = Theta::loop_var_of_argument(graph, origin)?;
        match roles[variable.index] {
            Role::Recurrence | Role::Reloaded(_) if of == theta => origin = graph.origin(variable.post),
            _ => return None,
        }
    }
    None
}
