//! The unsigned minimum and maximum of an integer whenever it is not poison.

use crate::invariant::follow_out;
use rvsdg_core::fold::{self, arith::mask};
use rvsdg_core::op::{BinaryFlags, Call, CastOp, IntBinary, IntPredicate};
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Op, Origin, OriginDef, Pool};
use smallvec::SmallVec;

use super::counted;
use super::known_bits::{self, Known};

/// How deep operands are followed.
const DEPTH: u32 = 2;

/// How many loops are followed to their last iteration.
const MAX_LOOPS: usize = 8;

/// How many results of conditionals are looked at.
const MAX_RESULTS: u32 = 12;

/// The minimum and maximum.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The width.
    pub bits: u32,
    /// The minimum.
    pub least: u128,
    /// The maximum.
    pub greatest: u128,
}

impl Bounds {
    /// The bounds from known bits.
    pub fn of_known(known: Known) -> Bounds {
        Bounds { bits: known.bits, least: known.min(), greatest: known.max() }
    }

    /// The bounds of values that are also between two values.
    #[must_use]
    pub fn narrowed(self, least: u128, greatest: u128) -> Bounds {
        Bounds { least: least.max(self.least), greatest: greatest.min(self.greatest), ..self }
    }

    /// Whether the sign bit is zero.
    pub fn is_non_negative(self) -> bool {
        self.greatest <= mask(self.bits) >> 1
    }

    /// Bounds that are ordered without sign as these are with it; `None` where some numbers are negative and others are not.
    fn with_sign(self) -> Option<Bounds> {
        let sign = 1 << (self.bits - 1);
        let is_one_sign = self.least & sign == self.greatest & sign;
        is_one_sign.then_some(Bounds { least: self.least ^ sign, greatest: self.greatest ^ sign, ..self })
    }
}

/// Bounds of an integer of up to 128 bits, or of the lanes of a vector of them.
pub fn of(graph: &Graph, origin: Origin) -> Option<Bounds> {
    within(graph, origin, DEPTH, &mut { MAX_RESULTS })
}

/// What a call promises of its result (`range`), where the numbers do not go on from the greatest to zero.
pub(super) fn of_result(pool: &Pool, call: Call) -> Option<Bounds> {
    let range = pool.attributes(pool.call(call).attributes).result_range()?;
    let least = u128::from(range.first);
    let greatest = least + u128::from(range.count) - 1;
    (greatest <= mask(range.bits)).then_some(Bounds { bits: range.bits, least, greatest })
}

/// At most `DEPTH` calls deep for operands, and one for each of the results of conditionals that are left.
fn within(graph: &Graph, origin: Origin, depth: u32, left: &mut u32) -> Option<Bounds> {
    let known = known_bits::known(graph, origin)?;
    let bits = known.bits;
    let bounds = Bounds::of_known(known);
    if known.value().is_some() {
        return Some(bounds);
    }
    let origin = follow_in(graph, origin);
    if let Some((theta, variable)) = Theta::loop_var_of_argument(graph, origin) {
        let first = graph.origin(variable.input);
        let first = if depth > 0 {
            within(graph, first, depth - 1, left)?
        } else {
            Bounds::of_known(known_bits::known(graph, first)?)
        };
        return Some(counted::of_loop_variable(graph, theta, variable, first, bounds));
    }
    let OriginDef::Output(node, index) = graph.def(origin) else { return Some(bounds) };
    if let Some(gamma) = Gamma::new(graph, node) {
        let results = gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize));
        let results: SmallVec<[Origin; 4]> = results.filter(|&value| !fold::is_poison(graph, value)).collect();
        let Some(rest) = left.checked_sub(results.len() as u32) else { return Some(bounds) };
        *left = rest;
        let ends = of_any(results.into_iter().map(|value| within(graph, value, depth, left)));
        return Some(ends.map_or(bounds, |(least, greatest)| bounds.narrowed(least, greatest)));
    }
    if depth == 0 {
        return Some(bounds);
    }
    let mut of = |index: usize| within(graph, graph.input(node, index), depth - 1, left);
    let found = match graph.op(node) {
        Some(Op::IntBinary { op, flags }) => {
            let (a, b) = (of(0)?, of(1)?);
            binary(op, flags, a, b)
        }
        Some(Op::Cast { op: CastOp::ZExt, .. }) => of(0).map(|inner| (inner.least, inner.greatest)),
        Some(Op::Cast { op: CastOp::Trunc, .. }) => {
            of(0).filter(|inner| inner.greatest <= mask(bits)).map(|inner| (inner.least, inner.greatest))
        }
        Some(Op::Cast { op: CastOp::SExt, .. }) => {
            of(0).filter(|inner| inner.is_non_negative()).map(|inner| (inner.least, inner.greatest))
        }
        Some(Op::Select(_)) => of_any([of(1), of(2)].into_iter()),
        Some(Op::Call(call)) => of_result(graph.pool(), call).map(|result| (result.least, result.greatest)),
        Some(_) | None => None,
    };
    let Some((least, greatest)) = found else { return Some(bounds) };
    Some(bounds.narrowed(least, greatest))
}

