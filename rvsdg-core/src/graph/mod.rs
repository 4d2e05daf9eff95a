//! The arena: nodes, regions, origins and users, and how they are read.
//!
//! An [`Origin`] is a node's output or a region's argument; a [`User`] is a node's input or a region's result. An edge is
//! a user together with its origin. No edge crosses a region's border: γ and θ map their inputs to region arguments and
//! region results to their outputs. One arena holds one λ body, or the ω level of a module.
//!
//! Ids grow in creation order and are never reused, so node order is source order for a graph that was built in source
//! order. All edits are in `edit.rs`.

pub(crate) mod check;
mod compact;
mod copy;
mod described;
mod duplicate;
mod edit;
mod ids;
mod records;
mod walk;

use std::fmt;
use std::sync::Arc;

use cranelift_entity::{ListPool, PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::hints::LoopHints;
use crate::module::{Body, Symbol};
use crate::op::OpCode;
use crate::sources::Extent;
use crate::{Op, Pool, Type};

pub(crate) use check::Entity;
pub use copy::Copier;
pub use described::{Described, Held};
pub use duplicate::Duplicator;
pub use walk::{Nodes, Users, Walk, WalkItem};

use ids::Lists;
use records::{NodeData, OriginData, RegionData, UserData};

/// A node of a [`Graph`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(u32);
entity_impl!(Node, "n");

/// A region of a [`Graph`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(u32);
entity_impl!(Region, "r");

/// A node's output or a region's argument.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(u32);
entity_impl!(Origin, "v");

/// A node's input or a region's result.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct User(u32);
entity_impl!(User, "u");

/// The instruction an operation came from: an index into the importer's table, or a number for such an instruction as inlined at a call
/// ([`crate::sources`]). The graph only carries it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);
entity_impl!(SourceId, "src");

/// A point in the life of a graph, to ask later what was edited since: [`Graph::next_epoch`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Epoch(u32);

/// How an operation came to be executed elsewhere than the instruction it came from. Later ones count more.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Motion {
    /// Later, and only in some of the cases in which it was before.
    Sunk,
    /// Earlier, when it is certain to be executed later.
    Hoisted,
    /// Executed where it was not executed before: promises of the instruction whose violation is undefined behaviour need not hold.
    Speculated,
}

/// What a node is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// A primitive operation; its inputs and outputs are the operation's.
    Simple(Op),
    /// A conditional: input 0 is a predicate that chooses one of the subregions.
    Gamma,
    /// A tail-controlled loop: result 0 of its one subregion is a `ctl(2)` that repeats it with 1.
    Theta,
    /// A function; its body is another graph. ω level only.
    Lambda(Body),
    /// An environment of mutually recursive functions and data. ω level only.
    Phi,
    /// A global variable, alias or ifunc; its inputs fill the holes of its initializer. ω level only.
    Delta(Symbol),
}

/// Where an origin is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum OriginDef {
    /// The output of a node, by position.
    Output(Node, u32),
    /// The argument of a region, by position.
    Argument(Region, u32),
}

/// Where a user is.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Use {
    /// The input of a node, by position.
    Input(Node, u32),
    /// The result of a region, by position.
    Result(Region, u32),
}

/// One λ body, or the ω level of a module: a root region and everything in it.
///
/// ```
/// use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
/// use rvsdg_core::{Graph, Pool, Type};
///
/// let mut graph = Graph::new(std::sync::Arc::new(Pool::new()));
/// let root = graph.root();
/// let x = graph.add_argument(root, Type::I32);
/// let sum = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NONE };
/// let node = graph.add_simple(root, sum, &[x, x], &[Type::I32]);
/// let result = graph.add_result(root, graph.output(node, 0));
///
/// // What uses a value follows every edit.
/// assert_eq!(graph.users_of(x).count(), 2);
/// graph.divert(result, x);
/// graph.remove(node);
/// assert_eq!(graph.users_of(x).collect::<Vec<_>>(), [result]);
/// ```
#[derive(Clone)]
pub struct Graph {
    pool: Arc<Pool>,
    root: Region,
    nodes: PrimaryMap<Node, NodeData>,
    regions: PrimaryMap<Region, RegionData>,
    origins: PrimaryMap<Origin, OriginData>,
    users: PrimaryMap<User, UserData>,
    /// The users that inputs and results are.
    user_lists: Lists<User>,
    /// The origins that outputs and arguments are.
    origin_lists: Lists<Origin>,
    /// The lists of subregions.
    subregions: ListPool<Region>,
    history: Box<History>,
    live_nodes: u32,
    seen: Seen,
    epoch: Epoch,
}

