//! Loops that execute several iterations of an old loop at once; the old loop is kept for the remaining iterations.

use rustc_hash::FxHashSet;
use rvsdg_analysis::loop_nest::is_innermost;
use rvsdg_analysis::numbering::Numbering;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::fold;
use rvsdg_core::hints::{Hint, LoopHints, LoopRole};
use rvsdg_core::op::{IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Origin, Region, Type, Use};

/// The alternative of a conditional in which a loop is executed.
pub(crate) const RUNS: usize = 1;

/// The iterations that a new loop executes, computed before it.
pub(crate) struct Steps {
    /// The trip count of the old loop; zero if it does not fit.
    pub total: Origin,
    /// The number of iterations of the old loop that the new loop executes: a multiple of its step.
    pub whole: Origin,
    /// Whether iterations remain.
    pub left: Origin,
    /// Whether the new loop is executed.
    pub run: Origin,
}

impl Steps {
    /// The iterations of a loop that executes `step` iterations at once, a power of two, if the trip count is at least `least`, from
    /// which on it pays. The old loop is [repeated](super::trips::count) `repeated` times.
    pub fn of(at: &mut Insert<'_>, repeated: Origin, step: u64, least: u64) -> Self {
        let total = at.binary_int(IntBinary::Add, repeated, 1);
        let whole = at.binary_int(IntBinary::And, total, !(step - 1));
        let left = at.compare(IntPredicate::Ne, total, whole);
        let ty = at.ty(total);
        let least = at.int(ty, least);
        // Zero does not pay.
        let run = at.compare(IntPredicate::Uge, total, least);
        Self { total, whole, left, run }
    }

    /// Leaves an iteration to the old loop, which may leave early: `repeated` and `step` are those [of the steps](Self::of).
    pub fn leave_one(&mut self, at: &mut Insert<'_>, repeated: Origin, step: u64) {
        if seeded::is_active(Bug::VecExitSkipped) {
            return;
        }
        self.whole = at.binary_int(IntBinary::And, repeated, !(step - 1));
        self.left = at.int(Type::I1, 1);
    }

    /// Adds a condition for executing the new loop.
    pub fn demand(&mut self, at: &mut Insert<'_>, condition: Origin) {
        self.run = at.binary(IntBinary::And, self.run, condition);
    }

    /// Adds a condition that is computed only where those so far hold: what only it needs of the nodes between `after` and the loop is moved
    /// there.
    pub fn demand_then(&mut self, graph: &mut Graph, theta: Theta, after: Option<Node>, condition: Origin) {
        let mut moved: FxHashSet<Node> = FxHashSet::default();
        let mut node = graph.previous(theta.node());
        while let Some(inner) = node.filter(|_| node != after) {
            let is_moved = |user| matches!(graph.site(user), Use::Input(user, _) if moved.contains(&user));
            let mut users = graph.outputs(inner).iter().flat_map(|&output| graph.users_of(output));
            if graph.op(inner).is_some() && (graph.producer(condition) == Some(inner) || users.all(is_moved)) {
                moved.insert(inner);
            }
            node = graph.previous(inner);
        }
        let mut at = Insert::before(graph, theta.node());
        let run = at.decide(self.run, 1);
        let guard = at.gamma(run, 2);
        let [skips, runs] = [0, RUNS].map(|alternative| guard.regions(graph)[alternative]);
        let nodes: Vec<Node> = graph.nodes(graph.region_of(theta.node())).filter(|node| moved.contains(node)).collect();
        for &node in &nodes {
            graph.move_to(node, runs);
        }
        let mut router = Router::new();
        let is_outside = |graph: &Graph, origin| graph.producer(origin).is_none_or(|node| !moved.contains(&node));
        for &node in &nodes {
            for index in 0..graph.inputs(node).len() {
                let origin = graph.input(node, index);
                if is_outside(graph, origin) {
                    let inside = router.route(graph, origin, runs);
                    graph.divert(graph.inputs(node)[index], inside);
                }
            }
        }
        let holds = if is_outside(graph, condition) { router.route(graph, condition, runs) } else { condition };
        let never = Insert::end(graph, skips).int(Type::I1, 0);
        self.run = guard.add_exit_var(graph, &[never, holds]).output;
    }
}