/// The value that another one is in an outer region, or in the last iteration of a loop.
fn follow_in(graph: &Graph, origin: Origin) -> Origin {
    let mut origin = follow_out(graph, origin).0;
    for _ in 0..MAX_LOOPS {
        let Some((_, variable)) = Theta::loop_var_of_output(graph, origin) else { break };
        origin = follow_out(graph, graph.origin(variable.post)).0;
    }
    origin
}

/// The minimum and maximum of several values.
fn of_any(mut values: impl Iterator<Item = Option<Bounds>>) -> Option<(u128, u128)> {
    let first = values.next()??;
    values.try_fold((first.least, first.greatest), |(least, greatest), bounds| {
        bounds.map(|bounds| (least.min(bounds.least), greatest.max(bounds.greatest)))
    })
}

fn binary(op: IntBinary, flags: BinaryFlags, a: Bounds, b: Bounds) -> Option<(u128, u128)> {
    let all = mask(a.bits);
    match op {
        IntBinary::Add => {
            let greatest = a.greatest.checked_add(b.greatest).filter(|&sum| sum <= all);
            let least = a.least.checked_add(b.least).filter(|&sum| sum <= all)?;
            // A sum that does not wrap is at least the sum of the minima.
            match greatest {
                Some(greatest) => Some((least, greatest)),
                None => flags.contains(BinaryFlags::NUW).then_some((least, all)),
            }
        }
        IntBinary::Sub if a.least >= b.greatest => Some((a.least - b.greatest, a.greatest - b.least)),
        IntBinary::Sub => flags.contains(BinaryFlags::NUW).then_some((0, a.greatest)),
        IntBinary::Mul => {
            let greatest = a.greatest.checked_mul(b.greatest).filter(|&product| product <= all)?;
            Some((a.least * b.least, greatest))
        }
        IntBinary::UDiv if b.greatest > 0 => Some((a.least / b.greatest, a.greatest / b.least.max(1))),
        IntBinary::URem if b.greatest > 0 => Some((0, a.greatest.min(b.greatest - 1))),
        IntBinary::SRem if a.is_non_negative() && b.is_non_negative() && b.greatest > 0 => {
            Some((0, a.greatest.min(b.greatest - 1)))
        }
        IntBinary::And => Some((0, a.greatest.min(b.greatest))),
        IntBinary::Or => Some((a.least.max(b.least), all)),
        IntBinary::LShr if b.greatest < a.bits.into() => Some((a.least >> b.greatest, a.greatest >> b.least)),
        IntBinary::UDiv
        | IntBinary::URem
        | IntBinary::SDiv
        | IntBinary::SRem
        | IntBinary::Shl
        | IntBinary::LShr
        | IntBinary::AShr
        | IntBinary::Xor => None,
    }
}

