//! Common nodes within a body.

use std::hash::{Hash, Hasher};

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, SecondaryMap};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use rvsdg_analysis::callee::is_convergent;
use rvsdg_analysis::order::Orders;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, TypeKind};
use smallvec::SmallVec;

use super::divert::divert;
use super::partition::refine;
use crate::pass::{BodyPass, Change, PassCx};

/// How often congruence is derived for one body before all its loop variables are assumed to differ. Splitting one loop can split those
/// in it, so one round per nesting level may be needed; real functions need two or three, and the bound keeps the pass linear for the
/// rest. The counter `gave_up` says how many bodies reached it.
pub const MAX_ROUNDS: u32 = 12;

/// The stage of [common node elimination](super) for one body.
pub struct CommonNodes;

impl BodyPass for CommonNodes {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let steps = steps(graph);
        let leaders = Mark::new(graph, cx).run(&steps);
        divert(graph, &steps, &leaders, cx)
    }
}

/// A step through the graph in the order of marking: producers first, structural nodes before and after their regions.
#[derive(Copy, Clone)]
pub(super) enum Step {
    Simple(Node),
    EnterGamma(Gamma),
    LeaveGamma(Gamma),
    EnterTheta(Theta),
    LeaveTheta(Theta),
}

/// A topological order in which a structural node comes after all simple nodes that do not depend on it, so that their values are known
/// in its regions.
fn simple_first(graph: &Graph, order: &mut [Node], levels: &mut SecondaryMap<Node, u32>) {
    let is_structural = |node: Node| graph.op(node).is_none();
    if !order.iter().any(|&node| is_structural(node)) {
        return;
    }
    // How many structural nodes precede a node on a path.
    for &node in &*order {
        let producers = graph.input_origins(node).filter_map(|origin| graph.producer(origin));
        let level = producers.map(|producer| levels[producer] + u32::from(is_structural(producer))).max();
        levels[node] = level.unwrap_or(0);
    }
    order.sort_by_key(|&node| (levels[node], is_structural(node)));
}

fn steps(graph: &Graph) -> Vec<Step> {
    enum Pending {
        Region(Region),
        Node(Node),
        Step(Step),
    }
    let mut orders = Orders::default();
    let mut levels: SecondaryMap<Node, u32> = SecondaryMap::new();
    let mut steps = Vec::with_capacity(graph.node_count());
    let mut pending = vec![Pending::Region(graph.root())];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Region(region) => {
                let order = orders.topological(graph, region);
                simple_first(graph, order, &mut levels);
                pending.extend(order.iter().rev().copied().map(Pending::Node));
            }
            Pending::Node(node) => {
                if let Some(gamma) = Gamma::new(graph, node) {
                    steps.push(Step::EnterGamma(gamma));
                    pending.push(Pending::Step(Step::LeaveGamma(gamma)));
                } else if let Some(theta) = Theta::new(graph, node) {
                    steps.push(Step::EnterTheta(theta));
                    pending.push(Pending::Step(Step::LeaveTheta(theta)));
                } else {
                    steps.push(Step::Simple(node));
                }
                pending.extend(graph.subregions(node).iter().rev().map(|&region| Pending::Region(region)));
            }
            Pending::Step(step) => steps.push(step),
        }
    }
    steps
}

/// The first congruent origin of each origin that has one other than itself: in the same region or an enclosing one, and available there
/// before the node that the origin belongs to.
pub(super) struct Leaders(SecondaryMap<Origin, PackedOption<Origin>>);

impl Leaders {
    pub(super) fn get(&self, origin: Origin) -> Origin {
        self.0[origin].expand().unwrap_or(origin)
    }

    fn set(&mut self, origin: Origin, leader: Origin) {
        self.0[origin] = if leader == origin { None.into() } else { leader.into() };
    }

    /// Sets the leaders of variables to `known`, if that knows one, otherwise to the first of each class. Classes are numbered in order
    /// of appearance.
    fn set_classes(&mut self, origins: &[Origin], classes: &[u32], known: impl Fn(usize) -> Option<Origin>) {
        let mut first: SmallVec<[Origin; 16]> = SmallVec::new();
        for (index, (&origin, &class)) in origins.iter().zip(classes).enumerate() {
            if class as usize == first.len() {
                first.push(origin);
            }
            // If one variable of a class is known to equal something, all are.
            if let Some(leader) = known(index) {
                first[class as usize] = leader;
            }
        }
        for (&origin, &class) in origins.iter().zip(classes) {
            self.set(origin, first[class as usize]);
        }
    }
}

/// Which regions are nested in which.
struct Nesting(SecondaryMap<Region, (u32, u32)>);

