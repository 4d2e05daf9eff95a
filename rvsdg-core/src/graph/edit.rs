//! The primitive edits. Nothing else writes the arenas, so user lists and positions are right by construction.

use std::sync::Arc;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityList, ListPool, PrimaryMap};
use smallvec::SmallVec;

use super::ids::{Ids, Lists};
use super::records::{NodeData, OriginData, Place, RegionData, UserData};
use super::{Epoch, Graph, Motion, Node, NodeKind, Origin, OriginDef, Region, Seen, SourceId, Use, User};
use crate::hints::LoopHints;
use crate::sources::Extent;
use crate::{Op, Pool, Type};

impl Graph {
    /// A graph with an empty root region.
    pub fn new(pool: Arc<Pool>) -> Self {
        let mut regions = PrimaryMap::new();
        let root = regions.push(RegionData::default());
        Graph {
            pool,
            root,
            nodes: PrimaryMap::new(),
            regions,
            origins: PrimaryMap::new(),
            users: PrimaryMap::new(),
            user_lists: Lists::new(0),
            origin_lists: Lists::new(0),
            subregions: ListPool::new(),
            history: Box::default(),
            live_nodes: 0,
            seen: Seen::default(),
            epoch: Epoch::default(),
        }
    }

    /// Adds a simple node at the end of `region`: `inputs` are values then states, `outputs` the types of values then
    /// states.
    pub fn add_simple(&mut self, region: Region, op: Op, inputs: &[Origin], outputs: &[Type]) -> Node {
        self.add_node(region, NodeKind::Simple(op), inputs, outputs)
    }

    /// Adds a node at the end of `region`.
    pub fn add_node(&mut self, region: Region, kind: NodeKind, inputs: &[Origin], outputs: &[Type]) -> Node {
        let node = self.nodes.push(NodeData {
            kind,
            region: None.into(),
            inputs: Ids::default(),
            outputs: Ids::default(),
            subregions: EntityList::new(),
            previous: None.into(),
            next: None.into(),
            source: None.into(),
            edited: self.epoch,
        });
        self.live_nodes += 1;
        self.seen.add(kind);
        self.link_node(node, region);
        for &origin in inputs {
            self.add_input(node, origin);
        }
        for &ty in outputs {
            self.add_output(node, ty);
        }
        node
    }

    /// Adds an input to a node.
    pub fn add_input(&mut self, node: Node, origin: Origin) -> User {
        let index = self.inputs(node).len() as u32;
        let user = self.new_user(Use::Input(node, index));
        self.user_lists.push(&mut self.nodes[node].inputs, user);
        self.divert(user, origin);
        user
    }

    /// Adds an output to a node.
    pub fn add_output(&mut self, node: Node, ty: Type) -> Origin {
        let index = self.outputs(node).len() as u32;
        let origin = self.new_origin(ty, OriginDef::Output(node, index));
        self.origin_lists.push(&mut self.nodes[node].outputs, origin);
        self.note_edit(node);
        origin
    }

    /// Adds an empty subregion to a structural node.
    pub fn add_region(&mut self, node: Node) -> Region {
        let index = self.subregions(node).len() as u32;
        let region = self.regions.push(RegionData { parent: node.into(), index, ..RegionData::default() });
        self.nodes[node].subregions.push(region, &mut self.subregions);
        self.note_edit(node);
        region
    }

    /// Adds an argument to a region.
    pub fn add_argument(&mut self, region: Region, ty: Type) -> Origin {
        let index = self.arguments(region).len() as u32;
        let origin = self.new_origin(ty, OriginDef::Argument(region, index));
        self.origin_lists.push(&mut self.regions[region].arguments, origin);
        self.note_edit_around(region);
        origin
    }

    /// Adds an argument to a region before the one at `index`, or after the last.
    pub fn insert_argument(&mut self, region: Region, index: usize, ty: Type) -> Origin {
        let origin = self.new_origin(ty, OriginDef::Argument(region, index as u32));
        let later = self.arguments(region)[index..].to_vec();
        self.origin_lists.push(&mut self.regions[region].arguments, origin);
        let all = [&self.arguments(region)[..index], &[origin], &later].concat();
        self.origin_lists.set(&mut self.regions[region].arguments, &all);
        for (argument, place) in later.into_iter().zip(index as u32 + 1..) {
            self.origins[argument].place = OriginDef::Argument(region, place).into();
        }
        self.note_edit_around(region);
        origin
    }

    /// Adds a result to a region.
    pub fn add_result(&mut self, region: Region, origin: Origin) -> User {
        let user = self.add_open_result(region);
        self.divert(user, origin);
        user
    }

