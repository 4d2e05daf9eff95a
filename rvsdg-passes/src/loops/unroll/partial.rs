//! Partial unrolling: several iterations of a loop at once.

use rvsdg_analysis::copying::size_within;
use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::evolution::{Evolution, Repetitions};
use rvsdg_analysis::pressure::Pressure;
use rvsdg_analysis::safety::is_executed_wholly;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::Int;
use rvsdg_core::graph::{Duplicator, WalkItem};
use rvsdg_core::hints::{Hint, LoopHints, LoopRole};
use rvsdg_core::op::{IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, NodeKind, Op, Origin};

use super::full;
use crate::control::hoisting::Hoisting;
use crate::loops::copies;
use crate::loops::remainder::{After, RUNS, Steps, put_before};
use crate::loops::trips::{compared_after, count, linear};

/// The maximum unroll factor.
pub const MAX_FACTOR: usize = 8;
/// How many operations the unrolled iterations may have. LLVM's bound is the size of a processor's loop buffer, 28 for most.
pub const MAX_PARTIAL: usize = 40;
/// The factors for NVPTX, each with how many operations that many iterations may have. Its assembler unrolls what comes of it by four
/// again.
const NVPTX: &[(usize, usize)] = &[(8, 64), (4, 56), (2, 68)];
/// How many registers of 32 bits the values of a loop unrolled for NVPTX may take. 32 are left to each of as many threads as a processor
/// runs; addresses and intermediate results take some of them.
const NVPTX_REGISTERS: u32 = 22;
/// A loop with fewer operations only counts.
const MIN_SIZE: usize = 3;

/// The unroll factor of a loop of which `hint` is said; `None` if it stays.
pub(super) fn factor(
    graph: &Graph,
    theta: Theta,
    known: Option<u128>,
    hint: Hint,
    machine: Option<Machine>,
) -> Option<usize> {
    let bounded = |most: usize| [(MAX_FACTOR, most), (MAX_FACTOR / 2, most), (MAX_FACTOR / 4, most)];
    let (usual, asked) = (bounded(MAX_PARTIAL), bounded(full::MAX_ASKED));
    let (least, factors) = match (hint, machine) {
        (Hint::Unsaid, Some(Machine::Nvptx)) => (MIN_SIZE, NVPTX),
        (Hint::Unsaid, _) => (MIN_SIZE, &usual[..]),
        (Hint::Times(factor), _) => (1, &[(factor as usize, full::MAX_ASKED)][..]),
        (Hint::Never | Hint::Wanted | Hint::Wholly, _) => (1, &asked[..]),
    };
    let most = factors.iter().map(|&(_, most)| most).max()?;
    let size = size_within(graph, theta.node(), most).saturating_sub(1);
    if size < least {
        return None;
    }
    let suits = graph.walk_region(theta.body(graph)).all(|item| match item {
        WalkItem::Node(node) => match graph.kind(node) {
            NodeKind::Simple(Op::Call(call)) => graph.pool().call(call).effects.count() == 0,
            NodeKind::Simple(op) => !op.is_branch() && !op.is_end(),
            NodeKind::Gamma => true,
            NodeKind::Theta | NodeKind::Lambda(_) | NodeKind::Phi | NodeKind::Delta(_) => false,
        },
        WalkItem::Enter(_) | WalkItem::Leave(_) => true,
    });
    let pressure = (hint == Hint::Unsaid && machine == Some(Machine::Nvptx)).then(|| Pressure::of(graph, theta));
    let has_registers =
        |factor: usize| pressure.is_none_or(|pressure| pressure.unrolled(factor as u32) <= NVPTX_REGISTERS);
    let fits = |&&(factor, most): &&(usize, usize)| {
        let pays =
            known.is_none_or(|known| known >= 2 * factor as u128 || hint != Hint::Unsaid && known >= factor as u128);
        factor.is_power_of_two() && size.saturating_mul(factor) <= most && pays && has_registers(factor)
    };
    factors.iter().find(fits).filter(|_| suits).map(|&(factor, _)| factor)
}

/// A loop that is being unrolled.
pub(super) struct Unrolling<'r> {
    pub theta: Theta,
    pub factor: usize,
    pub repetitions: &'r Repetitions,
}