impl Nesting {
    fn of(graph: &Graph) -> Nesting {
        let mut spans: SecondaryMap<Region, (u32, u32)> = SecondaryMap::with_capacity(graph.region_bound());
        let mut count = 0;
        for item in graph.walk() {
            match item {
                WalkItem::Enter(region) => {
                    count += 1;
                    spans[region].0 = count;
                }
                WalkItem::Leave(region) => spans[region].1 = count,
                WalkItem::Node(_) => {}
            }
        }
        Nesting(spans)
    }

    /// Whether a region is `outer` or in it.
    fn is_in(&self, region: Region, outer: Region) -> bool {
        self.0[outer].0 <= self.0[region].0 && self.0[region].0 <= self.0[outer].1
    }
}

/// The invariant arguments of loops, also if they pass through inner γ and θ.
fn invariant(graph: &Graph, steps: &[Step]) -> EntitySet<Origin> {
    let mut invariant = EntitySet::new();
    // The outer values that outputs of γ and θ always equal.
    let mut through: SecondaryMap<Origin, PackedOption<Origin>> = SecondaryMap::new();
    for step in steps {
        match *step {
            Step::Simple(_) | Step::EnterGamma(_) | Step::EnterTheta(_) => {}
            Step::LeaveGamma(gamma) => {
                for (index, &output) in graph.outputs(gamma.node()).iter().enumerate() {
                    let entry = |&region: &Region| {
                        let result = graph.result(region, index);
                        match graph.def(through[result].expand().unwrap_or(result)) {
                            OriginDef::Argument(_, position) => {
                                let input = graph.input(gamma.node(), position as usize + 1);
                                Some(through[input].expand().unwrap_or(input))
                            }
                            OriginDef::Output(..) => None,
                        }
                    };
                    let mut entries = gamma.regions(graph).iter().map(entry);
                    if let Some(first) = entries.next().flatten()
                        && entries.all(|entry| entry == Some(first))
                    {
                        through[output] = first.into();
                    }
                }
            }
            Step::LeaveTheta(theta) => {
                for variable in theta.loop_vars(graph) {
                    let post = graph.origin(variable.post);
                    if through[post].expand().unwrap_or(post) == variable.pre {
                        let input = graph.origin(variable.input);
                        invariant.insert(variable.pre);
                        through[variable.output] = through[input].expand().unwrap_or(input).into();
                    }
                }
            }
        }
    }
    invariant
}

struct Mark<'g> {
    graph: &'g Graph,
    cx: &'g PassCx,
    leaders: Leaders,
    /// The class of each loop variable, by its argument: assumed first, and split if that proves wrong.
    classes: SecondaryMap<Origin, u32>,
    nesting: Nesting,
    /// Invariant arguments of loops.
    invariant: EntitySet<Origin>,
    /// Leaders, with their hashes. Of those that differ only in their region, one is kept: a region that was left is not entered again,
    /// so a leader in a closed region is replaced.
    table: HashTable<(u64, Node)>,
    /// Whether a class was split in this round.
    split: bool,
}

impl<'g> Mark<'g> {
    fn new(graph: &'g Graph, cx: &'g PassCx) -> Self {
        Mark {
            graph,
            cx,
            leaders: Leaders(SecondaryMap::with_capacity(graph.origin_bound())),
            classes: SecondaryMap::new(),
            nesting: Nesting::of(graph),
            invariant: EntitySet::new(),
            table: HashTable::with_capacity(graph.node_count()),
            split: false,
        }
    }

    fn run(mut self, steps: &[Step]) -> Leaders {
        self.invariant = invariant(self.graph, steps);
        for step in steps {
            if let Step::EnterTheta(theta) = *step {
                self.assume(theta);
            }
        }
        let mut rounds = 0;
        loop {
            rounds += 1;
            self.split = false;
            self.table.clear();
            for &step in steps {
                match step {
                    Step::Simple(node) => self.simple(node),
                    Step::EnterGamma(gamma) => self.enter_gamma(gamma),
                    Step::LeaveGamma(gamma) => self.leave_gamma(gamma),
                    Step::EnterTheta(theta) => self.enter_theta(theta),
                    Step::LeaveTheta(theta) => self.leave_theta(theta),
                }
            }
            if !self.split {
                break;
            }
            if rounds == MAX_ROUNDS {
                self.cx.count("gave_up", 1);
                for step in steps {
                    if let Step::EnterTheta(theta) = *step {
                        self.separate(theta);
                    }
                }
            }
        }
        self.cx.count("rounds", rounds.into());
        self.leaders
    }