/// The kinds of nodes that are in a graph, and of some that were: one bit each. Passes that have nothing to do without one need not look.
#[derive(Copy, Clone, Default)]
struct Seen(u128);

impl Seen {
    const THETA: u128 = 1 << 127;
    const FUNCLET: u128 = 1 << 126;

    fn bit(code: OpCode) -> u128 {
        const { assert!(OpCode::ALL.len() <= 126, "θ and funclets have a bit each, too") };
        1 << code as u32
    }

    fn add(&mut self, kind: NodeKind) {
        match kind {
            NodeKind::Simple(op) => {
                self.0 |= Seen::bit(op.code());
                if matches!(op, Op::Funclet(_)) {
                    self.0 |= Seen::FUNCLET;
                }
            }
            NodeKind::Theta => self.0 |= Seen::THETA,
            NodeKind::Gamma | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {}
        }
    }
}

/// What became of sources.
#[derive(Clone, Default)]
struct History {
    /// Nodes whose value now is what a source gave, too.
    merges: Vec<(Node, SourceId)>,
    /// Nodes that were merged, each with one that it was merged into.
    merged: Vec<(Node, Node)>,
    /// Instructions that are inlined, with the call; in order of numbers.
    inlined: Vec<(Extent, SourceId)>,
    /// The instructions that γ outputs and θ arguments represent; few origins have one.
    origins: FxHashMap<Origin, SourceId>,
    /// Nodes that were moved.
    motions: FxHashMap<Node, Motion>,
    /// What is said about θ-nodes; of most, nothing.
    hints: FxHashMap<Node, LoopHints>,
    /// What became of described values.
    descriptions: described::Descriptions,
}

impl Graph {
    /// The module's interned types, constants and payloads.
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// The root region.
    pub fn root(&self) -> Region {
        self.root
    }

    /// How many nodes there are, in all regions.
    pub fn node_count(&self) -> usize {
        self.live_nodes as usize
    }

    /// Whether a node of the graph is an operation on a funclet, or was. The blocks of a funclet are its own, so such a graph
    /// cannot be rearranged at will.
    pub fn has_funclets(&self) -> bool {
        self.seen.0 & Seen::FUNCLET != 0
    }

    /// Whether a node of the graph may have this operation: false only if none has.
    pub fn may_have(&self, code: OpCode) -> bool {
        self.seen.0 & Seen::bit(code) != 0
    }

    /// Whether the graph may have a θ: false only if it has none.
    pub fn may_have_loops(&self) -> bool {
        self.seen.0 & Seen::THETA != 0
    }

    /// Begins a new epoch.
    pub fn next_epoch(&mut self) -> Epoch {
        self.epoch.0 += 1;
        self.epoch
    }

    /// Whether a node was edited since an epoch of this graph began: it was added or moved, its operation, an input or the number of its
    /// outputs changed, or an output lost a user; of a γ or θ, the same for the arguments and results of its regions. An edit of a node
    /// inside is none of the γ or θ. Epochs outlast [compaction](Graph::compact).
    pub fn is_edited(&self, node: Node, since: Epoch) -> bool {
        self.nodes[node].edited >= since
    }

    /// A bound on node ids, removed ones included; for sizing side tables.
    pub fn node_bound(&self) -> usize {
        self.nodes.len()
    }

    /// A bound on origin ids, removed ones included; for sizing side tables.
    pub fn origin_bound(&self) -> usize {
        self.origins.len()
    }

    /// A bound on region ids, removed ones included; for sizing side tables.
    pub fn region_bound(&self) -> usize {
        self.regions.len()
    }

    /// What a node is.
    pub fn kind(&self, node: Node) -> NodeKind {
        self.nodes[node].kind
    }

    /// The operation of a simple node; `None` for a structural one.
    pub fn op(&self, node: Node) -> Option<Op> {
        match self.nodes[node].kind {
            NodeKind::Simple(op) => Some(op),
            _ => None,
        }
    }

    /// Whether the node has not been removed.
    pub fn is_live(&self, node: Node) -> bool {
        self.nodes[node].region.is_some()
    }

    /// The region a node is in.
    ///
    /// # Panics
    /// When the node was removed.
    pub fn region_of(&self, node: Node) -> Region {
        self.nodes[node].region.expect("a removed node is in no region")
    }

    /// The node a region is in; `None` for the root.
    pub fn parent(&self, region: Region) -> Option<Node> {
        self.regions[region].parent.expand()
    }

