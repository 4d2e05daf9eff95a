//! Immediate dominators in a graph of numbered vertices, and dominance among blocks.

use cranelift_entity::EntityRef;

use crate::shape::{Block, Shape};

/// The immediate dominator of each vertex that can be reached from vertex 0, by the algorithm Semi-NCA (Georgiadis, Tarjan
/// and Werneck, "Finding Dominators in Practice"); `None` for 0 and what cannot be reached. Also the vertices that can be
/// reached, in an order in which dominators come first.
pub fn dominators(edges: &Edges) -> (Vec<Option<u32>>, Vec<u32>) {
    let count = edges.starts.len() - 1;
    // Everything below counts vertices in preorder of a depth-first search.
    let mut number = vec![u32::MAX; count];
    let mut order = vec![];
    let mut parent = vec![];
    let mut pending = vec![(0, 0)];
    while let Some((vertex, from)) = pending.pop() {
        if number[vertex as usize] != u32::MAX {
            continue;
        }
        number[vertex as usize] = order.len() as u32;
        parent.push(from);
        order.push(vertex);
        let at = order.len() as u32 - 1;
        let targets = edges.from(vertex).iter().rev().filter(|&&to| number[to as usize] == u32::MAX);
        pending.extend(targets.map(|&to| (to, at)));
    }
    let sources = edges.reversed();
    let reached = order.len();
    let mut semi: Vec<u32> = (0..reached as u32).collect();
    let mut label = semi.clone();
    // The forest of finished vertices: parents, compressed towards the smallest semidominator.
    let mut ancestor = vec![u32::MAX; reached];
    let mut path = vec![];
    for at in (1..reached).rev() {
        for &source in sources.from(order[at]) {
            let source = number[source as usize];
            if source == u32::MAX {
                continue;
            }
            let mut up = source;
            while ancestor[up as usize] != u32::MAX && ancestor[ancestor[up as usize] as usize] != u32::MAX {
                path.push(up);
                up = ancestor[up as usize];
            }
            while let Some(below) = path.pop() {
                let above = ancestor[below as usize];
                if semi[label[above as usize] as usize] < semi[label[below as usize] as usize] {
                    label[below as usize] = label[above as usize];
                }
                ancestor[below as usize] = ancestor[above as usize];
            }
            semi[at] = semi[at].min(semi[label[source as usize] as usize]);
        }
        ancestor[at] = parent[at];
    }
    let mut idom = parent;
    for at in 1..reached {
        while idom[at] > semi[at] {
            idom[at] = idom[idom[at] as usize];
        }
    }
    let mut result = vec![None; count];
    for at in 1..reached {
        result[order[at] as usize] = Some(order[idom[at] as usize]);
    }
    (result, order)
}

/// The tree of dominators of the blocks of a graph. Blocks are numbered from 1 in preorder, so that what a block dominates are
/// the numbers from its own up to its last.
pub(crate) struct DominatorTree {
    order: Vec<Block>,
    /// By block; 0 for unreachable blocks.
    numbers: Vec<u32>,
    /// By number: the last number that it dominates.
    last: Vec<u32>,
}

impl DominatorTree {
    /// The number of the entry.
    pub(crate) const ROOT: u32 = 1;

    pub(crate) fn new(shape: &Shape) -> DominatorTree {
        let count = shape.len();
        let arcs =
            || shape.blocks().flat_map(|from| shape.succs(from).iter().map(move |to| (from.as_u32(), to.as_u32())));
        let (idoms, order) = dominators(&Edges::new(count, arcs));
        let mut sizes = vec![1u32; count];
        for &block in order.iter().rev() {
            if let Some(idom) = idoms[block as usize] {
                sizes[idom as usize] += sizes[block as usize];
            }
        }
        let mut numbers = vec![0; count];
        let mut last = vec![0; order.len() + 1];
        // By block: the number of the next block that it dominates immediately.
        let mut next = vec![0; count];
        for &block in &order {
            let size = sizes[block as usize];
            let number = match idoms[block as usize] {
                None => Self::ROOT,
                Some(idom) => {
                    let next = &mut next[idom as usize];
                    std::mem::replace(next, *next + size)
                }
            };
            next[block as usize] = number + 1;
            numbers[block as usize] = number;
            last[number as usize] = number + size - 1;
        }
        DominatorTree { order: order.into_iter().map(Block::from_u32).collect(), numbers, last }
    }

