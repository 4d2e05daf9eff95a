//! What is known about blocks and loops before the tree is built: regions, in-degrees, and what kind each loop is.

use super::loops::{LoopForest, LoopId};
use crate::shape::{Block, Predecessors, Shape};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use smallvec::SmallVec;

/// The plan for one shape.
///
/// The whole graph and the body of each loop are a *region*: an acyclic graph whose vertices are the blocks that are in no
/// inner loop, and the inner loops contracted. A region is named by its loop.
pub(super) struct Plan {
    /// The region in which each block is a vertex of its own.
    pub region: SecondaryMap<Block, LoopId>,
    /// The loop that control enters when it arrives at this block from outside of the loop.
    pub enters: SecondaryMap<Block, PackedOption<LoopId>>,
    /// The loops.
    pub loops: PrimaryMap<LoopId, LoopPlan>,
    /// The number of arcs to each vertex within its region, by [`Plan::key`]. The arcs with which a contracted loop
    /// leaves for one exit vertex count as one.
    pub arcs_in: SecondaryMap<Block, u32>,
    /// The inverted loop that each block guards, together with the index of the arc into the loop.
    pub guards: SecondaryMap<Block, Option<(LoopId, u32)>>,
    /// The loop that each block controls at its tail, with the index of the arc that repeats.
    pub controls: SecondaryMap<Block, Option<(LoopId, u32)>>,
}

/// The plan for one loop.
pub(super) struct LoopPlan {
    /// The region that the loop is a vertex of.
    pub parent: LoopId,
    /// The entry vertices, by number.
    pub entries: SmallVec<[Block; 1]>,
    /// How the loop becomes tail-controlled.
    pub kind: LoopKind,
}

/// How a loop becomes tail-controlled.
pub(super) enum LoopKind {
    /// It is: `block` has the only repetition arc, number `repeat`, and the only exit arc, and no other.
    TailControlled {
        /// The block in control.
        block: Block,
        /// The index of its arc that repeats.
        repeat: u32,
    },
    /// It is head-controlled and gets a copy of its condition at its tail (thesis C1.4.3).
    Inverted {
        /// The blocks of the condition, linear; the last has the only exit arc and the arc to the rest of the loop.
        condition: Vec<Block>,
    },
    /// Auxiliary predicates decide.
    General,
}

impl Plan {
    /// Plans the restructuring of `shape`; with `invert`, of its head-controlled loops by copying.
    pub fn new(shape: &Shape, invert: bool) -> Self {
        let preds = shape.predecessors();
        let forest = LoopForest::new(shape, &preds);
        let mut plan = Self {
            region: SecondaryMap::with_default(LoopId::ROOT),
            enters: forest.entry_of.clone(),
            loops: PrimaryMap::with_capacity(forest.loops.len()),
            arcs_in: SecondaryMap::with_capacity(shape.len()),
            guards: SecondaryMap::new(),
            controls: SecondaryMap::new(),
        };
        plan.region.resize(shape.len());
        for block in shape.blocks() {
            plan.region[block] = forest.of(block);
        }
        plan.plan_loops(shape, &preds, &forest, invert);
        plan.count_arcs(shape, &preds, &forest);
        plan
    }

    /// The block that represents the next vertex for control at `block`: one entry for all entries of a loop.
    #[inline]
    pub fn key(&self, block: Block) -> Block {
        match self.enters[block].expand() {
            Some(id) => self.loops[id].entries[0],
            None => block,
        }
    }

    /// The region of the vertex that control gets to at `block` from outside of all loops that start there.
    #[inline]
    pub fn region_of_vertex(&self, block: Block) -> LoopId {
        match self.enters[block].expand() {
            Some(id) => self.loops[id].parent,
            None => self.region[block],
        }
    }

