//! Operations on lanes.

use rvsdg_analysis::target::scalar_bits;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, Intrinsic, parts};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, IntBinary, IntPredicate};
use rvsdg_core::{Op, Origin, Type};

use super::build::{chosen, compared, splat_const, vector};

/// The vector form of an operation; in a reduction, without the flags that depend on the order.
pub(crate) fn widened(at: &mut Insert<'_>, op: Op, inputs: &[Origin], ty: Type, is_reduction: bool) -> Origin {
    let op = match op {
        Op::IntBinary { op, .. } if is_reduction => Op::IntBinary { op, flags: BinaryFlags::NONE },
        _ => op,
    };
    at.add(op, inputs, ty)
}

/// An intrinsic, computed by vector operations.
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
            // `fmuladd` may round once or twice, and so may these.
            let flags = fast | FastMath::CONTRACT;
            let product = at.add(Op::FloatBinary { op: FloatBinary::FMul, flags }, &inputs[..2], ty);
            Some(at.add(Op::FloatBinary { op: FloatBinary::FAdd, flags }, &[product, inputs[2]], ty))
        }
        Intrinsic::CtPop => ones(at, inputs[0]),
        Intrinsic::BSwap => swapped(at, inputs[0]),
        _ => None,
    }
}

/// The population count of each lane: of pairs of bits, of groups of four, of bytes, then of all bytes.
fn ones(at: &mut Insert<'_>, value: Origin) -> Option<Origin> {
    let masked = |at: &mut Insert<'_>, value: Origin, byte: u64| {
        let mask = in_lanes(at, value, u64::from_ne_bytes([byte as u8; 8]))?;
        Some(at.binary(IntBinary::And, value, mask))
    };
    let half = shifted(at, IntBinary::LShr, value, 1)?;
    let half = masked(at, half, 0x55)?;
    let pairs = at.binary(IntBinary::Sub, value, half);
    let upper = shifted(at, IntBinary::LShr, pairs, 2)?;
    let [lower, upper] = [masked(at, pairs, 0x33)?, masked(at, upper, 0x33)?];
    let fours = at.binary(IntBinary::Add, lower, upper);
    let upper = shifted(at, IntBinary::LShr, fours, 4)?;
    let bytes = at.binary(IntBinary::Add, fours, upper);
    let mut sum = masked(at, bytes, 0x0f)?;
    let bits = lane_bits(at, value)?;
    let mut distance = 8;
    while distance < bits {
        let upper = shifted(at, IntBinary::LShr, sum, distance)?;
        sum = at.binary(IntBinary::Add, sum, upper);
        distance *= 2;
    }
    if bits == 8 {
        return Some(sum);
    }
    // All bytes but the lowest contain partial sums.
    let mask = in_lanes(at, sum, 0xff)?;
    Some(at.binary(IntBinary::And, sum, mask))
}

/// The bytes of each lane in reverse order: neighbours are exchanged, then pairs of them, and so on.
fn swapped(at: &mut Insert<'_>, mut value: Origin) -> Option<Origin> {
    let bits = lane_bits(at, value)?;
    let mut distance = 8;
    while distance < bits {
        let lower = (0..64).filter(|bit| bit % (2 * distance) < distance).fold(0, |mask, bit| mask | 1_u64 << bit);
        let mask = in_lanes(at, value, lower)?;
        let below = at.binary(IntBinary::And, value, mask);
        let up = shifted(at, IntBinary::Shl, below, distance)?;
        let above = shifted(at, IntBinary::LShr, value, distance)?;
        let down = at.binary(IntBinary::And, above, mask);
        value = at.binary(IntBinary::Or, up, down);
        distance *= 2;
    }
    Some(value)
}

/// The width of the lanes of a vector of integers.
fn lane_bits(at: &mut Insert<'_>, vector: Origin) -> Option<u32> {
    let ty = at.ty(vector);
    let pool = at.graph().pool();
    scalar_bits(pool, parts::lane_type(pool, ty)?)
}

/// A number in each lane of a vector of the type of another one.
fn in_lanes(at: &mut Insert<'_>, like: Origin, number: u64) -> Option<Origin> {
    let pool = at.graph().pool().clone();
    let lanes = parts::lanes(&pool, at.ty(like))?;
    let number = Int::new(lane_bits(at, like)?, number.into()).to_const(&pool);
    Some(splat_const(at, number, lanes))
}

/// Each lane shifted by a number of bits.
fn shifted(at: &mut Insert<'_>, op: IntBinary, vector: Origin, by: u32) -> Option<Origin> {
    let by = in_lanes(at, vector, by.into())?;
    Some(at.binary(op, vector, by))
}

/// The sign bits of a vector of floats, or all other bits, as integers.
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
