//! Several iterations of a loop at once.

use rvsdg_analysis::copying::size_within;
use rvsdg_analysis::evolution::{Evolution, Linear, Relation, Repetitions};
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::fold::Int;
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::op::{BinaryFlags, FastMath, IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin, OriginDef, Region, Type};

use super::full;
use crate::hoisting::Hoisting;
use crate::pass::PassCx;

/// How many iterations are done at once at most.
pub const MAX_FACTOR: usize = 8;
/// How many operations the iterations that are done at once may have. LLVM's bound is the size of a processor's loop buffer,
/// 28 for most.
pub const MAX_PARTIAL: usize = 40;
/// Below this, there is nothing in a loop but its counting.
const MIN_SIZE: usize = 3;

/// How many iterations of a loop are done at once; `None` when it stays.
pub(super) fn factor(graph: &Graph, theta: Theta, known: Option<u128>) -> Option<usize> {
    let size = size_within(graph, theta.node(), MAX_PARTIAL).saturating_sub(1);
    if !(MIN_SIZE..=MAX_PARTIAL / 2).contains(&size) {
        return None;
    }
    let suits = graph.walk_region(theta.body(graph)).all(|item| match item {
        WalkItem::Node(node) => match graph.kind(node) {
            NodeKind::Simple(Op::Call(call)) => graph.pool().call(call).effects.count() == 0,
            NodeKind::Simple(op) => !op.is_branch() && !op.is_end(),
            NodeKind::Gamma | NodeKind::Theta | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
        },
        WalkItem::Enter(_) | WalkItem::Leave(_) => true,
    });
    if !suits {
        return None;
    }
    let mut factor = MAX_FACTOR;
    while factor > 1 && (size * factor > MAX_PARTIAL || known.is_some_and(|known| known < 2 * factor as u128)) {
        factor /= 2;
    }
    (factor > 1).then_some(factor)
}

/// Whether the number of repetitions can be computed before the loop.
pub(crate) fn is_exact(repetitions: &Repetitions, known: Option<u128>) -> bool {
    known.is_some() || repetitions.relation != Relation::Differs || repetitions.step.abs() == 1
}

/// Whether a loop does what an unrolled one left over: what changes in it starts with what a γ gives that has a loop in an alternative.
pub(super) fn is_remainder(graph: &Graph, theta: Theta) -> bool {
    let follows = |variable: LoopVar| {
        let OriginDef::Output(node, index) = graph.def(graph.origin(variable.input)) else { return false };
        let Some(guard) = Gamma::new(graph, node) else { return false };
        let looped = |&region: &Region| {
            let producer = graph.producer(graph.result(region, index as usize));
            producer.is_some_and(|node| Theta::new(graph, node).is_some())
        };
        guard.regions(graph).iter().any(looped)
    };
    (0..graph.inputs(theta.node()).len()).map(|index| theta.loop_var(graph, index)).any(|variable| {
        !graph.ty(variable.pre).is_state() && graph.origin(variable.post) != variable.pre && follows(variable)
    })
}

/// Computes before a loop how often it is repeated.
pub(crate) fn count_before(
    graph: &mut Graph,
    theta: Theta,
    repetitions: &Repetitions,
    evolution: &Evolution,
) -> Origin {
    let mut at = Before { graph, old: theta, hoisting: Hoisting::default() };
    let [first, bound] = [&repetitions.first, &repetitions.bound].map(|value| at.linear(evolution, value));
    count(repetitions, &mut at, first, bound)
}

/// A loop that is unrolled.
pub(super) struct Unrolling<'r> {
    pub theta: Theta,
    pub factor: usize,
    pub repetitions: &'r Repetitions,
}

