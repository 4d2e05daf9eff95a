//! Bringing a value from a region into regions of nodes in it.

use rustc_hash::FxHashMap;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Origin, Region};

/// Routes values inwards, through invariant loop variables and through entry variables, each once.
#[derive(Default)]
pub(crate) struct Router {
    /// The position of the variable that brings a value into a node's regions.
    routes: FxHashMap<(Node, Origin), usize>,
}

impl Router {
    /// A value as the regions inside its own see it: in `region`, which is its own or inside it.
    pub(crate) fn route(&mut self, graph: &mut Graph, origin: Origin, region: Region) -> Origin {
        let home = graph.scope(origin);
        let mut path = Vec::new();
        let mut at = region;
        while at != home {
            path.push(at);
            at = graph.parent_region(at).expect("the value's region is around this one");
        }
        let mut value = origin;
        for region in path.into_iter().rev() {
            let node = graph.parent(region).expect("an inner region is of a node");
            let index = *self.routes.entry((node, value)).or_insert_with(|| match Theta::new(graph, node) {
                Some(theta) => theta.add_loop_var(graph, value).index,
                None => Gamma::new(graph, node).expect("a region is of a γ or a θ").add_entry_var(graph, value).index,
            });
            value = graph.arguments(region)[index];
        }
        value
    }
}
