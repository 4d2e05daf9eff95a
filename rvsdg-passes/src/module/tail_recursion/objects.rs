//! Objects on the stack of a function that becomes a loop.

use rvsdg_analysis::captures::{self, PointerUse};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::{Graph, Node, Op};

use super::decline::Decline;
use super::tail::TailCall;

/// The stack objects of a function.
pub(super) struct Objects {
    /// Those of constant size that are allocated once, when the function starts.
    once: Vec<Node>,
    /// Whether there are others.
    others: bool,
    /// The nodes that may capture the address of one, or pass it to the function itself; `None` for a return.
    captures: Vec<Option<Node>>,
}

impl Objects {
    /// The objects of a body. `calls` are calls of the function itself, about which nothing is assumed.
    pub(super) fn of(graph: &Graph, surroundings: &Surroundings, calls: &[Node]) -> Objects {
        let mut objects = Objects { once: Vec::new(), others: false, captures: Vec::new() };
        for node in graph.all_nodes() {
            let Some(Op::Alloca { in_alloca, swift_error, .. }) = graph.op(node) else { continue };
            let count = graph.producer(graph.input(node, 0)).and_then(|count| graph.op(count));
            let is_static = graph.region_of(node) == graph.root() && matches!(count, Some(Op::Const(_)));
            if !is_static || in_alloca || swift_error {
                objects.others = true;
                continue;
            }
            objects.once.push(node);
            let argument = |call: Node, param: usize| {
                if calls.contains(&call) {
                    PointerUse::ANY
                } else {
                    captures::of_argument(graph, Some(surroundings), call, param)
                }
            };
            captures::uses(graph, graph.output(node, 0), argument, |by, how| {
                if how.captured && !seeded::is_active(Bug::TreCaptured) {
                    objects.captures.push(by);
                }
            });
        }
        objects
    }

    /// Those that are allocated once, when the function starts.
    pub(super) fn once(&self) -> &[Node] {
        &self.once
    }

    /// Whether all objects may be shared with the next iteration if a call becomes one: their addresses have not escaped when the call is
    /// executed.
    pub(super) fn allow(&self, graph: &Graph, call: &TailCall) -> Result<(), Decline> {
        let is_apart = |by: &Option<Node>| by.is_some_and(|by| call.excludes_node(graph, by));
        if self.others || !self.captures.iter().all(is_apart) { Err(Decline::Alloca) } else { Ok(()) }
    }
}
