//! Effects of simple nodes on memory: mod/ref information, by location.

use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Graph, Node, Op, Type};

use super::calls::{self, CallEffect};
use crate::Surroundings;
use crate::numbering::{Numbering, Vn};

/// A location in memory: its address, and the type of the value there.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Location {
    /// The address.
    pub addr: Vn,
    /// The type, which determines the size; `void` for any part of the object.
    pub ty: Type,
}

/// The effect of a simple node on memory.
pub enum Effect {
    /// No visible effect.
    None,
    /// A read; `true` if it is neither volatile nor atomic.
    Read(Location, bool),
    /// A write; `true` if it is neither volatile nor atomic.
    Write(Location, bool),
    /// The effects of a call.
    Call(CallEffect),
}

/// The effect of a simple node.
pub fn effect(graph: &Graph, numbers: &mut Numbering, surroundings: Option<&Surroundings>, node: Node) -> Effect {
    let Some(op) = graph.op(node) else { return Effect::Call(CallEffect::any()) };
    match op {
        Op::Load(access) if !access.is_ordered() => {
            let addr = numbers.get(graph, graph.input(node, 0));
            Effect::Read(Location { addr, ty: graph.ty(graph.output(node, 0)) }, access.is_plain())
        }
        Op::Store(access) if !access.is_ordered() => {
            let addr = numbers.get(graph, graph.input(node, 1));
            Effect::Write(Location { addr, ty: graph.ty(graph.input(node, 0)) }, access.is_plain())
        }
        Op::Alloca { .. } => Effect::None,
        _ if !op.effects(graph.pool()).mem => Effect::None,
        Op::Call(_) | Op::Invoke(_) => Effect::Call(calls::effect(graph, numbers, surroundings, node)),
        _ => Effect::Call(CallEffect::any()),
    }
}

/// The type-based tag of a load or store.
pub fn tag(graph: &Graph, node: Node) -> Option<AccessTag> {
    match graph.op(node)? {
        Op::Load(access) | Op::Store(access) => access.tag,
        _ => None,
    }
}
