//! A side table for debug information: what replaced described values.
//!
//! Debug information refers to instructions. When a pass redirects the users of a value to an equal one, or turns the contents of memory
//! into variables of γ and θ, it is recorded here, so that export can tell for each removed instruction what has its value now. This is a
//! side table: nothing in it is a user, has a cost, or affects a pass, and it is kept only for bodies with [`Graph::describe_values`].

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Graph, Node, Origin, OriginDef, Region, SourceId};
use crate::{Const, Op};

/// What has the value of an instruction whose own node is gone.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Described {
    /// An origin that is live.
    Origin(Origin),
    /// What another instruction gave, that is gone as well.
    Source(SourceId),
    /// A constant without symbols, which stays known when its node goes.
    Constant(Const),
}

/// Memory of the original: an offset in bytes from the address of a load or store, or from the start of an allocation.
pub type Held = (SourceId, u64);

/// The notes of one graph.
#[derive(Clone, Default)]
pub(super) struct Descriptions {
    enabled: bool,
    /// Origins whose users were redirected to something with the same value: another origin, or a constant.
    replaced: FxHashMap<Origin, Described>,
    /// Instructions whose nodes were forgotten.
    values: FxHashMap<SourceId, Described>,
    /// Origins that are the contents of memory at their position, and that memory.
    contents: FxHashMap<Origin, SmallVec<[Held; 1]>>,
    /// The jumps with which regions ended whose operations are executed in any case now.
    flattened: Vec<SourceId>,
    /// Branches of which it is known where they go, whose nodes were forgotten.
    decided: Vec<SourceId>,
    /// Nodes that are copies of others in the same graph.
    copies: FxHashSet<Node>,
}

/// How many replacements of replacements are followed.
const MAX_STEPS: usize = 1000;

impl Graph {
    /// Starts recording replacements of values.
    pub fn describe_values(&mut self) {
        self.history.descriptions.enabled = true;
    }

    /// Whether it is noted what becomes of values.
    pub fn describes_values(&self) -> bool {
        self.history.descriptions.enabled
    }

    /// Records that an output of a γ, or an argument of a θ, is the contents of memory after that γ, or when the θ's body begins; or that
    /// an allocation replaces other memory.
    pub fn note_content(&mut self, origin: Origin, held: Option<Held>) {
        let descriptions = &mut self.history.descriptions;
        if let Some(held) = held.filter(|_| descriptions.enabled) {
            let known = descriptions.contents.entry(origin).or_default();
            if !known.contains(&held) {
                known.push(held);
            }
        }
    }

    /// The memory of the original that an allocation is for, from a byte of it on.
    pub fn original_memory(&self, alloca: Node, offset: u64) -> Option<Held> {
        let known = self.history.descriptions.contents.get(&self.output(alloca, 0));
        let (source, start) = known.and_then(|known| known.first().copied()).or(Some((self.source(alloca)?, 0)))?;
        Some((source, start + offset))
    }

    /// Says that the operations of a γ's region are executed whether the region is chosen or not.
    pub fn note_flattened(&mut self, region: Region) {
        if let Some(end) = self.end_source(region).filter(|_| self.describes_values()) {
            self.history.descriptions.flattened.push(end);
        }
    }

    /// The jumps with which regions ended whose operations are executed in any case now.
    pub fn flattened(&self) -> &[SourceId] {
        &self.history.descriptions.flattened
    }

