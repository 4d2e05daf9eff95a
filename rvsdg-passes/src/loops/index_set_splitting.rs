//! Index-set splitting: a loop in which a condition on a counter has one value in the first iterations and the other in the rest
//! becomes two loops without that condition.
//!
//! ```text
//! v2: i64, mem1 = theta (v3: i64 = v0, mem2 = mem0) {
//!   v4: i1 = icmp slt v3, v1
//!   v5: ctl(2) = match i1 v4 [true -> 1, _ -> 0]
//!   mem3 = gamma v5 (v3, mem2) { … }
//!   …
//! }
//! ```
//!
//! becomes a loop for the iterations in which v4 is true, followed by one for the rest, in which it is false. A comparison for
//! equality differs in a single iteration, which is executed between two loops.
//!
//! Candidates are innermost counted loops with a comparison of a counter and an invariant that decides whether memory is accessed.
//! [`Evolution::turn`] tells in how many iterations it has its first value. That number is computed before the loops, from frozen
//! values, because the original loop need not reach a branch on them. The first loop ends after that many iterations, or all; the
//! second one is inside a conditional, unless the numbers are known. Counters start the second loop with computed sums, not with the
//! final values of the first, so that its trip count is known whenever the original one was.
//!
//! The order of execution stays the same, so no dependence analysis is needed. Operations that must not be duplicated are not
//! copied. Copies have at most [`MAX_COPIED`] operations.
//!
//! Statistics: `split` loops; `single` iterations between two loops; `copied` operations; `too_large` loops left because of the bound.
//!
//! Running it again changes nothing, except that it may split the resulting loops where the bound prevented it before.
//!
//! Cost: linear in the size of innermost loops.
//!
//! Left out: loops of a few iterations, which are unrolled fully; combined conditions, and conditions of selects; comparisons of two counters.
//!
//! Wolfe, "High Performance Compilers for Parallel Computing" (1996), 9.2; LLVM's loop-peel peels one iteration.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::copying::{may_copy, size_within};
use rvsdg_analysis::evolution::{Evolution, Relation, Repetitions, Turn};
use rvsdg_analysis::loop_nest::LoopNests;
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::graph::Duplicator;
use rvsdg_core::op::{CastOp, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Type, Use};

use crate::control::hoisting::Hoisting;
use crate::loops::peel::peel;
use crate::loops::trips::{compared_after, count_before, linear, settle_start};
use crate::loops::unroll::full;
use crate::loops::unroll::worth::is_small;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// How many operations the copies of a loop may have.
pub const MAX_COPIED: usize = 100;

/// Loops of at most so many iterations are left to full unrolling if they fit: each copy knows the condition, also if it depends on the
/// counter of an outer loop that is unrolled, too.
const SHORT: u128 = 8;

/// The stage of [index-set splitting](self).
pub struct Split;