    /// Adds a result that has no origin yet; the graph is incomplete until [`Graph::divert`] gives it one.
    pub fn add_open_result(&mut self, region: Region) -> User {
        let index = self.results(region).len() as u32;
        let user = self.new_user(Use::Result(region, index));
        self.user_lists.push(&mut self.regions[region].results, user);
        user
    }

    /// Makes `origin` the origin of `user`.
    pub fn divert(&mut self, user: User, origin: Origin) {
        if self.users[user].origin.expand() == Some(origin) {
            return;
        }
        self.unlink_user(user);
        let next = self.origins[origin].first_user;
        let data = &mut self.users[user];
        data.origin = origin.into();
        data.previous = None.into();
        data.next = next;
        if let Some(next) = next.expand() {
            self.users[next].previous = user.into();
        }
        self.origins[origin].first_user = user.into();
        match self.site(user) {
            Use::Input(node, _) => self.note_edit(node),
            Use::Result(region, _) => self.note_edit_around(region),
        }
    }

    /// Makes `to`, which has the value of `from`, the origin of all users of that. Nothing when they are the same.
    pub fn divert_users(&mut self, from: Origin, to: Origin) {
        if from == to {
            return;
        }
        while let Some(user) = self.origins[from].first_user.expand() {
            self.divert(user, to);
        }
        self.note_replaced(from, to);
    }

    /// Changes what a simple node computes; its signature stays.
    pub fn set_op(&mut self, node: Node, op: Op) {
        debug_assert!(matches!(self.nodes[node].kind, NodeKind::Simple(_)), "only a simple node has an operation");
        self.nodes[node].kind = NodeKind::Simple(op);
        self.seen.add(self.nodes[node].kind);
        self.note_edit(node);
    }

    /// Says which instruction a node came from.
    pub fn set_source(&mut self, node: Node, source: Option<SourceId>) {
        self.nodes[node].source = source.into();
    }

    /// Says that the instructions with these numbers, which are greater than all before, are inlined at a call.
    pub fn add_inlined(&mut self, extent: Extent, call: SourceId) {
        self.history.inlined.push((extent, call));
    }

    /// Records that a node was moved; earlier motions still hold. A speculated load or store loses its type-based tag, which holds only
    /// where the instruction is executed.
    pub fn set_moved(&mut self, node: Node, motion: Motion) {
        if motion == Motion::Speculated
            && let NodeKind::Simple(Op::Load(access) | Op::Store(access)) = &mut self.nodes[node].kind
        {
            access.tag = None;
            self.note_edit(node);
        }
        let known = self.history.motions.entry(node).or_insert(motion);
        *known = motion.max(*known);
    }

    /// Records that a node was speculated where one of it and the others was executed in any case, which all do the same: a type-based tag
    /// that they share still holds.
    pub fn set_moved_with(&mut self, node: Node, others: &[Node]) {
        let tag = |graph: &Graph, node: Node| match graph.nodes[node].kind {
            NodeKind::Simple(Op::Load(access) | Op::Store(access)) => access.tag,
            _ => None,
        };
        let shared = tag(self, node).filter(|&own| others.iter().all(|&other| tag(self, other) == Some(own)));
        self.set_moved(node, Motion::Speculated);
        if let NodeKind::Simple(Op::Load(access) | Op::Store(access)) = &mut self.nodes[node].kind {
            access.tag = shared;
        }
    }

    /// See [`Graph::loop_hints`].
    pub fn set_loop_hints(&mut self, theta: Node, hints: LoopHints) {
        debug_assert_eq!(self.nodes[theta].kind, NodeKind::Theta, "hints are about loops");
        if hints.is_empty() {
            self.history.hints.remove(&theta);
        } else {
            self.history.hints.insert(theta, hints);
        }
    }

    /// See [`Graph::end_source`].
    pub fn set_end_source(&mut self, region: Region, source: Option<SourceId>) {
        self.regions[region].end_source = source.into();
    }

    /// See [`Graph::origin_source`].
    pub fn set_origin_source(&mut self, origin: Origin, source: Option<SourceId>) {
        match source {
            Some(source) => self.history.origins.insert(origin, source),
            None if self.history.origins.is_empty() => None,
            None => self.history.origins.remove(&origin),
        };
    }

    /// Diverts all users of `from`'s outputs to those of `to` at the same positions, and records that the promises of `from`'s source now
    /// concern `to`. `from` stays, without users.
    pub fn merge_into(&mut self, from: Node, to: Node) {
        debug_assert!(self.outputs(from).len() == self.outputs(to).len(), "congruent nodes match in outputs");
        for index in 0..self.outputs(from).len() {
            self.divert_users(self.output(from, index), self.output(to, index));
        }
        self.note_merge(from, to);
    }

