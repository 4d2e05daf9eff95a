//! Trip counts of counted loops, computed before them.

use rvsdg_analysis::evolution::{Evolution, Linear, Relation, Repetitions};
use rvsdg_analysis::undef::is_not_undef;
use rvsdg_core::build::Insert;
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Type};

use crate::control::hoisting::Hoisting;
use crate::pass::PassCx;

/// Computes before a loop how often it is repeated, if that [can be computed](Repetitions::is_exact).
pub(crate) fn count_before(
    graph: &mut Graph,
    theta: Theta,
    repetitions: &Repetitions,
    evolution: &Evolution,
) -> Origin {
    let known = repetitions.known_iterations(graph, theta);
    if let Some(repeated) = known.and_then(|known| u64::try_from(known - 1).ok()) {
        let ty = graph.pool().int(repetitions.first.bits());
        return Insert::before(graph, theta.node()).int(ty, repeated);
    }
    let mut hoisting = Hoisting::default();
    let mut at = Insert::before(graph, theta.node());
    let [first, bound] =
        [&repetitions.first, &repetitions.bound].map(|value| linear(&mut at, evolution, &mut hoisting, value));
    count(repetitions, &mut at, first, bound)
}

/// Freezes the initial values of the loop from which `first` is computed, if they may be undef; returns whether any were.
///
/// A loop of several iterations at once ends when the compared value is `end`, which is computed from `first` before it. If that were
/// undef, the two could be computed from different values and never meet. The number of repetitions does not need this: if it depends on
/// the value of an undef, so does a decision of the loop, which is undefined.
pub(crate) fn settle_start(graph: &mut Graph, theta: Theta, repetitions: &Repetitions, cx: &PassCx) -> bool {
    let mut pending: Vec<Origin> = repetitions.first.terms().iter().map(|&(origin, _)| origin).collect();
    let mut changed = false;
    while let Some(origin) = pending.pop() {
        match Theta::loop_var_of_argument(graph, origin) {
            Some((_, variable)) => {
                let start = graph.origin(variable.input);
                if !is_not_undef(graph, cx.surroundings(), start) {
                    let frozen = Insert::before(graph, theta.node()).freeze(start);
                    graph.divert(variable.input, frozen);
                    changed = true;
                }
            }
            None => pending.extend(graph.producer(origin).iter().flat_map(|&node| graph.input_origins(node))),
        }
    }
    changed
}

/// How often the loop is repeated, from the compared value at the end of the first iteration and the bound. Zero if the number does not
/// fit. The number [can be computed](Repetitions::is_exact), but is not known.
pub(crate) fn count(repetitions: &Repetitions, at: &mut Insert<'_>, first: Origin, bound: Origin) -> Origin {
    debug_assert!(repetitions.is_exact(None), "steps that may miss the bound");
    let (low, high) = if repetitions.step > 0 { (first, bound) } else { (bound, first) };
    let distance = at.binary(IntBinary::Sub, high, low);
    let magnitude = repetitions.step.unsigned_abs() as u64;
    let Relation::Before { signed, or_equal } = repetitions.relation else {
        return at.binary_int(IntBinary::UDiv, distance, magnitude);
    };
    let ty = at.ty(first);
    let predicate = match (signed, or_equal) {
        (true, false) => IntPredicate::Slt,
        (true, true) => IntPredicate::Sle,
        (false, false) => IntPredicate::Ult,
        (false, true) => IntPredicate::Ule,
    };
    let holds = at.compare(predicate, low, high);
    let times = if magnitude == 1 && !or_equal {
        distance
    } else {
        let distance = if or_equal { distance } else { at.binary_int(IntBinary::Sub, distance, 1) };
        let quotient = at.binary_int(IntBinary::UDiv, distance, magnitude);
        at.binary_int(IntBinary::Add, quotient, 1)
    };
    let zero = at.int(ty, 0);
    at.select(holds, times, zero)
}

/// The compared value after the loop was repeated `repeated` times, if it is `first` at the end of the first iteration.
pub(crate) fn compared_after(
    at: &mut Insert<'_>,
    evolution: &Evolution,
    hoisting: &mut Hoisting,
    repetitions: &Repetitions,
    first: Origin,
    repeated: Origin,
) -> Origin {
    let distance = at.binary_int(IntBinary::Mul, repeated, repetitions.step as u64);
    let Some(base) = repetitions.base else { return at.binary(IntBinary::Add, first, distance) };
    let before = repetitions.first.minus(&Linear::of(base, repetitions.first.bits()));
    let before = linear(at, evolution, hoisting, &before);
    let distance = at.binary(IntBinary::Add, before, distance);
    let base = before_loop(at, evolution, hoisting, base);
    let (ty, source) = (at.ty(base), at.graph().pool().int(8));
    at.add(Op::Gep { source, flags: GepFlags::NONE }, &[base, distance], ty)
}

/// The value before the loop of an invariant, or the initial value of a variable.
fn before_loop(at: &mut Insert<'_>, evolution: &Evolution, hoisting: &mut Hoisting, origin: Origin) -> Origin {
    match Theta::loop_var_of_argument(at.graph(), origin) {
        Some((_, variable)) => at.graph().origin(variable.input),
        None => hoisting.hoist(at.graph(), evolution.invariants(), origin),
    }
}

/// A linear combination of values, with variables at their initial values and pointers as addresses.
pub(crate) fn linear(at: &mut Insert<'_>, evolution: &Evolution, hoisting: &mut Hoisting, value: &Linear) -> Origin {
    let mut sum = None;
    let ty = at.graph().pool().int(value.bits());
    for &(origin, factor) in value.terms() {
        let outer = before_loop(at, evolution, hoisting, origin);
        let outer = if at.ty(outer) == Type::PTR { at.cast(CastOp::PtrToAddr, outer, ty) } else { outer };
        let part = at.binary_int(IntBinary::Mul, outer, factor.unsigned() as u64);
        sum = Some(sum.map_or(part, |sum| at.binary(IntBinary::Add, sum, part)));
    }
    let offset = value.offset().unsigned() as u64;
    match sum {
        Some(sum) => at.binary_int(IntBinary::Add, sum, offset),
        None => at.int(ty, offset),
    }
}
