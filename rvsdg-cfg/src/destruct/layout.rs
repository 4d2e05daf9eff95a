//! Which blocks of the recovered flow become one block, and which arcs one arc.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use rvsdg_core::{Graph, SourceId};

use super::names::{Name, Names};
use super::skeleton::{EXIT, Term};
use super::ssa::Ssa;

/// Blocks in their final order and the fate of each arc.
pub(super) struct Layout {
    /// The blocks in order; each run of blocks that are executed one after the other is one block.
    order: Vec<u32>,
    heads: Vec<u32>,
    /// Live φs, by block and variable, and where those of each block begin.
    phis: Vec<u32>,
    phi_starts: Vec<u32>,
    /// By arc: its place among the arcs into its target.
    places: Vec<u32>,
    /// By arc: the arc that leads to the same target with the same arguments and takes its place, from the same block or
    /// over the same block in between.
    like: Vec<u32>,
    /// By arc: whether it needs a block in between, since another arc joins the same blocks with other arguments.
    split: Vec<bool>,
    /// By block: whether all its arcs are alike.
    single: Vec<bool>,
    /// By block: the only arc of a block that is passed, because all it does is to join values for where the arc leads.
    passed: Vec<Option<u32>>,
}

impl Layout {
    pub(super) fn new(ssa: &Ssa<'_>, graph: &Graph, roots: &[Name]) -> Layout {
        let blocks = ssa.skeleton.blocks.len();
        let mut layout = Layout {
            order: vec![],
            heads: vec![],
            phis: vec![],
            phi_starts: vec![],
            places: vec![0; ssa.skeleton.arcs.len()],
            like: (0..ssa.skeleton.arcs.len() as u32).collect(),
            split: vec![false; ssa.skeleton.arcs.len()],
            single: vec![false; blocks],
            passed: vec![None; blocks],
        };
        layout.collect_phis(ssa);
        for &block in &ssa.flow.blocks {
            for (place, &arc) in ssa.arcs_in(block).iter().enumerate() {
                layout.places[arc as usize] = place as u32;
            }
        }
        layout.pass_preheaders(ssa, roots);
        let entered = layout.compare_arcs(ssa, graph);
        layout.chain(ssa, &entered);
        layout.sort(ssa, graph);
        layout
    }

    /// The blocks that become one block, in order, for each block in order.
    pub(super) fn chains(&self) -> impl Iterator<Item = &[u32]> {
        self.heads.windows(2).map(|ends| &self.order[ends[0] as usize..ends[1] as usize])
    }

    /// The φs that a block keeps.
    pub(super) fn phis(&self, block: u32) -> &[u32] {
        let block = block as usize;
        &self.phis[self.phi_starts[block] as usize..self.phi_starts[block + 1] as usize]
    }

    /// Where an arc leads.
    pub(super) fn target(&self, ssa: &Ssa<'_>, arc: u32) -> u32 {
        let target = ssa.flow.arc(arc).target;
        self.passed[target as usize].map_or(target, |arc| ssa.flow.arc(arc).target)
    }

    /// What an arc assigns to a φ of its target.
    pub(super) fn argument(&self, ssa: &Ssa<'_>, arc: u32, phi: u32) -> Name {
        let passed = ssa.flow.arc(arc).target;
        let Some(beyond) = self.passed[passed as usize] else { return self.operand(ssa, arc, phi) };
        let name = self.operand(ssa, beyond, phi);
        match name.as_phi() {
            Some(joined) if ssa.phis[joined].block == passed => self.operand(ssa, arc, joined as u32),
            _ => name,
        }
    }

    /// The operand of a φ for an arc of the flow.
    fn operand(&self, ssa: &Ssa<'_>, arc: u32, phi: u32) -> Name {
        ssa.resolve(ssa.operands[(ssa.phis[phi as usize].operands.0 + self.places[arc as usize]) as usize])
    }

    pub(super) fn is_split(&self, arc: u32) -> bool {
        self.split[arc as usize]
    }

    pub(super) fn is_single(&self, block: u32) -> bool {
        self.single[block as usize]
    }

    /// The arc that takes an arc's place; maybe itself.
    pub(super) fn like(&self, arc: u32) -> u32 {
        // Arcs equal to the first arc of a block are represented by it.
        self.like[self.like[arc as usize] as usize]
    }

    fn collect_phis(&mut self, ssa: &Ssa<'_>) {
        let is_needed = |phi: u32| {
            let data = &ssa.phis[phi as usize];
            data.live && data.value == Name::phi(phi as usize)
        };
        self.phis = (0..ssa.phis.len() as u32).filter(|&phi| is_needed(phi)).collect();
        self.phis.sort_unstable_by_key(|&phi| (ssa.phis[phi as usize].block, ssa.phis[phi as usize].variable));
        self.phi_starts = vec![0; ssa.skeleton.blocks.len() + 1];
        for &phi in &self.phis {
            self.phi_starts[ssa.phis[phi as usize].block as usize + 1] += 1;
        }
        for index in 1..self.phi_starts.len() {
            self.phi_starts[index] += self.phi_starts[index - 1];
        }
    }

