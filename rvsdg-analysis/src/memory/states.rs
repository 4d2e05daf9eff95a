//! The memory state through a region: from its argument to its result, node by node.

use rvsdg_core::{Graph, Node, Origin, Region, Type, Use, User};

/// The initial memory state of a region; `None` if there is none, or more than one.
pub fn start(graph: &Graph, region: Region) -> Option<Origin> {
    only(graph.arguments(region).iter().copied().filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// The final memory state of a region.
pub fn end(graph: &Graph, region: Region) -> Option<Origin> {
    only(graph.result_origins(region).filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// The user of a state; `None` if there is none.
pub fn user(graph: &Graph, state: Origin) -> Option<Use> {
    only(graph.users_of(state)).map(|user: User| graph.site(user))
}

/// The memory state that a node produces.
pub fn after(graph: &Graph, node: Node) -> Option<Origin> {
    only(graph.outputs(node).iter().copied().filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// The memory state that a node takes.
pub fn before(graph: &Graph, node: Node) -> Option<Origin> {
    only(graph.input_origins(node).filter(|&origin| graph.ty(origin) == Type::MEM))
}

/// Whether a node takes the io state: it may not return, or its execution is observable.
pub fn has_io(graph: &Graph, node: Node) -> bool {
    graph.input_origins(node).any(|origin| graph.ty(origin) == Type::IO)
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
