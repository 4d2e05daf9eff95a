//! Structural equivalence of two control flow graphs (thesis B2, Definition 11), up to null blocks.
//!
//! Both graphs are brought into a normal form: blocks that do nothing and have one successor are skipped, arcs of a block
//! that then lead to one block are one arc (a block left with one arc is no branch any more), and chains of blocks
//! without other arcs in between are one vertex. Arcs are ordered and everything is reachable, so the normal forms are
//! isomorphic iff a walk of both in step from their entries meets the same vertices.

use crate::cfg::Cfg;
use crate::destruct::canonicalize_branch;
use crate::shape::{Block, Shape};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;
use std::fmt;

/// A shape together with the labels of its blocks.
#[derive(Clone, Copy)]
pub struct Labelled<'a> {
    /// The shape.
    pub shape: &'a Shape,
    /// What each block does, as labels in order; equal labels in both graphs mean the same. A block without labels is null.
    /// The labels of chained blocks are joined, so it does not matter how a chain is divided into blocks.
    pub labels: &'a SecondaryMap<Block, SmallVec<[u32; 1]>>,
}

/// The first difference between two graphs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The first block of the vertex in the left graph.
    pub left: Block,
    /// The first block of the vertex in the right graph.
    pub right: Block,
    /// What differs.
    pub kind: DifferenceKind,
}

/// What differs between two vertices that should correspond.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The labels, from this place on: the rest of the left and of the right list begin so.
    Labels {
        /// How many labels agree.
        place: usize,
        /// The next label on the left.
        left: Option<u32>,
        /// The next label on the right.
        right: Option<u32>,
    },
    /// The numbers of successors in normal form.
    Arity {
        /// The number on the left.
        left: usize,
        /// The number on the right.
        right: usize,
    },
    /// One is the exit, the other is not.
    Exit,
    /// The left block corresponds to another right block already, or the right block to another left block.
    Target {
        /// The right block that corresponds to the left block.
        left_to: Option<Block>,
        /// The left block that corresponds to the right block.
        right_to: Option<Block>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { left, right, kind } = self;
        write!(f, "{left} on the left and {right} on the right: ")?;
        let label = |label: &Option<u32>| label.map_or("ends".to_string(), |label| format!("has label {label}"));
        let partner = |block: &Option<Block>| block.map_or("nothing yet".to_string(), |block| block.to_string());
        match kind {
            DifferenceKind::Labels { place, left, right } => {
                write!(f, "after {place} equal labels, the left {} and the right {}", label(left), label(right))
            }
            DifferenceKind::Arity { left, right } => write!(f, "{left} successors against {right}"),
            DifferenceKind::Exit => write!(f, "only one is the exit"),
            DifferenceKind::Target { left_to, right_to } => write!(
                f,
                "the left block corresponds to {} and the right block to {}",
                partner(left_to),
                partner(right_to)
            ),
        }
    }
}

impl std::error::Error for Difference {}

/// Compares two graphs up to null blocks. Costs time in proportion to their sizes, times the number of rounds in which null
/// branches vanish inside of loops that vanish in turn.
pub fn compare(left: Labelled<'_>, right: Labelled<'_>) -> Result<(), Difference> {
    let (a, b) = (Normal::new(left), Normal::new(right));
    let mut to_right: SecondaryMap<Block, PackedOption<Block>> = SecondaryMap::new();
    let mut to_left: SecondaryMap<Block, PackedOption<Block>> = SecondaryMap::new();
    let mut stack = vec![(a.entry, b.entry)];
    while let Some((left, right)) = stack.pop() {
        let differ = |kind| Err(Difference { left, right, kind });
        let (known_right, known_left) = (to_right[left].expand(), to_left[right].expand());
        if (known_right, known_left) == (Some(right), Some(left)) {
            continue;
        }
        if known_right.is_some() || known_left.is_some() {
            return differ(DifferenceKind::Target { left_to: known_right, right_to: known_left });
        }
        to_right[left] = right.into();
        to_left[right] = left.into();
        if (left == a.of.shape.exit) != (right == b.of.shape.exit) {
            return differ(DifferenceKind::Exit);
        }
        let (mut chain_a, mut chain_b) = (Chain::new(&a, left), Chain::new(&b, right));
        let mut place = 0;
        loop {
            match (chain_a.next(), chain_b.next()) {
                (None, None) => break,
                (a, b) if a == b => place += 1,
                (left, right) => return differ(DifferenceKind::Labels { place, left, right }),
            }
        }
        let (succs_a, succs_b) = (&a.succs[chain_a.block], &b.succs[chain_b.block]);
        if succs_a.len() != succs_b.len() {
            return differ(DifferenceKind::Arity { left: succs_a.len(), right: succs_b.len() });
        }
        stack.extend(succs_a.iter().copied().zip(succs_b.iter().copied()).rev());
    }
    Ok(())
}

