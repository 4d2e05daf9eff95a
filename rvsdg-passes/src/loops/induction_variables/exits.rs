//! Linear exit tests.

use rvsdg_analysis::evolution::{Evolution, Relation};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::Int;
use rvsdg_core::op::IntPredicate;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op};

use crate::pass::{Change, PassCx};

/// Makes a loop with a known trip count continue until a value equals its final value.
pub(super) fn canonicalize(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    try_canonicalize(graph, theta, cx).map_or(Change::Unchanged, |()| Change::Changed)
}

fn try_canonicalize(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Option<()> {
    let decision = graph.producer(graph.origin(theta.predicate(graph)))?;
    let Some(Op::Match(table)) = graph.op(decision) else { return None };
    let pool = graph.pool().clone();
    let compare = graph.producer(graph.input(decision, 0))?;
    let Some(Op::ICmp { .. }) = graph.op(compare) else { return None };
    let evolution = Evolution::of(graph, theta);
    let repetitions = evolution.repetitions(graph, None)?;
    if repetitions.relation == Relation::Differs || !graph.has_one_user(graph.output(compare, 0)) {
        return None;
    }
    let iterations = repetitions.known_iterations(graph, theta)?;
    let first = repetitions.known_first(graph, theta)?;
    // The compared value does not wrap, so it takes its final value only once.
    let last = first.signed() + repetitions.step * i128::try_from(iterations - 1).ok()?;
    let last = Int::new(first.bits(), last as u128);
    if !cx.rewrite("comparisons", graph, compare) {
        return None;
    }
    cx.count("comparisons", 1);
    // The comparison holds either when the loop continues, or when it ends.
    let &[(value, chosen)] = pool.table(table).cases.as_ref() else { return None };
    let holds = (chosen == 1) == Int::of_const(&pool, value)?.is_one();
    let predicate = if holds { IntPredicate::Ne } else { IntPredicate::Eq };
    let mut at = Insert::before(graph, compare);
    let last = at.constant(last.to_const(&pool));
    let new = at.compare(predicate, repetitions.compared, last);
    graph.divert_users(graph.output(compare, 0), new);
    graph.remove(compare);
    Some(())
}
