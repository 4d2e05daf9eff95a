//! Trees of bundles: what the lanes of vectors compute.

use rustc_hash::FxHashMap;
use rvsdg_analysis::callee::intrinsic;
use rvsdg_analysis::invariant::known_constant;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::fold::{Int, Intrinsic, parts};
use rvsdg_core::op::{CastFlags, FastMath, FloatBinary, IntBinary, MemAccess};
use rvsdg_core::{Const, Graph, Node, Op, Origin, Use};
use smallvec::SmallVec;

use super::accesses::Accesses;
use super::{Around, MAX_BUNDLES};
use crate::lanes::is_lanewise;

/// One entry for each lane.
pub(super) type Lanes<T> = SmallVec<[T; 8]>;

/// How deep trees are.
const MAX_DEPTH: u32 = 16;

/// Values that become the lanes of a vector.
pub(super) struct Bundle {
    pub lanes: Lanes<Origin>,
    pub form: Form,
}

/// How a vector comes about.
pub(super) enum Form {
    /// By an operation on bundles.
    Op { nodes: Lanes<Node>, op: Op, operands: SmallVec<[usize; 3]> },
    /// By two operations on bundles; the lanes for which that is said are from the second.
    Mixed { nodes: Lanes<Node>, ops: [Op; 2], second: Lanes<bool>, operands: SmallVec<[usize; 3]> },
    /// By an intrinsic on bundles.
    Intrinsic { nodes: Lanes<Node>, which: Intrinsic, fast: FastMath, operands: SmallVec<[usize; 3]> },
    /// By loading consecutive elements.
    Load { nodes: Lanes<Node>, access: MemAccess },
    /// By choosing lanes of a bundle.
    Picked { of: usize, lanes: Lanes<u32> },
    /// A vector that is there already.
    Known(Origin),
    /// A constant.
    Constant(Lanes<Const>),
    /// One value in all lanes.
    Splat,
    /// By inserting each lane.
    Gathered,
}

impl Bundle {
    /// The nodes that compute the lanes, if they become one vector operation.
    pub(super) fn members(&self) -> &[Node] {
        match &self.form {
            Form::Op { nodes, .. }
            | Form::Mixed { nodes, .. }
            | Form::Intrinsic { nodes, .. }
            | Form::Load { nodes, .. } => nodes,
            Form::Picked { .. } | Form::Known(_) | Form::Constant(_) | Form::Splat | Form::Gathered => &[],
        }
    }

    /// The bundles that it is computed from.
    pub(super) fn operands(&self) -> &[usize] {
        match &self.form {
            Form::Op { operands, .. } | Form::Mixed { operands, .. } | Form::Intrinsic { operands, .. } => operands,
            Form::Picked { of, .. } => std::slice::from_ref(of),
            Form::Load { .. } | Form::Known(_) | Form::Constant(_) | Form::Splat | Form::Gathered => &[],
        }
    }
}

/// Stores to consecutive elements, and what computes the stored values.
pub(super) struct Tree {
    /// The stores in the order of addresses.
    pub stores: Lanes<Node>,
    /// The last of them along the memory state.
    pub last: Node,
    pub access: MemAccess,
    /// Operands before what is computed from them, the stored values last.
    pub bundles: Vec<Bundle>,
    /// The values that are used outside of the tree, by bundle and lane.
    pub extracted: Vec<(usize, u32)>,
}

impl Tree {
    /// The tree of stores.
    pub(super) fn of(
        graph: &Graph,
        around: &Around<'_>,
        numbers: &Numbering,
        accesses: &Accesses,
        stores: &[Node],
    ) -> Option<Tree> {
        let access = common_access(graph, stores)?;
        let mut builder = Builder {
            graph,
            around,
            numbers,
            accesses,
            bundles: Vec::new(),
            known: Default::default(),
            members: Default::default(),
        };
        let values = stores.iter().map(|&store| graph.input(store, 0)).collect();
        builder.add(values, MAX_DEPTH);
        let Builder { bundles, members, .. } = builder;
        let mut tree =
            Tree { stores: stores.into(), last: accesses.last_of(stores), access, bundles, extracted: Vec::new() };
        tree.find_extracted(graph, around, &members)?;
        Some(tree)
    }

