//! Constant folding.

use rvsdg_core::op::CastOp;
use rvsdg_core::{Const, Constant, Graph, Op, Origin, Pool, Type, TypeKind};

use super::arith::{self, Int, MAX_BITS, Outcome};

/// The constant without symbols that a value is.
pub fn constant(graph: &Graph, origin: Origin) -> Option<Const> {
    let node = graph.producer(origin)?;
    match graph.op(node)? {
        Op::Const(constant) if graph.inputs(node).is_empty() => Some(constant),
        _ => None,
    }
}

/// The integer that a constant is, or that each of its lanes is.
pub fn splat_int(pool: &Pool, constant: Const) -> Option<Int> {
    match pool.constant(constant) {
        Constant::Int { .. } => Int::of_const(pool, constant),
        Constant::Splat { element, .. } => Int::of_const(pool, *element),
        Constant::Zero(ty) => match *pool.type_kind(*ty) {
            TypeKind::Vector { element, .. } => arith::width(pool, element).map(|bits| Int::new(bits, 0)),
            _ => None,
        },
        _ => None,
    }
}

/// An integer of type `ty`; of vectors only zero.
pub fn splat_const(pool: &Pool, ty: Type, value: u128) -> Option<Const> {
    match *pool.type_kind(ty) {
        TypeKind::Int(bits @ 1..=MAX_BITS) => Some(Int::new(bits, value).to_const(pool)),
        TypeKind::Vector { element, .. } => {
            let bits = arith::width(pool, element)?;
            Int::new(bits, value).is_zero().then(|| pool.intern_const(Constant::Zero(ty)))
        }
        _ => None,
    }
}

/// The constant that an operation on constants gives; `None` when it is not known or not a constant that can be written.
pub fn fold(graph: &Graph, op: Op, inputs: &[Origin], ty: Type) -> Option<Const> {
    let pool = graph.pool();
    let of = |index: usize| inputs.get(index).and_then(|&input| constant(graph, input));
    let int = |index: usize| of(index).and_then(|constant| Int::of_const(pool, constant));
    let poison =
        |index: usize| of(index).is_some_and(|constant| matches!(pool.constant(constant), Constant::Poison(_)));
    match op {
        Op::IntBinary { op, flags } => {
            use rvsdg_core::op::IntBinary::{SDiv, SRem, UDiv, URem};
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
        Op::Cast { op, flags } => {
            if poison(0) {
                return Some(pool.poison(ty));
            }
            match op {
                CastOp::Trunc | CastOp::ZExt | CastOp::SExt => {
                    outcome(pool, ty, arith::cast(op, flags, int(0)?, arith::width(pool, ty)?)?)
                }
                CastOp::BitCast => bitcast(pool, of(0)?, ty),
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
                CastOp::FPTrunc
                | CastOp::FPExt
                | CastOp::FPToUI
                | CastOp::FPToSI
                | CastOp::UIToFP
                | CastOp::SIToFP
                | CastOp::AddrSpaceCast => None,
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
            Constant::Int { .. } | Constant::Float { .. } | Constant::Zero(_) => of(0),
            Constant::Poison(_) | Constant::Undef(_) => splat_const(pool, ty, 0),
            _ => None,
        },
        Op::FNeg(_) => {
            let Constant::Float { ty, bits } = *pool.constant(of(0)?) else { return None };
            let sign = sign_bit(pool, ty)?;
            Some(pool.intern_const(Constant::Float { ty, bits: bits ^ sign }))
        }
        Op::Const(_)
        | Op::CtlConst { .. }
        | Op::Match(_)
        | Op::FloatBinary { .. }
        | Op::FCmp { .. }
        | Op::ExtractElement
        | Op::InsertElement
        | Op::ShuffleVector(_)
        | Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::Gep { .. }
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

fn outcome(pool: &Pool, ty: Type, outcome: Outcome) -> Option<Const> {
    match outcome {
        Outcome::Value(value) => Some(value.to_const(pool)),
        Outcome::Poison => Some(pool.poison(ty)),
        Outcome::Undefined => None,
    }
}

/// The sign bit of an IEEE format.
fn sign_bit(pool: &Pool, ty: Type) -> Option<u128> {
    float_bits(pool, ty).map(|bits| 1 << (bits - 1))
}

/// The width of a float that is an IEEE format or like one.
pub fn float_bits(pool: &Pool, ty: Type) -> Option<u32> {
    match pool.type_kind(ty) {
        TypeKind::Half | TypeKind::BFloat => Some(16),
        TypeKind::Float => Some(32),
        TypeKind::Double => Some(64),
        TypeKind::Fp128 => Some(128),
        _ => None,
    }
}

/// The bits of the number 1.
pub fn float_one(pool: &Pool, ty: Type) -> Option<u128> {
    match pool.type_kind(ty) {
        TypeKind::Half => Some(0x3c00),
        TypeKind::BFloat => Some(0x3f80),
        TypeKind::Float => Some(0x3f80_0000),
        TypeKind::Double => Some(0x3ff0_0000_0000_0000),
        TypeKind::Fp128 => Some(0x3fff << 112),
        _ => None,
    }
}

fn bitcast(pool: &Pool, from: Const, ty: Type) -> Option<Const> {
    match *pool.constant(from) {
        Constant::Int { ty: from_ty, ref words } => {
            let bits = float_bits(pool, ty).filter(|&bits| arith::width(pool, from_ty) == Some(bits))?;
            let words = words.as_slice();
            let high = if bits > 64 { words[1] } else { 0 };
            Some(pool.intern_const(Constant::Float { ty, bits: u128::from(words[0]) | u128::from(high) << 64 }))
        }
        Constant::Float { ty: from_ty, bits } => {
            let width = arith::width(pool, ty).filter(|&width| float_bits(pool, from_ty) == Some(width))?;
            Some(Int::new(width, bits).to_const(pool))
        }
        _ => None,
    }
}