    fn plan_loops(&mut self, shape: &Shape, preds: &Predecessors, forest: &LoopForest, invert: bool) {
        // An arc leaves the loops from the innermost around its source up to the first that contains its target.
        let mut exits: PrimaryMap<LoopId, i64> = forest.loops.iter().map(|_| 0).collect();
        for arc in shape.arcs() {
            let from = forest.of(arc.from);
            let both = forest.common(from, forest.of(shape.target(arc)));
            exits[from] += 1;
            exits[both] -= 1;
        }
        for (id, info) in forest.loops.iter().skip(1).rev() {
            exits[info.parent] += exits[id];
        }
        for (id, info) in forest.loops.iter() {
            let mut kind = LoopKind::General;
            if id != LoopId::ROOT && exits[id] == 1 && info.entries.len() == 1 {
                if let Some((block, repeat)) = tail_control(shape, preds, forest, id, info.entries[0]) {
                    kind = LoopKind::TailControlled { block, repeat };
                    self.controls[block] = Some((id, repeat));
                } else if invert && let Some(condition) = head_control(shape, preds, forest, id, info.entries[0]) {
                    self.enters[info.entries[0]] = None.into();
                    let last = condition[condition.len() - 1];
                    let into = (0..2).find(|&i| forest.contains(id, forest.of(shape.succs(last)[i])));
                    self.guards[last] = into.map(|index| (id, index as u32));
                    for &block in &condition {
                        self.region[block] = info.parent;
                    }
                    kind = LoopKind::Inverted { condition };
                }
            }
            self.loops.push(LoopPlan { parent: info.parent, entries: info.entries.clone(), kind });
        }
    }

    fn count_arcs(&mut self, shape: &Shape, preds: &Predecessors, forest: &LoopForest) {
        let mut counted: SecondaryMap<LoopId, PackedOption<Block>> = SecondaryMap::new();
        counted.resize(forest.loops.len());
        for block in shape.blocks() {
            let region = self.region_of_vertex(block);
            let depth = forest.depth(region);
            let mut count = 0;
            for arc in preds.arcs(block) {
                let repeats =
                    forest.entry_of[block].expand().is_some_and(|id| forest.contains(id, forest.of(arc.from)));
                let source = self.region[arc.from];
                if repeats {
                    continue;
                }
                // The condition of a rotated loop is outside it: the arc into the loop comes from another region.
                if source != region && forest.depth(source) > depth {
                    let contracted = forest.at_depth(source, depth + 1);
                    if counted[contracted].expand() == Some(block) {
                        continue;
                    }
                    counted[contracted] = block.into();
                }
                count += 1;
                // The loop after its condition leaves for the same exit vertex.
                if let Some((id, into)) = self.guards[arc.from]
                    && into != arc.index
                    && self.loops[id].parent == region
                {
                    count += 1;
                }
            }
            let key = self.key(block);
            self.arcs_in[key] += count;
        }
    }
}

/// The block that controls a loop with one entry and one exit arc at its tail, and the index of its arc that repeats.
fn tail_control(
    shape: &Shape,
    preds: &Predecessors,
    forest: &LoopForest,
    id: LoopId,
    entry: Block,
) -> Option<(Block, u32)> {
    let mut repeats = preds.arcs(entry).iter().filter(|arc| forest.contains(id, forest.of(arc.from)));
    let arc = repeats.next()?;
    let succs = shape.succs(arc.from);
    let only = repeats.next().is_none() && succs.len() == 2;
    let other = *succs.get(1 - (arc.index as usize).min(1))?;
    (only && !forest.contains(id, forest.of(other))).then_some((arc.from, arc.index))
}

/// The condition of a head-controlled loop with one exit arc: its blocks from the loop's entry to the block that the exit
/// arc leaves (thesis C1.4.3).
fn head_control(
    shape: &Shape,
    preds: &Predecessors,
    forest: &LoopForest,
    id: LoopId,
    entry: Block,
) -> Option<Vec<Block>> {
    // One entry arc and one repetition arc.
    let arcs = preds.arcs(entry);
    let inside = arcs.iter().filter(|arc| forest.contains(id, forest.of(arc.from))).count();
    if arcs.len() != 2 || inside != 1 {
        return None;
    }
    let mut condition = vec![entry];
    let mut last = entry;
    loop {
        match *shape.succs(last) {
            [next] if preds.arcs(next).len() == 1 => {
                condition.push(next);
                last = next;
            }
            [a, b] => {
                let leaves = [a, b].map(|to| !forest.contains(id, forest.of(to)));
                return (leaves[0] != leaves[1]).then_some(condition);
            }
            _ => return None,
        }
    }
}