/// The result of a comparison that the bounds of its operands imply.
pub fn relation(predicate: IntPredicate, a: Bounds, b: Bounds) -> Option<bool> {
    let signed = matches!(predicate, IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge);
    let (a, b) = if signed { (a.with_sign()?, b.with_sign()?) } else { (a, b) };
    let (below, above) = (a.greatest < b.least, a.least > b.greatest);
    let (not_above, not_below) = (a.greatest <= b.least, a.least >= b.greatest);
    match predicate {
        IntPredicate::Eq if below || above => Some(false),
        IntPredicate::Ne if below || above => Some(true),
        IntPredicate::Ult | IntPredicate::Slt if below => Some(true),
        IntPredicate::Ult | IntPredicate::Slt if not_below => Some(false),
        IntPredicate::Ule | IntPredicate::Sle if not_above => Some(true),
        IntPredicate::Ule | IntPredicate::Sle if above => Some(false),
        IntPredicate::Ugt | IntPredicate::Sgt if above => Some(true),
        IntPredicate::Ugt | IntPredicate::Sgt if not_above => Some(false),
        IntPredicate::Uge | IntPredicate::Sge if not_below => Some(true),
        IntPredicate::Uge | IntPredicate::Sge if below => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::fold::{Int, Outcome, arith};

    use super::*;

    /// All bounds of three bits.
    fn all() -> impl Iterator<Item = Bounds> {
        (0..64).map(|code| Bounds { bits: 3, least: code & 7, greatest: code >> 3 }).filter(|b| b.least <= b.greatest)
    }

    fn values(bounds: Bounds) -> impl Iterator<Item = Int> {
        (bounds.least..=bounds.greatest).map(|value| Int::new(3, value))
    }

    #[test]
    fn relations_are_decided_where_all_numbers_agree() {
        for &predicate in IntPredicate::ALL {
            let is_signed = predicate.name().starts_with('s');
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let mut holds = values(a).flat_map(|x| values(b).map(move |y| x.compare(predicate, y)));
                let first = holds.next();
                let agreed = first.filter(|&first| holds.all(|other| other == first));
                // Of equality bounds say nothing but that there is none; they have no sign.
                let equal = matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) && a.least == b.greatest;
                let of_both_signs = |bounds: Bounds| bounds.least <= 3 && bounds.greatest > 3;
                let is_unknown = equal || is_signed && (of_both_signs(a) || of_both_signs(b));
                let expected = if is_unknown { None } else { agreed };
                assert_eq!(relation(predicate, a, b), expected, "{predicate:?} {a:?} {b:?}");
            }
        }
    }

    /// No bound could be closer, but for what bits say.
    #[test]
    fn bounds_are_close() {
        use IntBinary::{Add, LShr, Mul, Sub, UDiv};
        for (op, flags) in [
            (Add, BinaryFlags::NONE),
            (Add, BinaryFlags::NUW),
            (Sub, BinaryFlags::NONE),
            (Sub, BinaryFlags::NUW),
            (Mul, BinaryFlags::NONE),
            (UDiv, BinaryFlags::NONE),
            (LShr, BinaryFlags::NONE),
        ] {
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let results = values(a).flat_map(|x| values(b).map(move |y| arith::binary(op, flags, x, y)));
                let results: Vec<Outcome> = results.collect();
                let plain = |&outcome: &Outcome| match outcome {
                    Outcome::Value(value) => Some(value.unsigned()),
                    Outcome::Poison | Outcome::Undefined => None,
                };
                let numbers: Vec<u128> = results.iter().filter_map(plain).collect();
                let wraps = |x: Int, y: Int| match op {
                    Add => x.unsigned() + y.unsigned() > 7,
                    Sub => x.unsigned() < y.unsigned(),
                    Mul => x.unsigned() * y.unsigned() > 7,
                    _ => false,
                };
                let some_wrap = values(a).any(|x| values(b).any(|y| wraps(x, y)));
                let too_far = op == LShr && b.greatest >= 3;
                let (Some(&least), Some(&greatest)) = (numbers.iter().min(), numbers.iter().max()) else { continue };
                let found = binary(op, flags, a, b);
                if !some_wrap && !too_far {
                    assert_eq!(found, Some((least, greatest)), "{op:?} {flags:?} {a:?} {b:?}");
                } else if flags == BinaryFlags::NUW {
                    let all = if op == Add { (least, 7) } else { (0, greatest.max(a.greatest)) };
                    assert_eq!(found, Some(all), "{op:?} {flags:?} {a:?} {b:?}");
                } else {
                    assert_eq!(found, None, "{op:?} {flags:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn bounds_hold() {
        use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        for op in [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor] {
            for flags in [BinaryFlags::NONE, BinaryFlags::NUW] {
                for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                    let Some((least, greatest)) = binary(op, flags, a, b) else { continue };
                    for x in a.least..=a.greatest {
                        for y in b.least..=b.greatest {
                            if let Outcome::Value(value) = arith::binary(op, flags, Int::new(3, x), Int::new(3, y)) {
                                let value = value.unsigned();
                                assert!(least <= value && value <= greatest, "{op:?} {a:?} {b:?} {x} {y}");
                            }
                        }
                    }
                }
            }
        }
    }
}
