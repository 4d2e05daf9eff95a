//! Construction of vectors: types and constants, and spreading, shifting and combining of lanes.

use rvsdg_analysis::dependence::ReductionKind;
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{Int, parts};
use rvsdg_core::op::{FastMath, FloatBinary, IntBinary, IntPredicate};
use rvsdg_core::{Const, Constant, Op, Origin, Pool, Type, TypeKind};

/// The vector type with `len` lanes of a type.
pub(crate) fn vector(pool: &Pool, element: Type, len: u32) -> Type {
    pool.intern_type(TypeKind::Vector { element, len, scalable: false })
}

/// A value in each lane.
pub(crate) fn splat(at: &mut Insert<'_>, value: Origin, lanes: u32) -> Origin {
    let ty = vector(&at.graph().pool().clone(), at.ty(value), lanes);
    let poison = at.poison(ty);
    let zero = at.int(Type::I64, 0);
    let first = at.add(Op::InsertElement, &[poison, value, zero], ty);
    shuffled(at, [first, poison], &vec![0; lanes as usize])
}

/// Selected lanes of two vectors of one type, as many as each has.
fn shuffled(at: &mut Insert<'_>, vectors: [Origin; 2], mask: &[u32]) -> Origin {
    let ty = at.ty(vectors[0]);
    let mask = at.graph().pool().intern_indices(mask);
    at.add(Op::ShuffleVector(mask), &vectors, ty)
}

/// A vector of selected lanes of several vectors of one type; each pick names a vector and a lane.
pub(crate) fn picked(at: &mut Insert<'_>, vectors: &[Origin], picks: &[(usize, u32)]) -> Origin {
    let lanes = picks.len() as u32;
    let mut of: Vec<usize> = picks.iter().map(|&(vector, _)| vector).collect();
    of.sort_unstable();
    of.dedup();
    let first = vectors[of[0]];
    if of.len() == 1 {
        let mask: Vec<u32> = picks.iter().map(|&(_, lane)| lane).collect();
        let poison = at.poison(at.ty(first));
        return shuffled(at, [first, poison], &mask);
    }
    // Lanes of further vectors are inserted one vector after the other.
    let mut known = None;
    for (position, &vector) in of.iter().enumerate().skip(1) {
        let mask: Vec<u32> = (0..lanes)
            .map(|lane| match picks[lane as usize] {
                (other, place) if other == vector => lanes + place,
                (other, place) if position == 1 && other == of[0] => place,
                (other, _) if of[..position].contains(&other) => lane,
                _ => u32::MAX,
            })
            .collect();
        known = Some(shuffled(at, [known.unwrap_or(first), vectors[vector]], &mask));
    }
    known.unwrap_or(first)
}

/// The lanes of a vector in reverse order.
pub(crate) fn reversed(at: &mut Insert<'_>, vector: Origin, lanes: u32) -> Origin {
    let poison = at.poison(at.ty(vector));
    let mask: Vec<u32> = (0..lanes).rev().collect();
    shuffled(at, [vector, poison], &mask)
}

/// A constant in each lane.
pub(crate) fn splat_const(at: &mut Insert<'_>, element: Const, lanes: u32) -> Origin {
    let pool = at.graph().pool().clone();
    let ty = vector(&pool, pool.constant(element).ty(), lanes);
    let constant = parts::splat_of(&pool, ty, element).expect("a vector of few lanes has a constant");
    at.constant(constant)
}

/// An integer vector of consecutive multiples of a number, the first one multiplied by `first`.
pub(crate) fn multiples(at: &mut Insert<'_>, ty: Type, step: Int, first: u64, lanes: u32) -> Origin {
    let pool = at.graph().pool().clone();
    let elements: Vec<Const> =
        (0..lanes).map(|lane| step.mul(step.with(u128::from(first) + u128::from(lane))).to_const(&pool)).collect();
    let ty = vector(&pool, ty, lanes);
    let constant = parts::whole(&pool, ty, &elements).expect("a vector of few lanes has a constant");
    at.constant(constant)
}

/// A vector with a value in one lane.
pub(crate) fn with_lane(at: &mut Insert<'_>, vector: Origin, value: Origin, lane: u32) -> Origin {
    let (ty, lane) = (at.ty(vector), at.int(Type::I64, lane.into()));
    at.add(Op::InsertElement, &[vector, value, lane], ty)
}

