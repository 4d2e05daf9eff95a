//! Builds the control tree: branch restructuring of each region (thesis B2.4.2), with loops closed on the way (B2.4.1).
//!
//! The paper splits a region into a linear head H, the subgraphs B_i that the arcs fanning out from its last vertex
//! dominate, and a tail T, then does the same to each B_i and T. This builder does it in one walk that makes the tree's
//! sequences in their final order, and needs neither dominators nor a topological order beforehand:
//!
//! - An arc whose target has no other arc into it continues the sequence: the target belongs to the same head or is the
//!   first vertex of a B_i. Any other arc ends its sequence, which is then *open*: it waits on a stack, together with its
//!   target, for control to be continued.
//! - A branch remembers how many sequences were open when it began. The sequences opened since then are the arcs that
//!   leave its B_i. A vertex whose last arc was opened has for its immediate dominator the innermost branch under way that
//!   began before the first of its arcs was opened, so that branch has a tail. Finding it is a binary search.
//! - When all alternatives of a branch without a tail are built, T is empty (or is the end of the region alone) and the open
//!   sequences stay open for the branch around it.
//! - If the branch has a tail, its open sequences are taken from the stack. Their targets are the continuation points. If
//!   there is one, the sequence of the branch continues with it. Otherwise each open sequence sets a new predicate `p`, and a
//!   branch on `p` follows. A continuation point whose arcs were all among those taken is the first vertex of an
//!   alternative; the others get an empty alternative that is open again, for the next tail or for the branch around it.
//!
//! Trimming is part of the last step. An arc that leaves the region, or that enters a loop with several entries together
//! with other arcs from T, is an auxiliary assignment in the paper, and its predecessor is pulled into T. Here the assignment
//! is made only when the open sequence is taken for good, which is then in T. Assignments pulled into one T that lead to the
//! same block are one vertex of T, so `p` has one alternative for each block to continue at, not for each arc.
//!
//! Each open sequence is taken once, so the cost is near-linear in the size of the shape and of the tree.
//!
//! # Nests that are cut
//!
//! The subgraph that an arc dominates contains the rest of the function if the other arcs of each branch leave for one place: returns on
//! errors, cleanups on exceptions. This results in a nest of `n` branches, and a value that is defined outside of it needs a variable of
//! each branch on its way in, so that `n` such values make the graph quadratic. Where a branch would be nested in too many others of its
//! region, its block becomes a continuation point of the outermost of them, as if another arc led to it from there: the nest continues
//! after that branch. Other continuation points of the nest that are reached from there too (the joins of nested conditionals, successive
//! cleanups) are then passed on by every following branch.
//!
//! To keep each of them from becoming an alternative of each of those branches, waiting continuation points are *grouped*: two of them,
//! or two groups, share one alternative, and a predicate `q` of the group says which of the two it is. Nothing executes between setting
//! `q` and the branch on it that splits the group, which happens once, when a vertex in it has all of its arcs. The part that is not
//! reached then continues to wait. The blocks carried on are counted, because the predicates of all waiting groups are variables of every
//! branch that passes them on; a tree with too many of them is abandoned.

use super::loops::LoopId;
use super::plan::{LoopKind, Plan};
use super::tree::{
    Assigns, Aux, Branch, BranchData, Item, Loop, LoopData, LoopPredicate, Predicate, Seq, SeqData, Tree,
};
use crate::shape::{ArcRef, Block, Shape};
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use smallvec::SmallVec;

/// So few continuation points that wait are not grouped.
const MIN_WAITING: usize = 3;

/// When to give up.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The limit of auxiliary predicates.
    pub auxes: usize,
    /// The limit of sequences.
    pub seqs: usize,
    /// The limit of blocks that are carried on in groups.
    pub carried: usize,
}

