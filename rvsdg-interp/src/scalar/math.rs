//! Intrinsics that compute a scalar from scalars.

use rustc_apfloat::{Float, Round};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::FastMath;
use rvsdg_core::with_float;

use super::float;
use super::int;
use crate::outcome::{Res, unsupported};
use crate::value::{Value, mask128, signed128};

/// An intrinsic on scalars.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Math {
    /// On integers of this width in bits.
    Int(IntMath, u32),
    /// On floats.
    Float(FloatMath, FloatKind, FastMath),
    /// A float and an integer to a float: `ldexp`, `powi`.
    Scale(FloatKind, bool),
    /// Whether a float is of one of the classes in a mask.
    Class(FloatKind),
    /// Float to integer, clamped.
    ToIntSat { kind: FloatKind, bits: u32, signed: bool },
    /// Float to integer, rounded: to even when `even`, else away from zero.
    Round { kind: FloatKind, bits: u32, even: bool },
    /// -1, 0 or 1 by the order of integers: width of operands, of the result, signedness.
    Order { bits: u32, result: u32, signed: bool },
}

/// Integer intrinsics.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(crate) enum IntMath {
    Abs,
    SMax,
    SMin,
    UMax,
    UMin,
    Ctpop,
    Ctlz,
    Cttz,
    Bswap,
    Bitreverse,
    Fshl,
    Fshr,
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    UShlSat,
    SShlSat,
}

/// Floating-point intrinsics.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub(crate) enum FloatMath {
    Fabs,
    Copysign,
    Sqrt,
    Fma,
    Fmuladd,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    Floor,
    Ceil,
    Trunc,
    Rint,
    Round,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Atan2,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
    Pow,
    Canonicalize,
}

impl Math {
    /// The result for scalar operands.
    pub fn apply(&self, operands: &[&Value]) -> Res<Value> {
        if operands.iter().any(|operand| matches!(operand, Value::Poison)) {
            return Ok(Value::Poison);
        }
        match *self {
            Math::Int(op, bits) => integer(op, bits, operands),
            Math::Float(op, kind, flags) => match super::numbers(flags, kind, operands)? {
                Ok(numbers) => Ok(super::number(flags, kind, on_float(op, kind, numbers)?)),
                Err(value) => Ok(value),
            },
            Math::Scale(kind, power) => {
                let (Some(number), Some(exponent)) = (operands[0].bits(), operands[1].bits()) else {
                    return Ok(Value::Undef);
                };
                let exponent = exponent as u32 as i32;
                let result = if power {
                    float::from_f64(kind, powi(float::to_f64(kind, number), exponent))
                } else {
                    with_float!(kind, Format => Format::from_bits(number).scalbn(exponent).to_bits())
                };
                Ok(Value::from_bits(kind.bits(), result))
            }
            Math::Class(kind) => match operands[0].bits() {
                Some(number) => Ok(Value::bool(class(kind, number) & operands[1].bits().unwrap_or(0) as u32 != 0)),
                None => Ok(Value::Undef),
            },
            Math::ToIntSat { kind, bits, signed } => {
                if bits > 128 {
                    return unsupported("conversion of a float to more than 128 bits");
                }
                let Some(number) = operands[0].bits() else { return Ok(Value::Undef) };
                let (nan, _) = float::special(kind, number);
                let negative = number >> (kind.bits() - 1) != 0;
                let least = if signed { 1 << (bits - 1) } else { 0 };
                let most = if signed { mask128(bits - 1) } else { mask128(bits) };
                let clamped = if nan { 0 } else { if negative { least } else { most } };
                Ok(Value::from_bits(bits, float::to_int(kind, number, bits, signed).unwrap_or(clamped)))
            }
            Math::Round { kind, bits, even } => {
                let Some(number) = operands[0].bits() else { return Ok(Value::Undef) };
                let way = if even { Round::NearestTiesToEven } else { Round::NearestTiesToAway };
                let whole = integral(kind, number, way);
                Ok(float::to_int(kind, whole, bits, true).map_or(Value::Undef, |number| Value::from_bits(bits, number)))
            }
            Math::Order { bits, result, signed } => {
                let (Some(a), Some(b)) = (int::unsigned(operands[0]), int::unsigned(operands[1])) else {
                    return Ok(Value::Undef);
                };
                let order = if signed { int::to_signed(bits, &a).cmp(&int::to_signed(bits, &b)) } else { a.cmp(&b) };
                Ok(int::wrap(result, &num_bigint::BigInt::from(order as i8)))
            }
        }
    }
}

fn powi(base: f64, exponent: i32) -> f64 {
    let mut result = 1.0;
    let (mut power, mut rest) = (base, exponent.unsigned_abs());
    while rest > 0 {
        if rest & 1 != 0 {
            result *= power;
        }
        power *= power;
        rest >>= 1;
    }
    if exponent < 0 { 1.0 / result } else { result }
}

