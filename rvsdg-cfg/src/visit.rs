//! A [`Shape`] as a graph of the `petgraph` crate, so that its algorithms (dominators, shortest paths, isomorphism, …) run on
//! it without a copy.

use crate::shape::{Block, Shape};
use cranelift_entity::{EntityRef, EntitySet, Keys};
use petgraph::Directed;
use petgraph::visit::{
    GraphBase, GraphProp, IntoNeighbors, IntoNodeIdentifiers, NodeCompactIndexable, NodeCount, NodeIndexable, VisitMap,
    Visitable,
};

impl GraphBase for Shape {
    type NodeId = Block;
    type EdgeId = crate::shape::ArcRef;
}

impl GraphProp for Shape {
    type EdgeType = Directed;
}

impl<'a> IntoNeighbors for &'a Shape {
    type Neighbors = std::iter::Copied<std::slice::Iter<'a, Block>>;

    fn neighbors(self, block: Block) -> Self::Neighbors {
        self.succs(block).iter().copied()
    }
}

impl IntoNodeIdentifiers for &Shape {
    type NodeIdentifiers = Keys<Block>;

    fn node_identifiers(self) -> Self::NodeIdentifiers {
        Keys::with_len(self.len())
    }
}

impl NodeCount for Shape {
    fn node_count(&self) -> usize {
        self.len()
    }
}

impl NodeIndexable for Shape {
    fn node_bound(&self) -> usize {
        self.len()
    }

    fn to_index(&self, block: Block) -> usize {
        block.index()
    }

    fn from_index(&self, index: usize) -> Block {
        Block::new(index)
    }
}

impl NodeCompactIndexable for Shape {}

/// The blocks that a walk has seen.
#[derive(Clone, Debug, Default)]
pub struct Visited(EntitySet<Block>);

impl VisitMap<Block> for Visited {
    fn visit(&mut self, block: Block) -> bool {
        self.0.insert(block)
    }

    fn is_visited(&self, block: &Block) -> bool {
        self.0.contains(*block)
    }

    fn unvisit(&mut self, block: Block) -> bool {
        self.0.remove(block)
    }
}

impl Visitable for Shape {
    type Map = Visited;

    fn visit_map(&self) -> Self::Map {
        Visited(EntitySet::with_capacity(self.len()))
    }

    fn reset_map(&self, map: &mut Self::Map) {
        map.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use crate::shape::Shape;
    use petgraph::algo::dominators::simple_fast;

    #[test]
    fn dominators_of_a_diamond() {
        let shape = Shape::from_successors(&[&[1][..], &[2, 3], &[4], &[4], &[]]);
        let blocks: Vec<_> = shape.blocks().collect();
        let dominators = simple_fast(&shape, shape.entry);
        assert_eq!(dominators.immediate_dominator(shape.exit), Some(blocks[1]));
    }
}
