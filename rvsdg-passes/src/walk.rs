//! Structural nodes in the orders that passes visit them in.

use rvsdg_core::{Graph, Node, Region};

use crate::order::Orders;

/// All γ and θ of a body, each after those in its regions and after those its inputs depend on.
pub(crate) fn structural_bottom_up(graph: &Graph) -> Vec<Node> {
    // Reversed, that is each before those in it and before those it depends on.
    let mut orders = Orders::default();
    let mut found = Vec::new();
    let mut pending: Vec<Pending> = vec![Pending::Region(graph.root())];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Region(region) => {
                let order = orders.topological(graph, region);
                let structural = order.into_iter().filter(|&node| !graph.subregions(node).is_empty());
                pending.extend(structural.map(Pending::Node));
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

enum Pending {
    Region(Region),
    Node(Node),
}
