//! Constant folding with LLVM's results: of scalars, and lane by lane of vectors. Nothing is folded that depends on more than the
//! operands.

pub mod arith;
pub mod intrinsic;
pub mod math;
pub mod parts;

mod real;
#[cfg(test)]
mod tests;

use smallvec::SmallVec;

use crate::layout::FloatKind;
use crate::op::{CastOp, FloatBinary, IntBinary, Op};
use crate::{Const, Constant, Graph, Origin, Pool, Type, TypeKind};

pub use arith::{Int, Outcome};
pub use intrinsic::Intrinsic;
pub use math::Math;

use arith::MAX_BITS;

/// The constant without symbols that a value is.
pub fn constant(graph: &Graph, origin: Origin) -> Option<Const> {
    let node = graph.producer(origin)?;
    match graph.op(node)? {
        Op::Const(constant) if graph.inputs(node).is_empty() => Some(constant),
        _ => None,
    }
}

/// Whether a value is `poison`.
pub fn is_poison(graph: &Graph, origin: Origin) -> bool {
    constant(graph, origin).is_some_and(|constant| matches!(graph.pool().constant(constant), Constant::Poison(_)))
}

/// The integer that a value is known to be.
pub fn int(graph: &Graph, origin: Origin) -> Option<Int> {
    Int::of_const(graph.pool(), constant(graph, origin)?)
}

/// The integer that a constant is, or that each of its lanes is.
pub fn splat_int(pool: &Pool, constant: Const) -> Option<Int> {
    match pool.constant(constant) {
        Constant::Int { .. } => Int::of_const(pool, constant),
        _ => Int::of_const(pool, parts::splat(pool, constant)?),
    }
}

/// The number that a constant is, or that each of its lanes is: its format and bits.
pub fn splat_real(pool: &Pool, constant: Const) -> Option<(FloatKind, u128)> {
    let number = |constant| match *pool.constant(constant) {
        Constant::Float { ty, bits } => Some((FloatKind::of(pool.type_kind(ty))?, bits)),
        _ => None,
    };
    number(constant).or_else(|| number(parts::splat(pool, constant)?))
}

/// An integer of type `ty`, or a vector of it in each lane.
pub fn splat_const(pool: &Pool, ty: Type, value: u128) -> Option<Const> {
    match *pool.type_kind(ty) {
        TypeKind::Int(bits @ 1..=MAX_BITS) => Some(Int::new(bits, value).to_const(pool)),
        TypeKind::Vector { element, .. } => {
            let bits = arith::width(pool, element)?;
            parts::splat_of(pool, ty, Int::new(bits, value).to_const(pool))
        }
        _ => None,
    }
}

/// A floating-point number of type `ty` by its bits, or a vector of it in each lane.
fn splat_bits(pool: &Pool, ty: Type, bits: impl Fn(FloatKind) -> Option<u128>) -> Option<Const> {
    let lane = match *pool.type_kind(ty) {
        TypeKind::Vector { element, .. } => element,
        _ => ty,
    };
    let bits = bits(FloatKind::of(pool.type_kind(lane))?)?;
    let number = pool.intern_const(Constant::Float { ty: lane, bits });
    if lane == ty { Some(number) } else { parts::splat_of(pool, ty, number) }
}

/// The neutral element of type `ty` of a commutative operation; `None` if there is none, and for operations that do not commute.
pub fn neutral_const(pool: &Pool, op: Op, ty: Type) -> Option<Const> {
    match op {
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add | IntBinary::Or | IntBinary::Xor => splat_const(pool, ty, 0),
            IntBinary::Mul => splat_const(pool, ty, 1),
            IntBinary::And => splat_const(pool, ty, u128::MAX),
            IntBinary::Sub
            | IntBinary::UDiv
            | IntBinary::SDiv
            | IntBinary::URem
            | IntBinary::SRem
            | IntBinary::Shl
            | IntBinary::LShr
            | IntBinary::AShr => None,
        },
        Op::FloatBinary { op: op @ (FloatBinary::FAdd | FloatBinary::FMul), .. } => {
            splat_bits(pool, ty, |format| format.neutral(op))
        }
        _ => None,
    }
}

