//! Loads that may be speculated, although they take part in the order of memory.

use rvsdg_analysis::dereferenceable::Dereferenceable;
use rvsdg_core::{Graph, Node, Origin};

use crate::pass::PassCx;

/// The weight of a speculated load.
pub(super) const WEIGHT: u32 = 1;

/// Which loads of a body may be speculated.
pub(super) struct Loads<'c> {
    /// `None` if none may.
    memory: Option<Dereferenceable<'c>>,
}

impl<'c> Loads<'c> {
    pub(super) fn of(graph: &Graph, cx: &'c PassCx) -> Loads<'c> {
        Loads { memory: cx.surroundings().and_then(|surroundings| Dereferenceable::new(graph, surroundings)) }
    }

    /// Whether a node is a load that may be executed wherever its operands are.
    pub(super) fn is_free(&self, graph: &Graph, node: Node) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.allows(graph, node))
    }

    /// The state before such loads.
    pub(super) fn before(&self, graph: &Graph, mut origin: Origin) -> Origin {
        while graph.ty(origin).is_state()
            && let Some(node) = graph.producer(origin).filter(|&node| self.is_free(graph, node))
        {
            origin = graph.input(node, 1);
        }
        origin
    }
}