    /// The position of a region among its node's subregions; 0 for the root.
    pub fn region_index(&self, region: Region) -> u32 {
        self.regions[region].index
    }

    /// The region around a region; `None` for the root.
    pub fn parent_region(&self, region: Region) -> Option<Region> {
        self.parent(region).map(|node| self.region_of(node))
    }

    /// A node's inputs.
    #[inline]
    pub fn inputs(&self, node: Node) -> &[User] {
        self.user_lists.get(self.nodes[node].inputs)
    }

    /// The origin of a node's input number `index`.
    #[inline]
    pub fn input(&self, node: Node, index: usize) -> Origin {
        self.origin(self.user_lists.at(self.nodes[node].inputs, index))
    }

    /// The origins of a node's inputs.
    #[inline]
    pub fn input_origins(&self, node: Node) -> impl ExactSizeIterator<Item = Origin> + DoubleEndedIterator + '_ {
        self.origins_of(self.nodes[node].inputs)
    }

    /// A node's outputs.
    #[inline]
    pub fn outputs(&self, node: Node) -> &[Origin] {
        self.origin_lists.get(self.nodes[node].outputs)
    }

    /// A node's output number `index`.
    #[inline]
    pub fn output(&self, node: Node, index: usize) -> Origin {
        self.origin_lists.at(self.nodes[node].outputs, index)
    }

    /// The predicate that an operation that is a branch defines ([`Op::is_branch`]): the last of its values.
    pub fn branch_predicate(&self, node: Node) -> Option<Origin> {
        self.op(node).filter(|op| op.is_branch())?;
        self.outputs(node).iter().rev().copied().find(|&output| !self.ty(output).is_state())
    }

    /// A structural node's regions; none for a simple node, λ and δ.
    pub fn subregions(&self, node: Node) -> &[Region] {
        self.nodes[node].subregions.as_slice(&self.subregions)
    }

    /// A region's arguments.
    #[inline]
    pub fn arguments(&self, region: Region) -> &[Origin] {
        self.origin_lists.get(self.regions[region].arguments)
    }

    /// A region's results.
    #[inline]
    pub fn results(&self, region: Region) -> &[User] {
        self.user_lists.get(self.regions[region].results)
    }

    /// The origin of a region's result number `index`.
    #[inline]
    pub fn result(&self, region: Region, index: usize) -> Origin {
        self.origin(self.user_lists.at(self.regions[region].results, index))
    }

    /// The origins of a region's results.
    #[inline]
    pub fn result_origins(&self, region: Region) -> impl ExactSizeIterator<Item = Origin> + '_ {
        self.origins_of(self.regions[region].results)
    }

    /// The origin of a user.
    ///
    /// # Panics
    /// When the user was removed, or is a θ's predicate that was not set.
    #[inline]
    pub fn origin(&self, user: User) -> Origin {
        self.users[user].origin.expect("a user of a complete graph has an origin")
    }

    /// The origin of a user, or `None` when it is a θ's predicate that was not set.
    pub fn try_origin(&self, user: User) -> Option<Origin> {
        self.users[user].origin.expand()
    }

    /// Where a user is.
    pub fn site(&self, user: User) -> Use {
        self.users[user].place.site()
    }

    /// Where an origin is.
    pub fn def(&self, origin: Origin) -> OriginDef {
        self.origins[origin].place.def()
    }

    /// The node an origin is an output of; `None` for an argument.
    pub fn producer(&self, origin: Origin) -> Option<Node> {
        match self.def(origin) {
            OriginDef::Output(node, _) => Some(node),
            OriginDef::Argument(..) => None,
        }
    }

    /// The region of an origin: that of its node, or the one that it is an argument of.
    pub fn scope(&self, origin: Origin) -> Region {
        match self.def(origin) {
            OriginDef::Output(node, _) => self.region_of(node),
            OriginDef::Argument(region, _) => region,
        }
    }

    /// The region of a user: that of its node, or the one that it is a result of.
    pub fn user_scope(&self, user: User) -> Region {
        match self.site(user) {
            Use::Input(node, _) => self.region_of(node),
            Use::Result(region, _) => region,
        }
    }

    /// An origin's type.
    pub fn ty(&self, origin: Origin) -> Type {
        self.origins[origin].ty
    }

    /// Whether anything uses an origin.
    pub fn has_users(&self, origin: Origin) -> bool {
        self.origins[origin].first_user.is_some()
    }

    /// Whether exactly one user uses an origin.
    pub fn has_one_user(&self, origin: Origin) -> bool {
        let mut users = self.users_of(origin);
        users.next().is_some() && users.next().is_none()
    }

    /// The instruction a node came from.
    pub fn source(&self, node: Node) -> Option<SourceId> {
        self.nodes[node].source.expand()
    }

    /// What is said about a loop.
    pub fn loop_hints(&self, theta: Node) -> LoopHints {
        self.history.hints.get(&theta).copied().unwrap_or_default()
    }

    /// How a node was moved away from the position of its instruction; `None` if it was not.
    pub fn motion(&self, node: Node) -> Option<Motion> {
        self.history.motions.get(&node).copied()
    }

    /// The unconditional jump or return with which the block that became the end of this region ended. A hint: control
    /// flow follows the edges, not this.
    pub fn end_source(&self, region: Region) -> Option<SourceId> {
        self.regions[region].end_source.expand()
    }

    /// The instruction (a phi) that a γ output or θ argument represents.
    pub fn origin_source(&self, origin: Origin) -> Option<SourceId> {
        self.history.origins.get(&origin).copied()
    }

    /// The numbers of instructions that are inlined, each with the call they are inlined at, which may be inlined itself.
    pub fn inlined(&self) -> &[(Extent, SourceId)] {
        &self.history.inlined
    }

    /// All numbers of instructions that the graph mentions, in order: of nodes, of values, and of descriptions. Linear in the graph.
    pub fn mentioned_sources(&self) -> Vec<SourceId> {
        let nodes = self.all_nodes().filter_map(|node| self.source(node));
        let ends = self.all_nodes().flat_map(|node| self.subregions(node)).chain([&self.root]);
        let ends = ends.filter_map(|&region| self.end_source(region));
        let merged = self.merges().into_iter().map(|(_, source)| source);
        let mut sources: Vec<SourceId> = nodes.chain(ends).chain(merged).collect();
        sources.extend(
            self.history.origins.iter().filter(|(origin, _)| self.has_users(**origin)).map(|(_, &source)| source),
        );
        sources.extend(self.described().into_iter().map(|(source, _)| source));
        sources.extend(self.contents().into_iter().map(|(_, (source, _))| source));
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// The position of an instruction in the body: its own number, or that of the outermost call at which it was inlined.
    pub fn place(&self, mut source: SourceId) -> SourceId {
        let inlined = &self.history.inlined;
        loop {
            let after = inlined.partition_point(|(extent, _)| extent.first <= source.as_u32());
            match inlined[..after].last() {
                // A call has a smaller number than the instructions inlined at it, so this terminates.
                Some(&(extent, call)) if extent.contains(source) && call < source => source = call,
                _ => return source,
            }
        }
    }

    /// Sources of removed operations whose value now comes from another, live node, in the order of merging: their promises about the
    /// value (metadata) hold for the node only if its own source makes them too.
    pub fn merges(&self) -> Vec<(Node, SourceId)> {
        if self.history.merges.iter().all(|&(node, _)| self.is_live(node)) {
            return self.history.merges.clone();
        }
        let mut heirs = self.heirs();
        let heirs = self.history.merges.iter().flat_map(|&(node, source)| {
            let heirs = heirs.of(node);
            heirs.into_iter().map(move |node| (node, source)).collect::<SmallVec<[_; 1]>>()
        });
        heirs.collect()
    }

    fn heirs(&self) -> Heirs<'_> {
        let mut targets: FxHashMap<Node, SmallVec<[Node; 1]>> = FxHashMap::default();
        for &(from, to) in &self.history.merged {
            targets.entry(from).or_default().push(to);
        }
        Heirs { graph: self, targets, pending: Vec::new(), seen: FxHashSet::default() }
    }
}

/// Finds the live nodes that removed ones were merged into, through any number of steps.
struct Heirs<'g> {
    graph: &'g Graph,
    targets: FxHashMap<Node, SmallVec<[Node; 1]>>,
    pending: Vec<Node>,
    seen: FxHashSet<Node>,
}

impl Heirs<'_> {
    /// A live node is its own heir.
    fn of(&mut self, node: Node) -> SmallVec<[Node; 1]> {
        self.seen.clear();
        self.pending.push(node);
        let mut heirs = SmallVec::new();
        while let Some(node) = self.pending.pop() {
            if !self.seen.insert(node) {
                continue;
            }
            if self.graph.is_live(node) {
                heirs.push(node);
            } else {
                self.pending.extend(self.targets.get(&node).into_iter().flatten());
            }
        }
        heirs
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph of {} nodes in {} regions", self.node_count(), self.regions.len())
    }
}