impl Unrolling<'_> {
    /// Unrolls a loop with a known trip count of at least the unroll factor.
    pub(super) fn known(
        &self,
        graph: &mut Graph,
        evolution: &Evolution,
        iterations: u128,
        duplicator: &mut Duplicator,
    ) {
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
        let repeated = iterations - rest - 1;
        let [outside, end] = match self.repetitions.known_first(graph, theta) {
            Some(first) => {
                let end = first.signed() + self.repetitions.step * repeated as i128;
                let end = Int::new(first.bits(), end as u128).to_const(graph.pool());
                let body = theta.body(graph);
                [Insert::before(graph, theta.node()).constant(end), Insert::end(graph, body).constant(end)]
            }
            None => {
                let mut hoisting = Hoisting::default();
                let mut at = Insert::before(graph, theta.node());
                let first = linear(&mut at, evolution, &mut hoisting, &self.repetitions.first);
                let repeated = at.int(at.ty(first), repeated as u64);
                let end = compared_after(&mut at, evolution, &mut hoisting, self.repetitions, first, repeated);
                [end, theta.add_loop_var(graph, end).pre]
            }
        };
        for index in self.multiply(graph, theta, self.repetitions.compared, end, duplicator) {
            graph.divert_users(graph.output(theta.node(), index), outside);
        }
    }

    /// Unrolls a loop whose trip count is computed before it.
    pub(super) fn unknown(&self, graph: &mut Graph, evolution: &Evolution, duplicator: &mut Duplicator) {
        let (old, factor) = (self.theta, self.factor as u64);
        let certain = is_executed_wholly(graph, old.body(graph));
        let mut hoisting = Hoisting::default();
        let mut at = Insert::before(graph, old.node());
        let [first, bound] = [&self.repetitions.first, &self.repetitions.bound]
            .map(|value| linear(&mut at, evolution, &mut hoisting, value));
        let mut repeated = count(self.repetitions, &mut at, first, bound);
        if !certain {
            repeated = at.freeze(repeated);
        }
        let steps = Steps::of(&mut at, repeated, factor, factor);
        let before = at.binary_int(IntBinary::Sub, steps.whole, 1);
        let end = compared_after(&mut at, evolution, &mut hoisting, self.repetitions, first, before);
        let count = graph.inputs(old.node()).len();
        put_before(graph, old, steps, |graph, runs| {
            duplicator.begin();
            let new = duplicator.copy_nodes(graph, &[old.node()], runs)[0];
            let compared = duplicator.get(self.repetitions.compared);
            let new = Theta::new(graph, new).expect("the copy of a loop is one");
            for index in 0..count {
                let argument = graph.arguments(runs)[index];
                graph.divert(graph.inputs(new.node())[index], argument);
            }
            let guard = graph.parent(runs).expect("the alternative of a conditional");
            let guard = Gamma::new(graph, guard).expect("the alternative of a conditional");
            let end = guard.add_entry_var(graph, end).argument(graph, guard, RUNS);
            let inside = new.add_loop_var(graph, end).pre;
            let ended = self.multiply(graph, new, compared, inside, duplicator);
            let mut values = graph.outputs(new.node())[..count].to_vec();
            ended.into_iter().for_each(|index| values[index] = end);
            After { values, again: None }
        });
    }

    /// Multiplies a loop's body by the unroll factor. The loop continues until the last copy's `compared` is `end`; returns which variables
    /// are `end` after it, so that it need not compute them. An address that compares equal to `end` may be of another object.
    fn multiply(
        &self,
        graph: &mut Graph,
        theta: Theta,
        compared: Origin,
        end: Origin,
        duplicator: &mut Duplicator,
    ) -> Vec<usize> {
        let hints = graph.loop_hints(theta.node());
        let unroll = if hints.unroll == Hint::Unsaid { Hint::Unsaid } else { Hint::Never };
        graph.set_loop_hints(theta.node(), LoopHints { unroll, role: LoopRole::Main, ..hints });
        let body = theta.body(graph);
        let variables = graph.inputs(theta.node()).len();
        let nodes: Vec<Node> = full::without_decision(graph, theta);
        let mut values: Vec<Origin> = graph.result_origins(body).skip(1).collect();
        let mut last = compared;
        for _ in 1..self.factor {
            let (_, next) = copies::copy(graph, theta, &nodes, &values, body, duplicator);
            last = duplicator.get(compared);
            values = next;
        }
        let old = graph.producer(graph.origin(theta.predicate(graph))).expect("a count needs a decision");
        let source = graph.source(old);
        let differs = Insert::end(graph, body).compare(IntPredicate::Ne, last, end);
        let decision = Insert::end(graph, body).source(source).decide(differs, 1);
        graph.divert(theta.predicate(graph), decision);
        if !graph.has_users(graph.output(old, 0)) {
            graph.remove(old);
        }
        for (index, &value) in values.iter().enumerate().take(variables) {
            let post = theta.loop_var(graph, index).post;
            graph.divert(post, value);
        }
        let is_end = |&index: &usize| self.repetitions.base.is_none() && values[index] == last;
        (0..variables).filter(is_end).collect()
    }
}