    fn simple(&mut self, node: Node) {
        let Some(op) = self.graph.op(node).filter(|&op| is_mergeable(self.graph, self.cx, node, op)) else {
            for &output in self.graph.outputs(node) {
                self.leaders.set(output, output);
            }
            return;
        };
        let hash = self.hash(op, node);
        let region = self.graph.region_of(node);
        let mut table = std::mem::take(&mut self.table);
        let is_same = |&(other_hash, other): &(u64, Node)| other_hash == hash && self.is_congruent(node, other);
        let leader = match table.find_mut(hash, is_same) {
            Some((_, other)) if self.nesting.is_in(region, self.graph.region_of(*other)) => *other,
            Some((_, other)) => {
                *other = node;
                node
            }
            None => {
                table.insert_unique(hash, (hash, node), |&(hash, _)| hash);
                node
            }
        };
        self.table = table;
        for (&output, &leader) in self.graph.outputs(node).iter().zip(self.graph.outputs(leader)) {
            self.leaders.set(output, leader);
        }
    }

    /// Leaders of the inputs, in a canonical order if the operation commutes.
    fn operands(&self, node: Node, op: Op) -> SmallVec<[Origin; 8]> {
        let mut operands: SmallVec<[Origin; 8]> = self.leading_inputs(node).collect();
        if self.commutes(op) && operands[0] > operands[1] {
            operands.swap(0, 1);
        }
        operands
    }

    fn leading_inputs(&self, node: Node) -> impl Iterator<Item = Origin> {
        self.graph.input_origins(node).map(|origin| self.leaders.get(origin))
    }

    fn commutes(&self, op: Op) -> bool {
        match op {
            Op::Ext(ext) => self.graph.pool().ext(ext).commutative,
            Op::IntBinary { op: rvsdg_core::op::IntBinary::Sub, .. } => seeded::is_active(Bug::CneCommutes),
            _ => op.code().info().commutative,
        }
    }

    fn hash(&self, op: Op, node: Node) -> u64 {
        let mut hasher = FxHasher::default();
        identity(op).hash(&mut hasher);
        if self.commutes(op) {
            self.operands(node, op).hash(&mut hasher);
        } else {
            self.leading_inputs(node).for_each(|operand| operand.hash(&mut hasher));
        }
        hasher.finish()
    }

    /// Whether two nodes compute the same value, wherever they are.
    fn is_congruent(&self, node: Node, other: Node) -> bool {
        let graph = self.graph;
        let (Some(op), Some(other_op)) = (graph.op(node), graph.op(other)) else { return false };
        identity(op) == identity(other_op)
            && graph.outputs(node).len() == graph.outputs(other).len()
            && graph.outputs(node).iter().zip(graph.outputs(other)).all(|(&a, &b)| graph.ty(a) == graph.ty(b))
            && self.operands(node, op) == self.operands(other, op)
    }

    /// The key that two variables with these origins must share to be congruent. A `variable` that is a predicate, a state or a token is
    /// congruent to no other.
    fn key(&self, origin: Origin, variable: Origin) -> Origin {
        if self.is_value(origin) { self.leaders.get(origin) } else { variable }
    }

    /// Whether an origin is neither a predicate nor a state nor a token, whose loop variables are given on as they are only.
    fn is_value(&self, origin: Origin) -> bool {
        let ty = self.graph.ty(origin);
        !ty.is_state() && !matches!(self.graph.pool().type_kind(ty), TypeKind::Ctl(_) | TypeKind::Token)
    }

    fn enter_gamma(&mut self, gamma: Gamma) {
        let graph = self.graph;
        for (index, &input) in graph.inputs(gamma.node())[1..].iter().enumerate() {
            let origin = graph.origin(input);
            for &region in gamma.regions(graph) {
                let argument = graph.arguments(region)[index];
                let leader = self.key(origin, argument);
                self.leaders.set(argument, leader);
            }
        }
    }

    fn leave_gamma(&mut self, gamma: Gamma) {
        let graph = self.graph;
        let outputs = graph.outputs(gamma.node());
        let regions = gamma.regions(graph);
        let mut classes: SmallVec<[u32; 16]> = SmallVec::from_elem(0, outputs.len());
        for &region in regions {
            let count = refine(&mut classes, |index| self.key(graph.result(region, index), outputs[index]));
            if count as usize == outputs.len() {
                break;
            }
        }
        // The outer value that it is in all alternatives.
        let outside = graph.region_of(gamma.node());
        let common = |index: usize| {
            let first = self.key(graph.result(regions[0], index), outputs[index]);
            let is_outside = first != outputs[index] && self.nesting.is_in(outside, graph.scope(first));
            let same = |&region: &Region| self.leaders.get(graph.result(region, index)) == first;
            (is_outside && regions[1..].iter().all(same)).then_some(first)
        };
        let common: SmallVec<[Option<Origin>; 16]> = (0..outputs.len()).map(common).collect();
        self.leaders.set_classes(outputs, &classes, |index| common[index]);
    }