    /// Finds the values that are used elsewhere. `None` if one that is not loaded has a use before all members of its bundle.
    fn find_extracted(
        &mut self,
        graph: &Graph,
        around: &Around<'_>,
        members: &FxHashMap<Node, Option<usize>>,
    ) -> Option<()> {
        let place = |bundle: &Bundle| bundle.members().iter().map(|node| around.order[node]).max();
        let last = around.order[&self.last];
        // Lanes that are inserted, or spread, are extracted at the place of what uses them.
        let mut inserted: FxHashMap<Origin, usize> = FxHashMap::default();
        let users = self.bundles.iter().filter_map(|bundle| Some((bundle.operands(), place(bundle)?)));
        let root = [self.bundles.len() - 1];
        for (operands, place) in users.chain([(&root[..], last)]) {
            for operand in operands.iter().map(|&operand| &self.bundles[operand]) {
                if let Form::Splat | Form::Gathered = operand.form {
                    for &lane in &operand.lanes {
                        let first = inserted.entry(lane).or_insert(place);
                        *first = place.min(*first);
                    }
                }
            }
        }
        for (index, bundle) in self.bundles.iter().enumerate() {
            let is_load = matches!(bundle.form, Form::Load { .. });
            let Some(place) = place(bundle) else { continue };
            for (lane, &value) in bundle.lanes.iter().enumerate() {
                let uses = graph.users_of(value).filter_map(|user| match graph.site(user) {
                    Use::Input(node, _) if members.contains_key(&node) || self.stores.contains(&node) => None,
                    Use::Input(node, _) => Some(around.order.get(&node).copied().unwrap_or(0)),
                    Use::Result(..) => Some(usize::MAX),
                });
                let first = uses.chain(inserted.get(&value).copied()).min();
                let Some(first) = first else { continue };
                if first <= place && !is_load && !seeded::is_active(Bug::SlpUsedBefore) {
                    return None;
                }
                self.extracted.push((index, lane as u32));
            }
        }
        Some(())
    }
}

struct Builder<'t> {
    graph: &'t Graph,
    around: &'t Around<'t>,
    numbers: &'t Numbering,
    accesses: &'t Accesses,
    bundles: Vec<Bundle>,
    /// Bundles by their lanes.
    known: FxHashMap<Lanes<Origin>, usize>,
    /// The bundles of nodes that become vector operations; none yet while their operands are added.
    members: FxHashMap<Node, Option<usize>>,
}

