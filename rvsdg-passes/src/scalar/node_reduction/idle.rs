//! Calls without effect: `llvm.assume(true)`, and those that fill memory with undefined bytes, for which the present contents will do.

use rvsdg_analysis::callee::argument_of_root;
use rvsdg_analysis::surroundings::{Context, MemoryIntrinsic, Surroundings};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, fold};

use super::unreachable;

/// The name of the rule that removes a call.
pub(super) fn rule(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<&'static str> {
    if unreachable::assumed(graph, surroundings, node) == Some(Some(true)) {
        return Some("assume-true");
    }
    fills_with_undefined(graph, surroundings, node).then_some("fill-undefined")
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