    /// The branches of which it is known where they go, in order.
    pub fn decided(&self) -> Vec<SourceId> {
        let Descriptions { replaced, values, decided, .. } = &self.history.descriptions;
        let present = replaced.iter().filter_map(|(&from, &now)| Some((self.own_source(from)?, now)));
        let forgotten = values.iter().map(|(&source, &now)| (source, now));
        let is_known = |&(_, now): &(SourceId, Described)| {
            let Described::Origin(last) = self.last_replacement(now) else { return false };
            let known = self.producer(last).and_then(|node| self.op(node));
            matches!(known, Some(Op::CtlConst { .. }))
        };
        let known = present.chain(forgotten).filter(is_known).map(|(branch, _)| branch);
        let mut all: Vec<SourceId> = decided.iter().copied().chain(known).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The origins that are what memory of the original holds, in order.
    pub fn contents(&self) -> Vec<(Origin, Held)> {
        let contents = self.history.descriptions.contents.iter();
        let mut contents: Vec<_> =
            contents.flat_map(|(&origin, accesses)| accesses.iter().map(move |&access| (origin, access))).collect();
        contents.retain(|&(origin, _)| self.is_live_origin(origin));
        contents.sort_unstable();
        contents
    }

    /// The instructions whose value something else has now, in order, with the replacement.
    pub fn described(&self) -> Vec<(SourceId, Described)> {
        let Descriptions { replaced, values, .. } = &self.history.descriptions;
        let mut described: FxHashMap<SourceId, Described> =
            values.iter().map(|(&source, &value)| (source, self.current(value))).collect();
        for (&origin, &source) in &self.history.origins {
            if self.own_source(origin) == Some(source) && self.is_live_origin(origin) {
                described.insert(source, Described::Origin(origin));
            }
        }
        for &from in replaced.keys() {
            if let Some(source) = self.own_source(from) {
                described.insert(source, self.current(self.history.descriptions.replaced[&from]));
            }
        }
        let mut described: Vec<_> = described.into_iter().collect();
        described.retain(|&(source, value)| value != Described::Source(source));
        described.sort_unstable_by_key(|&(source, _)| source);
        described
    }

    /// The arguments of the root region that were replaced everywhere, by position, with their replacements.
    pub fn described_arguments(&self) -> Vec<(usize, Described)> {
        let replaced = &self.history.descriptions.replaced;
        let arguments = self.arguments(self.root()).iter().enumerate();
        let now = |(index, argument)| Some((index, self.current(*replaced.get(argument)?)));
        arguments
            .filter(|&(_, &argument)| !self.ty(argument).is_state())
            .filter_map(now)
            .filter(|(_, now)| !matches!(now, Described::Source(_)))
            .collect()
    }

    /// Records that `to` has the value of `from` for the instructions that used `from`, and the same contents: as an integer at least in
    /// the bits that `from` has.
    pub fn note_same(&mut self, from: Origin, to: Origin) {
        if self.describes_values() {
            self.history.descriptions.replaced.entry(from).or_insert(Described::Origin(to));
            self.copy_contents(from, to);
        }
    }

    /// Notes that an origin, which has no users, is a constant, unless it is known to be something else.
    pub fn note_constant(&mut self, from: Origin, to: Const) {
        if self.describes_values() {
            self.history.descriptions.replaced.entry(from).or_insert(Described::Constant(to));
        }
    }

    /// Notes that `to` has the value of `from`, which has no users any more.
    pub fn note_replaced(&mut self, from: Origin, to: Origin) {
        if !self.history.descriptions.enabled || self.ty(from).is_state() {
            return;
        }
        let stays = match (self.def(from), self.def(to)) {
            // A value computed from it has its position; any other value may be older than the contents of memory there.
            (OriginDef::Output(old, _), OriginDef::Output(new, _)) => {
                old == new || old < new && (self.op(old).is_some() || matches!(self.op(new), Some(Op::Select(_))))
            }
            (OriginDef::Argument(old, _), OriginDef::Argument(new, _)) => old == new,
            (OriginDef::Output(..), OriginDef::Argument(..)) | (OriginDef::Argument(..), OriginDef::Output(..)) => {
                false
            }
        };
        let descriptions = &mut self.history.descriptions;
        descriptions.replaced.entry(from).or_insert(Described::Origin(to));
        if let Some(accesses) = descriptions.contents.remove(&from).filter(|_| stays) {
            let known = descriptions.contents.entry(to).or_default();
            for access in accesses {
                if !known.contains(&access) {
                    known.push(access);
                }
            }
        }
    }

    /// Notes that a node is a copy of one in the same graph.
    pub(super) fn note_copy(&mut self, node: Node, copy: Node) {
        if !self.history.descriptions.enabled {
            return;
        }
        self.history.descriptions.copies.insert(copy);
        for index in 0..self.outputs(node).len() {
            self.copy_contents(self.output(node, index), self.output(copy, index));
        }
    }

    /// Notes that an origin holds what the one that it is a copy of holds.
    pub(super) fn copy_contents(&mut self, origin: Origin, copy: Origin) {
        let descriptions = &mut self.history.descriptions;
        if let Some(accesses) = descriptions.contents.get(&origin).cloned() {
            descriptions.contents.insert(copy, accesses);
        }
    }

    /// Copies the notes of another graph, with origins and sources mapped.
    pub(super) fn copy_descriptions(
        &mut self,
        other: &Graph,
        origin: impl Fn(Origin) -> Option<Origin>,
        source: impl Fn(SourceId) -> Option<SourceId>,
    ) {
        if !self.history.descriptions.enabled {
            return;
        }
        for (from, value) in other.described() {
            let value = match other.behind_arguments(value) {
                Described::Origin(value) => origin(value).map(Described::Origin),
                Described::Source(value) => source(value).map(Described::Source),
                constant @ Described::Constant(_) => Some(constant),
            };
            if let (Some(from), Some(value)) = (source(from), value) {
                self.history.descriptions.values.insert(from, value);
            }
        }
        for (from, (access, offset)) in other.contents() {
            if let Some(to) = origin(from) {
                self.note_content(to, source(access).map(|access| (access, offset)));
            }
        }
        let Descriptions { flattened, decided, .. } = &mut self.history.descriptions;
        flattened.extend(other.flattened().iter().filter_map(|&end| source(end)));
        decided.extend(other.decided().into_iter().filter_map(source));
    }

    /// Notes that a node is a copy if what it was copied from in another graph is one.
    pub(super) fn inherit_copy(&mut self, other: &Graph, node: Node, copy: Node) {
        if other.history.descriptions.copies.contains(&node) {
            self.history.descriptions.copies.insert(copy);
        }
    }

    /// The notes with other numbers.
    pub(super) fn renumbered_descriptions(
        &self,
        nodes: impl Fn(Node) -> Option<Node>,
        origins: impl Fn(Origin) -> Option<Origin>,
    ) -> Descriptions {
        let Descriptions { enabled, replaced, values: _, contents, flattened, decided: _, copies } =
            &self.history.descriptions;
        if !enabled {
            return Descriptions::default();
        }
        let renumbered = |value: Described| match value {
            Described::Origin(origin) => origins(origin).map(Described::Origin),
            Described::Source(_) | Described::Constant(_) => Some(value),
        };
        let values = self.described().into_iter().filter_map(|(source, value)| Some((source, renumbered(value)?)));
        // An origin that is kept may be replaced by what replaced it before.
        let replaced = replaced.iter().filter_map(|(&from, &to)| match self.current(to) {
            Described::Source(_) => None,
            to => Some((origins(from)?, renumbered(to)?)),
        });
        let contents = contents.iter().filter_map(|(&origin, accesses)| Some((origins(origin)?, accesses.clone())));
        Descriptions {
            enabled: true,
            replaced: replaced.collect(),
            values: values.collect(),
            contents: contents.collect(),
            flattened: flattened.clone(),
            decided: self.decided(),
            copies: copies.iter().filter_map(|&node| nodes(node)).collect(),
        }
    }

    /// What has the value now of what had it once.
    fn current(&self, value: Described) -> Described {
        match self.last_replacement(value) {
            Described::Origin(origin) if !self.is_live_origin(origin) => self.lost(origin),
            value => value,
        }
    }

    /// What replaced a value, and was not replaced itself; or is live.
    fn last_replacement(&self, mut value: Described) -> Described {
        for _ in 0..MAX_STEPS {
            let Described::Origin(origin) = value else { break };
            let next = self.history.descriptions.replaced.get(&origin).filter(|_| !self.is_live_origin(origin));
            let Some(&next) = next else { break };
            value = next;
        }
        value
    }

    /// The same where an argument that was replaced everywhere does not stand for what was passed to the original: calls may pass
    /// something else now.
    fn behind_arguments(&self, mut value: Described) -> Described {
        for _ in 0..MAX_STEPS {
            let Described::Origin(origin) = value else { break };
            let Some(&next) = self.history.descriptions.replaced.get(&origin) else { break };
            value = self.current(next);
        }
        value
    }

    /// What an origin was that is gone without a replacement.
    fn lost(&self, origin: Origin) -> Described {
        if let OriginDef::Output(node, _) = self.def(origin)
            && let Some(Op::Const(constant)) = self.op(node)
            && self.inputs(node).is_empty()
        {
            return Described::Constant(constant);
        }
        self.own_source(origin).map_or(Described::Origin(origin), Described::Source)
    }

    /// Whether an origin is the output of a live node, or the argument of a region that is there.
    pub fn is_live_origin(&self, origin: Origin) -> bool {
        match self.def(origin) {
            OriginDef::Output(node, at) => self.is_live(node) && self.outputs(node).get(at as usize) == Some(&origin),
            OriginDef::Argument(region, at) => {
                let exists =
                    |region| region == self.root() || self.parent(region).is_some_and(|node| self.is_live(node));
                self.regions.is_valid(region)
                    && exists(region)
                    && self.arguments(region).get(at as usize) == Some(&origin)
            }
        }
    }

    /// The instruction whose value an origin was, unless it is a copy.
    fn own_source(&self, origin: Origin) -> Option<SourceId> {
        let copies = &self.history.descriptions.copies;
        match self.def(origin) {
            OriginDef::Output(node, at) => {
                let source = self.origin_source(origin).or_else(|| self.source(node).filter(|_| at == 0));
                source.filter(|_| !copies.contains(&node))
            }
            OriginDef::Argument(region, _) => {
                let is_copy =
                    self.regions.is_valid(region) && self.parent(region).is_some_and(|node| copies.contains(&node));
                self.origin_source(origin).filter(|_| !is_copy)
            }
        }
    }
}