    /// Finds blocks before loops that have no jump of their own, and whose φs nothing but the loop's φs use.
    fn pass_preheaders(&mut self, ssa: &Ssa<'_>, roots: &[Name]) {
        if ssa.flow.preheaders.is_empty() {
            return;
        }
        let mut uses = vec![0u32; ssa.phis.len()];
        let operands = ssa.phis.iter().filter(|phi| phi.live).flat_map(|phi| {
            let (start, end) = phi.operands;
            &ssa.operands[start as usize..end as usize]
        });
        for phi in operands.chain(roots).filter_map(|&name| ssa.resolve(name).as_phi()) {
            uses[phi] += 1;
        }
        for &block in &ssa.flow.preheaders {
            // It was a block of the original.
            if ssa.skeleton.blocks[block as usize].source.is_some() {
                continue;
            }
            let Some(arc) = ssa.skeleton.arc_numbers(block).next().filter(|_| !ssa.arcs_in(block).is_empty()) else {
                continue;
            };
            for &phi in self.phis(ssa.flow.arc(arc).target) {
                if let Some(operand) = self.operand(ssa, arc, phi).as_phi() {
                    uses[operand] -= 1;
                }
            }
            if self.phis(block).iter().all(|&phi| uses[phi as usize] == 0) {
                self.passed[block as usize] = Some(arc);
            }
        }
    }

    /// Finds arcs that are alike; returns how many blocks lead to each block.
    fn compare_arcs(&mut self, ssa: &Ssa<'_>, graph: &Graph) -> Vec<u32> {
        let mut entered = vec![0u32; ssa.skeleton.blocks.len()];
        // The block whose arc was last seen to lead to a block, and the first such arc.
        let mut first = vec![(u32::MAX, 0); ssa.skeleton.blocks.len()];
        let mut conflicts = vec![];
        for &block in ssa.flow.blocks.iter().filter(|&&block| self.passed[block as usize].is_none()) {
            let mut ways = 0;
            let keeps_arcs = ssa.skeleton.keeps_arcs(graph, block);
            for arc in ssa.skeleton.arc_numbers(block) {
                let target = self.target(ssa, arc);
                let seen = &mut first[target as usize];
                if seen.0 != block {
                    *seen = (block, arc);
                    entered[target as usize] += 1;
                    ways += 1;
                } else if keeps_arcs {
                    self.split[arc as usize] = true;
                } else if self.arguments(ssa, arc, target).eq(self.arguments(ssa, seen.1, target)) {
                    self.like[arc as usize] = seen.1;
                } else {
                    ways += 1;
                    conflicts.push((seen.1, arc));
                }
            }
            self.single[block as usize] = ways <= 1 && !ssa.skeleton.has_effect(graph, block);
        }
        conflicts.sort_unstable();
        self.split_arcs(ssa, &conflicts);
        entered
    }

    /// Puts blocks on arcs, so that no two arcs join the same blocks with different arguments. `conflicts` are an arc and a
    /// later one that does, sorted.
    fn split_arcs(&mut self, ssa: &Ssa<'_>, conflicts: &[(u32, u32)]) {
        // One block serves all arcs that must agree: values on which its predecessors agree are available there. The more conflicts there
        // are about a value, the more useful is a block for it.
        let mut groups: FxHashMap<(u32, Vec<Name>), usize> = FxHashMap::default();
        let mut counts: Vec<(u32, Option<u32>)> = vec![];
        let mut group_of = |layout: &Layout, arc: u32, counts: &mut Vec<(u32, Option<u32>)>| {
            let target = layout.target(ssa, arc);
            let key = (target, layout.arguments(ssa, arc, target).collect());
            let group = *groups.entry(key).or_insert(counts.len());
            if group == counts.len() {
                counts.push((0, None));
            }
            counts[group].0 += 1;
            group
        };
        let grouped: Vec<_> = conflicts
            .chunk_by(|one, other| one.0 == other.0)
            .map(|chunk| {
                let arcs = [chunk[0].0].into_iter().chain(chunk.iter().map(|&(_, later)| later));
                arcs.map(|arc| (arc, group_of(self, arc, &mut counts))).collect::<Vec<_>>()
            })
            .collect();
        for arcs in grouped {
            let direct = arcs.iter().map(|&(_, group)| group).min_by_key(|&group| {
                let (count, split) = counts[group];
                (split.is_some(), count)
            });
            for &(arc, group) in arcs.iter().filter(|&&(_, group)| Some(group) != direct) {
                let like = *counts[group].1.get_or_insert(arc);
                self.like[arc as usize] = like;
                self.split[arc as usize] = like == arc;
            }
            let mut same = arcs.iter().filter(|&&(_, group)| Some(group) == direct).map(|&(arc, _)| arc);
            if let Some(first) = same.next() {
                same.for_each(|arc| self.like[arc as usize] = first);
            }
        }
    }