impl BodyPass for Split {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        if is_small(graph, cx) {
            return change;
        }
        let nests = LoopNests::of(graph);
        let mut duplicator = Duplicator::new();
        for theta in nests.loops().filter(|&theta| nests.is_innermost(theta)) {
            let mut pending = vec![theta];
            let mut budget = MAX_COPIED;
            while let Some(theta) = pending.pop() {
                let Some(found) = Found::of(graph, theta, cx) else { continue };
                let size = size_within(graph, theta.node(), budget) * if found.turn.is_once() { 2 } else { 1 };
                if size > budget {
                    cx.count("too_large", 1);
                    continue;
                }
                if !may_copy(graph, cx.surroundings(), theta.node()) && !seeded::is_active(Bug::IssConvergent)
                    || !cx.rewrite("split", graph, theta.node())
                {
                    continue;
                }
                budget -= size;
                cx.count("split", 1);
                cx.count("single", u64::from(found.turn.is_once()));
                cx.count("copied", size as u64);
                let settled = settle_start(graph, theta, &found.repetitions, cx);
                let found = if settled { Found::of(graph, theta, cx) } else { Some(found) };
                pending.extend(found.into_iter().flat_map(|found| found.split(graph, &mut duplicator)));
                change = Change::Changed;
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// A comparison at which a loop is split.
struct Found {
    evolution: Evolution,
    repetitions: Repetitions,
    comparison: Node,
    turn: Turn,
}

impl Found {
    fn of(graph: &Graph, theta: Theta, cx: &PassCx) -> Option<Found> {
        let comparisons: Vec<Node> =
            graph.nodes(theta.body(graph)).filter(|&node| decides_about_memory(graph, node)).collect();
        if comparisons.is_empty() || !is_executed_wholly(graph, theta.body(graph)) {
            return None;
        }
        let evolution = Evolution::of(graph, theta);
        let repetitions = evolution.repetitions(graph, cx.surroundings().and_then(Surroundings::data_layout))?;
        let known = repetitions.known_iterations(graph, theta);
        let is_short =
            known.is_some_and(|iterations| iterations <= SHORT && full::fits(graph, theta, iterations, full::MAX_FULL));
        if repetitions.base.is_some() || !repetitions.is_exact(known) || is_short {
            return None;
        }
        let turns = |&comparison: &Node| Some((comparison, evolution.turn(graph, comparison, &repetitions)?));
        let (comparison, turn) = comparisons.iter().find_map(turns)?;
        Some(Found { evolution, repetitions, comparison, turn })
    }

    /// Splits the loop in two, and returns the loops that may be split further.
    fn split(self, graph: &mut Graph, duplicator: &mut Duplicator) -> Vec<Theta> {
        let Found { evolution, repetitions, comparison, turn } = self;
        let rest = evolution.theta();
        let decided = graph.output(comparison, 0);
        let variables: Vec<LoopVar> = rest.loop_vars(graph).collect();
        let repeated = count_before(graph, rest, &repetitions, &evolution);
        let known = [turn.before.known_first(graph, rest), turn.before.bound.known()];
        let mut hoisting = Hoisting::default();
        let mut at = Insert::before(graph, rest.node());
        let ends = [&turn.before.first, &turn.before.bound].into_iter().zip(known).map(|(of, known)| match known {
            Some(known) => {
                let ty = at.graph().pool().int(known.bits());
                at.int(ty, known.unsigned() as u64)
            }
            None => {
                let value = linear(&mut at, &evolution, &mut hoisting, of);
                if seeded::is_active(Bug::IssFreeze) { value } else { at.freeze(value) }
            }
        });
        let ends: Vec<Origin> = ends.collect();
        let (some, index) = first_answers(&turn.before, &mut at, ends[0], ends[1]);
        // Both numbers in one width.
        let counted = at.ty(repeated);
        let width = |at: &mut Insert<'_>, number| {
            let ty = at.ty(number);
            arith::width(at.graph().pool(), ty)
        };
        let ty = if width(&mut at, index) < width(&mut at, repeated) { counted } else { at.ty(index) };
        let [index, repeated] = [index, repeated].map(|number| at.cast(CastOp::ZExt, number, ty));
        let comes = at.compare(IntPredicate::Ult, index, repeated);
        let never = at.not(some);
        let left = at.binary(IntBinary::Or, never, comes);
        if fold::int(at.graph(), left).is_some_and(Int::is_zero) {
            answers(graph, decided, turn.answer);
            return vec![rest];
        }
        let none = fold::int(at.graph(), some).is_some_and(Int::is_zero);
        let answer = turn.answer != seeded::is_active(Bug::IssSense);
        let mut loops = vec![rest];
        if !none {
            // How often the first loop is repeated, and the value that ends it.
            let last = at.select(comes, index, repeated);
            let last = at.cast(CastOp::Trunc, last, counted);
            let compared = linear(&mut at, &evolution, &mut hoisting, &repetitions.first);
            let end = compared_after(&mut at, &evolution, &mut hoisting, &repetitions, compared, last);
            // The values of the counters after it.
            let number = at.binary_int(IntBinary::Add, index, 1);
            let zero = at.int(ty, 0);
            let number = at.select(some, number, zero);
            let starts: Vec<Option<Origin>> =
                variables.iter().map(|variable| start_after(&mut at, &evolution, variable, number)).collect();
            let front = put_before(graph, rest, duplicator);
            let (compared, there) = (duplicator.get(repetitions.compared), duplicator.get(decided));
            answers(graph, there, answer);
            let entered: Vec<Origin> = graph.input_origins(front.node()).collect();
            let end_inside = front.add_loop_var(graph, end).pre;
            repeat_until(graph, front, &repetitions, compared, end_inside);
            only_where(graph, front, some, &entered, &[]);
            let skipped: Vec<Origin> = graph.input_origins(rest.node()).collect();
            only_where(graph, rest, left, &skipped, &starts);
            loops.push(front);
        }
        if turn.is_once() {
            peel(graph, rest, duplicator);
            answers(graph, duplicator.get(decided), !answer);
            answers(graph, decided, answer);
        } else {
            answers(graph, decided, !answer);
        }
        loops
    }
}

/// Inserts a copy of a loop before it, from which it continues.
fn put_before(graph: &mut Graph, theta: Theta, duplicator: &mut Duplicator) -> Theta {
    duplicator.begin();
    let copy = duplicator.copy_nodes(graph, &[theta.node()], graph.region_of(theta.node()))[0];
    graph.move_before(copy, theta.node());
    for index in 0..graph.inputs(theta.node()).len() {
        graph.divert(graph.inputs(theta.node())[index], graph.output(copy, index));
    }
    Theta::new(graph, copy).expect("the copy of a loop is one")
}

/// The value of a counter after this many iterations.
fn start_after(at: &mut Insert<'_>, evolution: &Evolution, variable: &LoopVar, iterations: Origin) -> Option<Origin> {
    let chain = evolution.chain(at.graph(), variable.pre).filter(|chain| !chain.is_invariant())?;
    let step = chain.step()?.known()?;
    let start = at.graph().origin(variable.input);
    let (ty, of) = (at.ty(start), at.ty(iterations));
    let [to, from] = [ty, of].map(|ty| arith::width(at.graph().pool(), ty));
    let iterations = at.cast(if from < to { CastOp::ZExt } else { CastOp::Trunc }, iterations, ty);
    let by = at.binary_int(IntBinary::Mul, iterations, step.unsigned() as u64);
    Some(at.binary(IntBinary::Add, start, by))
}

/// Whether a comparison has its first value in the first iteration, and the number of the last iteration up to which it does, counted
/// from 0. It may be the largest number of its width.
fn first_answers(before: &Repetitions, at: &mut Insert<'_>, first: Origin, bound: Origin) -> (Origin, Origin) {
    let (low, high) = if before.step > 0 { (first, bound) } else { (bound, first) };
    let distance = at.binary(IntBinary::Sub, high, low);
    let magnitude = before.step.unsigned_abs() as u64;
    let Relation::Before { signed, or_equal } = before.relation else {
        let zero = at.int(at.ty(distance), 0);
        let some = at.compare(IntPredicate::Ne, distance, zero);
        return (some, at.binary_int(IntBinary::Sub, distance, 1));
    };
    let predicate = match (signed, or_equal) {
        (true, false) => IntPredicate::Slt,
        (true, true) => IntPredicate::Sle,
        (false, false) => IntPredicate::Ult,
        (false, true) => IntPredicate::Ule,
    };
    let some = at.compare(predicate, low, high);
    let keeps = or_equal || seeded::is_active(Bug::IssFirst);
    let distance = if keeps { distance } else { at.binary_int(IntBinary::Sub, distance, 1) };
    (some, at.binary_int(IntBinary::UDiv, distance, magnitude))
}
/// Whether a comparison decides a memory access.
fn decides_about_memory(graph: &Graph, node: Node) -> bool {
    let Some(Op::ICmp { .. }) = graph.op(node) else { return false };
    let users = |node: Node| {
        graph.users_of(graph.output(node, 0)).filter_map(|user| match graph.site(user) {
            Use::Input(node, _) => Some(node),
            Use::Result(..) => None,
        })
    };
    users(node).filter(|&user| matches!(graph.op(user), Some(Op::Match(_)))).any(|decision| {
        users(decision)
            .filter_map(|node| Gamma::new(graph, node))
            .any(|gamma| graph.input_origins(gamma.node()).any(|input| graph.ty(input) == Type::MEM))
    })
}

/// Replaces a comparison by its known value.
fn answers(graph: &mut Graph, comparison: Origin, answer: bool) {
    let node = graph.producer(comparison).expect("a comparison is an operation");
    let answer = Insert::before(graph, node).int(Type::I1, answer.into());
    graph.divert_users(comparison, answer);
}

/// Makes a loop continue until the compared value is `end`, which it reaches before or at its original end.
fn repeat_until(graph: &mut Graph, theta: Theta, repetitions: &Repetitions, compared: Origin, end: Origin) {
    let predicate = match (repetitions.relation, repetitions.step > 0) {
        (Relation::Differs, _) => IntPredicate::Ne,
        (Relation::Before { signed: true, .. }, true) => IntPredicate::Slt,
        (Relation::Before { signed: true, .. }, false) => IntPredicate::Sgt,
        (Relation::Before { signed: false, .. }, true) => IntPredicate::Ult,
        (Relation::Before { signed: false, .. }, false) => IntPredicate::Ugt,
    };
    let body = theta.body(graph);
    let old = graph.producer(graph.origin(theta.predicate(graph)));
    let source = old.and_then(|old| graph.source(old));
    let repeats = Insert::end(graph, body).compare(predicate, compared, end);
    let decision = Insert::end(graph, body).source(source).decide(repeats, 1);
    graph.divert(theta.predicate(graph), decision);
}

/// Executes a loop only if a condition holds, with other initial values where given; otherwise its first variables are `skipped`. If the
/// condition is known to hold, there is no conditional.
fn only_where(graph: &mut Graph, theta: Theta, condition: Origin, skipped: &[Origin], starts: &[Option<Origin>]) {
    let others = starts.iter().enumerate().filter_map(|(index, start)| Some((index, (*start)?)));
    let others: Vec<(usize, Origin)> = others.collect();
    if fold::int(graph, condition).is_some_and(Int::is_one) {
        for (index, start) in others {
            graph.divert(graph.inputs(theta.node())[index], start);
        }
        return;
    }
    let users: Vec<Vec<_>> =
        graph.outputs(theta.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
    let mut entries: Vec<Origin> = graph.input_origins(theta.node()).collect();
    entries[..skipped.len()].copy_from_slice(skipped);
    let mut at = Insert::before(graph, theta.node());
    let decision = at.decide(condition, 1);
    let guard = at.gamma(decision, 2);
    for &value in entries.iter().chain(others.iter().map(|(_, start)| start)) {
        guard.add_entry_var(graph, value);
    }
    let [skips, runs] = [0, 1].map(|alternative| guard.regions(graph)[alternative]);
    graph.move_to(theta.node(), runs);
    for index in 0..entries.len() {
        let other = others.iter().position(|&(of, _)| of == index);
        let argument = graph.arguments(runs)[other.map_or(index, |other| entries.len() + other)];
        graph.divert(graph.inputs(theta.node())[index], argument);
    }
    for (index, users) in users.into_iter().enumerate().take(skipped.len()) {
        let results = [graph.arguments(skips)[index], graph.output(theta.node(), index)];
        let output = guard.add_exit_var(graph, &results).output;
        for user in users {
            graph.divert(user, output);
        }
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Split))]
}