/// The constant result of an operation on constants; `None` if it is unknown or cannot be written as a constant.
pub fn fold(graph: &Graph, op: Op, inputs: &[Origin], ty: Type) -> Option<Const> {
    let known: SmallVec<[Option<Const>; 4]> = inputs.iter().map(|&input| constant(graph, input)).collect();
    if known.iter().all(Option::is_none) {
        return None;
    }
    fold_known(graph.pool(), op, &known, ty)
}

/// As [`fold`], with the operands that are constant.
pub fn fold_known(pool: &Pool, op: Op, inputs: &[Option<Const>], ty: Type) -> Option<Const> {
    let of = |index: usize| inputs.get(index).copied().flatten();
    match op {
        Op::IntBinary { .. }
        | Op::FloatBinary { .. }
        | Op::FNeg(_)
        | Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::Select(_)
        | Op::Freeze => by_lanes(pool, op, inputs, ty),
        Op::Cast { op: CastOp::BitCast, .. } => bitcast(pool, of(0)?, ty),
        Op::Cast { .. } => by_lanes(pool, op, inputs, ty),
        Op::ExtractElement => {
            if is_poison_constant(pool, of(1)) || is_poison_constant(pool, of(0)) {
                return Some(pool.poison(ty));
            }
            let index = Int::of_const(pool, of(1)?)?.unsigned();
            let vector = of(0)?;
            match parts::lanes(pool, pool.constant(vector).ty()) {
                Some(lanes) if index >= lanes.into() => Some(pool.poison(ty)),
                Some(_) => parts::part(pool, vector, index as u64),
                None => None,
            }
        }
        Op::InsertElement => {
            if is_poison_constant(pool, of(2)) {
                return Some(pool.poison(ty));
            }
            let (vector, element) = (of(0)?, of(1)?);
            let lanes = parts::lanes(pool, ty)?;
            let index = Int::of_const(pool, of(2)?)?.unsigned();
            if index >= lanes.into() {
                return Some(pool.poison(ty));
            }
            replaced(pool, ty, vector, element, lanes.into(), index as u64)
        }
        Op::ShuffleVector(mask) => {
            let lanes = parts::lanes(pool, ty)?;
            let element = parts::lane_type(pool, ty)?;
            let mask = pool.indices(mask);
            if mask.len() != lanes as usize {
                return None;
            }
            let length = inputs.iter().flatten().find_map(|&input| parts::lanes(pool, pool.constant(input).ty()))?;
            let chosen = mask.iter().map(|&lane| match lane {
                u32::MAX => Some(pool.poison(element)),
                lane if lane < length => parts::part(pool, of(0)?, lane.into()),
                lane => parts::part(pool, of(1)?, (lane - length).into()),
            });
            parts::whole(pool, ty, &chosen.collect::<Option<SmallVec<[Const; 16]>>>()?)
        }
        Op::ExtractValue(indices) => {
            pool.indices(indices).iter().try_fold(of(0)?, |at, &index| parts::part(pool, at, index.into()))
        }
        Op::InsertValue(indices) => match *pool.indices(indices) {
            [index] => {
                let len = match pool.type_kind(ty) {
                    &TypeKind::Array { len, .. } => len,
                    TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                        elements.len() as u64
                    }
                    _ => return None,
                };
                replaced(pool, ty, of(0)?, of(1)?, len, index.into())
            }
            _ => None,
        },
        Op::Gep { .. } => is_poison_constant(pool, of(0)).then(|| pool.poison(ty)),
        Op::Const(_)
        | Op::CtlConst { .. }
        | Op::Match(_)
        | Op::Alloca { .. }
        | Op::Load(_)
        | Op::Store(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::Fence { .. }
        | Op::Call(_)
        | Op::Invoke(_)
        | Op::CallBr(_)
        | Op::IndirectBr(_)
        | Op::Resume
        | Op::Funclet(_)
        | Op::VaArg
        | Op::Unreachable
        | Op::Ext(_) => None,
    }
}

/// A constant with one element replaced. Constants larger than vectors are left alone.
fn replaced(pool: &Pool, ty: Type, of: Const, element: Const, len: u64, at: u64) -> Option<Const> {
    if len > parts::MAX_LANES.into() || at >= len {
        return None;
    }
    let elements = (0..len).map(|index| if index == at { Some(element) } else { parts::part(pool, of, index) });
    parts::whole(pool, ty, &elements.collect::<Option<SmallVec<[Const; 16]>>>()?)
}

fn is_poison_constant(pool: &Pool, constant: Option<Const>) -> bool {
    constant.is_some_and(|constant| matches!(pool.constant(constant), Constant::Poison(_)))
}

