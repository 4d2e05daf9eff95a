//! The shape of a control flow graph: its blocks and arcs, without what the blocks compute.
//!
//! Restructuring (thesis B2.4) and classification (B2.2.1) need nothing else, so they are written against a [`Shape`] and work for
//! control flow graphs from any source.

use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use smallvec::SmallVec;
use std::fmt;

/// A vertex of a control flow graph: a basic block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "b");

/// The arc that leaves block `from` as its successor number `index`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArcRef {
    /// The block that the arc leaves.
    pub from: Block,
    /// The position of the arc among the successors of `from`.
    pub index: u32,
}

impl fmt::Display for ArcRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.from, self.index)
    }
}

impl fmt::Debug for ArcRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The control flow of a closed control flow graph (thesis B2, Definition 8) and nothing else.
///
/// Contract of those that make one; what a [verified graph](crate::verify::Verified::shape) has keeps it:
/// - `entry` has no predecessors; `exit` is a virtual block without successors;
/// - the successors of a block are distinct (alternatives of a branch with one destination are one arc);
/// - every block but `exit` is reachable from `entry` and has at least one successor. A block need not reach `exit`:
///   restructuring closes infinite loops itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The block where control starts.
    pub entry: Block,
    /// The virtual block where control ends.
    pub exit: Block,
    succs: PrimaryMap<Block, SmallVec<[Block; 2]>>,
}

impl Shape {
    /// A shape of two blocks without arcs: the entry `b0` and the exit `b1`.
    pub fn new() -> Self {
        Self::with_blocks(2, Block(0), Block(1))
    }

    /// A shape of `count` blocks without arcs.
    pub fn with_blocks(count: usize, entry: Block, exit: Block) -> Self {
        let mut succs = PrimaryMap::with_capacity(count);
        for _ in 0..count {
            succs.push(SmallVec::new());
        }
        Self { entry, exit, succs }
    }

    /// A shape from the successor numbers of each block; the first block is the entry and the last is the exit.
    pub fn from_successors<S: AsRef<[usize]>>(successors: &[S]) -> Self {
        let last = successors.len() - 1;
        let mut shape = Self::with_blocks(successors.len(), Block(0), Block(last as u32));
        for (from, targets) in successors.iter().enumerate() {
            for &to in targets.as_ref() {
                shape.add_arc(Block(from as u32), Block(to as u32));
            }
        }
        shape
    }

    /// Adds a block without arcs.
    pub fn add_block(&mut self) -> Block {
        self.succs.push(SmallVec::new())
    }

    /// Adds an arc after those that `from` has. The caller does not add an arc that is there already.
    pub fn add_arc(&mut self, from: Block, to: Block) -> ArcRef {
        let list = &mut self.succs[from];
        list.push(to);
        ArcRef { from, index: (list.len() - 1) as u32 }
    }

    /// Lets `arc` lead to `to` instead of where it leads now.
    pub fn divert(&mut self, arc: ArcRef, to: Block) {
        self.succs[arc.from][arc.index as usize] = to;
    }

    /// The number of blocks, entry and exit included.
    pub fn len(&self) -> usize {
        self.succs.len()
    }

    /// Whether the shape has no blocks at all; never true for a shape that keeps the contract.
    pub fn is_empty(&self) -> bool {
        self.succs.is_empty()
    }

    /// All blocks in order of their numbers.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = Block> + ExactSizeIterator + use<> {
        self.succs.keys()
    }

    /// The successors of `block`, in the order of its arcs.
    #[inline]
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[block]
    }

    /// The block that `arc` leads to.
    #[inline]
    pub fn target(&self, arc: ArcRef) -> Block {
        self.succs[arc.from][arc.index as usize]
    }

    /// All arcs, by block and index.
    pub fn arcs(&self) -> impl Iterator<Item = ArcRef> + '_ {
        self.blocks().flat_map(move |from| (0..self.succs[from].len() as u32).map(move |index| ArcRef { from, index }))
    }

    /// The number of arcs.
    pub fn arc_count(&self) -> usize {
        self.succs.values().map(SmallVec::len).sum()
    }

    /// The arcs into each block.
    pub fn predecessors(&self) -> Predecessors {
        let mut starts = vec![0u32; self.len() + 1];
        for targets in self.succs.values() {
            for &to in targets {
                starts[to.0 as usize + 1] += 1;
            }
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut fill = starts.clone();
        let mut arcs = vec![ArcRef { from: self.entry, index: 0 }; self.arc_count()];
        for arc in self.arcs() {
            let slot = &mut fill[self.target(arc).0 as usize];
            arcs[*slot as usize] = arc;
            *slot += 1;
        }
        Predecessors { starts, arcs }
    }

    /// The reachable blocks, in reverse postorder of a depth-first search that takes arcs in reverse order: the target of the first arc
    /// comes before that of the second arc where both orders are possible. The exit is last if it is reachable.
    pub fn reverse_postorder(&self) -> Vec<Block> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen: SecondaryMap<Block, bool> = SecondaryMap::with_capacity(self.len());
        let mut stack = vec![(self.entry, self.succs[self.entry].len())];
        seen[self.entry] = true;
        if self.exit != self.entry {
            seen[self.exit] = true;
        }
        let mut exits = false;
        while let Some((block, left)) = stack.last_mut() {
            if *left == 0 {
                order.push(*block);
                stack.pop();
                continue;
            }
            *left -= 1;
            let next = self.succs[*block][*left];
            exits |= next == self.exit;
            if !std::mem::replace(&mut seen[next], true) {
                stack.push((next, self.succs[next].len()));
            }
        }
        order.reverse();
        if exits {
            order.push(self.exit);
        }
        order
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Shape {
    /// One line per block: `b0 -> b1, b2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (block, targets) in self.succs.iter() {
            write!(f, "{block} ->")?;
            for (i, to) in targets.iter().enumerate() {
                write!(f, "{} {to}", if i == 0 { "" } else { "," })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The arcs into each block of a shape, made by [`Shape::predecessors`].
#[derive(Clone, Debug)]
pub struct Predecessors {
    starts: Vec<u32>,
    arcs: Vec<ArcRef>,
}

impl Predecessors {
    /// The arcs into `block`, by source block and index.
    #[inline]
    pub fn arcs(&self, block: Block) -> &[ArcRef] {
        let at = block.0 as usize;
        &self.arcs[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