fn integer(op: IntMath, bits: u32, operands: &[&Value]) -> Res<Value> {
    if bits > 128 {
        return unsupported("integer intrinsic on more than 128 bits");
    }
    let mut numbers = [0u128; 3];
    for (number, operand) in numbers.iter_mut().zip(operands) {
        let Some(bits) = operand.bits() else { return Ok(Value::Undef) };
        *number = bits;
    }
    let [a, b, c] = numbers;
    let all = mask128(bits);
    let (sa, sb) = (signed128(bits, a), signed128(bits, b));
    let least = (1u128 << (bits - 1)) & all;
    let most = all >> 1;
    let saturated = if sa < 0 { least } else { most };
    let fits = |value: i128| signed128(bits, value as u128 & all) == value;
    let funnel = |high: u128, low: u128, amount: u32| {
        if amount == 0 { high } else { high << amount | low >> (bits - amount) }
    };
    let amount = (c % u128::from(bits)) as u32;
    let result = match op {
        IntMath::Abs if a == least => {
            if b != 0 {
                return Ok(Value::Poison);
            }
            a
        }
        IntMath::Abs => sa.unsigned_abs(),
        IntMath::SMax => sa.max(sb) as u128,
        IntMath::SMin => sa.min(sb) as u128,
        IntMath::UMax => a.max(b),
        IntMath::UMin => a.min(b),
        IntMath::Ctpop => a.count_ones().into(),
        IntMath::Ctlz | IntMath::Cttz if a == 0 => {
            if b != 0 {
                return Ok(Value::Poison);
            }
            bits.into()
        }
        IntMath::Ctlz => (a.leading_zeros() - (128 - bits)).into(),
        IntMath::Cttz => a.trailing_zeros().into(),
        IntMath::Bswap => a.swap_bytes() >> (128 - bits),
        IntMath::Bitreverse => a.reverse_bits() >> (128 - bits),
        IntMath::Fshl => funnel(a, b, amount),
        IntMath::Fshr => {
            if amount == 0 {
                b
            } else {
                funnel(a, b, bits - amount)
            }
        }
        IntMath::UAddSat => a.checked_add(b).filter(|&sum| sum <= all).unwrap_or(all),
        IntMath::USubSat => a.saturating_sub(b),
        IntMath::SAddSat => sa.checked_add(sb).filter(|&sum| fits(sum)).map_or(saturated, |sum| sum as u128),
        IntMath::SSubSat => sa.checked_sub(sb).filter(|&rest| fits(rest)).map_or(saturated, |rest| rest as u128),
        IntMath::UShlSat | IntMath::SShlSat if b >= u128::from(bits) => return Ok(Value::Poison),
        IntMath::UShlSat => {
            if a << b & all == a << b && a << b >> b == a {
                a << b
            } else {
                all
            }
        }
        IntMath::SShlSat => {
            let shifted = signed128(bits, a << b & all);
            if shifted >> b == sa { shifted as u128 } else { saturated }
        }
    };
    Ok(Value::from_bits(bits, result & all))
}

/// `llvm.is.fpclass`'s bit of a float.
fn class(kind: FloatKind, number: u128) -> u32 {
    with_float!(kind, Format => {
        let value = Format::from_bits(number);
        let negative = value.is_negative();
        let side = |below: u32, above: u32| 1 << if negative { below } else { above };
        if value.is_nan() {
            1 << u32::from(!value.is_signaling())
        } else if value.is_infinite() {
            side(2, 9)
        } else if value.is_zero() {
            side(5, 6)
        } else if value.is_denormal() {
            side(4, 7)
        } else {
            side(3, 8)
        }
    })
}

fn integral(kind: FloatKind, number: u128, way: Round) -> u128 {
    with_float!(kind, Format => Format::from_bits(number).round_to_integral(way).value.to_bits())
}

