//! Floating-point arithmetic: the host's for float and double, software for the other formats.

use rustc_apfloat::{Float, FloatConvert, Round, Status};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::{FastMath, FloatBinary, FloatPredicate};
use rvsdg_core::with_float;

use crate::outcome::{Res, unsupported};
use crate::value::Value;

/// The double a float or double is.
pub(crate) fn to_f64(kind: FloatKind, bits: u128) -> f64 {
    match kind {
        FloatKind::Single => f32::from_bits(bits as u32).into(),
        FloatKind::Double => f64::from_bits(bits as u64),
        FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => {
            f64::from_bits(convert(kind, FloatKind::Double, bits) as u64)
        }
    }
}

/// The bits of a double rounded to a format.
pub(crate) fn from_f64(kind: FloatKind, value: f64) -> u128 {
    match kind {
        FloatKind::Single => (value as f32).to_bits().into(),
        FloatKind::Double => value.to_bits().into(),
        FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => {
            convert(FloatKind::Double, kind, value.to_bits().into())
        }
    }
}

/// The bits of a float in another format, rounded to nearest.
pub(crate) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    match (from, to) {
        (FloatKind::Single, FloatKind::Double) => f64::from(f32::from_bits(bits as u32)).to_bits().into(),
        (FloatKind::Double, FloatKind::Single) => (f64::from_bits(bits as u64) as f32).to_bits().into(),
        _ => with_float!(from, From => {
            let value = From::from_bits(bits);
            let mut loses = false;
            with_float!(to, To => {
                let result: To = through(value, &mut loses);
                result.to_bits()
            })
        }),
    }
}

/// A conversion between two formats of which one may hold the other.
fn through<A: Float + FloatConvert<B>, B: Float>(value: A, loses: &mut bool) -> B {
    value.convert_r(Round::NearestTiesToEven, loses).value
}

/// `-x` by its bits.
pub(crate) fn negate(kind: FloatKind, bits: u128) -> u128 {
    bits ^ 1 << (kind.bits() - 1)
}

/// Whether bits are a NaN, and whether an infinity.
pub(crate) fn special(kind: FloatKind, bits: u128) -> (bool, bool) {
    match kind {
        FloatKind::Single => {
            let value = f32::from_bits(bits as u32);
            (value.is_nan(), value.is_infinite())
        }
        FloatKind::Double => {
            let value = f64::from_bits(bits as u64);
            (value.is_nan(), value.is_infinite())
        }
        kind => with_float!(kind, Format => {
            let value = Format::from_bits(bits);
            (value.is_nan(), value.is_infinite())
        }),
    }
}

/// Whether `nnan` or `ninf` makes an operation with this operand or result poison.
pub(crate) fn violates(flags: FastMath, kind: FloatKind, bits: u128) -> bool {
    if !flags.contains(FastMath::NNAN) && !flags.contains(FastMath::NINF) {
        return false;
    }
    let (nan, infinite) = special(kind, bits);
    nan && flags.contains(FastMath::NNAN) || infinite && flags.contains(FastMath::NINF)
}

/// A binary operation on doubles by bits.
pub(crate) fn double(op: FloatBinary, a: u64, b: u64) -> u64 {
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    let result = match op {
        FloatBinary::FAdd => a + b,
        FloatBinary::FSub => a - b,
        FloatBinary::FMul => a * b,
        FloatBinary::FDiv => a / b,
        FloatBinary::FRem => a % b,
    };
    result.to_bits()
}

/// A binary operation by bits.
#[inline]
pub(crate) fn binary(op: FloatBinary, kind: FloatKind, a: u128, b: u128) -> u128 {
    match kind {
        FloatKind::Single => {
            let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let result = match op {
                FloatBinary::FAdd => a + b,
                FloatBinary::FSub => a - b,
                FloatBinary::FMul => a * b,
                FloatBinary::FDiv => a / b,
                FloatBinary::FRem => a % b,
            };
            result.to_bits().into()
        }
        FloatKind::Double => double(op, a as u64, b as u64).into(),
        kind => with_float!(kind, Format => {
            let (a, b) = (Format::from_bits(a), Format::from_bits(b));
            let result = match op {
                FloatBinary::FAdd => a + b,
                FloatBinary::FSub => a - b,
                FloatBinary::FMul => a * b,
                FloatBinary::FDiv => a / b,
                FloatBinary::FRem => a.c_fmod(b),
            };
            result.value.to_bits()
        }),
    }
}

/// A relation by bits.
pub(crate) fn compare(predicate: FloatPredicate, kind: FloatKind, a: u128, b: u128) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match kind {
        FloatKind::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        FloatKind::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        kind => with_float!(kind, Format => Format::from_bits(a).partial_cmp(&Format::from_bits(b))),
    };
    let (ordered, among): (bool, &[std::cmp::Ordering]) = match predicate {
        FloatPredicate::False => return false,
        FloatPredicate::True => return true,
        FloatPredicate::Ord => return order.is_some(),
        FloatPredicate::Uno => return order.is_none(),
        FloatPredicate::Oeq => (true, &[Equal]),
        FloatPredicate::Ogt => (true, &[Greater]),
        FloatPredicate::Oge => (true, &[Greater, Equal]),
        FloatPredicate::Olt => (true, &[Less]),
        FloatPredicate::Ole => (true, &[Less, Equal]),
        FloatPredicate::One => (true, &[Less, Greater]),
        FloatPredicate::Ueq => (false, &[Equal]),
        FloatPredicate::Ugt => (false, &[Greater]),
        FloatPredicate::Uge => (false, &[Greater, Equal]),
        FloatPredicate::Ult => (false, &[Less]),
        FloatPredicate::Ule => (false, &[Less, Equal]),
        FloatPredicate::Une => (false, &[Less, Greater]),
    };
    order.map_or(!ordered, |order| among.contains(&order))
}

/// A float as an integer of at most 128 bits, towards zero; `None` when it does not fit.
pub(crate) fn to_int(kind: FloatKind, bits: u128, width: u32, signed: bool) -> Option<u128> {
    with_float!(kind, Format => {
        let value = Format::from_bits(bits);
        let mut exact = false;
        let (status, result) = if signed {
            let result = value.to_i128_r(width as usize, Round::TowardZero, &mut exact);
            (result.status, result.value as u128)
        } else {
            let result = value.to_u128_r(width as usize, Round::TowardZero, &mut exact);
            (result.status, result.value)
        };
        (!status.contains(Status::INVALID_OP)).then_some(result & crate::value::mask128(width))
    })
}

/// An integer of at most 128 bits as a float, rounded to nearest.
pub(crate) fn from_int(kind: FloatKind, value: u128, signed: Option<u32>) -> u128 {
    match signed {
        Some(width) => {
            let value = crate::value::signed128(width, value);
            match kind {
                FloatKind::Single => (value as f32).to_bits().into(),
                FloatKind::Double => (value as f64).to_bits().into(),
                kind => with_float!(kind, Format => Format::from_i128(value).value.to_bits()),
            }
        }
        None => match kind {
            FloatKind::Single => (value as f32).to_bits().into(),
            FloatKind::Double => (value as f64).to_bits().into(),
            kind => with_float!(kind, Format => Format::from_u128(value).value.to_bits()),
        },
    }
}

/// The bits of a defined float; an error for any other value.
pub(crate) fn bits(value: &Value) -> Res<u128> {
    match value.bits() {
        Some(bits) => Ok(bits),
        None => unsupported("float of more than 128 bits"),
    }
}