/// An operation that does the same in every lane.
fn by_lanes(pool: &Pool, op: Op, inputs: &[Option<Const>], ty: Type) -> Option<Const> {
    let Some(element) = parts::lane_type(pool, ty) else { return scalar(pool, op, inputs, ty) };
    let is_vector = |constant: Const| parts::lane_type(pool, pool.constant(constant).ty()).is_some();
    let same: SmallVec<[Option<Const>; 4]> = inputs
        .iter()
        .map(|&input| input.and_then(|input| if is_vector(input) { parts::splat(pool, input) } else { Some(input) }))
        .collect();
    // A select of whole vectors needs only the one that is chosen.
    if let (Op::Select(_), Some(condition)) = (op, same[0].and_then(|condition| Int::of_const(pool, condition))) {
        return inputs[if condition.is_zero() { 2 } else { 1 }];
    }
    if let Some(folded) = scalar(pool, op, &same, element) {
        return parts::splat_of(pool, ty, folded);
    }
    let lanes = parts::lanes(pool, ty)?;
    if inputs.iter().any(Option::is_none) {
        return None;
    }
    let folded = (0..lanes).map(|lane| {
        let of = |&input: &Option<Const>| {
            let input = input?;
            if is_vector(input) { parts::part(pool, input, lane.into()) } else { Some(input) }
        };
        scalar(pool, op, &inputs.iter().map(of).collect::<SmallVec<[Option<Const>; 4]>>(), element)
    });
    parts::whole(pool, ty, &folded.collect::<Option<SmallVec<[Const; 16]>>>()?)
}

/// An operation on scalars.
fn scalar(pool: &Pool, op: Op, inputs: &[Option<Const>], ty: Type) -> Option<Const> {
    let of = |index: usize| inputs.get(index).copied().flatten();
    let int = |index: usize| of(index).and_then(|constant| Int::of_const(pool, constant));
    let poison = |index: usize| is_poison_constant(pool, of(index));
    let real = |index: usize| match *pool.constant(of(index)?) {
        Constant::Float { ty, bits } => Some((FloatKind::of(pool.type_kind(ty))?, bits)),
        _ => None,
    };
    let float = |bits: u128| pool.intern_const(Constant::Float { ty, bits });
    match op {
        Op::IntBinary { op, flags } => {
            use IntBinary::{SDiv, SRem, UDiv, URem};
            if matches!(op, UDiv | SDiv | URem | SRem) && int(1).is_none_or(Int::is_zero) {
                return None;
            }
            if poison(0) || poison(1) {
                return Some(pool.poison(ty));
            }
            outcome(pool, ty, arith::binary(op, flags, int(0)?, int(1)?))
        }
        Op::ICmp { predicate, same_sign } => {
            if poison(0) || poison(1) {
                return Some(pool.poison(ty));
            }
            let (a, b) = (int(0)?, int(1)?);
            if same_sign && a.is_negative() != b.is_negative() {
                return Some(pool.poison(ty));
            }
            Some(Int::bool(a.compare(predicate, b)).to_const(pool))
        }
        Op::FloatBinary { op, .. } => {
            if poison(0) || poison(1) {
                return Some(pool.poison(ty));
            }
            let ((format, a), (_, b)) = (real(0)?, real(1)?);
            Some(float(format.binary(op, a, b)?))
        }
        Op::FCmp { predicate, .. } => {
            if poison(0) || poison(1) {
                return Some(pool.poison(ty));
            }
            let ((format, a), (_, b)) = (real(0)?, real(1)?);
            Some(Int::bool(format.compare(predicate, a, b)?).to_const(pool))
        }
        Op::FNeg(_) => {
            if poison(0) {
                return Some(pool.poison(ty));
            }
            let Constant::Float { ty, bits } = *pool.constant(of(0)?) else { return None };
            Some(float(bits ^ sign_bit(pool, ty)?))
        }
        Op::Cast { op, flags } => {
            if poison(0) {
                return Some(pool.poison(ty));
            }
            match op {
                CastOp::Trunc | CastOp::ZExt | CastOp::SExt => {
                    outcome(pool, ty, arith::cast(op, flags, int(0)?, arith::width(pool, ty)?)?)
                }
                CastOp::IntToPtr => {
                    let null = int(0)?.is_zero() && *pool.type_kind(ty) == TypeKind::Ptr(0);
                    null.then(|| pool.intern_const(Constant::Zero(ty)))
                }
                CastOp::PtrToInt | CastOp::PtrToAddr => {
                    let Constant::Zero(from) = pool.constant(of(0)?) else { return None };
                    if *pool.type_kind(*from) != TypeKind::Ptr(0) {
                        return None;
                    }
                    Some(Int::new(arith::width(pool, ty)?, 0).to_const(pool))
                }
                CastOp::FPTrunc | CastOp::FPExt => {
                    let (format, bits) = real(0)?;
                    Some(float(format.convert(FloatKind::of(pool.type_kind(ty))?, bits)?))
                }
                CastOp::FPToUI | CastOp::FPToSI => {
                    let (format, bits) = real(0)?;
                    let value = format.to_int(bits, arith::width(pool, ty)?, op == CastOp::FPToSI)?;
                    Some(value.map_or_else(|()| pool.poison(ty), |value| value.to_const(pool)))
                }
                CastOp::UIToFP | CastOp::SIToFP => {
                    let value = int(0)?;
                    if flags.nneg && value.is_negative() {
                        return Some(pool.poison(ty));
                    }
                    Some(float(FloatKind::of(pool.type_kind(ty))?.of_int(value, op == CastOp::SIToFP)?))
                }
                CastOp::BitCast | CastOp::AddrSpaceCast => None,
            }
        }
        Op::Select(_) => {
            if poison(0) {
                return Some(pool.poison(ty));
            }
            let condition = int(0)?;
            of(if condition.is_zero() { 2 } else { 1 })
        }
        Op::Freeze => match pool.constant(of(0)?) {
            Constant::Int { .. } | Constant::Float { .. } => of(0),
            Constant::Zero(zero) if matches!(pool.type_kind(*zero), TypeKind::Ptr(_)) => of(0),
            Constant::Poison(_) | Constant::Undef(_) => parts::zero(pool, ty),
            _ => None,
        },
        _ => None,
    }
}

