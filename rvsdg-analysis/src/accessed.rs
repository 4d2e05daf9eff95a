//! Addresses that are dereferenced next, so that the program is undefined if one of them is null.

use std::iter::successors;

use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::op::{GepFlags, IntPredicate};
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Type, Use, fold};
use smallvec::SmallVec;

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

/// Those of some addresses for which the program is undefined if they are null, because of what is executed next: along the memory
/// state, every node returns until one accesses the address, or assumes that it is not null. Only for address space 0, and for functions
/// without `null_pointer_is_valid`. A bounded number of nodes is visited.
///
/// The state is one of the region in which the addresses are accessed, after their definitions.
pub fn accessed_after(
    graph: &Graph,
    surroundings: Option<&Surroundings>,
    addresses: impl Iterator<Item = Origin>,
    mut state: Origin,
) -> SmallVec<[Origin; 2]> {
    let own = surroundings.and_then(|surroundings| surroundings.attributes());
    let is_empty =
        own.is_some_and(|list| !graph.pool().attributes(list).function_has(AttributeKind::NullPointerIsValid));
    let mut addresses = addresses.filter(|&address| graph.ty(address) == Type::PTR && is_empty).peekable();
    if addresses.peek().is_none() {
        return SmallVec::new();
    }
    let region = graph.scope(state);
    let mut next: SmallVec<[Origin; MAX_NODES]> = SmallVec::new();
    for _ in 0..MAX_NODES {
        let Some(Use::Input(node, _)) = states::user(graph, state) else { break };
        next.extend(accessed(graph, node));
        next.extend(assumed(graph, surroundings, node));
        match states::after(graph, node) {
            Some(after) if surely_returns(graph, surroundings, node) => state = after,
            _ => break,
        }
    }
    let mut found: SmallVec<[Origin; 2]> = addresses.filter(|address| next.contains(address)).collect();
    if !found.is_empty() && has_io_alone(graph, region) {
        found.clear();
    }
    found
}

/// The address that a node reads or writes, and those that it is in bounds of. A volatile access may be of null.
fn accessed(graph: &Graph, node: Node) -> SmallVec<[Origin; MAX_DEPTH]> {
    let address = match graph.op(node) {
        Some(Op::Load(access)) if !access.volatile => Some(graph.input(node, 0)),
        Some(Op::Store(access)) if !access.volatile => Some(graph.input(node, 1)),
        _ => None,
    };
    let base = |&at: &Origin| {
        let producer = graph.producer(at)?;
        match graph.op(producer)? {
            Op::Gep { flags, .. } if flags.contains(GepFlags::INBOUNDS) => Some(graph.input(producer, 0)),
            _ => None,
        }
    };
    successors(address, base).take(MAX_DEPTH).collect()
}

/// The address that a node assumes not to be null.
fn assumed(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Origin> {
    if !is_assume(graph, surroundings, node) {
        return None;
    }
    let condition = graph.producer(graph.input(node, 1))?;
    let is_difference = matches!(graph.op(condition), Some(Op::ICmp { predicate: IntPredicate::Ne, .. }));
    (is_difference && is_no_address(graph, graph.input(condition, 1))).then(|| graph.input(condition, 0))
}
