//! Operations on lanes.

use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, Intrinsic, parts};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, IntBinary, IntPredicate};
use rvsdg_core::{Op, Origin, Type};

use super::build::{chosen, compared, splat_const, vector};

/// An operation on vectors that computes each lane as on scalars; in a reduction without the promises that hold for another order.
pub(crate) fn widened(at: &mut Insert<'_>, op: Op, inputs: &[Origin], ty: Type, is_reduction: bool) -> Origin {
    let op = match op {
        Op::IntBinary { op, .. } if is_reduction => Op::IntBinary { op, flags: BinaryFlags::NONE },
        _ => op,
    };
    at.add(op, inputs, ty)
}

/// An intrinsic, computed by operations on vectors.
pub(crate) fn intrinsic(at: &mut Insert<'_>, which: Intrinsic, inputs: &[Origin], fast: FastMath) -> Option<Origin> {
    let ty = at.ty(inputs[0]);
    if let Some(predicate) = which.chooses() {
        return Some(chosen(at, predicate, inputs[0], inputs[1]));
    }
    match which {
        Intrinsic::Abs => {
            let zero = at.graph().pool().clone();
            let zero = parts::zero(&zero, ty)?;
            let zero = at.constant(zero);
            let negative = compared(at, IntPredicate::Slt, inputs[0], zero);
            let negated = at.binary(IntBinary::Sub, zero, inputs[0]);
            Some(at.add(Op::Select(FastMath::NONE), &[negative, negated, inputs[0]], ty))
        }
        Intrinsic::FAbs => {
            let magnitude = part_of_bits(at, inputs[0], false)?;
            Some(at.cast(CastOp::BitCast, magnitude, ty))
        }
        Intrinsic::CopySign => {
            let magnitude = part_of_bits(at, inputs[0], false)?;
            let sign = part_of_bits(at, inputs[1], true)?;
            let both = at.binary(IntBinary::Or, magnitude, sign);
            Some(at.cast(CastOp::BitCast, both, ty))
        }
        Intrinsic::FMulAdd => {
            // It may be rounded once or twice, and so may these.
            let flags = fast | FastMath::CONTRACT;
            let product = at.add(Op::FloatBinary { op: FloatBinary::FMul, flags }, &inputs[..2], ty);
            Some(at.add(Op::FloatBinary { op: FloatBinary::FAdd, flags }, &[product, inputs[2]], ty))
        }
        _ => None,
    }
}

/// The signs of a vector of floats, or all other bits, as integers.
fn part_of_bits(at: &mut Insert<'_>, value: Origin, sign: bool) -> Option<Origin> {
    let pool = at.graph().pool().clone();
    let ty = at.ty(value);
    let lanes = parts::lanes(&pool, ty)?;
    let bits = scalar_bits(&pool, parts::lane_type(&pool, ty)?)?;
    let integer = pool.int(bits);
    let cast = Op::Cast { op: CastOp::BitCast, flags: CastFlags::default() };
    let value = at.add(cast, &[value], vector(&pool, integer, lanes));
    let signs = Int::new(bits, 1 << (bits - 1));
    let mask = if sign { signs } else { signs.not() };
    let mask = splat_const(at, mask.to_const(&pool), lanes);
    Some(at.binary(IntBinary::And, value, mask))
}
