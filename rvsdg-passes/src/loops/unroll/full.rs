//! Full unrolling: all iterations of a loop, one after the other.

use cranelift_entity::EntitySet;
use rvsdg_analysis::copying::size_within;
use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_analysis::safety::is_speculatable;
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::hints::Hint;
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin};

use super::simulation::remains;
use super::worth::calls;
use crate::loops::copies::copy;
use crate::loops::peel::peel;

/// How many operations all iterations together may have. LLVM's bound is 300 at -O3, where addresses and casts cost nothing.
pub const MAX_FULL: usize = 400;

/// How many operations all iterations together may have in functions that are optimized for size, and where loops are unrolled again.
pub const MAX_FULL_SMALL: usize = 160;

/// How many operations may remain that do not become constant when the iteration is known. LLVM's bound is 300 at -O3.
pub const MAX_LEFT: usize = 300;

/// How many operations all iterations may have before simplification.
pub const MAX_AT_FIRST: usize = 4 * MAX_LEFT;

/// The maximum trip count for conditional unrolling, where any iteration may be the last. LLVM's bound for that.
pub const MAX_CONDITIONAL: u128 = 8;

/// How many operations all iterations may have where it is said that the loop is to be unrolled. LLVM's bound for that.
pub const MAX_ASKED: usize = 1 << 14;

/// Whether it is said that this many iterations are to be unrolled fully, and they are not too many.
pub(super) fn is_asked_for(graph: &Graph, theta: Theta, iterations: u128, hint: Hint) -> bool {
    let is_asked_for = match hint {
        Hint::Wholly => true,
        Hint::Times(factor) => iterations <= factor.into(),
        Hint::Unsaid | Hint::Never | Hint::Wanted => false,
    };
    let size = || size_within(graph, theta.node(), MAX_ASKED) as u128;
    is_asked_for && iterations.saturating_mul(size()) <= MAX_ASKED as u128
}

/// Whether this many iterations may be unrolled fully: always if they have at most `usual` operations together.
pub(crate) fn fits(graph: &Graph, theta: Theta, iterations: u128, usual: usize) -> bool {
    let Ok(iterations @ 1..=MAX_LEFT) = usize::try_from(iterations) else { return false };
    let at_first = size_within(graph, theta.node(), MAX_AT_FIRST) * iterations;
    if at_first <= usual || iterations == 1 {
        return true;
    }
    // A quarter of the operations must be expected to disappear, or the code only becomes longer.
    let most = MAX_LEFT.min(at_first / 4 * 3);
    at_first <= MAX_AT_FIRST && !calls(graph, theta.node()) && left(graph, theta, most) * iterations <= most
}

/// Whether this many iterations may be unrolled fully, as far as can be told from what each of them will be.
pub(super) fn fits_if_known(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    theta: Theta,
    iterations: u128,
) -> bool {
    let Ok(iterations @ 1..=MAX_LEFT) = usize::try_from(iterations) else { return false };
    let at_first = size_within(graph, theta.node(), MAX_AT_FIRST) * iterations;
    let most = MAX_LEFT.min(at_first / 4 * 3);
    at_first <= MAX_AT_FIRST
        && !calls(graph, theta.node())
        && remains(graph, surroundings, theta, iterations, most) <= most
}

/// How many operations of an iteration remain if it is known which one it is, not counting constants, addresses at a known distance from
/// others, and accesses to known parts of stack objects, which [`sra`](crate::memory::scalar_replacement) turns into values; more than
/// `limit` if there are more.
fn left(graph: &Graph, theta: Theta, limit: usize) -> usize {
    let nodes = graph.topological(theta.body(graph));
    let starts = |variable: &LoopVar| known_constant(graph, graph.origin(variable.input)).is_some();
    let mut variables: Vec<LoopVar> = theta.loop_vars(graph).filter(starts).collect();
    loop {
        let (mut known, mut parts): (EntitySet<Origin>, EntitySet<Origin>) = (EntitySet::new(), EntitySet::new());
        known.extend(variables.iter().map(|variable| variable.pre));
        let mut left = 0;
        for &node in &nodes {
            if is_speculatable(graph, node) && graph.input_origins(node).all(|input| known.contains(input)) {
                known.extend(graph.outputs(node).iter().copied());
            } else if is_distance(graph, node, &known) {
                let base = graph.input(node, 0);
                if parts.contains(base) || is_object(graph, base) {
                    parts.extend(graph.outputs(node).iter().copied());
                }
            } else if !accesses(graph, node).is_some_and(|address| parts.contains(address)) {
                left += size_within(graph, node, limit);
            }
        }
        // A variable is known in every iteration if it is known at the end of an iteration in which all others are.
        let count = variables.len();
        variables.retain(|variable| known.contains(graph.origin(variable.post)));
        if variables.len() == count {
            return left;
        }
    }
}

/// Whether a node is an address at a known distance from another.
fn is_distance(graph: &Graph, node: Node, known: &EntitySet<Origin>) -> bool {
    matches!(graph.op(node), Some(Op::Gep { .. }))
        && graph.input_origins(node).skip(1).all(|index| known.contains(index))
}

/// Whether an address is that of a stack object.
pub(crate) fn is_object(graph: &Graph, address: Origin) -> bool {
    let object = graph.producer(follow_out(graph, address).0);
    object.is_some_and(|node| matches!(graph.op(node), Some(Op::Alloca { .. })))
}

/// The address of a load or store.
pub(super) fn accesses(graph: &Graph, node: Node) -> Option<Origin> {
    match graph.op(node)? {
        Op::Load(access) if !access.is_ordered() => Some(graph.input(node, 0)),
        Op::Store(access) if !access.is_ordered() => Some(graph.input(node, 1)),
        _ => None,
    }
}

/// Inserts `iterations` copies of a loop's body before it and removes it. Returns how many operations were added.
pub(super) fn unroll(graph: &mut Graph, theta: Theta, iterations: u128, duplicator: &mut Duplicator) -> u64 {
    let before = graph.node_count();
    let values = iterate(graph, theta, iterations, duplicator);
    for (index, &value) in values.iter().enumerate() {
        graph.divert_users(graph.output(theta.node(), index), value);
    }
    graph.remove(theta.node());
    graph.node_count().saturating_sub(before) as u64
}

/// Replaces a loop by `iterations` copies of its body, each in a conditional that is taken if the one before it continues the loop.
/// Returns how many operations were added.
pub(super) fn unroll_conditional(
    graph: &mut Graph,
    theta: Theta,
    iterations: u128,
    duplicator: &mut Duplicator,
) -> u64 {
    let before = graph.node_count();
    for _ in 1..iterations {
        peel(graph, theta, duplicator);
    }
    unroll(graph, theta, 1, duplicator);
    graph.node_count().saturating_sub(before) as u64
}

/// Inserts `iterations` copies of a loop's body before it, starting with the loop's initial values, and returns the variables after the
/// last one.
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

/// Appends copies of a loop's body, which is `nodes`, after the nodes that compute `values`.
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

/// The nodes of a loop's body in topological order, without a node that only computes its predicate.
pub(super) fn without_decision(graph: &Graph, theta: Theta) -> Vec<Node> {
    let predicate = graph.origin(theta.predicate(graph));
    let is_only = |&node: &Node| graph.has_one_user(predicate) && matches!(graph.op(node), Some(Op::Match(_)));
    let decision = graph.producer(predicate).filter(is_only);
    graph.topological(theta.body(graph)).into_iter().filter(|&node| Some(node) != decision).collect()
}
