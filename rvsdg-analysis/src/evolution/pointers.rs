//! How often a loop is repeated that goes from one address to another, as those over iterators do.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::op::IntPredicate;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, TypeKind};

use crate::memory::{base_and_distance, gep_distance};

/// Distances of more bytes are not looked at: no multiple of a step below it is another one modulo two to [`MIN_BITS`].
const MAX_DISTANCE: i64 = 1 << 14;

/// How many bits addresses have at least.
const MIN_BITS: u32 = 16;

/// The number of iterations of a loop that ends where an address equals another: a variable to which as many bytes are added in
/// each iteration, and a bound at a known distance from where it starts.
pub fn pointer_iterations(graph: &Graph, theta: Theta, layouts: &mut Layouts) -> Option<u64> {
    let comparison = ends_where_equal(graph, theta)?;
    let sides = [graph.input(comparison, 0), graph.input(comparison, 1)];
    let TypeKind::Ptr(space) = *graph.pool().type_kind(graph.ty(sides[0])) else { return None };
    let pointer = layouts.data().pointer(space);
    if pointer.index_bits < MIN_BITS || pointer.is_unstable || pointer.has_external_state {
        return None;
    }
    let (step, (start, before), end) = match walk(graph, theta, layouts, sides[0]) {
        Some((step, start)) => (step, start, sides[1]),
        None => {
            let (step, start) = walk(graph, theta, layouts, sides[1])?;
            (step, start, sides[0])
        }
    };
    let (end, after) = base_and_distance(graph, layouts, end)?;
    if start != end {
        return None;
    }
    let way = after.checked_sub(before)?;
    let in_bounds = way.abs() < MAX_DISTANCE && step != 0 && step.abs() < MAX_DISTANCE;
    if !in_bounds || way % step != 0 || way / step < 0 {
        return None;
    }
    u64::try_from(way / step).ok()?.checked_add(1)
}

/// The comparison for equality where a loop ends when it holds.
fn ends_where_equal(graph: &Graph, theta: Theta) -> Option<Node> {
    let pool = graph.pool();
    let decision = graph.producer(graph.origin(theta.predicate(graph)))?;
    let Op::Match(table) = graph.op(decision)? else { return None };
    let comparison = graph.producer(graph.input(decision, 0))?;
    let Op::ICmp { predicate, .. } = graph.op(comparison)? else { return None };
    let truth = match predicate {
        IntPredicate::Eq => 1,
        IntPredicate::Ne => 0,
        _ => return None,
    };
    let table = pool.table(table);
    let [equal, different] = [truth, 1 - truth].map(|truth| table.alternative(pool, Int::new(1, truth)));
    ((equal, different) == (0, 1)).then_some(comparison)
}

/// The bytes that an address of the body moves on in each iteration, and what it is in the first: a base and a distance from it.
fn walk(graph: &Graph, theta: Theta, layouts: &mut Layouts, compared: Origin) -> Option<(i64, (Origin, i64))> {
    let variable =
        theta.loop_vars(graph).find(|variable| [variable.pre, graph.origin(variable.post)].contains(&compared))?;
    let advance = graph.producer(graph.origin(variable.post))?;
    let step = gep_distance(graph, layouts, advance).filter(|_| graph.input(advance, 0) == variable.pre)?;
    let (base, distance) = base_and_distance(graph, layouts, graph.origin(variable.input))?;
    let first = if compared == variable.pre { distance } else { distance.checked_add(step)? };
    Some((step, (base, first)))
}