fn outcome(pool: &Pool, ty: Type, outcome: Outcome) -> Option<Const> {
    match outcome {
        Outcome::Value(value) => Some(value.to_const(pool)),
        Outcome::Poison => Some(pool.poison(ty)),
        Outcome::Undefined => None,
    }
}

/// The sign bit of a format.
fn sign_bit(pool: &Pool, ty: Type) -> Option<u128> {
    float_bits(pool, ty).map(|bits| 1 << (bits - 1))
}

/// The width of a float that is an IEEE format or like one.
fn float_bits(pool: &Pool, ty: Type) -> Option<u32> {
    FloatKind::of(pool.type_kind(ty)).map(FloatKind::bits)
}

fn bitcast(pool: &Pool, from: Const, ty: Type) -> Option<Const> {
    match *pool.constant(from) {
        Constant::Int { .. } => {
            let value = Int::of_const(pool, from)?;
            float_bits(pool, ty).filter(|&bits| bits == value.bits())?;
            Some(pool.intern_const(Constant::Float { ty, bits: value.unsigned() }))
        }
        Constant::Float { ty: from_ty, bits } => {
            let width = arith::width(pool, ty).filter(|&width| float_bits(pool, from_ty) == Some(width))?;
            Some(Int::new(width, bits).to_const(pool))
        }
        Constant::Poison(_) => Some(pool.poison(ty)),
        _ => lanes_reinterpreted(pool, from, ty),
    }
}

/// A vector reinterpreted as one with as many lanes. Other lane widths would depend on the byte order.
fn lanes_reinterpreted(pool: &Pool, from: Const, ty: Type) -> Option<Const> {
    let element = parts::lane_type(pool, ty)?;
    let lanes = parts::lanes(pool, ty).filter(|&lanes| parts::lanes(pool, pool.constant(from).ty()) == Some(lanes))?;
    let cast = (0..lanes).map(|lane| {
        let lane = parts::part(pool, from, lane.into())?;
        match pool.constant(lane) {
            Constant::Int { ty, .. } | Constant::Float { ty, .. } if *ty == element => Some(lane),
            Constant::Int { .. } | Constant::Float { .. } | Constant::Poison(_) => bitcast(pool, lane, element),
            _ => None,
        }
    });
    parts::whole(pool, ty, &cast.collect::<Option<SmallVec<[Const; 16]>>>()?)
}
