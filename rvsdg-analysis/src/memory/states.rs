//! The memory state through a region: from its argument to its result, one node after the other.

use rvsdg_core::{Graph, Node, Origin, Region, Type, Use, User};

/// The memory state that a region starts with; `None` when there is none, or more than one.
pub fn start(graph: &Graph, region: Region) -> Option<Origin> {
    only(graph.arguments(region).iter().copied().filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// The memory state that a region ends with.
pub fn end(graph: &Graph, region: Region) -> Option<Origin> {
    only(graph.result_origins(region).filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// What uses a state; `None` when nothing does.
pub fn user(graph: &Graph, state: Origin) -> Option<Use> {
    only(graph.users_of(state)).map(|user: User| graph.site(user))
}

/// The memory state that a node gives.
pub fn after(graph: &Graph, node: Node) -> Option<Origin> {
    only(graph.outputs(node).iter().copied().filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// The memory state that a node takes.
pub fn before(graph: &Graph, node: Node) -> Option<Origin> {
    only(graph.input_origins(node).filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// Whether a node takes the io state: it may not return, or the outside can tell when it is executed.
pub fn has_io(graph: &Graph, node: Node) -> bool {
    graph.input_origins(node).any(|origin| graph.ty(origin) == Type::IO)
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