/// Compares two control flow graphs of one function by the sources of their instructions: whether recovery reproduced the control flow
/// that construction started from (thesis Theorem B2.5.8). Instructions without a source are ignored.
///
/// # Errors
/// With the first difference.
pub fn compare_sources(left: &Cfg, right: &Cfg) -> Result<(), Difference> {
    let canonical = |cfg: &Cfg| {
        let mut cfg = cfg.clone();
        cfg.blocks().for_each(|block| canonicalize_branch(&mut cfg, block));
        cfg
    };
    let (left, right) = (canonical(left), canonical(right));
    compare(
        Labelled { shape: &left.shape(), labels: &source_labels(&left) },
        Labelled { shape: &right.shape(), labels: &source_labels(&right) },
    )
}

/// The sources of the instructions of each block.
fn source_labels(cfg: &Cfg) -> SecondaryMap<Block, SmallVec<[u32; 1]>> {
    let mut labels: SecondaryMap<Block, SmallVec<[u32; 1]>> = SecondaryMap::new();
    for block in cfg.blocks() {
        let sources = cfg.insts(block).iter().filter_map(|&inst| cfg.source(inst));
        labels[block] = sources.map(|source| source.as_u32()).collect();
    }
    labels
}

/// Compares two graphs by their branching alone, as if no block did anything.
pub fn compare_shapes(left: &Shape, right: &Shape) -> Result<(), Difference> {
    let labels = SecondaryMap::new();
    compare(Labelled { shape: left, labels: &labels }, Labelled { shape: right, labels: &labels })
}

/// A graph without the null blocks that have one successor; chains are not joined yet.
struct Normal<'a> {
    of: Labelled<'a>,
    entry: Block,
    /// The distinct successors of each block that is left.
    succs: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    /// The number of arcs to each remaining block; 2 means two or more. The start has one more.
    arcs_in: SecondaryMap<Block, u8>,
}

impl<'a> Normal<'a> {
    fn new(of: Labelled<'a>) -> Self {
        let shape = of.shape;
        let mut order = shape.reverse_postorder();
        order.retain(|&block| block != shape.exit);
        // A block leads to itself if it stays, otherwise to the block after it.
        let mut leads: SecondaryMap<Block, PackedOption<Block>> = SecondaryMap::new();
        leads.resize(shape.len());
        let mut succs: SecondaryMap<Block, SmallVec<[Block; 2]>> = SecondaryMap::new();
        succs.resize(shape.len());
        // The block whose successor each block was last found to be.
        let mut found: SecondaryMap<Block, PackedOption<Block>> = SecondaryMap::new();
        found.resize(shape.len());
        let mut changed = true;
        while changed {
            changed = false;
            found.clear();
            // Successors first, so that without loops one round is enough.
            for &block in order.iter().rev() {
                if leads[block].is_some() {
                    continue;
                }
                let mut list: SmallVec<[Block; 2]> = SmallVec::new();
                for &to in shape.succs(block) {
                    let to = resolve(&mut leads, to);
                    if found[to].expand() != Some(block) {
                        found[to] = block.into();
                        list.push(to);
                    }
                }
                if let (&[only], []) = (list.as_slice(), of.labels[block].as_slice())
                    && only != block
                {
                    leads[block] = only.into();
                    changed = true;
                }
                changed |= succs[block].len() != list.len();
                succs[block] = list;
            }
        }
        let entry = resolve(&mut leads, shape.entry);
        let mut arcs_in: SecondaryMap<Block, u8> = SecondaryMap::new();
        arcs_in[entry] = 1;
        for &block in order.iter().filter(|&&block| leads[block].is_none()) {
            for &to in &succs[block] {
                arcs_in[to] = arcs_in[to].saturating_add(1).min(2);
            }
        }
        Self { of, entry, succs, arcs_in }
    }
}

/// The next block from `block` that is not skipped.
fn resolve(leads: &mut SecondaryMap<Block, PackedOption<Block>>, block: Block) -> Block {
    let mut end = block;
    while let Some(next) = leads[end].expand() {
        end = next;
    }
    let mut at = block;
    while let Some(next) = leads[at].expand()
        && next != end
    {
        leads[at] = end.into();
        at = next;
    }
    end
}

/// Yields the labels of a vertex: of a chain of blocks. `block` is the block that it is at, in the end the last.
struct Chain<'n, 'a> {
    normal: &'n Normal<'a>,
    block: Block,
    next: usize,
}

impl<'n, 'a> Chain<'n, 'a> {
    fn new(normal: &'n Normal<'a>, block: Block) -> Self {
        Self { normal, block, next: 0 }
    }
}

impl Iterator for Chain<'_, '_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            if let Some(&label) = self.normal.of.labels[self.block].get(self.next) {
                self.next += 1;
                return Some(label);
            }
            match *self.normal.succs[self.block] {
                [next] if self.normal.arcs_in[next] == 1 && next != self.normal.of.shape.exit => {
                    (self.block, self.next) = (next, 0);
                }
                _ => return None,
            }
        }
    }
}
