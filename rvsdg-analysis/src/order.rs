//! Topological orders of the nodes of regions, and of the γ and θ of a body.

use cranelift_entity::EntitySet;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Origin, Region};

/// Computes topological orders of regions; each region may be requested once.
///
/// The order in which nodes were added to a region is nearly always topological, which one bit per node of the graph confirms; nodes are
/// sorted only otherwise.
#[derive(Default)]
pub struct Orders {
    seen: EntitySet<Node>,
    /// The last order, reused: most regions are small, so that allocating memory for each would cost more than the order.
    order: Vec<Node>,
}

impl Orders {
    /// The nodes of a region, each after those that it depends on; see [`Graph::topological`].
    pub fn topological(&mut self, graph: &Graph, region: Region) -> &mut [Node] {
        self.order.clear();
        for node in graph.nodes(region) {
            let mut producers = graph.input_origins(node).filter_map(|origin| graph.producer(origin));
            if !producers.all(|producer| self.seen.contains(producer)) {
                self.order = graph.topological(region);
                break;
            }
            self.seen.insert(node);
            self.order.push(node);
        }
        &mut self.order
    }

    /// The nodes of a region that are accepted, each after those that it depends on. Cheap if there is at most one.
    pub fn chosen(&mut self, graph: &Graph, region: Region, accepts: impl Fn(Node) -> bool) -> &[Node] {
        self.order.clear();
        self.order.extend(graph.nodes(region).filter(|&node| accepts(node)));
        if self.order.len() > 1 {
            self.topological(graph, region);
            self.order.retain(|&node| accepts(node));
        }
        &self.order
    }
}

/// Whether a value of a structural node's region is known not to depend on the node: its producer also produces what enters the node, it is
/// computed by one operation from such values, or it comes from outside the region.
pub fn is_before(graph: &Graph, origin: Origin, node: Node) -> bool {
    let enters = |origin: Origin| {
        let producer = graph.producer(origin);
        producer.is_none() || graph.input_origins(node).any(|input| graph.producer(input) == producer)
    };
    let is_simple = |producer: Node| graph.op(producer).is_some() && graph.input_origins(producer).all(enters);
    !graph.ty(origin).is_state() && (enters(origin) || graph.producer(origin).is_some_and(is_simple))
}

/// All γ and θ of a body, each after those in its regions and those its inputs depend on.
pub fn structural_bottom_up(graph: &Graph) -> Vec<Node> {
    // Reversed: each before those in it and those it depends on.
    let mut orders = Orders::default();
    let mut found = Vec::new();
    let mut pending: Vec<Pending> = vec![Pending::Region(graph.root())];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Region(region) => {
                let structural = orders.chosen(graph, region, |node| !graph.subregions(node).is_empty());
                pending.extend(structural.iter().copied().map(Pending::Node));
            }
            Pending::Node(node) => {
                found.push(node);
                pending.extend(graph.subregions(node).iter().map(|&region| Pending::Region(region)));
            }
        }
    }
    found.reverse();
    found
}

/// All θ of a body, each after those in it and those its inputs depend on.
pub fn loops_bottom_up(graph: &Graph) -> Vec<Theta> {
    if !graph.may_have_loops() {
        return Vec::new();
    }
    structural_bottom_up(graph).into_iter().filter_map(|node| Theta::new(graph, node)).collect()
}

enum Pending {
    Region(Region),
    Node(Node),
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
    use rvsdg_core::{Pool, Type};

    use super::*;

    #[test]
    fn chosen_nodes_come_after_what_they_depend_on() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let x = graph.add_argument(root, Type::I32);
        let sum = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
        let [late, between, early] = [(); 3].map(|()| graph.add_simple(root, sum, &[x, x], &[Type::I32]));
        graph.divert(graph.inputs(between)[0], graph.output(early, 0));
        graph.divert(graph.inputs(late)[0], graph.output(between, 0));
        assert_eq!(*Orders::default().topological(&graph, root), [early, between, late]);
        assert_eq!(*Orders::default().chosen(&graph, root, |node| node != between), [early, late]);
        assert_eq!(*Orders::default().chosen(&graph, root, |node| node == late), [late]);
        assert!(Orders::default().chosen(&graph, root, |_| false).is_empty());
    }
}
