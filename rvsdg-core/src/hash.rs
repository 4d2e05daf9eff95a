//! A structural hash: equal for graphs that differ only in ids.

use std::hash::{Hash, Hasher};

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHasher;

use crate::graph::{Graph, NodeKind, Origin, WalkItem};

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
    // Nodes are numbered before edges are hashed: a node may use a later one of its region.
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
    let define = |hasher: &mut FxHasher, origins: &[Origin]| {
        origins.len().hash(hasher);
        origins.iter().for_each(|&origin| (graph.ty(origin), graph.origin_source(origin)).hash(hasher));
    };
    for item in graph.walk() {
        match item {
            WalkItem::Enter(region) => {
                (1, graph.results(region).len(), graph.end_source(region)).hash(&mut hasher);
                define(&mut hasher, graph.arguments(region));
            }
            WalkItem::Node(node) => {
                (2, graph.kind(node), graph.source(node), graph.inputs(node).len()).hash(&mut hasher);
                if graph.kind(node) == NodeKind::Theta {
                    graph.loop_hints(node).hash(&mut hasher);
                }
                define(&mut hasher, graph.outputs(node));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::op::{BinaryFlags, IntBinary, Op};
    use crate::{Pool, SourceId, Type};

    fn sum(pool: &Arc<Pool>, flags: BinaryFlags, spare: bool, swapped: bool) -> Graph {
        let mut graph = Graph::new(pool.clone());
        let root = graph.root();
        let (first, second) = (graph.add_argument(root, Type::I32), graph.add_argument(root, Type::I32));
        let op = Op::IntBinary { op: IntBinary::Add, flags };
        if spare {
            let node = graph.add_simple(root, op, &[first, second], &[Type::I32]);
            graph.remove(node);
        }
        let inputs = if swapped { [second, first] } else { [first, second] };
        let node = graph.add_simple(root, op, &inputs, &[Type::I32]);
        let output = graph.output(node, 0);
        graph.add_result(root, output);
        graph
    }

    #[test]
    fn ids_do_not_count() {
        let pool = Arc::new(Pool::new());
        let plain = hash_graph(&sum(&pool, BinaryFlags::NONE, false, false));
        assert_eq!(plain, hash_graph(&sum(&pool, BinaryFlags::NONE, true, false)));
    }

    #[test]
    fn operations_edges_and_sources_count() {
        let pool = Arc::new(Pool::new());
        let mut plain = sum(&pool, BinaryFlags::NONE, false, false);
        let hash = hash_graph(&plain);
        assert_ne!(hash, hash_graph(&sum(&pool, BinaryFlags::NSW, false, false)));
        assert_ne!(hash, hash_graph(&sum(&pool, BinaryFlags::NONE, false, true)));
        let node = plain.all_nodes().next().expect("there is one node");
        plain.set_origin_source(plain.output(node, 0), Some(SourceId::from_u32(7)));
        let with_phi = hash_graph(&plain);
        assert_ne!(hash, with_phi);
        plain.set_source(node, Some(SourceId::from_u32(7)));
        assert_ne!(with_phi, hash_graph(&plain));
    }
}