    /// Records that the promises of `from`'s source about its value now concern that of `to`.
    pub fn note_merge(&mut self, from: Node, to: Node) {
        if !matches!(self.nodes[from].kind, NodeKind::Simple(Op::Load(access)) if access.nonnull) {
            self.forget_nonnull(to);
        }
        if let Some(source) = self.nodes[from].source.expand() {
            self.history.merges.push((to, source));
        }
        self.history.merged.push((from, to));
    }

    /// Records that a load may return any contents of memory: its source promises nothing about that any more.
    pub fn forget_promises(&mut self, load: Node) {
        self.set_source(load, None);
        self.forget_nonnull(load);
    }

    fn forget_nonnull(&mut self, node: Node) {
        if let NodeKind::Simple(Op::Load(access)) = &mut self.nodes[node].kind {
            access.nonnull = false;
            self.note_edit(node);
        }
    }

    /// Records that the promises of `source` about its value now concern that of `node`.
    pub(super) fn add_merge(&mut self, node: Node, source: SourceId) {
        self.history.merges.push((node, source));
    }

    /// Removes a node and everything in it.
    ///
    /// # Panics
    /// In debug builds, when one of its outputs has a user.
    pub fn remove(&mut self, node: Node) {
        debug_assert!(
            self.outputs(node).iter().all(|&output| !self.has_users(output)),
            "{node} is removed while it has users"
        );
        for index in 0..self.inputs(node).len() {
            self.unlink_user(self.inputs(node)[index]);
        }
        self.unlink_node(node);
        self.live_nodes -= 1;
        let mut regions: Vec<Region> = self.subregions(node).to_vec();
        while let Some(region) = regions.pop() {
            let mut next = self.regions[region].first.expand();
            while let Some(inner) = next {
                next = self.nodes[inner].next.expand();
                regions.extend_from_slice(self.nodes[inner].subregions.as_slice(&self.subregions));
                self.nodes[inner].region = None.into();
                self.live_nodes -= 1;
            }
        }
    }

    /// Moves a node to the end of another region of this graph. Its edges are not checked.
    pub fn move_to(&mut self, node: Node, region: Region) {
        self.unlink_node(node);
        self.link_node(node, region);
    }

    /// Moves all nodes of a region to the end of another one, whose arguments, of the same types, take over the uses of its arguments. Its
    /// results stay, with the values that they had.
    pub fn move_contents(&mut self, from: Region, to: Region) {
        for index in 0..self.arguments(from).len() {
            let [old, new] = [from, to].map(|region| self.arguments(region)[index]);
            self.set_origin_source(new, self.origin_source(old));
            self.divert_users(old, new);
        }
        let mut next = self.regions[from].first.expand();
        while let Some(node) = next {
            next = self.next(node);
            self.move_to(node, to);
        }
        self.set_end_source(to, self.end_source(from));
    }

    /// Moves a node to the start of its region; producers of its operands may be moved before it later.
    pub fn move_to_front(&mut self, node: Node) {
        let region = self.region_of(node);
        let first = self.regions[region].first.expect("a region with a node has a first node");
        if first == node {
            return;
        }
        self.unlink_node(node);
        self.regions[region].first = node.into();
        self.nodes[first].previous = node.into();
        let epoch = self.epoch;
        let data = &mut self.nodes[node];
        data.edited = epoch;
        data.region = region.into();
        data.next = first.into();
        data.previous = None.into();
    }

    /// Moves a node to the place before `next`, in the region of that.
    pub fn move_before(&mut self, node: Node, next: Node) {
        if node == next {
            return;
        }
        self.unlink_node(node);
        let region = self.region_of(next);
        let previous = self.nodes[next].previous;
        match previous.expand() {
            Some(previous) => self.nodes[previous].next = node.into(),
            None => self.regions[region].first = node.into(),
        }
        self.nodes[next].previous = node.into();
        let epoch = self.epoch;
        let data = &mut self.nodes[node];
        data.edited = epoch;
        data.region = region.into();
        data.previous = previous;
        data.next = next.into();
    }

    /// Moves a node directly after `previous`, in its region.
    pub fn move_after(&mut self, node: Node, previous: Node) {
        match self.nodes[previous].next.expand() {
            Some(next) => self.move_before(node, next),
            None => self.move_to(node, self.region_of(previous)),
        }
    }

    /// Keeps the inputs of a node whose position `keep` accepts.
    pub fn retain_inputs(&mut self, node: Node, keep: impl FnMut(usize) -> bool) {
        let kept = self.retain_users(self.inputs(node).into(), keep, |index| Use::Input(node, index));
        self.user_lists.set(&mut self.nodes[node].inputs, &kept);
        self.note_edit(node);
    }

