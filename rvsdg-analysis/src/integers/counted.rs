//! Bounds of loop variables to which a constant is added while a comparison with another constant holds.

use rvsdg_core::fold::{self, Int, arith::mask};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate};
use rvsdg_core::structural::{LoopVar, Theta};
use rvsdg_core::{Graph, Op, Origin};

use super::bounds::Bounds;
use super::repeated::next_values;
use crate::conditions::{self, REPEAT};
use crate::invariant::follow_out;

/// How a variable counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Counted {
    /// Bounds of its initial value.
    first: Bounds,
    /// The step.
    step: Int,
    /// Whether the sums do not wrap as unsigned numbers.
    nuw: bool,
    /// The condition for another iteration: the comparison, and its constant.
    relation: (IntPredicate, Int),
    /// Whether the condition is on the next value, instead of the current one.
    of_next: bool,
    /// Whether it is non-negative in all iterations.
    non_negative: bool,
}

/// Bounds of a loop variable in every iteration; `first` are those of its initial value, and `known` holds for all its values.
pub(super) fn of_loop_variable(graph: &Graph, theta: Theta, variable: LoopVar, first: Bounds, known: Bounds) -> Bounds {
    let next = next_values(graph, theta, variable);
    let mut bounds = known;
    if next.iter().all(|&next| is_at_least(graph, variable, next)) {
        bounds = bounds.narrowed(first.least, mask(bounds.bits));
    }
    let &[next] = next.as_slice() else { return bounds };
    let Some((step, flags)) = added(graph, variable, next) else { return bounds };
    for (relation, compared, limit) in conditions::relations(graph, graph.origin(theta.predicate(graph)), REPEAT) {
        let compared = follow_out(graph, compared).0;
        let Some(limit) = fold::int(graph, follow_out(graph, limit).0) else { continue };
        if compared != next && compared != variable.pre || limit.bits() != step.bits() {
            continue;
        }
        let counted = Counted {
            first,
            step,
            nuw: flags.contains(BinaryFlags::NUW),
            relation: (relation, limit),
            of_next: compared == next,
            non_negative: known.is_non_negative(),
        };
        if let Some((least, greatest)) = counted.bounds() {
            bounds = bounds.narrowed(least, greatest);
        }
    }
    bounds
}

/// Whether the next value of a loop variable is never less than the current one: that, or a sum of it that does not wrap.
fn is_at_least(graph: &Graph, variable: LoopVar, next: Origin) -> bool {
    let is_current = |origin| follow_out(graph, origin).0 == variable.pre;
    let is_sum = |node| match graph.op(node) {
        Some(Op::IntBinary { op: IntBinary::Add, flags }) => {
            flags.contains(BinaryFlags::NUW) && graph.input_origins(node).any(is_current)
        }
        _ => false,
    };
    is_current(next) || graph.producer(next).is_some_and(is_sum)
}

/// The constant that is added to a loop variable in each iteration, if there is one.
fn added(graph: &Graph, variable: LoopVar, next: Origin) -> Option<(Int, BinaryFlags)> {
    let sum = graph.producer(next)?;
    let Some(Op::IntBinary { op: IntBinary::Add, flags }) = graph.op(sum) else { return None };
    if follow_out(graph, graph.input(sum, 0)).0 != variable.pre {
        return None;
    }
    Some((fold::int(graph, follow_out(graph, graph.input(sum, 1)).0)?, flags))
}

impl Counted {
    /// The unsigned minimum and maximum.
    fn bounds(self) -> Option<(u128, u128)> {
        let Counted { first, step, nuw, of_next, .. } = self;
        let all = mask(first.bits);
        let (low, high) = self.passing()?;
        if low > high {
            // There is no second iteration.
            return Some((first.least, first.greatest));
        }
        if step.is_negative() {
            let by = step.neg().unsigned();
            let (low, high) = if of_next { (low, high) } else { (low.checked_sub(by)?, high - by) };
            let least = low.min(first.least);
            // A variable that never gets below zero decreases.
            let greatest = if !of_next || least >= by { first.greatest } else { high.max(first.greatest) };
            Some((least, greatest))
        } else {
            let by = step.unsigned();
            let (low, high) = if of_next { (low, high) } else { (low + by, high + by) };
            if high > all {
                return None;
            }
            let greatest = high.max(first.greatest);
            // A variable that never gets above the maximum increases.
            let least = if nuw || !of_next || greatest + by <= all { first.least } else { low.min(first.least) };
            Some((least, greatest))
        }
    }

    /// The unsigned interval of the values for which the comparison holds. Empty if the first is greater than the last.
    fn passing(self) -> Option<(u128, u128)> {
        let (relation, limit) = self.relation;
        let k = limit.unsigned();
        let (all, most) = (mask(limit.bits()), mask(limit.bits()) >> 1);
        // A variable that counts exactly to the limit stays on one side of it.
        let relation = match relation {
            IntPredicate::Ne if self.meets() => {
                if self.step.is_negative() {
                    IntPredicate::Ugt
                } else {
                    IntPredicate::Ult
                }
            }
            other => other,
        };
        let below = |k: u128| k.checked_sub(1).map_or((1, 0), |last| (0, last));
        match relation {
            IntPredicate::Eq => Some((k, k)),
            IntPredicate::Ne => None,
            IntPredicate::Ult => Some(below(k)),
            IntPredicate::Ule => Some((0, k)),
            IntPredicate::Ugt => Some(if k == all { (1, 0) } else { (k + 1, all) }),
            IntPredicate::Uge => Some((k, all)),
            IntPredicate::Slt if self.non_negative => Some(if limit.is_negative() { (1, 0) } else { below(k) }),
            IntPredicate::Sle if self.non_negative => Some(if limit.is_negative() { (1, 0) } else { (0, k) }),
            IntPredicate::Sgt if !limit.is_negative() => Some(if k == most { (1, 0) } else { (k + 1, most) }),
            IntPredicate::Sgt if k == all => Some((0, most)),
            IntPredicate::Sge if !limit.is_negative() => Some((k, most)),
            IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => None,
        }
    }

