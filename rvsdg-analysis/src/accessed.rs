//! Addresses that are dereferenced next, so that the program is undefined if one of them is null.

use rvsdg_core::op::{GepFlags, IntPredicate};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Type, Use, fold};

use crate::callee::is_assume;
use crate::memory::states;
use crate::reached::{has_io_alone, surely_returns};
use crate::surroundings::Surroundings;

/// How many successive nodes are visited.
const MAX_NODES: usize = 16;

/// How many nested `inbounds` steps are followed.
const MAX_DEPTH: usize = 4;

/// Whether a constant is an address that cannot be dereferenced: null, or poison.
pub fn is_no_address(graph: &Graph, origin: Origin) -> bool {
    let constant = fold::constant(graph, origin).map(|constant| graph.pool().constant(constant));
    graph.ty(origin) == Type::PTR && matches!(constant, Some(Constant::Zero(_) | Constant::Poison(_)))
}

/// Whether the program is undefined if an address is null, because of what is executed next: along the memory state, every node returns
/// until one accesses the address, or assumes that it is not null. Only for address space 0, and for functions without
/// `null_pointer_is_valid`. A bounded number of nodes is visited.
///
/// The state is one of the region in which the address is accessed, after the definition of the address.
pub fn is_accessed_after(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    address: Origin,
    mut state: Origin,
) -> bool {
    let own = surroundings.and_then(|surroundings| surroundings.attributes());
    let is_empty = own.is_some_and(|list| !graph.pool().attributes(list).function_has("null_pointer_is_valid"));
    if graph.ty(address) != Type::PTR || !is_empty {
        return false;
    }
    for _ in 0..MAX_NODES {
        let Some(Use::Input(node, _)) = states::user(graph, state) else { return false };
        if accesses(graph, node, address) || assumes(graph, surroundings, node, address) {
            return !has_io_alone(graph, graph.region_of(node));
        }
        match states::after(graph, node) {
            Some(next) if surely_returns(graph, surroundings, node) => state = next,
            _ => return false,
        }
    }
    false
}

/// Whether a node reads or writes an address, or one that is in bounds of it. A volatile access may be of null.
fn accesses(graph: &Graph, node: Node, address: Origin) -> bool {
    let (access, mut at) = match graph.op(node) {
        Some(Op::Load(access)) => (access, graph.input(node, 0)),
        Some(Op::Store(access)) => (access, graph.input(node, 1)),
        _ => return false,
    };
    for _ in 0..MAX_DEPTH {
        if at == address {
            return !access.volatile;
        }
        match graph.producer(at).and_then(|producer| Some((producer, graph.op(producer)?))) {
            Some((gep, Op::Gep { flags, .. })) if flags.contains(GepFlags::INBOUNDS) => at = graph.input(gep, 0),
            _ => return false,
        }
    }
    false
}

/// Whether a node assumes an address not to be null.
fn assumes(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, address: Origin) -> bool {
    let compares = |node: Node| {
        matches!(graph.op(node), Some(Op::ICmp { predicate: IntPredicate::Ne, .. }))
            && graph.input(node, 0) == address
            && is_no_address(graph, graph.input(node, 1))
    };
    is_assume(graph, surroundings, node) && graph.producer(graph.input(node, 1)).is_some_and(compares)
}
