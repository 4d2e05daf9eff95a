//! Strength reduction: products become sums.

use rvsdg_analysis::evolution::Evolution;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_core::build::Insert;
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin};

use crate::control::hoisting::Hoisting;
use crate::pass::{Change, PassCx};

/// How many products of a loop become variables: each occupies a register.
pub const MAX_REDUCED: usize = 2;

/// Replaces products in an innermost loop.
pub(super) fn reduce(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    let body = theta.body(graph);
    let products: Vec<Node> = graph
        .nodes(body)
        .filter(|&node| matches!(graph.op(node), Some(Op::IntBinary { op: IntBinary::Mul, .. })))
        .collect();
    if products.is_empty() || graph.nodes(body).any(|node| Theta::new(graph, node).is_some()) {
        return Change::Unchanged;
    }
    let evolution = Evolution::of(graph, theta);
    let mut hoisting = Hoisting::default();
    let mut change = Change::Unchanged;
    let mut reduced = 0;
    for product in products {
        if reduced == MAX_REDUCED {
            break;
        }
        let (a, b) = (graph.input(product, 0), graph.input(product, 1));
        let found = find(graph, &evolution, a, b).or_else(|| find(graph, &evolution, b, a));
        let Some((variable, factor)) = found else { continue };
        if !graph.has_users(graph.output(product, 0)) || !cx.rewrite("reduced", graph, product) {
            continue;
        }
        replace(graph, &evolution, &mut hoisting, product, [variable, factor]);
        reduced += 1;
        change = Change::Changed;
    }
    cx.count("reduced", reduced as u64);
    change
}

/// The induction variable with a known step that one operand is, if the other is invariant and not constant.
fn find(graph: &Graph, evolution: &Evolution, a: Origin, b: Origin) -> Option<(Origin, Origin)> {
    evolution.variable(graph, a)?;
    evolution.chain(graph, a)?.step()?.known()?;
    let unknown = known_constant(graph, b).is_none() && evolution.invariants().is_available(graph, b);
    unknown.then_some((a, b))
}

fn replace(
    graph: &mut Graph,
    evolution: &Evolution,
    hoisting: &mut Hoisting,
    product: Node,
    [variable, factor]: [Origin; 2],
) {
    let theta = evolution.theta();
    let found = evolution.variable(graph, variable).expect("the operand is a variable");
    let step = evolution.chain(graph, variable).and_then(|chain| chain.step()?.known()).expect("the step is known");
    let outer = hoisting.hoist(graph, evolution.invariants(), factor);
    let start = graph.origin(found.input);
    let constant = step.to_const(graph.pool());
    let mut at = Insert::before(graph, theta.node());
    let start = at.binary(IntBinary::Mul, start, outer);
    let step = at.constant(constant);
    let by = at.binary(IntBinary::Mul, outer, step);
    let by = theta.add_loop_var(graph, by).pre;
    let new = theta.add_loop_var(graph, start);
    let body = theta.body(graph);
    let next = Insert::end(graph, body).binary(IntBinary::Add, new.pre, by);
    graph.divert(new.post, next);
    graph.divert_users(graph.output(product, 0), new.pre);
    graph.remove(product);
}