impl Unrolling<'_> {
    /// Unrolls a loop of so many iterations, at least as many as are done at once.
    pub(super) fn known(&self, graph: &mut Graph, iterations: u128, duplicator: &mut Duplicator) {
        let (theta, factor) = (self.theta, self.factor as u128);
        let rest = iterations % factor;
        let users: Vec<Vec<_>> =
            graph.outputs(theta.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
        let (copies, values) = full::append(graph, theta, rest, duplicator);
        let mut last = theta.node();
        for node in copies {
            graph.move_after(node, last);
            last = node;
        }
        for (index, users) in users.into_iter().enumerate() {
            for user in users {
                graph.divert(user, values[index]);
            }
        }
        let first = self.repetitions.known_first(graph, theta).expect("the number of iterations is known");
        let end = first.signed() + self.repetitions.step * (iterations - rest - 1) as i128;
        let end = Int::new(first.bits(), end as u128);
        let body = theta.body(graph);
        let constant = end.to_const(graph.pool());
        let constant = simple(graph, body, Op::Const(constant), &[], graph.ty(self.repetitions.compared));
        self.multiply(graph, theta, self.repetitions.compared, constant, duplicator);
    }

    /// Freezes what the loop starts with where `first` is computed of it and it may be undef; whether anything was.
    ///
    /// The loop of several iterations at once ends where what is compared is `end`, which is computed of `first` before it. Were
    /// that undef, the two could be computed of different values and never meet. How often the loop is repeated needs no such
    /// care: where that depends on which value undef is, a decision of the loop does, too, which is undefined.
    pub(super) fn settle_start(&self, graph: &mut Graph, cx: &PassCx) -> bool {
        let theta = self.theta;
        let mut pending: Vec<Origin> = self.repetitions.first.terms().iter().map(|&(origin, _)| origin).collect();
        let mut changed = false;
        while let Some(origin) = pending.pop() {
            match Theta::loop_var_of_argument(graph, origin) {
                Some((_, variable)) => {
                    let start = graph.origin(variable.input);
                    if !is_not_undef(graph, cx.surroundings(), start) {
                        let ty = graph.ty(start);
                        let mut at = Before { graph, old: theta, hoisting: Hoisting::default() };
                        let frozen = at.add(Op::Freeze, &[start], ty);
                        graph.divert(variable.input, frozen);
                        changed = true;
                    }
                }
                None => pending.extend(graph.producer(origin).iter().flat_map(|&node| graph.input_origins(node))),
            }
        }
        changed
    }

    /// Unrolls a loop whose number of iterations is computed before it.
    pub(super) fn unknown(&self, graph: &mut Graph, evolution: &Evolution, duplicator: &mut Duplicator) {
        let (old, factor) = (self.theta, self.factor as u64);
        let certain = is_executed_wholly(graph, old.body(graph));
        let outputs = graph.outputs(old.node()).len();
        let mut at = Before { graph, old, hoisting: Hoisting::default() };
        let [first, bound] =
            [&self.repetitions.first, &self.repetitions.bound].map(|value| at.linear(evolution, value));
        let ty = at.graph.ty(first);
        let mut repeated = count(self.repetitions, &mut at, first, bound);
        if !certain {
            repeated = at.add(Op::Freeze, &[repeated], ty);
        }
        // The old loop does what is left over, and at least the last iteration.
        let one = at.constant(ty, 1);
        let low = at.constant(ty, !(factor - 1));
        let whole = at.binary(IntBinary::And, repeated, low);
        let before = at.binary(IntBinary::Sub, whole, one);
        let step = at.constant(ty, self.repetitions.step as u64);
        let distance = at.binary(IntBinary::Mul, before, step);
        let end = at.binary(IntBinary::Add, first, distance);
        let zero = at.constant(ty, 0);
        let some = at.compare(IntPredicate::Ne, whole, zero);
        let some = at.decide(some);
        // The new loop, behind a γ.
        let outside = graph.region_of(old.node());
        let guard = Gamma::add(graph, outside, some, 2);
        graph.move_before(guard.node(), old.node());
        let inputs: Vec<Origin> = graph.input_origins(old.node()).collect();
        for &input in inputs.iter().chain([&end]) {
            guard.add_entry_var(graph, input);
        }
        let [skips, runs] = [0, 1].map(|alternative| guard.regions(graph)[alternative]);
        duplicator.begin();
        let new = duplicator.copy_nodes(graph, &[old.node()], runs)[0];
        let compared = duplicator.get(self.repetitions.compared);
        let new = Theta::new(graph, new).expect("the copy of a loop is one");
        for index in 0..inputs.len() {
            let argument = graph.arguments(runs)[index];
            graph.divert(graph.inputs(new.node())[index], argument);
        }
        let end = new.add_loop_var(graph, graph.arguments(runs)[inputs.len()]).pre;
        self.multiply(graph, new, compared, end, duplicator);
        for index in 0..outputs {
            let results = [graph.arguments(skips)[index], graph.output(new.node(), index)];
            guard.add_exit_var(graph, &results);
        }
        for index in 0..outputs {
            graph.divert(graph.inputs(old.node())[index], graph.output(guard.node(), index));
        }
    }

    /// Puts as many iterations into a loop's body as the factor says. It is repeated until the last one's `compared`
    /// is `end`.
    fn multiply(&self, graph: &mut Graph, theta: Theta, compared: Origin, end: Origin, duplicator: &mut Duplicator) {
        let body = theta.body(graph);
        let variables = graph.inputs(theta.node()).len();
        let nodes: Vec<Node> = full::without_decision(graph, theta);
        let mut values: Vec<Origin> = graph.result_origins(body).skip(1).collect();
        let mut last = compared;
        for _ in 1..self.factor {
            let (_, next) = full::copy(graph, theta, &nodes, &values, body, duplicator);
            last = duplicator.get(compared);
            values = next;
        }
        let op = Op::ICmp { predicate: IntPredicate::Ne, same_sign: false };
        let differs = simple(graph, body, op, &[last, end], Type::I1);
        let decision = decide(graph, body, differs);
        let old = graph.producer(graph.origin(theta.predicate(graph))).expect("a count needs a decision");
        if let Some(node) = graph.producer(decision) {
            graph.set_source(node, graph.source(old));
        }
        graph.divert(theta.predicate(graph), decision);
        if !graph.has_users(graph.output(old, 0)) {
            graph.remove(old);
        }
        for (index, &value) in values.iter().enumerate().take(variables) {
            let post = theta.loop_var(graph, index).post;
            graph.divert(post, value);
        }
    }
}