impl Builder<'_> {
    /// The bundle of some values.
    fn add(&mut self, lanes: Lanes<Origin>, depth: u32) -> usize {
        if let Some(&known) = self.known.get(&lanes) {
            return known;
        }
        let form = self.form(&lanes, depth).unwrap_or(Form::Gathered);
        self.push(lanes, form)
    }

    fn push(&mut self, lanes: Lanes<Origin>, form: Form) -> usize {
        let bundle = Bundle { lanes: lanes.clone(), form };
        self.members.extend(bundle.members().iter().map(|&node| (node, Some(self.bundles.len()))));
        self.bundles.push(bundle);
        self.known.insert(lanes, self.bundles.len() - 1);
        self.bundles.len() - 1
    }

    /// How a vector of values comes about, other than by inserting each of them.
    fn form(&mut self, lanes: &Lanes<Origin>, depth: u32) -> Option<Form> {
        let graph = self.graph;
        if let Some(constants) = lanes.iter().map(|&lane| known_constant(graph, lane)).collect() {
            return Some(Form::Constant(constants));
        }
        if let Some(known) = self.around.known.get(lanes).copied().or_else(|| extracted(graph, lanes)) {
            return Some(Form::Known(known));
        }
        if lanes.iter().all(|&lane| lane == lanes[0]) {
            return Some(Form::Splat);
        }
        let nodes: Lanes<Node> = lanes.iter().map(|&lane| graph.producer(lane)).collect::<Option<_>>()?;
        if let Some(&of) = self.members.get(&nodes[0]) {
            return self.picked(of?, lanes);
        }
        let are_distinct = nodes.iter().enumerate().all(|(lane, node)| !nodes[..lane].contains(node));
        let are_free =
            nodes.iter().all(|&node| graph.region_of(node) == self.around.region && !self.members.contains_key(&node));
        if !are_distinct || !are_free || depth == 0 || self.bundles.len() >= MAX_BUNDLES {
            return None;
        }
        let ops: Lanes<Op> = nodes.iter().map(|&node| graph.op(node)).collect::<Option<_>>()?;
        if let Op::Load(_) = ops[0] {
            return self.loads(lanes, nodes);
        }
        nodes.iter().all(|&node| is_lanewise(graph, self.around.cx.surroundings(), node).is_ok()).then_some(())?;
        let types = |node: Node| graph.input_origins(node).chain([graph.output(node, 0)]).map(|value| graph.ty(value));
        nodes.iter().all(|&node| types(node).eq(types(nodes[0]))).then_some(())?;
        if let Op::Call(_) = ops[0] {
            return self.intrinsics(nodes, &ops, depth);
        }
        let commute: Lanes<bool> = ops.iter().map(|op| op.code().info().commutative).collect();
        let all = ops.iter().copied().map(Some).reduce(|a, b| common_op(a?, b?)).flatten();
        if let Some(op) = all {
            let operands = self.operands(&nodes, 0, &commute, depth);
            return Some(Form::Op { nodes, op, operands });
        }
        // Sums and differences are defined for any operands.
        let is_sum = |op: &Op| match op {
            Op::IntBinary { op, .. } => matches!(op, IntBinary::Add | IntBinary::Sub),
            Op::FloatBinary { op, .. } => matches!(op, FloatBinary::FAdd | FloatBinary::FSub),
            _ => false,
        };
        ops.iter().all(is_sum).then_some(())?;
        let second: Lanes<bool> = ops.iter().map(|&op| common_op(ops[0], op).is_none()).collect();
        let of = |which: bool| {
            let some = ops.iter().zip(&second).filter(|&(_, &second)| second == which);
            some.map(|(&op, _)| Some(op)).reduce(|a, b| common_op(a?, b?)).flatten()
        };
        let ops = [of(false)?, of(true)?];
        let operands = self.operands(&nodes, 0, &commute, depth);
        Some(Form::Mixed { nodes, ops, second, operands })
    }

    /// Intrinsics, which have the callee before their operands.
    fn intrinsics(&mut self, nodes: Lanes<Node>, ops: &[Op], depth: u32) -> Option<Form> {
        let surroundings = self.around.cx.surroundings();
        let mut which = nodes.iter().map(|&node| intrinsic(self.graph, surroundings, node));
        let first = which.next()??;
        which.all(|other| other == Some(first)).then_some(())?;
        let fast = ops.iter().map(|&op| match op {
            Op::Call(call) => self.graph.pool().call(call).fast,
            _ => FastMath::NONE,
        });
        let fast = fast.reduce(|a, b| a & b)?;
        let operands = self.operands(&nodes, 1, &[], depth);
        Some(Form::Intrinsic { nodes, which: first, fast, operands })
    }

    /// The bundles of operands, of which the first `skipped` are left out. In lanes where they commute, they are exchanged to be like
    /// those of the lane before.
    fn operands(&mut self, nodes: &[Node], skipped: usize, commute: &[bool], depth: u32) -> SmallVec<[usize; 3]> {
        let graph = self.graph;
        self.members.extend(nodes.iter().map(|&node| (node, None)));
        let mut by_lane: Vec<SmallVec<[Origin; 3]>> =
            nodes.iter().map(|&node| graph.input_origins(node).skip(skipped).collect()).collect();
        for lane in (1..by_lane.len()).filter(|&lane| commute.get(lane) == Some(&true)) {
            let [before, at] = [lane - 1, lane].map(|lane| [by_lane[lane][0], by_lane[lane][1]]);
            let likeness = |a, b| self.likeness(before[0], a) + self.likeness(before[1], b);
            if likeness(at[1], at[0]) > likeness(at[0], at[1]) {
                by_lane[lane].swap(0, 1);
            }
        }
        let bundles = (0..by_lane[0].len()).map(|operand| by_lane.iter().map(|lane| lane[operand]).collect());
        let bundles: SmallVec<[Lanes<Origin>; 3]> = bundles.collect();
        bundles.into_iter().map(|lanes| self.add(lanes, depth - 1)).collect()
    }

    /// How well values fit into neighbouring lanes.
    fn likeness(&self, a: Origin, b: Origin) -> u32 {
        let graph = self.graph;
        if a == b {
            return 3;
        }
        let [a, b] = [a, b].map(|value| graph.producer(value).and_then(|node| Some((node, graph.op(node)?))));
        match (a, b) {
            (Some((a, Op::Load(_))), Some((b, Op::Load(_)))) => {
                if self.accesses.elements_between(graph, a, b) == Some(1) { 4 } else { 1 }
            }
            (Some((_, Op::Const(_))), Some((_, Op::Const(_)))) => 2,
            (Some((_, a)), Some((_, b))) if common_op(a, b).is_some() => 2,
            _ => 0,
        }
    }

    /// The lanes of another bundle in another order.
    fn picked(&self, of: usize, lanes: &[Origin]) -> Option<Form> {
        let from = &self.bundles[of].lanes;
        let picks: Lanes<u32> = lanes
            .iter()
            .map(|lane| from.iter().position(|other| other == lane).map(|lane| lane as u32))
            .collect::<Option<_>>()?;
        let is_permutation = (0..from.len() as u32).all(|lane| picks.contains(&lane));
        (picks.len() == from.len() && is_permutation).then_some(Form::Picked { of, lanes: picks })
    }

    /// Loads of consecutive elements, possibly in another order.
    fn loads(&mut self, lanes: &Lanes<Origin>, nodes: Lanes<Node>) -> Option<Form> {
        let graph = self.graph;
        lanes.iter().zip(&nodes).all(|(&lane, &node)| graph.output(node, 0) == lane).then_some(())?;
        let between = |&node: &Node| self.accesses.elements_between(graph, nodes[0], node);
        let mut elements: Lanes<(i64, Node)> =
            nodes.iter().map(|node| Some((between(node)?, *node))).collect::<Option<_>>()?;
        let is_sorted = elements.is_sorted_by_key(|&(element, _)| element);
        elements.sort_by_key(|&(element, _)| element);
        elements.windows(2).all(|pair| pair[1].0 - pair[0].0 == 1).then_some(())?;
        let nodes: Lanes<Node> = elements.iter().map(|&(_, node)| node).collect();
        let access = common_access(graph, &nodes)?;
        self.accesses.may_rise(graph, self.numbers, self.around.objects, &nodes).then_some(())?;
        if is_sorted {
            return Some(Form::Load { nodes, access });
        }
        let sorted: Lanes<Origin> = nodes.iter().map(|&node| graph.output(node, 0)).collect();
        let of = self.push(sorted, Form::Load { nodes, access });
        self.picked(of, lanes)
    }
}