    /// Keeps the results of a region whose position `keep` accepts.
    pub fn retain_results(&mut self, region: Region, keep: impl FnMut(usize) -> bool) {
        let kept = self.retain_users(self.results(region).into(), keep, |index| Use::Result(region, index));
        self.user_lists.set(&mut self.regions[region].results, &kept);
        self.note_edit_around(region);
    }

    /// Keeps the outputs of a node whose position `keep` accepts; the others have no users.
    pub fn retain_outputs(&mut self, node: Node, keep: impl FnMut(usize) -> bool) {
        let kept = self.retain_origins(self.outputs(node).into(), keep, |index| OriginDef::Output(node, index));
        self.origin_lists.set(&mut self.nodes[node].outputs, &kept);
        self.note_edit(node);
    }

    /// Keeps the arguments of a region whose position `keep` accepts; the others have no users.
    pub fn retain_arguments(&mut self, region: Region, keep: impl FnMut(usize) -> bool) {
        let kept = self.retain_origins(self.arguments(region).into(), keep, |index| OriginDef::Argument(region, index));
        self.origin_lists.set(&mut self.regions[region].arguments, &kept);
        self.note_edit_around(region);
    }

    fn retain_users(
        &mut self,
        users: SmallVec<[User; 8]>,
        mut keep: impl FnMut(usize) -> bool,
        site: impl Fn(u32) -> Use,
    ) -> SmallVec<[User; 8]> {
        let mut kept = SmallVec::new();
        for (position, user) in users.into_iter().enumerate() {
            if keep(position) {
                self.users[user].place = site(kept.len() as u32).into();
                kept.push(user);
            } else {
                self.unlink_user(user);
            }
        }
        kept
    }

    fn retain_origins(
        &mut self,
        origins: SmallVec<[Origin; 8]>,
        mut keep: impl FnMut(usize) -> bool,
        def: impl Fn(u32) -> OriginDef,
    ) -> SmallVec<[Origin; 8]> {
        let mut kept = SmallVec::new();
        for (position, origin) in origins.into_iter().enumerate() {
            if keep(position) {
                self.origins[origin].place = def(kept.len() as u32).into();
                kept.push(origin);
            } else {
                debug_assert!(!self.has_users(origin), "{origin} is removed while it has users");
                self.origins[origin].place = Place::nowhere();
            }
        }
        kept
    }

    fn new_user(&mut self, site: Use) -> User {
        self.users.push(UserData { origin: None.into(), place: site.into(), previous: None.into(), next: None.into() })
    }

    fn new_origin(&mut self, ty: Type, def: OriginDef) -> Origin {
        self.origins.push(OriginData { ty, place: def.into(), first_user: None.into() })
    }

    fn unlink_user(&mut self, user: User) {
        let UserData { origin, previous, next, .. } = self.users[user];
        let Some(origin) = origin.expand() else { return };
        match previous.expand() {
            Some(previous) => self.users[previous].next = next,
            None => self.origins[origin].first_user = next,
        }
        if let Some(next) = next.expand() {
            self.users[next].previous = previous;
        }
        self.users[user].origin = None.into();
        match self.def(origin) {
            OriginDef::Output(node, _) => self.note_edit(node),
            OriginDef::Argument(region, _) => self.note_edit_around(region),
        }
    }

    fn note_edit(&mut self, node: Node) {
        self.nodes[node].edited = self.epoch;
    }

    fn note_edit_around(&mut self, region: Region) {
        if let Some(node) = self.parent(region) {
            self.note_edit(node);
        }
    }

    fn link_node(&mut self, node: Node, region: Region) {
        let last = self.regions[region].last;
        let epoch = self.epoch;
        let data = &mut self.nodes[node];
        data.edited = epoch;
        data.region = region.into();
        data.previous = last;
        data.next = None.into();
        match last.expand() {
            Some(last) => self.nodes[last].next = node.into(),
            None => self.regions[region].first = node.into(),
        }
        self.regions[region].last = node.into();
    }

    fn unlink_node(&mut self, node: Node) {
        let (region, previous, next) = {
            let data = &self.nodes[node];
            (data.region.expect("a live node is in a region"), data.previous, data.next)
        };
        match previous.expand() {
            Some(previous) => self.nodes[previous].next = next,
            None => self.regions[region].first = next,
        }
        match next.expand() {
            Some(next) => self.nodes[next].previous = previous,
            None => self.regions[region].last = previous,
        }
        self.nodes[node].region = PackedOption::default();
    }
}