/// A lane of a vector.
pub(crate) fn lane(at: &mut Insert<'_>, vector: Origin, lane: u32, ty: Type) -> Origin {
    let lane = at.int(Type::I64, lane.into());
    at.add(Op::ExtractElement, &[vector, lane], ty)
}

/// The last lane of one vector, followed by all but the last lane of the next.
pub(crate) fn shifted(at: &mut Insert<'_>, before: Origin, vector: Origin, lanes: u32) -> Origin {
    let mask: Vec<u32> = (lanes - 1..2 * lanes - 1).collect();
    shuffled(at, [before, vector], &mask)
}

/// The neutral element of a reduction.
pub(crate) fn neutral(pool: &Pool, kind: ReductionKind, ty: Type) -> Option<Const> {
    match (kind, pool.type_kind(ty)) {
        (ReductionKind::Int(op), &TypeKind::Int(bits)) => {
            let value = match op {
                IntBinary::Mul => 1,
                IntBinary::And => u128::MAX,
                _ => 0,
            };
            Some(Int::new(bits, value).to_const(pool))
        }
        (ReductionKind::Float(op, _), kind) => {
            let bits = match (op, kind) {
                // Negative zero: adding positive zero to it would change its sign.
                (FloatBinary::FAdd, TypeKind::Float) => 1 << 31,
                (FloatBinary::FAdd, TypeKind::Double) => 1 << 63,
                (FloatBinary::FMul, TypeKind::Float) => 0x3f80_0000,
                (FloatBinary::FMul, TypeKind::Double) => 0x3ff0_0000_0000_0000,
                _ => return None,
            };
            Some(pool.intern_const(Constant::Float { ty, bits }))
        }
        _ => None,
    }
}

/// The combination of two values, or of their lanes, in a reduction.
pub(crate) fn combined(at: &mut Insert<'_>, kind: ReductionKind, a: Origin, b: Origin) -> Origin {
    let ty = at.ty(a);
    match kind {
        ReductionKind::Int(op) => at.binary(op, a, b),
        ReductionKind::Float(op, flags) => at.add(Op::FloatBinary { op, flags }, &[a, b], ty),
        ReductionKind::Choice(predicate) => chosen(at, predicate, a, b),
        ReductionKind::FloatChoice(predicate) => {
            let pool = at.graph().pool().clone();
            let truth = parts::lanes(&pool, ty).map_or(Type::I1, |lanes| vector(&pool, Type::I1, lanes));
            let takes = at.add(Op::FCmp { predicate, flags: FastMath::NONE }, &[b, a], truth);
            at.add(Op::Select(FastMath::NONE), &[takes, b, a], ty)
        }
        ReductionKind::Replacement | ReductionKind::Last => unreachable!("its result is told by more than the values"),
    }
}

/// Of two integers, or in each lane, the one that is in a relation to the other.
pub(crate) fn chosen(at: &mut Insert<'_>, predicate: IntPredicate, a: Origin, b: Origin) -> Origin {
    let ty = at.ty(a);
    let holds = compared(at, predicate, a, b);
    at.add(Op::Select(FastMath::NONE), &[holds, a, b], ty)
}

/// A comparison of integers or of the lanes of integer vectors.
pub(crate) fn compared(at: &mut Insert<'_>, predicate: IntPredicate, a: Origin, b: Origin) -> Origin {
    let pool = at.graph().pool().clone();
    let truth = parts::lanes(&pool, at.ty(a)).map_or(Type::I1, |lanes| vector(&pool, Type::I1, lanes));
    at.add(Op::ICmp { predicate, same_sign: false }, &[a, b], truth)
}

/// The reduction of all lanes of a vector, whose number is a power of two.
pub(crate) fn reduced(at: &mut Insert<'_>, kind: ReductionKind, mut value: Origin, lanes: u32, ty: Type) -> Origin {
    let mut half = lanes / 2;
    while half > 0 {
        let upper = upper(at, value, lanes, half);
        value = combined(at, kind, value, upper);
        half /= 2;
    }
    lane(at, value, 0, ty)
}

/// The upper half of a vector, moved to the lower half.
pub(crate) fn upper(at: &mut Insert<'_>, vector: Origin, lanes: u32, half: u32) -> Origin {
    let mask: Vec<u32> = (0..lanes).map(|lane| if lane < half { half + lane } else { u32::MAX }).collect();
    let poison = at.poison(at.ty(vector));
    shuffled(at, [vector, poison], &mask)
}
