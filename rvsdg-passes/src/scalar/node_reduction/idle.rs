//! Calls without effect: `llvm.assume(true)`, assumptions about what nothing else uses, and those that fill memory with undefined bytes,
//! for which the present contents will do.

use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::surroundings::{Context, MemoryIntrinsic, Surroundings};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Constant, Graph, Node, Op, Origin, OriginDef, fold};

use super::unreachable;

/// The name of the rule that removes a call.
pub(super) fn rule(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<&'static str> {
    match unreachable::assumed(graph, surroundings, node) {
        Some(Some(true)) => return Some("assume-true"),
        Some(None) if is_about_unused(graph, graph.input(node, 1)) => return Some("assume-unused"),
        Some(_) | None => {}
    }
    fills_with_undefined(graph, surroundings, node).then_some("fill-undefined")
}

/// Whether a condition compares a constant with what a conditional or a loop returns, or what enters an alternative, and neither has
/// another use.
fn is_about_unused(graph: &Graph, condition: Origin) -> bool {
    let is_used_once = |value| graph.users_of(value).count() == 1;
    let Some(node) = graph.producer(condition).filter(|_| is_used_once(condition)) else { return false };
    if !matches!(graph.op(node), Some(Op::ICmp { .. })) || fold::constant(graph, graph.input(node, 1)).is_none() {
        return false;
    }
    let compared = graph.input(node, 0);
    let is_passed_on = match graph.def(compared) {
        OriginDef::Output(from, _) => graph.op(from).is_none(),
        OriginDef::Argument(..) => Gamma::entry_var_of_argument(graph, compared).is_some(),
    };
    is_passed_on && is_used_once(compared)
}

fn fills_with_undefined(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let Some(Op::Call(call)) = graph.op(node) else { return false };
    let context = || surroundings?.context(argument_of_root(graph, graph.input(node, 0))?);
    let is_fill = || matches!(context(), Some(Context::Function { memory: Some(MemoryIntrinsic::Set), .. }));
    let is_undefined = |origin: Origin| {
        fold::constant(graph, origin)
            .is_some_and(|constant| matches!(graph.pool().constant(constant), Constant::Undef(_) | Constant::Poison(_)))
    };
    let is_plain = |origin: Origin| fold::int(graph, origin).is_some_and(|is_volatile| is_volatile.is_zero());
    // Operands: destination, byte, length, volatility.
    graph.pool().call(call).assembly.is_none()
        && is_fill()
        && is_undefined(graph.input(node, 2))
        && is_plain(graph.input(node, 4))
}