fn on_float(op: FloatMath, kind: FloatKind, [a, b, c]: [u128; 3]) -> Res<u128> {
    let sign = 1u128 << (kind.bits() - 1);
    let is_nan = |bits| float::special(kind, bits).0;
    let less = |a, b| {
        float::compare(rvsdg_core::op::FloatPredicate::Olt, kind, a, b)
            || (a & !sign == 0 && b & !sign == 0 && a & sign > b & sign)
    };
    let quiet = |bits| float::binary(rvsdg_core::op::FloatBinary::FAdd, kind, bits, bits);
    Ok(match op {
        FloatMath::Fabs => a & !sign,
        FloatMath::Copysign => a & !sign | b & sign,
        FloatMath::Canonicalize => a,
        FloatMath::MinNum | FloatMath::MaxNum if is_nan(a) => b,
        FloatMath::MinNum | FloatMath::MaxNum if is_nan(b) => a,
        FloatMath::Minimum | FloatMath::Maximum if is_nan(a) => quiet(a),
        FloatMath::Minimum | FloatMath::Maximum if is_nan(b) => quiet(b),
        FloatMath::MinNum | FloatMath::Minimum => {
            if less(b, a) {
                b
            } else {
                a
            }
        }
        FloatMath::MaxNum | FloatMath::Maximum => {
            if less(a, b) {
                b
            } else {
                a
            }
        }
        FloatMath::Floor => integral(kind, a, Round::TowardNegative),
        FloatMath::Ceil => integral(kind, a, Round::TowardPositive),
        FloatMath::Trunc => integral(kind, a, Round::TowardZero),
        FloatMath::Rint => integral(kind, a, Round::NearestTiesToEven),
        FloatMath::Round => integral(kind, a, Round::NearestTiesToAway),
        FloatMath::Fmuladd => {
            let product = float::binary(rvsdg_core::op::FloatBinary::FMul, kind, a, b);
            float::binary(rvsdg_core::op::FloatBinary::FAdd, kind, product, c)
        }
        FloatMath::Fma => match kind {
            FloatKind::Double => {
                let [a, b, c] = [a, b, c].map(|bits| f64::from_bits(bits as u64));
                a.mul_add(b, c).to_bits().into()
            }
            FloatKind::Single => {
                let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
                a.mul_add(b, c).to_bits().into()
            }
            kind => with_float!(kind, Format => {
                Format::from_bits(a).mul_add(Format::from_bits(b), Format::from_bits(c)).value.to_bits()
            }),
        },
        _ => match kind {
            FloatKind::Single => single(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
            FloatKind::Double => double(op, f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits().into(),
            FloatKind::Half | FloatKind::BFloat => {
                let [a, b] = [a, b].map(|bits| float::to_f64(kind, bits) as f32);
                float::from_f64(kind, single(op, a, b).into())
            }
            FloatKind::X87 | FloatKind::Quad => return unsupported(format!("{op:?} of a long double")),
        },
    })
}

/// Functions of the host's library, by format.
macro_rules! library {
    ($name:ident, $float:ty) => {
        fn $name(op: FloatMath, a: $float, b: $float) -> $float {
            match op {
                FloatMath::Sqrt => a.sqrt(),
                FloatMath::Sin => a.sin(),
                FloatMath::Cos => a.cos(),
                FloatMath::Tan => a.tan(),
                FloatMath::Asin => a.asin(),
                FloatMath::Acos => a.acos(),
                FloatMath::Atan => a.atan(),
                FloatMath::Sinh => a.sinh(),
                FloatMath::Cosh => a.cosh(),
                FloatMath::Tanh => a.tanh(),
                FloatMath::Atan2 => a.atan2(b),
                FloatMath::Exp => a.exp(),
                FloatMath::Exp2 => a.exp2(),
                FloatMath::Exp10 => (10.0 as $float).powf(a),
                FloatMath::Log => a.ln(),
                FloatMath::Log2 => a.log2(),
                FloatMath::Log10 => a.log10(),
                FloatMath::Pow => a.powf(b),
                FloatMath::Fabs
                | FloatMath::Copysign
                | FloatMath::Fma
                | FloatMath::Fmuladd
                | FloatMath::MinNum
                | FloatMath::MaxNum
                | FloatMath::Minimum
                | FloatMath::Maximum
                | FloatMath::Floor
                | FloatMath::Ceil
                | FloatMath::Trunc
                | FloatMath::Rint
                | FloatMath::Round
                | FloatMath::Canonicalize => unreachable!("done by bits"),
            }
        }
    };
}

library!(single, f32);
library!(double, f64);

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: IntMath, bits: u32, operands: &[u64]) -> Value {
        let values: Vec<Value> = operands.iter().map(|&operand| Value::Int(operand)).collect();
        integer(op, bits, &values.iter().collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn integers() {
        assert_eq!(int(IntMath::Fshl, 8, &[0x81, 0xc0, 1]), Value::Int(3));
        assert_eq!(int(IntMath::Fshr, 8, &[0x81, 0xc0, 1]), Value::Int(0xe0));
        assert_eq!(int(IntMath::Fshr, 8, &[0x81, 0xc0, 8]), Value::Int(0xc0));
        assert_eq!(int(IntMath::SAddSat, 8, &[0x7f, 1]), Value::Int(0x7f));
        assert_eq!(int(IntMath::SSubSat, 8, &[0x80, 1]), Value::Int(0x80));
        assert_eq!(int(IntMath::Bswap, 16, &[0x1234]), Value::Int(0x3412));
        assert_eq!(int(IntMath::Ctlz, 32, &[1, 0]), Value::Int(31));
        assert_eq!(int(IntMath::Cttz, 32, &[0, 1]), Value::Poison);
        assert_eq!(int(IntMath::Abs, 8, &[0xff, 0]), Value::Int(1));
    }

    #[test]
    fn floats() {
        let double = |op, a: f64, b: f64| {
            let bits = on_float(op, FloatKind::Double, [a.to_bits().into(), b.to_bits().into(), 0]).unwrap();
            f64::from_bits(bits as u64)
        };
        assert_eq!(double(FloatMath::MinNum, f64::NAN, 2.0), 2.0);
        assert!(double(FloatMath::Minimum, f64::NAN, 2.0).is_nan());
        assert!(double(FloatMath::Minimum, 0.0, -0.0).is_sign_negative());
        assert_eq!(double(FloatMath::Rint, 2.5, 0.0), 2.0);
        assert_eq!(double(FloatMath::Round, 2.5, 0.0), 3.0);
        assert_eq!(class(FloatKind::Double, (-0.0f64).to_bits().into()), 1 << 5);
    }
}