/// Inserts a new loop before an old one, which executes the remaining iterations. `emit` builds it in a region whose arguments are the
/// initial values of the old loop, then [the number of iterations](Steps::whole) of the new one, and [whether iterations
/// remain](Steps::left), and returns its final values. The old loop is not to be unrolled any more, unless it is innermost and its trip count
/// is known. The result is the conditional whose outputs replace those of the old loop.
pub(crate) fn put_before(
    graph: &mut Graph,
    old: Theta,
    steps: Steps,
    emit: impl FnOnce(&mut Graph, Region) -> After,
) -> Gamma {
    let users: Vec<Vec<_>> = graph.outputs(old.node()).iter().map(|&output| graph.users_of(output).collect()).collect();
    let mut at = Insert::before(graph, old.node());
    let run = at.decide(steps.run, 1);
    let guard = at.gamma(run, 2);
    let inputs: Vec<Origin> = graph.input_origins(old.node()).collect();
    for &input in inputs.iter().chain(&[steps.whole, steps.left]) {
        guard.add_entry_var(graph, input);
    }
    let [skips, runs] = [0, RUNS].map(|alternative| guard.regions(graph)[alternative]);
    let after = emit(graph, runs);
    for (index, &value) in after.values.iter().enumerate() {
        let skipped = graph.arguments(skips)[index];
        guard.add_exit_var(graph, &[skipped, value]);
    }
    // Without the new loop, all iterations remain.
    let all = Insert::end(graph, skips).int(Type::I1, 1);
    let mut left = graph.arguments(runs)[inputs.len() + 1];
    if let Some(again) = after.again {
        left = Insert::end(graph, runs).binary(IntBinary::Or, left, again);
    }
    let left = guard.add_exit_var(graph, &[all, left]).output;
    let rest = remainder(graph, old, guard, left);
    let mut hints = LoopHints { role: LoopRole::Remainder, ..graph.loop_hints(old.node()) };
    // It rarely executes many iterations; if their number is known, they are few, and may be unrolled fully.
    if after.again.is_some() || fold::int(graph, steps.total).is_none() || !is_innermost(graph, old) {
        hints.unroll = Hint::Never;
    }
    graph.set_loop_hints(old.node(), hints);
    for (index, users) in users.into_iter().enumerate() {
        let output = graph.output(rest.node(), index);
        for user in users {
            graph.divert(user, output);
        }
    }
    rest
}

/// Gives the outputs of the conditional that replaced a loop the value numbers of the loop's outputs.
pub(crate) fn renumber(graph: &Graph, numbers: &mut Numbering, old: Theta, rest: Gamma) {
    for (&before, &after) in graph.outputs(old.node()).iter().zip(graph.outputs(rest.node())) {
        numbers.replace(before, after);
    }
}

/// The results of a new loop.
pub(crate) struct After {
    /// The variables of the old loop after it.
    pub values: Vec<Origin>,
    /// Whether they are unchanged, so that the old loop must execute all iterations.
    pub again: Option<Origin>,
}

/// Moves the old loop into a γ after the new one's.
fn remainder(graph: &mut Graph, old: Theta, guard: Gamma, left: Origin) -> Gamma {
    let mut at = Insert::before(graph, old.node());
    let left = at.decide(left, 1);
    let rest = at.gamma(left, 2);
    let count = graph.inputs(old.node()).len();
    for index in 0..count {
        let value = graph.output(guard.node(), index);
        rest.add_entry_var(graph, value);
    }
    let [skips, runs] = [0, RUNS].map(|alternative| rest.regions(graph)[alternative]);
    graph.move_to(old.node(), runs);
    for index in 0..count {
        let argument = graph.arguments(runs)[index];
        graph.divert(graph.inputs(old.node())[index], argument);
        let results = [graph.arguments(skips)[index], graph.output(old.node(), index)];
        rest.add_exit_var(graph, &results);
    }
    rest
}