/// The vector of which these are all lanes.
fn extracted(graph: &Graph, lanes: &[Origin]) -> Option<Origin> {
    let of = |(index, &lane): (usize, &Origin)| {
        let node = graph.producer(lane).filter(|&node| graph.op(node) == Some(Op::ExtractElement))?;
        let at = Int::of_const(graph.pool(), known_constant(graph, graph.input(node, 1))?)?;
        (at.unsigned() == index as u128).then(|| graph.input(node, 0))
    };
    let vector = of((0, &lanes[0]))?;
    let are_all = parts::lanes(graph.pool(), graph.ty(vector)) == Some(lanes.len() as u32);
    (are_all && lanes.iter().enumerate().all(|lane| of(lane) == Some(vector))).then_some(vector)
}

/// The properties that all of some accesses have; the alignment is that of the first, with the lowest address.
fn common_access(graph: &Graph, nodes: &[Node]) -> Option<MemAccess> {
    let mut accesses = nodes.iter().map(|&node| match graph.op(node) {
        Some(Op::Load(access) | Op::Store(access)) => Some(access),
        _ => None,
    });
    let first = accesses.next()??;
    let tag = accesses.try_fold(first.tag, |tag, other| {
        let other = other?.tag;
        Some(tag.filter(|_| tag == other))
    })?;
    Some(MemAccess { tag, nonnull: false, ..first })
}

/// The operation with the promises of two that are the same otherwise.
fn common_op(a: Op, b: Op) -> Option<Op> {
    if seeded::is_active(Bug::SlpFlags)
        && a.code() == b.code()
        && std::mem::discriminant(&a) == std::mem::discriminant(&b)
    {
        return Some(a);
    }
    Some(match (a, b) {
        (Op::IntBinary { op, flags }, Op::IntBinary { op: other, flags: also }) if op == other => {
            Op::IntBinary { op, flags: flags & also }
        }
        (Op::FloatBinary { op, flags }, Op::FloatBinary { op: other, flags: also }) if op == other => {
            Op::FloatBinary { op, flags: flags & also }
        }
        (Op::FNeg(flags), Op::FNeg(also)) => Op::FNeg(flags & also),
        (Op::ICmp { predicate, same_sign }, Op::ICmp { predicate: other, same_sign: also }) if predicate == other => {
            Op::ICmp { predicate, same_sign: same_sign && also }
        }
        (Op::FCmp { predicate, flags }, Op::FCmp { predicate: other, flags: also }) if predicate == other => {
            Op::FCmp { predicate, flags: flags & also }
        }
        (Op::Cast { op, flags }, Op::Cast { op: other, flags: also }) if op == other => {
            let flags =
                CastFlags { nneg: flags.nneg && also.nneg, wrap: flags.wrap & also.wrap, fast: flags.fast & also.fast };
            Op::Cast { op, flags }
        }
        (Op::Select(flags), Op::Select(also)) => Op::Select(flags & also),
        (Op::Freeze, Op::Freeze) => Op::Freeze,
        _ => return None,
    })
}
