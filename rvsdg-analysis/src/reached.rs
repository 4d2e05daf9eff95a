//! Nodes that are certain to be executed: those after a node that returns, and those in a region that nothing before them can prevent.

use rvsdg_core::attribute::AttributeKind;
use rvsdg_core::{Graph, Node, Op, OriginDef, Region, Type};

use crate::callee::{argument_of_root, call_has};
use crate::memory::states;
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;

/// How many preceding nodes are visited.
const MAX_NODES: usize = 32;

/// Whether the code after a node is executed whenever the node is executed without undefined behaviour: the node returns normally.
pub fn surely_returns(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    match graph.op(node) {
        Some(op) if !op.effects(graph.pool()).io => true,
        Some(Op::Call(call)) => {
            let is_known =
                graph.pool().call(call).assembly.is_none() && argument_of_root(graph, graph.input(node, 0)).is_some();
            let has = |kind| call_has(graph, surroundings, node, &[kind]);
            seeded::is_active(Bug::RedCallReturns)
                || is_known && has(AttributeKind::NoUnwind) && has(AttributeKind::WillReturn)
        }
        Some(_) => false,
        None => !states::has_io(graph, node),
    }
}

/// Whether a node that takes the memory state is executed whenever its region is entered, or at least whenever control has passed an
/// earlier node of that region. A bounded number of nodes is visited.
pub fn is_reached(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, from: Option<Node>) -> bool {
    let mut before = node;
    for _ in 0..MAX_NODES {
        let Some(state) = states::before(graph, before) else { return false };
        match graph.def(state) {
            OriginDef::Argument(..) => return !has_io_alone(graph, graph.region_of(node)),
            OriginDef::Output(earlier, _) if Some(earlier) == from => {
                return !has_io_alone(graph, graph.region_of(node));
            }
            OriginDef::Output(earlier, _) if surely_returns(graph, surroundings, earlier) => before = earlier,
            OriginDef::Output(..) => return false,
        }
    }
    false
}

/// Whether a node directly in a region might not return although it takes no memory state, which then does not order it.
pub fn has_io_alone(graph: &Graph, region: Region) -> bool {
    graph.nodes(region).any(|node| {
        let takes = |ty: Type| graph.input_origins(node).any(|origin| graph.ty(origin) == ty);
        takes(Type::IO) && !takes(Type::MEM) && !graph.op(node).is_some_and(Op::may_carry_io)
    })
}
