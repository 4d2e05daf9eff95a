//! The least and the greatest value without sign that an integer can have whenever it is not poison.

use rvsdg_core::fold::arith::mask;
use rvsdg_core::op::{BinaryFlags, CastOp, IntBinary};
use rvsdg_core::{Graph, Op, Origin};

use super::known_bits;

/// How far operands are followed.
const DEPTH: u32 = 2;

/// The least and the greatest value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// The width.
    pub bits: u32,
    /// The least value.
    pub least: u128,
    /// The greatest value.
    pub greatest: u128,
}

impl Bounds {
    /// Whether the sign bit is zero.
    pub fn is_non_negative(self) -> bool {
        self.greatest <= mask(self.bits) >> 1
    }
}

/// Bounds of an integer of up to 128 bits, or of the lanes of a vector of such.
pub fn of(graph: &Graph, origin: Origin) -> Option<Bounds> {
    within(graph, origin, DEPTH)
}

/// At most `DEPTH` calls deep.
fn within(graph: &Graph, origin: Origin, depth: u32) -> Option<Bounds> {
    let known = known_bits::known(graph, origin)?;
    let bits = known.bits;
    let bounds = Bounds { bits, least: known.min(), greatest: known.max() };
    let Some(node) = graph.producer(origin).filter(|_| depth > 0 && known.value().is_none()) else {
        return Some(bounds);
    };
    let of = |index: usize| within(graph, graph.input(node, index), depth - 1);
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
        Some(Op::Select(_)) => {
            let (a, b) = (of(1)?, of(2)?);
            Some((a.least.min(b.least), a.greatest.max(b.greatest)))
        }
        Some(_) | None => None,
    };
    let Some((least, greatest)) = found else { return Some(bounds) };
    Some(Bounds { bits, least: least.max(bounds.least), greatest: greatest.min(bounds.greatest) })
}

fn binary(op: IntBinary, flags: BinaryFlags, a: Bounds, b: Bounds) -> Option<(u128, u128)> {
    let all = mask(a.bits);
    match op {
        IntBinary::Add => {
            let greatest = a.greatest.checked_add(b.greatest).filter(|&sum| sum <= all);
            let least = a.least.checked_add(b.least).filter(|&sum| sum <= all)?;
            // What does not wrap is no less than the least sum.
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

#[cfg(test)]
mod tests {
    use rvsdg_core::fold::{Int, Outcome, arith};

    use super::*;

    #[test]
    fn bounds_hold() {
        use IntBinary::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        let all = || {
            (0..64)
                .map(|code| Bounds { bits: 3, least: code & 7, greatest: code >> 3 })
                .filter(|b| b.least <= b.greatest)
        };
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
