//! A structural hash: equal for graphs that differ only in ids.

use std::hash::{Hash, Hasher};

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHasher;

use crate::graph::{Graph, Origin, WalkItem};

/// A hash of everything a graph says: operations, types, edges, regions, the order of nodes in their regions, and the
/// sources they remember. Ids of nodes and origins do not enter; ids of interned payloads do, so only hashes of graphs
/// of one [`Pool`](crate::Pool) compare. Linear in the graph.
pub fn hash_graph(graph: &Graph) -> u64 {
    let mut hasher = FxHasher::default();
    let mut numbers: SecondaryMap<Origin, u32> = SecondaryMap::with_capacity(graph.origin_bound());
    let mut next = 1;
    let mut number = |numbers: &mut SecondaryMap<Origin, u32>, origin| {
        numbers[origin] = next;
        next += 1;
    };
    // Nodes are numbered before edges are hashed: a node may use what stands after it in its region.
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                graph.arguments(region).iter().for_each(|&argument| number(&mut numbers, argument));
            }
            WalkItem::Node(node) => graph.outputs(node).iter().for_each(|&output| number(&mut numbers, output)),
            WalkItem::Leave(_) => {}
        }
    }
    let edge = |hasher: &mut FxHasher, origin: Option<Origin>| origin.map_or(0, |origin| numbers[origin]).hash(hasher);
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                (1, graph.arguments(region).len(), graph.results(region).len()).hash(&mut hasher);
                graph.arguments(region).iter().for_each(|&argument| graph.ty(argument).hash(&mut hasher));
                graph.end_source(region).hash(&mut hasher);
            }
            WalkItem::Node(node) => {
                (2, graph.kind(node), graph.source(node)).hash(&mut hasher);
                graph.outputs(node).iter().for_each(|&output| graph.ty(output).hash(&mut hasher));
                graph.inputs(node).iter().for_each(|&user| edge(&mut hasher, graph.try_origin(user)));
            }
            WalkItem::Leave(region) => {
                3.hash(&mut hasher);
                graph.results(region).iter().for_each(|&user| edge(&mut hasher, graph.try_origin(user)));
            }
        }
    }
    hasher.finish()
}
