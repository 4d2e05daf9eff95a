//! Linear exit tests.
//!
//! Only those of a known trip count are made so early: passes for loops ask whether a counter is less than its bound. The code generator
//! asks for equality, with which it can count in any way: down to zero, or in addresses.

use rvsdg_analysis::evolution::{Approach, Evolution, Relation};
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

/// Makes comparisons that hold until a counter equals its bound comparisons for (in)equality.
pub(super) fn meet(graph: &mut Graph, theta: Theta, cx: &PassCx) -> Change {
    let mut change = Change::Unchanged;
    for Approach { comparison, predicate } in Evolution::of(graph, theta).approaches(graph, cx.surroundings()) {
        if !cx.rewrite("approached", graph, comparison) {
            return change;
        }
        cx.count("approached", 1);
        let (counter, bound) = (graph.input(comparison, 0), graph.input(comparison, 1));
        let new = Insert::before(graph, comparison).compare(predicate, counter, bound);
        graph.divert_users(graph.output(comparison, 0), new);
        graph.remove(comparison);
        change = Change::Changed;
    }
    change
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
