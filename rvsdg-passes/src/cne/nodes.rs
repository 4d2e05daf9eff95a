//! Common nodes within a body.

use std::hash::{Hash, Hasher};

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, TypeKind};
use smallvec::SmallVec;

use super::partition::refine;
use crate::order::Orders;
use crate::pass::{BodyPass, Change, PassCx};
use crate::seeded::{self, Bug};

/// How often congruence is derived for one body before all its loop variables are taken to be different. Splitting one
/// loop can split those in it, so a round per level of nesting can be needed; real functions need two or three, and a
/// bound keeps the pass linear for the rest. The counter `gave_up` says how many bodies reached it.
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
enum Step {
    Simple(Node),
    EnterGamma(Gamma),
    LeaveGamma(Gamma),
    EnterTheta(Theta),
    LeaveTheta(Theta),
}

fn steps(graph: &Graph) -> Vec<Step> {
    enum Pending {
        Region(Region),
        Node(Node),
        Step(Step),
    }
    let mut orders = Orders::default();
    let mut steps = Vec::with_capacity(graph.node_count());
    let mut pending = vec![Pending::Region(graph.root())];
    while let Some(next) = pending.pop() {
        match next {
            Pending::Region(region) => {
                pending.extend(orders.topological(graph, region).into_iter().rev().map(Pending::Node));
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

/// The first congruent origin in the same region, for each origin that has one other than itself.
struct Leaders(SecondaryMap<Origin, PackedOption<Origin>>);

impl Leaders {
    fn get(&self, origin: Origin) -> Origin {
        self.0[origin].expand().unwrap_or(origin)
    }

    fn set(&mut self, origin: Origin, leader: Origin) {
        self.0[origin] = if leader == origin { None.into() } else { leader.into() };
    }

    /// Sets the leaders of variables to the first of each class. Classes are numbered in the order of appearance.
    fn set_classes(&mut self, origins: &[Origin], classes: &[u32]) {
        let mut first: SmallVec<[Origin; 16]> = SmallVec::new();
        for (&origin, &class) in origins.iter().zip(classes) {
            if class as usize == first.len() {
                first.push(origin);
            }
            self.set(origin, first[class as usize]);
        }
    }
}

struct Mark<'g> {
    graph: &'g Graph,
    cx: &'g PassCx,
    leaders: Leaders,
    /// The class of each loop variable, by the argument it is in its loop: assumed, and split where that proves wrong.
    classes: SecondaryMap<Origin, u32>,
    /// Nodes that lead, with their hashes.
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
            table: HashTable::with_capacity(graph.node_count()),
            split: false,
        }
    }

    fn run(mut self, steps: &[Step]) -> Leaders {
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
        let Some(op) = self.graph.op(node).filter(|&op| is_mergeable(self.graph, node, op)) else {
            for &output in self.graph.outputs(node) {
                self.leaders.set(output, output);
            }
            return;
        };
        let hash = self.hash(node, op);
        let found = self.table.find(hash, |&(other_hash, other)| other_hash == hash && self.is_congruent(node, other));
        let leader = match found {
            Some(&(_, leader)) => leader,
            None => {
                self.table.insert_unique(hash, (hash, node), |&(hash, _)| hash);
                node
            }
        };
        for (&output, &leader) in self.graph.outputs(node).iter().zip(self.graph.outputs(leader)) {
            self.leaders.set(output, leader);
        }
    }

    /// Leaders of the inputs, in an order that does not depend on theirs where the operation commutes.
    fn operands(&self, node: Node, op: Op) -> SmallVec<[Origin; 8]> {
        let mut operands: SmallVec<[Origin; 8]> =
            self.graph.input_origins(node).map(|origin| self.leaders.get(origin)).collect();
        let commutes = match op {
            Op::Ext(ext) => self.graph.pool().ext(ext).commutative,
            _ => op.code().info().commutative,
        };
        if commutes && operands[0] > operands[1] {
            operands.swap(0, 1);
        }
        operands
    }

    fn hash(&self, node: Node, op: Op) -> u64 {
        let mut hasher = FxHasher::default();
        // Constants have no operand that says which region they are in.
        self.graph.region_of(node).hash(&mut hasher);
        identity(op).hash(&mut hasher);
        self.operands(node, op).hash(&mut hasher);
        hasher.finish()
    }

    fn is_congruent(&self, node: Node, other: Node) -> bool {
        let graph = self.graph;
        let (Some(op), Some(other_op)) = (graph.op(node), graph.op(other)) else { return false };
        identity(op) == identity(other_op)
            && graph.region_of(node) == graph.region_of(other)
            && graph.outputs(node).len() == graph.outputs(other).len()
            && graph.outputs(node).iter().zip(graph.outputs(other)).all(|(&a, &b)| graph.ty(a) == graph.ty(b))
            && self.operands(node, op) == self.operands(other, op)
    }

    /// What two variables that get their values from two origins must have in common to be congruent. A `variable` that
    /// is a predicate is congruent to no other.
    fn key(&self, origin: Origin, variable: Origin) -> Origin {
        let is_predicate = self.graph.pool().ctl_alternatives(self.graph.ty(origin)).is_some();
        if is_predicate { variable } else { self.leaders.get(origin) }
    }

    fn enter_gamma(&mut self, gamma: Gamma) {
        let graph = self.graph;
        let inputs = &graph.inputs(gamma.node())[1..];
        let mut classes: SmallVec<[u32; 16]> = SmallVec::from_elem(0, inputs.len());
        // Arguments of the first region stand for the variables.
        let arguments = graph.arguments(gamma.regions(graph)[0]);
        refine(&mut classes, |index| self.key(graph.origin(inputs[index]), arguments[index]));
        for &region in gamma.regions(graph) {
            self.leaders.set_classes(graph.arguments(region), &classes);
        }
    }

    fn leave_gamma(&mut self, gamma: Gamma) {
        let graph = self.graph;
        let outputs = graph.outputs(gamma.node());
        let mut classes: SmallVec<[u32; 16]> = SmallVec::from_elem(0, outputs.len());
        for &region in gamma.regions(graph) {
            let count = refine(&mut classes, |index| self.key(graph.result(region, index), outputs[index]));
            if count as usize == outputs.len() {
                break;
            }
        }
        self.leaders.set_classes(outputs, &classes);
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

    /// Makes every loop variable a class of its own.
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

    fn enter_theta(&mut self, theta: Theta) {
        let graph = self.graph;
        let (inputs, arguments) = (graph.inputs(theta.node()), graph.arguments(theta.body(graph)));
        let mut classes = self.loop_classes(theta);
        refine(&mut classes, |index| self.key(graph.origin(inputs[index]), arguments[index]));
        self.set_loop_classes(theta, &classes);
        self.leaders.set_classes(arguments, &classes);
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
        self.leaders.set_classes(outputs, &classes);
    }
}

/// What of an operation must be the same in congruent nodes: all of it.
fn identity(op: Op) -> Op {
    match op {
        Op::IntBinary { op, .. } if seeded::is_active(Bug::CneFlags) => {
            Op::IntBinary { op, flags: rvsdg_core::op::BinaryFlags::NONE }
        }
        op => op,
    }
}

/// Whether a node computes a function of its inputs, and no rule keeps it apart from others that compute the same.
fn is_mergeable(graph: &Graph, node: Node, op: Op) -> bool {
    let pool = graph.pool();
    let states = graph.outputs(node).iter().any(|&output| graph.ty(output).is_state());
    !states
        && match op {
            Op::Match(_) | Op::CtlConst { .. } | Op::IndirectBr(_) => false,
            Op::Call(call) => {
                let info = pool.call(call);
                let token =
                    graph.outputs(node).iter().any(|&output| *pool.type_kind(graph.ty(output)) == TypeKind::Token);
                !token && !info.tail.ends_function() && !pool.attributes(info.attributes).function_has("convergent")
            }
            _ => true,
        }
}

/// Makes users of each origin users of its leader.
fn divert(graph: &mut Graph, steps: &[Step], leaders: &Leaders, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    let mut variables = |graph: &mut Graph, node, counter, origins: &[Origin]| {
        let mut diverted = 0;
        for &origin in origins {
            let leader = leaders.get(origin);
            if leader != origin && graph.has_users(origin) && cx.rewrite(counter, graph, node) {
                graph.divert_users(origin, leader);
                diverted += 1;
            }
        }
        cx.count(counter, diverted);
        change |= Change::when(diverted > 0);
    };
    let mut merged = 0;
    for &step in steps {
        match step {
            Step::Simple(node) => {
                let Some(&output) = graph.outputs(node).first() else { continue };
                let leader = graph.producer(leaders.get(output)).expect("the leader of an output is an output");
                if leader != node
                    && graph.outputs(node).iter().any(|&output| graph.has_users(output))
                    && cx.rewrite("nodes", graph, node)
                {
                    graph.merge_into(node, leader);
                    merged += 1;
                }
            }
            Step::EnterGamma(gamma) => {
                for index in 0..gamma.regions(graph).len() {
                    let arguments: SmallVec<[Origin; 16]> = graph.arguments(gamma.regions(graph)[index]).into();
                    variables(graph, gamma.node(), "entry_variables", &arguments);
                }
            }
            Step::LeaveGamma(gamma) => {
                let outputs: SmallVec<[Origin; 16]> = graph.outputs(gamma.node()).into();
                variables(graph, gamma.node(), "exit_variables", &outputs);
            }
            Step::EnterTheta(theta) => {
                let arguments: SmallVec<[Origin; 16]> = graph.arguments(theta.body(graph)).into();
                variables(graph, theta.node(), "loop_variables", &arguments);
            }
            Step::LeaveTheta(theta) => {
                let outputs: SmallVec<[Origin; 16]> = graph.outputs(theta.node()).into();
                variables(graph, theta.node(), "loop_variables", &outputs);
            }
        }
    }
    cx.count("nodes", merged);
    change |= Change::when(merged > 0);
    change
}