/// Builds the tree of `shape`, cutting nests of more than `max_nesting` branches. `None` if it exceeds a limit. The number returned with
/// the tree is the depth of the deepest nest.
pub(super) fn build(shape: &Shape, plan: Plan, max_nesting: usize, limits: Limits) -> Option<(Tree, usize)> {
    let mut builder = Builder {
        shape,
        plan,
        tree: Tree::new(),
        region: LoopId::ROOT,
        frames: Vec::new(),
        base: 0,
        max_nesting,
        deepest: 0,
        open: Vec::new(),
        dead: Vec::new(),
        groups: Vec::new(),
        group_of: SecondaryMap::new(),
        carried: 0,
        arrived: SecondaryMap::new(),
        entry_aux: SecondaryMap::new(),
        taken: SecondaryMap::new(),
    };
    builder.arrived.resize(shape.len());
    builder.taken.resize(shape.len());
    let root = builder.tree.root;
    let mut at = (shape.entry != shape.exit).then_some((root, shape.entry));
    let goes_on = |builder: &Builder<'_>| {
        let Limits { auxes, seqs, carried } = limits;
        builder.tree.auxes.len() < auxes && builder.tree.seqs.len() < seqs && builder.carried < carried
    };
    while goes_on(&builder) {
        at = match at {
            Some((seq, block)) => builder.step(seq, block),
            None if builder.frames.is_empty() => return Some((builder.tree, builder.deepest)),
            None => builder.resume(),
        };
    }
    None
}

/// Where to continue building: the block is the next one in the sequence.
type Place = Option<(Seq, Block)>;

/// A sequence that waits to be continued at `target`.
#[derive(Clone, Copy)]
struct Open {
    seq: Seq,
    target: Block,
}

/// The arcs to a vertex of the current region that were opened.
#[derive(Clone, Copy, Default)]
struct Arrived {
    count: u32,
    /// The place on the stack of the first of them.
    first: u32,
}

/// Two continuation points that wait together, each a block or a group.
#[derive(Clone, Copy)]
struct Group {
    /// Says which of them it is.
    q: Aux,
    members: [Block; 2],
}

/// What a block is as the target of the sequences that one branch or loop takes.
#[derive(Clone, Copy, Default)]
struct Taken {
    count: u32,
    /// Its place among the targets in order.
    index: u32,
    /// The number of the continuation point that the vertex with this [`Plan::key`] has.
    point: Option<u32>,
}

/// A branch or loop whose parts are being built.
struct Frame {
    /// The sequence that contains the branch or loop and is continued after it.
    seq: Seq,
    /// The number of open sequences when it began.
    open: usize,
    /// The number of dead sequences when it began.
    dead: usize,
    kind: FrameKind,
}

enum FrameKind {
    Branch {
        branch: Branch,
        fan_out: FanOut,
        /// The next alternative to build.
        next: usize,
        /// Whether the branch dominates a vertex that is in none of its alternatives.
        tail: bool,
        /// Vertices, by [`Plan::key`], that are kept for its tail by a further arc.
        kept: Vec<Block>,
    },
    Loop {
        id: LoopId,
        tree: Loop,
        /// [`Builder::base`] outside of the loop.
        base: usize,
    },
}

/// Where the alternatives of a branch start.
enum FanOut {
    /// With the arcs of a block.
    Arcs(Block),
    /// At the entry vertices of the loop whose body the branch begins.
    Entries(LoopId),
    /// At the exit vertices of a loop.
    Exits(Vec<Block>),
    /// At continuation points, with whether all arcs to them are accounted for.
    Points(Vec<(Block, bool)>),
}

struct Builder<'s> {
    shape: &'s Shape,
    plan: Plan,
    tree: Tree,
    region: LoopId,
    frames: Vec<Frame>,
    /// The position in `frames` of the outermost branch of the region, if one is being built.
    base: usize,
    /// A branch that would be nested in this many others in its region is cut off.
    max_nesting: usize,
    /// The most branches of one region that were in each other.
    deepest: usize,
    open: Vec<Open>,
    /// Sequences that end after an infinite loop. They are closed by arcs that are never executed, wherever convenient.
    dead: Vec<Seq>,
    /// Continuation points that wait together. As a target, a group has a number after those of the blocks and of the groups before it.
    groups: Vec<Group>,
    /// The group that a block or group waits in.
    group_of: SecondaryMap<Block, PackedOption<Block>>,
    /// The blocks of the groups that were opened, counted once per opening.
    carried: usize,
    /// By [`Plan::key`].
    arrived: SecondaryMap<Block, Arrived>,
    /// The predicate `q` of each loop with several entries, once control is about to enter it.
    entry_aux: SecondaryMap<LoopId, PackedOption<Aux>>,
    /// Scratch for the end of a branch or loop; at its default between.
    taken: SecondaryMap<Block, Taken>,
}

