//! Upper bounds of trip counts.
//!
//! Whenever a loop continues, relations of two values hold. If one of them counts towards the other, which is invariant, the relation
//! cannot hold for more iterations than the distance between the [bounds](crate::integers) of the two allows.

use rvsdg_core::fold::{self, arith};
use rvsdg_core::op::{CastOp, IntPredicate};
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin};

use super::{Evolution, Linear, MAX_BITS};
use crate::conditions::{self, REPEAT};
use crate::integers::bounds;
use crate::invariant::follow_out;
use crate::seeded::{self, Bug};

/// An interval of integers, both ends included.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Interval {
    least: i128,
    greatest: i128,
}

impl Interval {
    /// All integers of a width.
    fn all(bits: u32, signed: bool) -> Interval {
        if signed {
            Interval { least: -(1 << (bits - 1)), greatest: (1 << (bits - 1)) - 1 }
        } else {
            Interval { least: 0, greatest: (1 << bits) - 1 }
        }
    }

    fn contains(self, other: Interval) -> bool {
        self.least <= other.least && other.greatest <= self.greatest
    }

    fn negated(self) -> Interval {
        Interval { least: -self.greatest, greatest: -self.least }
    }
}

impl Evolution {
    /// An upper bound of the trip count in any defined execution, from bounds of the values that its exit conditions compare: at least
    /// one.
    pub fn iterations_at_most(&self, graph: &Graph) -> Option<u128> {
        let relations = conditions::relations(graph, graph.origin(self.theta.predicate(graph)), REPEAT);
        let least = relations.into_iter().filter_map(|(predicate, left, right)| {
            let counts = self.repeated_at_most(graph, predicate, left, right);
            counts.or_else(|| self.repeated_at_most(graph, arith::swapped(predicate), right, left))
        });
        Some(least.min()? + 1)
    }

    /// For how many successive iterations a relation of a counter and an invariant holds at most.
    fn repeated_at_most(
        &self,
        graph: &Graph,
        predicate: IntPredicate,
        counting: Origin,
        bound: Origin,
    ) -> Option<u128> {
        let bits = arith::width(graph.pool(), graph.ty(bound)).filter(|&bits| bits <= MAX_BITS)?;
        let counting = without_truncation(graph, follow_out(graph, counting).0);
        let chain = self.chain(graph, counting)?;
        let step = chain.step()?.known()?.signed();
        let (bound, is_outside) = follow_out(graph, bound);
        let signed = match predicate {
            IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge => &[false][..],
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => &[true],
            IntPredicate::Ne => &[true, false],
            IntPredicate::Eq => &[],
        };
        signed.iter().find_map(|&signed| {
            let all = Interval::all(bits, signed);
            let first = self.interval(graph, chain.start(), signed).filter(|&first| all.contains(first))?;
            let bound = match fold::int(graph, bound) {
                Some(value) => {
                    let value = if signed { value.signed() } else { value.unsigned() as i128 };
                    Interval { least: value, greatest: value }
                }
                None if is_outside => between(graph, bound).filter(|&bound| all.contains(bound))?,
                None => return None,
            };
            match predicate {
                IntPredicate::Ne | IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Slt | IntPredicate::Sle
                    if step > 0 =>
                {
                    rising(predicate, first, bound, step, all.greatest)
                }
                IntPredicate::Ne | IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge
                    if step < 0 =>
                {
                    rising(arith::swapped(predicate), first.negated(), bound.negated(), -step, -all.least)
                }
                _ => None,
            }
        })
    }

    /// Bounds of a linear combination when the loop starts, as a signed or unsigned number.
    fn interval(&self, graph: &Graph, value: &Linear, signed: bool) -> Option<Interval> {
        let mut sum = Interval { least: 0, greatest: 0 };
        for &(origin, factor) in value.terms() {
            let (theta, variable) = Theta::loop_var_of_argument(graph, origin)?;
            let start = between(graph, graph.origin(variable.input)).filter(|_| theta == self.theta)?;
            let ends = [start.least, start.greatest].map(|end| end.checked_mul(factor.signed()));
            let [one, other] = [ends[0]?, ends[1]?];
            sum.least = sum.least.checked_add(one.min(other))?;
            sum.greatest = sum.greatest.checked_add(one.max(other))?;
        }
        // Modulo 2^width both are the same; if all sums of one are in the range of the width, they are the values that are computed.
        let all = Interval::all(value.bits(), signed);
        let offset = value.offset();
        [offset.signed(), offset.unsigned() as i128].into_iter().find_map(|offset| {
            let moved = Interval { least: sum.least.checked_add(offset)?, greatest: sum.greatest.checked_add(offset)? };
            all.contains(moved).then_some(moved)
        })
    }
}

/// The operand of a truncation; values in the range of the narrow type are the same.
fn without_truncation(graph: &Graph, origin: Origin) -> Origin {
    match graph.producer(origin).map(|node| (node, graph.op(node))) {
        Some((node, Some(Op::Cast { op: CastOp::Trunc, .. }))) => follow_out(graph, graph.input(node, 0)).0,
        Some(_) | None => origin,
    }
}

/// Unsigned bounds of an integer.
fn between(graph: &Graph, origin: Origin) -> Option<Interval> {
    let bounds = bounds::of(graph, origin).filter(|bounds| bounds.bits <= MAX_BITS)?;
    Some(Interval { least: bounds.least as i128, greatest: bounds.greatest as i128 })
}

/// How often a positive step is made at most, starting in `first`, while the value is below something in `bound`, or differs from it. The
/// final value must not be more than `greatest`: larger numbers wrap.
fn rising(predicate: IntPredicate, first: Interval, bound: Interval, step: i128, greatest: i128) -> Option<u128> {
    let distance = u128::try_from(bound.greatest - first.least).ok();
    let step = step.unsigned_abs();
    let (times, last) = match predicate {
        // A value that starts beyond the bound, or steps over it, never equals it.
        IntPredicate::Ne => {
            let meets = step == 1 && first.greatest <= bound.least;
            (distance.filter(|_| meets || seeded::is_active(Bug::UrlPassed))?, bound.greatest)
        }
        IntPredicate::Ult | IntPredicate::Slt => {
            (distance.map_or(0, |distance| distance.div_ceil(step)), bound.greatest - 1 + step as i128)
        }
        IntPredicate::Ule | IntPredicate::Sle => {
            (distance.map_or(0, |distance| distance / step + 1), bound.greatest + step as i128)
        }
        IntPredicate::Eq | IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge => {
            return None;
        }
    };
    (last <= greatest || seeded::is_active(Bug::UrlRange)).then_some(times)
}
