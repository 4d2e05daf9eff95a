//! Classes of control flow graphs (thesis B2.2.1).

use crate::restructure::loops::{LoopForest, LoopId, is_reducible};
use crate::restructure::restructure_plain;
use crate::restructure::tree::{Item, LoopPredicate, Tree};
use crate::shape::{ArcRef, Block, Shape};
use cranelift_entity::SecondaryMap;
use std::borrow::Cow;

/// The most restricted class that a shape belongs to. Each class contains the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Closed, and each block has at most one predecessor and one successor (Definition 8).
    Linear,
    /// Contracts to a single vertex by merging chains, branches with their join, and loops around one vertex
    /// (Definition 10).
    Structured,
    /// Each loop is entered at one block.
    Reducible,
    /// Anything else.
    Irreducible,
}

/// Classifies a shape in near-linear time.
///
/// A shape that never reaches its exit is not closed, so it is neither linear nor structured.
pub fn classify(shape: &Shape) -> Class {
    if is_linear(shape) {
        Class::Linear
    } else if !is_reducible(shape) {
        Class::Irreducible
    } else if restructure_plain(&split_heads(shape)).is_some_and(|tree| is_structured(&tree)) {
        Class::Structured
    } else {
        Class::Reducible
    }
}

fn is_linear(shape: &Shape) -> bool {
    let mut block = shape.entry;
    // More steps than blocks means a loop.
    for _ in 0..shape.len() {
        match *shape.succs(block) {
            [next] => block = next,
            [] => return block == shape.exit,
            _ => return false,
        }
    }
    false
}

/// Whether the shape of a tree without auxiliary predicates is structured: each branch has a join of its own, and each
/// loop has an exit. A branch that ends an alternative shares its join with the branch around it.
fn is_structured(tree: &Tree) -> bool {
    let shared = |seq| matches!(tree.items(seq).last(), Some(Item::Branch(_)));
    tree.loops.values().all(|data| data.predicate != LoopPredicate::Always)
        && !tree.branches.values().any(|data| data.alternatives.iter().any(|&seq| shared(seq)))
}

/// Gives each of several arcs that repeat from the same block a head of its own, by null blocks before that block.
///
/// Tail-controlled loops that begin at one block are one strongly connected component with several repetition arcs, which
/// restructuring makes one loop. Definition 10 contracts them one after the other, from the inside out, as it does with the
/// heads apart. The tails are in order of position, since an inner tail dominates an outer one in a structured shape.
fn split_heads(shape: &Shape) -> Cow<'_, Shape> {
    let mut position: SecondaryMap<Block, u32> = SecondaryMap::with_capacity(shape.len());
    for (at, block) in shape.reverse_postorder().into_iter().enumerate() {
        position[block] = at as u32;
    }
    let preds = shape.predecessors();
    let forest = LoopForest::new(shape, &preds);
    let mut shape = Cow::Borrowed(shape);
    for (id, info) in forest.loops.iter().filter(|&(id, _)| id != LoopId::ROOT) {
        let head = info.entries[0];
        let (mut repeats, enters): (Vec<ArcRef>, Vec<ArcRef>) =
            preds.arcs(head).iter().partition(|arc| forest.contains(id, forest.of(arc.from)));
        repeats.sort_by_key(|arc| position[arc.from]);
        let mut outer = head;
        for arc in repeats.into_iter().skip(1) {
            let shape = shape.to_mut();
            let before = shape.add_block();
            shape.add_arc(before, outer);
            shape.divert(arc, before);
            outer = before;
        }
        if outer != head {
            for arc in enters {
                shape.to_mut().divert(arc, outer);
            }
        }
    }
    shape
}