/// How often the loop is repeated. Where that is more than fits, less.
fn count(repetitions: &Repetitions, at: &mut Before<'_>, first: Origin, bound: Origin) -> Origin {
    let (low, high) = if repetitions.step > 0 { (first, bound) } else { (bound, first) };
    let distance = at.binary(IntBinary::Sub, high, low);
    let Relation::Before { signed, or_equal } = repetitions.relation else { return distance };
    let ty = at.graph.ty(first);
    let predicate = match (signed, or_equal) {
        (true, false) => IntPredicate::Slt,
        (true, true) => IntPredicate::Sle,
        (false, false) => IntPredicate::Ult,
        (false, true) => IntPredicate::Ule,
    };
    let holds = at.compare(predicate, low, high);
    let [zero, one] = [0, 1].map(|value| at.constant(ty, value));
    let magnitude = repetitions.step.unsigned_abs() as u64;
    let times = if magnitude == 1 && !or_equal {
        distance
    } else {
        let distance = if or_equal { distance } else { at.binary(IntBinary::Sub, distance, one) };
        let by = at.constant(ty, magnitude);
        let quotient = if magnitude == 1 { distance } else { at.binary(IntBinary::UDiv, distance, by) };
        at.binary(IntBinary::Add, quotient, one)
    };
    at.add(Op::Select(FastMath::NONE), &[holds, times, zero], ty)
}

/// What is computed before a loop.
struct Before<'g> {
    graph: &'g mut Graph,
    old: Theta,
    hoisting: Hoisting,
}

impl Before<'_> {
    fn add(&mut self, op: Op, inputs: &[Origin], ty: Type) -> Origin {
        let output = simple(self.graph, self.graph.region_of(self.old.node()), op, inputs, ty);
        let node = self.graph.producer(output).expect("an operation gives its output");
        self.graph.move_before(node, self.old.node());
        output
    }

    fn constant(&mut self, ty: Type, value: u64) -> Origin {
        let constant = self.graph.pool().int_const(ty, value);
        self.add(Op::Const(constant), &[], ty)
    }

    fn binary(&mut self, op: IntBinary, a: Origin, b: Origin) -> Origin {
        let ty = self.graph.ty(a);
        self.add(Op::IntBinary { op, flags: BinaryFlags::NONE }, &[a, b], ty)
    }

    fn compare(&mut self, predicate: IntPredicate, a: Origin, b: Origin) -> Origin {
        self.add(Op::ICmp { predicate, same_sign: false }, &[a, b], Type::I1)
    }

    fn decide(&mut self, condition: Origin) -> Origin {
        let output = decide(self.graph, self.graph.region_of(self.old.node()), condition);
        let node = self.graph.producer(output).expect("an operation gives its output");
        self.graph.move_before(node, self.old.node());
        output
    }

    /// A combination of values, those of variables as they start.
    fn linear(&mut self, evolution: &Evolution, value: &Linear) -> Origin {
        let ty = self.graph.pool().int(value.bits());
        let mut sum = None;
        for &(origin, factor) in value.terms() {
            let outer = match Theta::loop_var_of_argument(self.graph, origin) {
                Some((_, variable)) => self.graph.origin(variable.input),
                None => self.hoisting.hoist(self.graph, evolution.invariants(), origin),
            };
            let part = if factor.is_one() {
                outer
            } else {
                let factor = self.constant(ty, factor.unsigned() as u64);
                self.binary(IntBinary::Mul, outer, factor)
            };
            sum = Some(sum.map_or(part, |sum| self.binary(IntBinary::Add, sum, part)));
        }
        let Some(sum) = sum else { return self.constant(ty, value.offset().unsigned() as u64) };
        if value.offset().is_zero() {
            return sum;
        }
        let offset = self.constant(ty, value.offset().unsigned() as u64);
        self.binary(IntBinary::Add, sum, offset)
    }
}

fn simple(graph: &mut Graph, region: Region, op: Op, inputs: &[Origin], ty: Type) -> Origin {
    let node = graph.add_simple(region, op, inputs, &[ty]);
    graph.output(node, 0)
}

/// The predicate that is 1 where a condition holds.
fn decide(graph: &mut Graph, region: Region, condition: Origin) -> Origin {
    let yes = graph.pool().int_const(Type::I1, 1);
    let table = MatchTable { cases: [(yes, 1)].into(), default: 0, alternatives: 2 };
    let op = Op::Match(graph.pool().intern_table(table));
    simple(graph, region, op, &[condition], Type::CTL2)
}