    /// The blocks that can be reached, in an order in which dominators come first.
    pub(crate) fn order(&self) -> &[Block] {
        &self.order
    }

    /// The number of a block; 0 if it cannot be reached.
    pub(crate) fn number(&self, block: Block) -> u32 {
        self.numbers[block.index()]
    }

    /// Whether the block with one number dominates the block with the other. Unreachable blocks neither dominate nor are dominated.
    #[inline]
    pub(crate) fn is_above(&self, above: u32, below: u32) -> bool {
        below != 0 && above <= below && below <= self.last[above as usize]
    }
}

/// The edges of a graph, by source.
pub struct Edges {
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Edges {
    /// A graph of `count` vertices; `all` returns the edges as source and target, the same on each call.
    pub fn new<I: Iterator<Item = (u32, u32)>>(count: usize, all: impl Fn() -> I) -> Edges {
        let mut starts = vec![0u32; count + 1];
        for (from, _) in all() {
            starts[from as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut fill = starts.clone();
        let mut targets = vec![0; starts[count] as usize];
        for (from, to) in all() {
            let at = &mut fill[from as usize];
            targets[*at as usize] = to;
            *at += 1;
        }
        Edges { starts, targets }
    }

    /// Where the edges from a vertex lead.
    pub fn from(&self, vertex: u32) -> &[u32] {
        &self.targets[self.starts[vertex as usize] as usize..self.starts[vertex as usize + 1] as usize]
    }

    fn reversed(&self) -> Edges {
        let vertices = 0..self.starts.len() as u32 - 1;
        let all = || vertices.clone().flat_map(|from| self.from(from).iter().map(move |&to| (to, from)));
        Edges::new(self.starts.len() - 1, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dominators by removing each vertex in turn.
    fn naive(count: u32, edges: &[(u32, u32)]) -> Vec<Option<u32>> {
        let reach = |without: Option<u32>| {
            let mut seen = vec![false; count as usize];
            let mut pending: Vec<u32> = if without == Some(0) { vec![] } else { vec![0] };
            while let Some(vertex) = pending.pop() {
                if !std::mem::replace(&mut seen[vertex as usize], true) {
                    let targets = edges.iter().filter(|&&(from, to)| from == vertex && Some(to) != without);
                    pending.extend(targets.map(|&(_, to)| to));
                }
            }
            seen
        };
        let all = reach(None);
        let without: Vec<Vec<bool>> = (0..count).map(|vertex| reach(Some(vertex))).collect();
        let dominates = |a: u32, b: u32| a != b && !without[a as usize][b as usize];
        let idom = |b: u32| {
            let above: Vec<u32> = (0..count).filter(|&a| all[a as usize] && dominates(a, b)).collect();
            above.iter().copied().find(|&a| above.iter().all(|&other| other == a || dominates(other, a)))
        };
        (0..count).map(|b| if b != 0 && all[b as usize] { idom(b) } else { None }).collect()
    }

    #[test]
    fn as_by_removing_vertices() {
        let mut state = 1u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % below
        };
        for _ in 0..2000 {
            let count = 1 + random(12);
            let edges: Vec<(u32, u32)> = (0..random(3 * count)).map(|_| (random(count), random(count))).collect();
            let (idoms, order) = dominators(&Edges::new(count as usize, || edges.iter().copied()));
            assert_eq!(idoms, naive(count, &edges), "{edges:?}");
            let place = |vertex| order.iter().position(|&other| other == vertex).unwrap();
            assert!(order.iter().all(|&v| idoms[v as usize].is_none_or(|idom| place(idom) < place(v))));
        }
    }
}
