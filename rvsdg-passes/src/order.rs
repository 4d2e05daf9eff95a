//! Topological orders for passes that need one for every region.

use cranelift_entity::EntitySet;
use rvsdg_core::{Graph, Node, Region};

/// Gives topological orders of regions; each region may be asked for once.
///
/// The order in which nodes were put into a region is nearly always topological, which one bit per node of the graph
/// confirms; only otherwise nodes are sorted.
#[derive(Default)]
pub(crate) struct Orders {
    seen: EntitySet<Node>,
}

impl Orders {
    /// See [`Graph::topological`].
    pub fn topological(&mut self, graph: &Graph, region: Region) -> Vec<Node> {
        let mut order = Vec::new();
        for node in graph.nodes(region) {
            let mut producers = graph.input_origins(node).filter_map(|origin| graph.producer(origin));
            if !producers.all(|producer| self.seen.contains(producer)) {
                return graph.topological(region);
            }
            self.seen.insert(node);
            order.push(node);
        }
        order
    }
}