    fn arguments<'a>(&'a self, ssa: &'a Ssa<'_>, arc: u32, target: u32) -> impl Iterator<Item = Name> + 'a {
        self.phis(target).iter().map(move |&phi| self.argument(ssa, arc, phi))
    }

    fn chain(&mut self, ssa: &Ssa<'_>, entered: &[u32]) {
        let follower = |block: u32| {
            let arc = ssa.skeleton.arc_numbers(block).next().filter(|_| self.single[block as usize])?;
            let target = self.target(ssa, arc);
            (target != EXIT && entered[target as usize] == 1).then_some(target)
        };
        let (mut order, mut heads) = (Vec::with_capacity(ssa.flow.blocks.len()), vec![]);
        let mut follows = vec![false; ssa.skeleton.blocks.len()];
        let blocks = || ssa.flow.blocks.iter().filter(|&&block| self.passed[block as usize].is_none());
        for &block in blocks() {
            if let Some(next) = follower(block) {
                follows[next as usize] = true;
            }
        }
        for &block in blocks().filter(|&&block| block != EXIT && !follows[block as usize]) {
            heads.push(order.len() as u32);
            let mut member = Some(block);
            while let Some(block) = member {
                order.push(block);
                member = follower(block);
            }
        }
        heads.push(order.len() as u32);
        (self.order, self.heads) = (order, heads);
    }

    /// Sorts chains by the first original instruction in them, as far as each comes after one that leads to it, which keeps it after all
    /// that dominate it. A chain without original instruction follows the previous one.
    fn sort(&mut self, ssa: &Ssa<'_>, graph: &Graph) {
        let mut chain_of = vec![u32::MAX; ssa.skeleton.blocks.len()];
        let mut keys = vec![];
        let mut key = None;
        for (number, chain) in self.chains().enumerate() {
            chain_of[chain[0] as usize] = number as u32;
            key = chain.iter().find_map(|&block| first_source(ssa, graph, block)).or(key);
            keys.push(key);
        }
        let mut ready = BinaryHeap::from([Reverse((keys[0], 0))]);
        let mut seen = vec![false; keys.len()];
        seen[0] = true;
        let (mut order, mut heads) = (Vec::with_capacity(self.order.len()), Vec::with_capacity(self.heads.len()));
        while let Some(Reverse((_, number))) = ready.pop() {
            heads.push(order.len() as u32);
            let ends = &self.heads[number as usize..];
            order.extend_from_slice(&self.order[ends[0] as usize..ends[1] as usize]);
            let last = order[order.len() - 1];
            for target in ssa.skeleton.arc_numbers(last).map(|arc| self.target(ssa, arc)).filter(|&to| to != EXIT) {
                let next = chain_of[target as usize];
                if !std::mem::replace(&mut seen[next as usize], true) {
                    ready.push(Reverse((keys[next as usize], next)));
                }
            }
        }
        heads.push(order.len() as u32);
        (self.order, self.heads) = (order, heads);
    }
}

/// The first original instruction of a block, including its terminator, after its position in the body.
fn first_source(ssa: &Ssa<'_>, graph: &Graph, block: u32) -> Option<(SourceId, SourceId)> {
    let mut here = ssa.skeleton.insts(block).iter().filter(|&&node| graph.motion(node).is_none());
    let source = here.find_map(|&node| graph.source(node));
    let source = source.or_else(|| match ssa.skeleton.blocks[block as usize].term {
        Term::Match(node) => graph.source(node),
        Term::Jump => ssa.skeleton.blocks[block as usize].source.expand(),
        Term::Ctl(_) => None,
    });
    source.map(|source| (graph.place(source), source))
}

/// Reads all that is used in the blocks of the recovered flow; returns the φs that this needs.
pub(super) fn read_all(ssa: &mut Ssa<'_>, graph: &Graph, names: &Names) -> Vec<Name> {
    let (skeleton, flow) = (ssa.skeleton, ssa.flow);
    let mut roots = vec![];
    for &block in &flow.blocks {
        let mut read = |name: Name| {
            let value = ssa.read(block, name);
            if value.as_phi().is_some() {
                roots.push(value);
            }
        };
        for &node in skeleton.insts(block) {
            graph.input_origins(node).for_each(|origin| read(names.get(origin)));
        }
        match skeleton.blocks[block as usize].term {
            Term::Jump => {}
            Term::Match(node) => graph.input_origins(node).for_each(|origin| read(names.get(origin))),
            Term::Ctl(name) => read(name),
        }
    }
    ssa.fill();
    roots
}
