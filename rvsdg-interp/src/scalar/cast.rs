//! Conversions of scalars.

use num_bigint::BigInt;
use rvsdg_core::layout::{FloatKind, Scalar};
use rvsdg_core::op::{BinaryFlags, CastFlags, CastOp};

use super::{float, int};
use crate::memory::partial;
use crate::outcome::{Res, unsupported};
use crate::value::{Value, mask, signed};

/// The result of a conversion of one scalar.
pub(crate) fn apply(op: CastOp, flags: CastFlags, from: Scalar, to: Scalar, value: &Value) -> Res<Value> {
    if matches!(value, Value::Poison) {
        return Ok(Value::Poison);
    }
    let (narrow, wide) = (from.bits(), to.bits());
    match (op, from, to) {
        (CastOp::Trunc | CastOp::ZExt | CastOp::SExt, ..) => integer(op, flags, narrow, wide, value),
        (CastOp::FPTrunc | CastOp::FPExt, Scalar::Float(from), Scalar::Float(to)) => {
            match super::numbers(flags.fast, from, &[value])? {
                Ok(numbers) => Ok(super::number(flags.fast, to, float::convert(from, to, numbers[0]))),
                Err(value) => Ok(value),
            }
        }
        (CastOp::FPToUI | CastOp::FPToSI, Scalar::Float(kind), Scalar::Int(bits)) => {
            match super::numbers(flags.fast, kind, &[value])? {
                Ok(numbers) => to_int(kind, numbers[0], bits, op == CastOp::FPToSI),
                Err(value) => Ok(value),
            }
        }
        (CastOp::UIToFP | CastOp::SIToFP, Scalar::Int(bits), Scalar::Float(kind)) => {
            if bits > 128 {
                return unsupported("conversion between a float and an integer of more than 128 bits");
            }
            let Some(number) = value.bits() else { return Ok(Value::Undef) };
            let is_signed = op == CastOp::SIToFP;
            if flags.nneg && number >> (bits - 1) != 0 {
                return Ok(Value::Poison);
            }
            Ok(Value::from_bits(kind.bits(), float::from_int(kind, number, is_signed.then_some(bits))))
        }
        (CastOp::PtrToInt | CastOp::PtrToAddr, ..) => match value {
            Value::Ptr(pointer) => integer_of_address(wide, pointer.address),
            _ => Ok(Value::Undef),
        },
        (CastOp::IntToPtr, ..) => match value {
            Value::Int(bits) => Ok(Value::address(*bits)),
            Value::Wide(limbs) => Ok(Value::address(limbs[0])),
            _ => Ok(Value::Undef),
        },
        (CastOp::BitCast | CastOp::AddrSpaceCast, ..) => Ok(match (value, to) {
            (Value::Ptr(_), Scalar::Ptr(_)) => value.clone(),
            (Value::Int(bits), Scalar::Ptr(_)) => Value::address(*bits),
            (Value::Ptr(pointer), _) => Value::Int(pointer.address),
            _ => value.clone(),
        }),
        _ => unsupported("conversion of a format"),
    }
}

fn integer_of_address(bits: u32, address: u64) -> Res<Value> {
    Ok(if bits <= 128 { Value::from_bits(bits, address.into()) } else { int::wrap(bits, &BigInt::from(address)) })
}

fn to_int(kind: FloatKind, number: u128, bits: u32, is_signed: bool) -> Res<Value> {
    if bits > 128 {
        return unsupported("conversion between a float and an integer of more than 128 bits");
    }
    if let FloatKind::Single | FloatKind::Double = kind
        && bits <= 64
    {
        // The host's conversion saturates: what is in range comes back as it was.
        let value = float::to_f64(kind, number).trunc();
        let result = if is_signed { value as i64 as u64 } else { value as u64 };
        let in_range = if is_signed {
            let limit = (2f64).powi(bits as i32 - 1);
            value >= -limit && value < limit
        } else {
            value > -1.0 && value < (2f64).powi(bits as i32)
        };
        return Ok(if in_range { Value::Int(result & mask(bits)) } else { Value::Poison });
    }
    Ok(float::to_int(kind, number, bits, is_signed).map_or(Value::Poison, |number| Value::from_bits(bits, number)))
}

fn integer(op: CastOp, flags: CastFlags, from: u32, to: u32, value: &Value) -> Res<Value> {
    if let Value::Int(bits) = *value
        && to <= 64
    {
        return Ok(match op {
            CastOp::Trunc => {
                let kept = bits & mask(to);
                let nuw = flags.wrap.contains(BinaryFlags::NUW) && kept != bits;
                let nsw = flags.wrap.contains(BinaryFlags::NSW) && signed(to, kept) != signed(from, bits);
                if nuw || nsw { Value::Poison } else { Value::Int(kept) }
            }
            CastOp::ZExt if flags.nneg && signed(from, bits) < 0 => Value::Poison,
            CastOp::ZExt => Value::Int(bits),
            _ => Value::Int(signed(from, bits) as u64 & mask(to)),
        });
    }
    let Some(number) = int::unsigned(value) else {
        let Some((bits, undef)) = int::known(from, value).filter(|_| to <= 128) else { return Ok(Value::Undef) };
        return Ok(match op {
            CastOp::Trunc | CastOp::ZExt => partial(to, bits, undef),
            _ => {
                let extend = |bits| crate::value::signed128(from, bits) as u128;
                partial(to, extend(bits), extend(undef))
            }
        });
    };
    let as_signed = int::to_signed(from, &number);
    let number = BigInt::from(number);
    Ok(match op {
        CastOp::Trunc => {
            let kept = int::wrap(to, &number);
            let Some(back) = int::unsigned(&kept) else { return Ok(Value::Undef) };
            let nuw = flags.wrap.contains(BinaryFlags::NUW) && BigInt::from(back.clone()) != number;
            let nsw = flags.wrap.contains(BinaryFlags::NSW) && int::to_signed(to, &back) != as_signed;
            if nuw || nsw { Value::Poison } else { kept }
        }
        CastOp::ZExt if flags.nneg && as_signed != number => Value::Poison,
        CastOp::ZExt => int::wrap(to, &number),
        _ => int::wrap(to, &as_signed),
    })
}