    /// Whether the compared value equals the limit at some point, unless the loop ends before.
    fn meets(self) -> bool {
        let Counted { first, step, relation: (_, limit), of_next, .. } = self;
        let k = limit.unsigned();
        let (by, distance) = if step.is_negative() {
            (step.neg().unsigned(), first.least.checked_sub(k))
        } else {
            (step.unsigned(), k.checked_sub(first.greatest))
        };
        let Some(distance) = distance else { return false };
        let is_aligned = by == 1 || by > 0 && first.least == first.greatest && distance.is_multiple_of(by);
        is_aligned && (!of_next || distance > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a variable in all iterations, for one first value; `None` where one of them breaks a promise.
    fn values(counted: Counted, first: u128) -> Option<Vec<Int>> {
        let mut values = vec![counted.step.with(first)];
        loop {
            let value = *values.last().expect("there is one");
            if counted.non_negative && value.is_negative() {
                return None;
            }
            let next = value.add(counted.step);
            if counted.nuw && value.unsigned() + counted.step.unsigned() > mask(value.bits()) {
                return Some(values);
            }
            let (relation, limit) = counted.relation;
            let holds = if counted.of_next { next } else { value }.compare(relation, limit);
            if !holds || values.len() > 8 {
                return Some(values);
            }
            values.push(next);
        }
    }

    fn all() -> impl Iterator<Item = Counted> {
        let numbers = || (0..8).map(|value| Int::new(3, value));
        let firsts = || (0..8).flat_map(|least| (least..8).map(move |greatest| Bounds { bits: 3, least, greatest }));
        numbers().flat_map(move |step| {
            numbers().flat_map(move |limit| {
                firsts().flat_map(move |first| {
                    IntPredicate::ALL.iter().flat_map(move |&relation| {
                        (0..8).map(move |code: u32| Counted {
                            first,
                            step,
                            nuw: code & 1 != 0,
                            relation: (relation, limit),
                            of_next: code & 2 != 0,
                            non_negative: code & 4 != 0,
                        })
                    })
                })
            })
        })
    }

    /// Bounds hold for all ways to count with three bits; how many there are, and how many values are in them.
    #[test]
    fn bounds_hold() {
        let (mut found, mut inside) = (0u32, 0u128);
        for counted in all() {
            let Some((least, greatest)) = counted.bounds() else { continue };
            for first in counted.first.least..=counted.first.greatest {
                for value in values(counted, first).iter().flatten() {
                    let value = value.unsigned();
                    assert!(least <= value && value <= greatest, "{counted:?} {first} {value} {least} {greatest}");
                }
            }
            found += 1;
            inside += greatest - least + 1;
        }
        expect_test::expect!["107432 495733"].assert_eq(&format!("{found} {inside}"));
    }

    #[test]
    fn what_loops_count() {
        let number = |value: u128| Int::new(8, value);
        let up = Counted {
            first: Bounds { bits: 8, least: 0, greatest: 0 },
            step: number(1),
            nuw: false,
            relation: (IntPredicate::Ult, number(100)),
            of_next: true,
            non_negative: false,
        };
        let signed = Counted { relation: (IntPredicate::Slt, number(100)), ..up };
        let down = Counted {
            first: Bounds { bits: 8, least: 100, greatest: 100 },
            step: number(255),
            relation: (IntPredicate::Sgt, number(0)),
            ..up
        };
        for (counted, expected) in [
            (up, Some((0, 99))),
            (signed, None),
            (Counted { non_negative: true, ..signed }, Some((0, 99))),
            (Counted { relation: (IntPredicate::Ne, number(100)), ..up }, Some((0, 99))),
            (Counted { relation: (IntPredicate::Ne, number(100)), step: number(3), ..up }, None),
            (Counted { relation: (IntPredicate::Ne, number(99)), step: number(3), ..up }, Some((0, 98))),
            (Counted { of_next: false, ..up }, Some((0, 100))),
            (Counted { relation: (IntPredicate::Ult, number(255)), step: number(2), ..up }, Some((0, 254))),
            (Counted { relation: (IntPredicate::Ult, number(1)), ..up }, Some((0, 0))),
            (down, Some((1, 100))),
            (Counted { relation: (IntPredicate::Ne, number(0)), ..down }, Some((1, 100))),
            (Counted { of_next: false, ..down }, Some((0, 100))),
            (Counted { relation: (IntPredicate::Sge, number(0)), ..down }, Some((0, 127))),
        ] {
            assert_eq!(counted.bounds(), expected, "{counted:?}");
        }
    }
}
