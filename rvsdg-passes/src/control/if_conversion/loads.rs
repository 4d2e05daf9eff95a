//! Loads of variables on the stack may be speculated: their memory is always dereferenceable.

use rvsdg_analysis::invariant::{follow_out, known_constant};
use rvsdg_core::fold::Int;
use rvsdg_core::{Graph, Node, Op, Origin};

use crate::pass::PassCx;

/// Attributes of functions whose accesses are instrumented.
const WATCHED: &[&str] = &["sanitize_address", "sanitize_hwaddress", "sanitize_memtag", "sanitize_thread"];

/// The weight of a speculated load.
pub(super) const WEIGHT: u32 = 1;

/// Which loads of a body may be speculated.
#[derive(Copy, Clone)]
pub(super) struct Loads {
    watched: bool,
}

impl Loads {
    pub(super) fn of(graph: &Graph, cx: &PassCx) -> Loads {
        let attributes = cx.surroundings().and_then(|surroundings| surroundings.attributes());
        let watched = attributes.is_none_or(|attributes| {
            let list = graph.pool().attributes(attributes);
            WATCHED.iter().any(|name| list.function_has(name))
        });
        Loads { watched }
    }

    /// Whether a node is such a load: of a whole variable on the stack, with the type of its allocation.
    pub(super) fn is_free(self, graph: &Graph, node: Node) -> bool {
        let Some(Op::Load(access)) = graph.op(node) else { return false };
        if self.watched || !access.is_plain() {
            return false;
        }
        let (address, _) = follow_out(graph, graph.input(node, 0));
        let Some(variable) = graph.producer(address) else { return false };
        let Some(Op::Alloca { ty, align_log2, .. }) = graph.op(variable) else { return false };
        let count = known_constant(graph, graph.input(variable, 0));
        ty == graph.ty(graph.output(node, 0))
            && access.align_log2 <= align_log2
            && count.and_then(|count| Int::of_const(graph.pool(), count)).is_some_and(|count| !count.is_zero())
    }

    /// The state before such loads.
    pub(super) fn before(self, graph: &Graph, mut origin: Origin) -> Origin {
        while graph.ty(origin).is_state()
            && let Some(node) = graph.producer(origin).filter(|&node| self.is_free(graph, node))
        {
            origin = graph.input(node, 1);
        }
        origin
    }
}