    /// Assumes loop variables to be congruent unless their next values come from different operations.
    fn assume(&mut self, theta: Theta) {
        let graph = self.graph;
        let mut classes = self.loop_classes(theta);
        let results = &graph.results(theta.body(graph))[1..];
        refine(&mut classes, |index| {
            let post = graph.origin(results[index]);
            let mut hasher = FxHasher::default();
            graph.ty(post).hash(&mut hasher);
            match graph.def(post) {
                OriginDef::Argument(..) => {}
                OriginDef::Output(node, _) => match graph.kind(node) {
                    NodeKind::Simple(op) => op.hash(&mut hasher),
                    NodeKind::Gamma | NodeKind::Theta => node.hash(&mut hasher),
                    NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => {
                        unreachable!("λ, φ and δ nodes are at the ω level only")
                    }
                },
            }
            hasher.finish()
        });
        self.set_loop_classes(theta, &classes);
    }

    /// Puts every loop variable into a class of its own.
    fn separate(&mut self, theta: Theta) {
        let classes: Vec<u32> = (0..self.graph.inputs(theta.node()).len() as u32).collect();
        self.set_loop_classes(theta, &classes);
    }

    fn loop_classes(&self, theta: Theta) -> SmallVec<[u32; 16]> {
        self.graph.arguments(theta.body(self.graph)).iter().map(|&pre| self.classes[pre]).collect()
    }

    fn set_loop_classes(&mut self, theta: Theta, classes: &[u32]) {
        for (&pre, &class) in self.graph.arguments(theta.body(self.graph)).iter().zip(classes) {
            self.classes[pre] = class;
        }
    }

    /// The outer value of each invariant loop variable.
    fn outside(&self, theta: Theta) -> SmallVec<[Option<Origin>; 16]> {
        let graph = self.graph;
        let outside = theta.loop_vars(graph).map(|variable| {
            let same = self.invariant.contains(variable.pre) && self.is_value(variable.pre);
            same.then(|| self.leaders.get(graph.origin(variable.input)))
        });
        outside.collect()
    }

    fn enter_theta(&mut self, theta: Theta) {
        let graph = self.graph;
        let (inputs, arguments) = (graph.inputs(theta.node()), graph.arguments(theta.body(graph)));
        let mut classes = self.loop_classes(theta);
        refine(&mut classes, |index| self.key(graph.origin(inputs[index]), arguments[index]));
        self.set_loop_classes(theta, &classes);
        let outside = self.outside(theta);
        self.leaders.set_classes(arguments, &classes, |index| outside[index]);
    }

    fn leave_theta(&mut self, theta: Theta) {
        let graph = self.graph;
        let outputs = graph.outputs(theta.node());
        let results = &graph.results(theta.body(graph))[1..];
        let before = self.loop_classes(theta);
        let mut classes = before.clone();
        refine(&mut classes, |index| self.key(graph.origin(results[index]), outputs[index]));
        if classes != before && !seeded::is_active(Bug::CneLoopVariables) {
            self.split = true;
            self.set_loop_classes(theta, &classes);
        }
        let outside = self.outside(theta);
        self.leaders.set_classes(outputs, &classes, |index| outside[index]);
    }
}

/// The part of an operation that congruent nodes share: all of it.
fn identity(op: Op) -> Op {
    match op {
        Op::IntBinary { op, .. } if seeded::is_active(Bug::CneFlags) => {
            Op::IntBinary { op, flags: rvsdg_core::op::BinaryFlags::NONE }
        }
        op => op,
    }
}

/// Whether a node computes a function of its inputs, and may be merged with others that compute the same.
fn is_mergeable(graph: &Graph, cx: &PassCx, node: Node, op: Op) -> bool {
    let pool = graph.pool();
    let states = graph.outputs(node).iter().any(|&output| graph.ty(output).is_state());
    !states
        && match op {
            Op::Match(_) | Op::CtlConst { .. } | Op::IndirectBr(_) => false,
            Op::Call(call) => {
                let info = pool.call(call);
                let token =
                    graph.outputs(node).iter().any(|&output| *pool.type_kind(graph.ty(output)) == TypeKind::Token);
                !token && !info.tail.ends_function() && !is_convergent(graph, cx.surroundings(), node)
            }
            _ => true,
        }
}