impl Builder<'_> {
    /// Puts `block`, or the loop that it enters, into `seq`.
    fn step(&mut self, seq: Seq, block: Block) -> Place {
        match self.plan.enters[block].expand() {
            Some(id) => self.begin_loop(seq, id),
            None => self.put_block(seq, block),
        }
    }

    fn put_block(&mut self, seq: Seq, block: Block) -> Place {
        self.put(seq, Item::Block(block));
        if let Some((_, repeat)) = self.plan.controls[block] {
            self.put_arc(seq, block, repeat);
            self.put_arc(seq, block, 1 - repeat);
            return None;
        }
        match *self.shape.succs(block) {
            [] => {
                self.dead.push(seq);
                None
            }
            [next] => {
                self.put_arc(seq, block, 0);
                self.go(seq, next)
            }
            _ => self.begin_branch(seq, Predicate::Terminator(block), FanOut::Arcs(block)),
        }
    }

    fn put(&mut self, seq: Seq, item: Item) {
        self.tree.seqs[seq].items.push(item);
    }

    fn put_arc(&mut self, seq: Seq, from: Block, index: u32) {
        self.put(seq, Item::Arc { arc: ArcRef { from, index }, assigns: Assigns::new() });
    }

    /// Whether `target` is, or is inside of, a vertex of the current region that one gets to at `target`.
    fn in_region(&self, target: Block) -> bool {
        target != self.shape.exit && self.plan.region_of_vertex(target) == self.region
    }

    /// Control arrives at `target` at the end of `seq`.
    fn go(&mut self, seq: Seq, target: Block) -> Place {
        if self.in_region(target) && self.plan.arcs_in[self.plan.key(target)] == 1 {
            if !self.cuts(target) {
                return Some((seq, target));
            }
            let key = self.plan.key(target);
            self.plan.arcs_in[key] += 1;
            if let FrameKind::Branch { tail, kept, .. } = &mut self.frames[self.base].kind {
                *tail = true;
                kept.push(key);
            }
        }
        self.push_open(seq, target);
        None
    }

    /// Whether the nest is cut before `target`.
    fn cuts(&self, target: Block) -> bool {
        let branches = self.shape.succs(target).len() > 1 && self.plan.controls[target].is_none();
        self.frames.len() - self.base >= self.max_nesting && (branches || self.plan.enters[target].is_some())
    }

    fn push_open(&mut self, seq: Seq, target: Block) {
        let place = self.open.len() as u32;
        self.open.push(Open { seq, target });
        let blocks = self.blocks_of(target);
        self.carried += blocks.len() - 1;
        for block in blocks {
            if self.in_region(block) {
                self.arrive(self.plan.key(block), place);
            }
        }
    }

    /// Notes an arc to a vertex of the region that is opened at this place.
    fn arrive(&mut self, key: Block, place: u32) {
        let arrived = &mut self.arrived[key];
        if arrived.count == 0 {
            arrived.first = place;
        }
        arrived.count += 1;
        if arrived.count == self.plan.arcs_in[key] {
            let first = arrived.first as usize;
            let within = self.frames.partition_point(|frame| frame.open <= first) - 1;
            match &mut self.frames[within].kind {
                FrameKind::Branch { tail, .. } => *tail = true,
                FrameKind::Loop { .. } => {
                    unreachable!("a vertex with several arcs into it follows a branch of its region")
                }
            }
        }
    }

    fn begin_branch(&mut self, seq: Seq, predicate: Predicate, fan_out: FanOut) -> Place {
        let branch = self.tree.branches.push(BranchData { predicate, alternatives: Vec::new() });
        self.put(seq, Item::Branch(branch));
        let kind = FrameKind::Branch { branch, fan_out, next: 0, tail: false, kept: Vec::new() };
        self.frames.push(Frame { seq, open: self.open.len(), dead: self.dead.len(), kind });
        self.deepest = self.deepest.max(self.frames.len() - self.base);
        None
    }

    fn begin_loop(&mut self, seq: Seq, id: LoopId) -> Place {
        let body = self.tree.seqs.push(SeqData::default());
        let tree = self.tree.loops.push(LoopData { body, predicate: LoopPredicate::Always, copy: None });
        self.put(seq, Item::Loop(tree));
        self.frames.push(Frame {
            seq,
            open: self.open.len(),
            dead: self.dead.len(),
            kind: FrameKind::Loop { id, tree, base: self.base },
        });
        self.base = self.frames.len();
        self.region = id;
        let plan = &self.plan.loops[id];
        match (&plan.kind, self.entry_aux[id].expand()) {
            (LoopKind::Inverted { condition }, _) => {
                let last = condition[condition.len() - 1];
                let (_, into) = self.plan.guards[last].expect("the condition of an inverted loop guards it");
                let first = self.shape.succs(last)[into as usize];
                self.go(body, first)
            }
            (_, Some(aux)) => self.begin_branch(body, Predicate::Aux(aux), FanOut::Entries(id)),
            (_, None) => {
                let entry = plan.entries[0];
                self.put_block(body, entry)
            }
        }
    }

    /// Goes on with the innermost branch or loop: its next part, or what follows it.
    fn resume(&mut self) -> Place {
        let frame = self.frames.last_mut()?;
        let FrameKind::Branch { branch, fan_out, next, tail, .. } = &mut frame.kind else {
            return self.end_loop();
        };
        let (branch, index) = (*branch, *next);
        *next += 1;
        let count = match fan_out {
            FanOut::Arcs(block) => self.shape.succs(*block).len(),
            FanOut::Entries(id) => self.plan.loops[*id].entries.len(),
            FanOut::Exits(targets) => targets.len(),
            FanOut::Points(points) => points.len(),
        };
        if index == count {
            if *tail {
                return self.end_branch();
            }
            self.frames.pop();
            return None;
        }
        let seq = self.tree.seqs.push(SeqData::default());
        self.tree.branches[branch].alternatives.push(seq);
        match fan_out {
            &mut FanOut::Arcs(block) => {
                self.put_arc(seq, block, index as u32);
                match self.plan.guards[block] {
                    Some((id, into)) if into == index as u32 => self.begin_loop(seq, id),
                    _ => self.go(seq, self.shape.succs(block)[index]),
                }
            }
            FanOut::Entries(id) => {
                let entry = self.plan.loops[*id].entries[index];
                self.put_block(seq, entry)
            }
            FanOut::Exits(targets) => {
                let target = targets[index];
                self.go(seq, target)
            }
            FanOut::Points(points) => match points[index] {
                (target, true) => self.go_on(seq, target),
                (target, false) => {
                    self.push_open(seq, target);
                    None
                }
            },
        }
    }

    /// Ends a branch that has a tail: takes its open sequences and continues at their targets.
    fn end_branch(&mut self) -> Place {
        let Frame { seq, open, dead, kind, .. } = self.frames.pop()?;
        if let FrameKind::Branch { kept, .. } = kind {
            kept.into_iter().for_each(|key| self.plan.arcs_in[key] -= 1);
        }
        let targets = self.count_taken(open);
        // The arcs taken no longer count, neither as arrived nor among those that will.
        for &target in &targets {
            let count = self.taken[target].count;
            for block in self.blocks_of(target) {
                if self.in_region(block) {
                    let key = self.plan.key(block);
                    self.arrived[key].count -= count;
                    self.plan.arcs_in[key] -= count;
                }
            }
        }
        let old_groups = self.groups.len();
        if self.max_nesting < usize::MAX {
            self.group_waiting(&targets);
        }
        // Number the continuation points; a loop is one if all its arcs are there.
        let mut points: Vec<(Block, bool)> = Vec::new();
        let mut numbers = Vec::with_capacity(targets.len());
        for &target in &targets {
            let outermost = self.outermost_group(target, old_groups);
            let key = self.plan.key(outermost);
            let complete = self.is_complete(outermost);
            let is_one = complete || self.is_group(outermost);
            let number = match self.taken[key].point {
                Some(number) if is_one => number,
                _ => {
                    points.push((outermost, complete));
                    points.len() as u32 - 1
                }
            };
            if is_one {
                self.taken[key].point = Some(number);
            }
            numbers.push((number, outermost));
        }
        let p = (points.len() > 1).then(|| self.tree.auxes.push(points.len() as u32));
        let mut assigns = Vec::with_capacity(targets.len());
        for (&target, &(number, outermost)) in targets.iter().zip(&numbers) {
            let mut list = Assigns::new();
            list.extend(p.map(|p| (p, number)));
            let mut at = target;
            while at != outermost {
                let Some(around) = self.group_of[at].expand() else { break };
                let Group { q, members } = self.groups[self.group_index(around)];
                list.push((q, u32::from(members[1] == at)));
                at = around;
            }
            if self.is_complete(target) && !self.is_group(target) {
                list.extend(self.choose_entry(target));
            }
            assigns.push(list);
        }
        self.assign_taken(open, &assigns);
        for seq in self.dead.split_off(dead) {
            self.tree.assign_at_end(seq, &assigns[0]);
        }
        for target in targets {
            let key = self.plan.key(target);
            self.taken[target] = Taken::default();
            self.taken[key] = Taken::default();
        }
        for &(point, _) in &points {
            self.taken[point] = Taken::default();
            // What is not reached here will be by one more arc.
            for block in self.blocks_of(point) {
                let key = self.plan.key(block);
                if self.in_region(block) && self.plan.arcs_in[key] > 0 {
                    self.plan.arcs_in[key] += 1;
                }
            }
        }
        let Some(p) = p else { return self.go_on(seq, points[0].0) };
        self.begin_branch(seq, Predicate::Aux(p), FanOut::Points(points))
    }

    /// Continues at a block, or at one of a group's members.
    fn go_on(&mut self, seq: Seq, target: Block) -> Place {
        if !self.is_group(target) {
            return Some((seq, target));
        }
        let Group { q, members } = self.groups[self.group_index(target)];
        for member in members {
            self.group_of[member] = None.into();
        }
        let points = members.map(|member| (member, self.is_complete(member)));
        self.begin_branch(seq, Predicate::Aux(q), FanOut::Points(points.into()))
    }

    /// Lets those among the targets wait together that are not reached here.
    fn group_waiting(&mut self, targets: &[Block]) {
        let waits = |&target: &Block| {
            let entered = self.plan.enters[target].expand();
            let has_one_entry = entered.is_none_or(|id| self.plan.loops[id].entries.len() == 1);
            let is_alone = self.group_of[target].is_none();
            self.in_region(target) && has_one_entry && is_alone && !self.is_complete(target)
        };
        let mut waiting: Vec<Block> = targets.iter().copied().filter(waits).collect();
        if waiting.len() < MIN_WAITING {
            return;
        }
        while waiting.len() > 1 {
            for pair in std::mem::take(&mut waiting).chunks(2) {
                waiting.push(match *pair {
                    [first, second] => self.group([first, second]),
                    _ => pair[0],
                });
            }
        }
    }

    fn group(&mut self, members: [Block; 2]) -> Block {
        let group = Block::from_u32((self.shape.len() + self.groups.len()) as u32);
        let q = self.tree.auxes.push(2);
        self.groups.push(Group { q, members });
        self.plan.region[group] = self.region;
        for member in members {
            self.group_of[member] = group.into();
        }
        group
    }

    fn is_group(&self, target: Block) -> bool {
        self.group_index(target) < self.groups.len()
    }

    /// The index of a group; out of range for a block.
    fn group_index(&self, target: Block) -> usize {
        (target.as_u32() as usize).wrapping_sub(self.shape.len())
    }

    /// A block, or the blocks in a group.
    fn blocks_of(&self, target: Block) -> SmallVec<[Block; 2]> {
        let (mut blocks, mut pending) = (SmallVec::new(), SmallVec::<[Block; 2]>::from_slice(&[target]));
        while let Some(target) = pending.pop() {
            match self.groups.get(self.group_index(target)) {
                Some(group) => pending.extend(group.members),
                None => blocks.push(target),
            }
        }
        blocks
    }

    /// The outermost group in which a target waits, if that is taken or composed of taken targets and is not one of the `old` ones;
    /// otherwise the target.
    fn outermost_group(&self, target: Block, old: usize) -> Block {
        let mut outermost = target;
        while let Some(around) = self.group_of[outermost].expand() {
            outermost = around;
        }
        let is_new = self.is_group(outermost) && self.group_index(outermost) >= old;
        if is_new || self.taken[outermost].count > 0 { outermost } else { target }
    }

    /// Whether all arcs of a vertex of the region, or of one in a group, are accounted for.
    fn is_complete(&self, target: Block) -> bool {
        let mut blocks = self.blocks_of(target).into_iter();
        blocks.any(|block| self.in_region(block) && self.plan.arcs_in[self.plan.key(block)] == 0)
    }

    /// The distinct targets of the sequences from place `open` of the stack on: by number, but the exit last. Sets `taken` for them.
    fn count_taken(&mut self, open: usize) -> Vec<Block> {
        let mut targets = Vec::new();
        for &Open { target, .. } in &self.open[open..] {
            if self.taken[target].count == 0 {
                targets.push(target);
            }
            self.taken[target].count += 1;
        }
        targets.sort_by_key(|&target| (target == self.shape.exit, target));
        for (index, &target) in targets.iter().enumerate() {
            self.taken[target].index = index as u32;
        }
        targets
    }

    /// Takes the sequences from position `open` of the stack on, and appends to each the assignments for its target, by the target's
    /// index.
    fn assign_taken(&mut self, open: usize, assigns: &[Assigns]) {
        for &Open { seq, target } in &self.open[open..] {
            self.tree.assign_at_end(seq, &assigns[self.taken[target].index as usize]);
        }
        self.open.truncate(open);
    }

    /// The assignment to `q` with which control enters a loop at `target`, if `target` belongs to a loop with several
    /// entries.
    fn choose_entry(&mut self, target: Block) -> Option<(Aux, u32)> {
        let id = self.plan.enters[target].expand()?;
        let entries = &self.plan.loops[id].entries;
        if entries.len() == 1 {
            return None;
        }
        let index = entries.binary_search(&target).ok()?;
        if self.entry_aux[id].is_none() {
            self.entry_aux[id] = self.tree.auxes.push(entries.len() as u32).into();
        }
        Some((self.entry_aux[id].expand()?, index as u32))
    }

    /// Ends the body of a loop: its open sequences are its repetition and exit arcs.
    fn end_loop(&mut self) -> Place {
        let frame = self.frames.pop()?;
        let FrameKind::Loop { id, tree, base } = frame.kind else {
            unreachable!("the caller has seen that it is a loop")
        };
        let seq = frame.seq;
        self.region = self.plan.loops[id].parent;
        self.base = base;
        let body = self.tree.loops[tree].body;
        let (block, repeat) = match &self.plan.loops[id].kind {
            LoopKind::General => return self.close_loop(seq, id, tree, frame.open),
            &LoopKind::TailControlled { block, repeat } => (block, repeat),
            LoopKind::Inverted { condition } => {
                let condition = condition.clone();
                self.open.truncate(frame.open);
                self.tree.loops[tree].copy = Some(self.tree.items(body).len() as u32);
                self.put_copy(body, &condition)
            }
        };
        self.tree.loops[tree].predicate = LoopPredicate::Terminator { block, repeat };
        let exit = self.shape.succs(block)[1 - repeat as usize];
        self.go(seq, exit)
    }

    /// Puts a copy of the condition of a head-controlled loop at the end of its body, and returns what controls it.
    fn put_copy(&mut self, body: Seq, condition: &[Block]) -> (Block, u32) {
        let last = condition[condition.len() - 1];
        for &block in condition {
            self.put(body, Item::Block(block));
            if block != last {
                self.put_arc(body, block, 0);
            }
        }
        let (_, repeat) = self.plan.guards[last].expect("the condition of an inverted loop guards it");
        self.put_arc(body, last, repeat);
        self.put_arc(body, last, 1 - repeat);
        (last, repeat)
    }

    /// Closes the body of a loop by auxiliary predicates and continues at its exit vertices.
    fn close_loop(&mut self, seq: Seq, id: LoopId, tree: Loop, open: usize) -> Place {
        let targets = self.count_taken(open);
        let repeats = |plan: &Plan, target: Block| plan.enters[target].expand() == Some(id);
        let exits: Vec<Block> = targets.iter().copied().filter(|&target| !repeats(&self.plan, target)).collect();
        let r = (!exits.is_empty()).then(|| self.tree.auxes.push(2));
        let exit_aux = (exits.len() > 1).then(|| self.tree.auxes.push(exits.len() as u32));
        let entry_aux = self.entry_aux[id].expand();
        let mut assigns = Vec::with_capacity(targets.len());
        let mut exit = 0;
        for &target in &targets {
            let mut list = Assigns::new();
            if repeats(&self.plan, target) {
                list.extend(self.choose_entry(target));
                list.extend(exit_aux.map(|aux| (aux, 0)));
                list.extend(r.map(|r| (r, 1)));
            } else {
                list.extend(entry_aux.map(|aux| (aux, 0)));
                list.extend(exit_aux.map(|aux| (aux, exit)));
                list.extend(r.map(|r| (r, 0)));
                exit += 1;
            }
            assigns.push(list);
        }
        self.assign_taken(open, &assigns);
        for &target in &targets {
            self.taken[target] = Taken::default();
        }
        self.tree.loops[tree].predicate = r.map_or(LoopPredicate::Always, LoopPredicate::Aux);
        match (exits.as_slice(), exit_aux) {
            (_, Some(aux)) => self.begin_branch(seq, Predicate::Aux(aux), FanOut::Exits(exits)),
            (&[exit], None) => self.go(seq, exit),
            _ => {
                self.dead.push(seq);
                None
            }
        }
    }
}
