//! Intrinsics and library functions of `math.h`.

use rvsdg_core::layout::{FloatKind, Scalar};
use rvsdg_core::op::FastMath;

use super::{Call, Run, int};
use crate::machine::Machine;
use crate::outcome::{Res, Rule, undefined, unsupported};
use crate::scalar::math::{FloatMath, IntMath, Math};
use crate::scalar::{ScalarOp, float};
use crate::value::Value;

/// Intrinsics on integers.
const INTS: &[(&str, IntMath)] = &[
    ("abs", IntMath::Abs),
    ("smax", IntMath::SMax),
    ("smin", IntMath::SMin),
    ("umax", IntMath::UMax),
    ("umin", IntMath::UMin),
    ("ctpop", IntMath::Ctpop),
    ("ctlz", IntMath::Ctlz),
    ("cttz", IntMath::Cttz),
    ("bswap", IntMath::Bswap),
    ("bitreverse", IntMath::Bitreverse),
    ("fshl", IntMath::Fshl),
    ("fshr", IntMath::Fshr),
    ("uadd.sat", IntMath::UAddSat),
    ("sadd.sat", IntMath::SAddSat),
    ("usub.sat", IntMath::USubSat),
    ("ssub.sat", IntMath::SSubSat),
    ("ushl.sat", IntMath::UShlSat),
    ("sshl.sat", IntMath::SShlSat),
];

/// Intrinsics on floats, by their names there and in the C library.
const FLOATS: &[(&str, &str, FloatMath)] = &[
    ("fabs", "fabs", FloatMath::Fabs),
    ("copysign", "copysign", FloatMath::Copysign),
    ("sqrt", "sqrt", FloatMath::Sqrt),
    ("fma", "fma", FloatMath::Fma),
    ("fmuladd", "", FloatMath::Fmuladd),
    ("minnum", "fmin", FloatMath::MinNum),
    ("maxnum", "fmax", FloatMath::MaxNum),
    ("minimumnum", "", FloatMath::MinNum),
    ("maximumnum", "", FloatMath::MaxNum),
    ("minimum", "", FloatMath::Minimum),
    ("maximum", "", FloatMath::Maximum),
    ("floor", "floor", FloatMath::Floor),
    ("ceil", "ceil", FloatMath::Ceil),
    ("trunc", "trunc", FloatMath::Trunc),
    ("rint", "rint", FloatMath::Rint),
    ("nearbyint", "nearbyint", FloatMath::Rint),
    ("roundeven", "roundeven", FloatMath::Rint),
    ("round", "round", FloatMath::Round),
    ("canonicalize", "", FloatMath::Canonicalize),
    ("sin", "sin", FloatMath::Sin),
    ("cos", "cos", FloatMath::Cos),
    ("tan", "tan", FloatMath::Tan),
    ("asin", "asin", FloatMath::Asin),
    ("acos", "acos", FloatMath::Acos),
    ("atan", "atan", FloatMath::Atan),
    ("sinh", "sinh", FloatMath::Sinh),
    ("cosh", "cosh", FloatMath::Cosh),
    ("tanh", "tanh", FloatMath::Tanh),
    ("atan2", "atan2", FloatMath::Atan2),
    ("exp", "exp", FloatMath::Exp),
    ("exp2", "exp2", FloatMath::Exp2),
    ("exp10", "exp10", FloatMath::Exp10),
    ("log", "log", FloatMath::Log),
    ("log2", "log2", FloatMath::Log2),
    ("log10", "log10", FloatMath::Log10),
    ("pow", "pow", FloatMath::Pow),
    ("nvvm.fabs.f32", "", FloatMath::Fabs),
    ("nvvm.fabs.f64", "", FloatMath::Fabs),
    ("nvvm.fma.rn.f", "", FloatMath::Fma),
    ("nvvm.fma.rn.d", "", FloatMath::Fma),
    ("nvvm.sqrt.rn.f", "", FloatMath::Sqrt),
    ("nvvm.sqrt.rn.d", "", FloatMath::Sqrt),
    // Any number near the root is right; this is the nearest.
    ("nvvm.sqrt.approx.f", "", FloatMath::Sqrt),
];

/// Intrinsics that are neither.
const OTHERS: &[&str] = &[
    "powi",
    "ldexp",
    "is.fpclass",
    "fptosi.sat",
    "fptoui.sat",
    "lrint",
    "llrint",
    "lround",
    "llround",
    "scmp",
    "ucmp",
];

/// The name of an intrinsic without the types it is for.
fn stem(base: &str) -> Option<&'static str> {
    let is = |name: &str| base.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let ints = INTS.iter().map(|&(name, _)| name);
    let floats = FLOATS.iter().map(|&(name, ..)| name);
    ints.chain(floats).chain(OTHERS.iter().copied()).filter(|name| is(name)).max_by_key(|name| name.len())
}

/// Whether an intrinsic, by its name without `llvm.`, computes a scalar from scalars.
pub(crate) fn is_math(base: &str) -> bool {
    stem(base).is_some()
}

/// The operation of an intrinsic whose first operand and result have these scalars.
pub(crate) fn operation(base: &str, from: Scalar, to: Scalar, fast: FastMath) -> Option<Math> {
    let name = stem(base)?;
    if let (Some(&(_, op)), Scalar::Int(bits)) = (INTS.iter().find(|&&(known, _)| known == name), from) {
        return Some(Math::Int(op, bits));
    }
    if let (Some(&(.., op)), Scalar::Float(kind)) = (FLOATS.iter().find(|&&(known, ..)| known == name), from) {
        return Some(Math::Float(op, kind, fast));
    }
    Some(match (name, from, to) {
        ("powi", Scalar::Float(kind), _) => Math::Scale(kind, true),
        ("ldexp", Scalar::Float(kind), _) => Math::Scale(kind, false),
        ("is.fpclass", Scalar::Float(kind), _) => Math::Class(kind),
        ("fptosi.sat", Scalar::Float(kind), Scalar::Int(bits)) => Math::ToIntSat { kind, bits, signed: true },
        ("fptoui.sat", Scalar::Float(kind), Scalar::Int(bits)) => Math::ToIntSat { kind, bits, signed: false },
        ("lrint" | "llrint", Scalar::Float(kind), Scalar::Int(bits)) => Math::Round { kind, bits, even: true },
        ("lround" | "llround", Scalar::Float(kind), Scalar::Int(bits)) => Math::Round { kind, bits, even: false },
        ("scmp", Scalar::Int(bits), Scalar::Int(result)) => Math::Order { bits, result, signed: true },
        ("ucmp", Scalar::Int(bits), Scalar::Int(result)) => Math::Order { bits, result, signed: false },
        _ => return None,
    })
}

/// Finds a function of `math.h`; `f` and `l` at the end of a name are for float and long double.
pub(super) fn find(name: &str) -> Option<Run> {
    /// One function per row of the table, because a function pointer carries no data.
    macro_rules! rows {
        ($($row:literal)*) => {
            [$(|machine: &mut Machine<'_>, call: &Call<'_>| library(machine, call, $row)),*]
        };
    }
    const RUNS: [Run; 36] =
        rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35);
    let plain = name.strip_prefix("__").and_then(|name| name.strip_suffix("_finite")).unwrap_or(name);
    let row = |name: &str| FLOATS.iter().position(|&(_, library, _)| !library.is_empty() && library == name);
    let found = row(plain).or_else(|| row(plain.strip_suffix(['f', 'l'])?));
    if let Some(row) = found {
        return RUNS.get(row).copied();
    }
    Some(match plain {
        "fmod" | "fmodf" => |m, c| binary(m, c, |a, b| a % b),
        "hypot" => |m, c| binary(m, c, f64::hypot),
        "cbrt" => |m, c| unary(m, c, f64::cbrt),
        "expm1" => |m, c| unary(m, c, f64::exp_m1),
        "log1p" => |m, c| unary(m, c, f64::ln_1p),
        "asinh" => |m, c| unary(m, c, f64::asinh),
        "acosh" => |m, c| unary(m, c, f64::acosh),
        "atanh" => |m, c| unary(m, c, f64::atanh),
        "ldexp" | "scalbn" | "ldexpf" | "scalbnf" => scale,
        "frexp" => |machine, call| {
            let (fraction, exponent) = frexp(argument(call, 0)?);
            machine.memory.store_bits(call.pointer(1)?, 32, 4, u64::from(exponent as u32))?;
            Ok(Value::Int(fraction.to_bits()))
        },
        "modf" => |machine, call| {
            let value = argument(call, 0)?;
            machine.memory.store_bits(call.pointer(1)?, 64, 8, value.trunc().to_bits())?;
            let fraction = if value.is_infinite() { 0.0 } else { value - value.trunc() };
            Ok(Value::Int(fraction.copysign(value).to_bits()))
        },
        "lround" | "llround" => |_, call| Ok(Value::Int(argument(call, 0)?.round() as i64 as u64)),
        "lrint" | "llrint" => |_, call| Ok(Value::Int(argument(call, 0)?.round_ties_even() as i64 as u64)),
        "isnan" | "__isnan" => |_, call| Ok(int(argument(call, 0)?.is_nan().into())),
        "__isinf" | "isinf" => |_, call| {
            let value = argument(call, 0)?;
            Ok(int(if value.is_infinite() { value.signum() as i32 } else { 0 }))
        },
        "__finite" | "finite" => |_, call| Ok(int(argument(call, 0)?.is_finite().into())),
        "__signbit" => |_, call| Ok(int(argument(call, 0)?.is_sign_negative().into())),
        "nan" => |_, _| Ok(Value::Int(f64::NAN.to_bits())),
        "__muldc3" => |_, call| complex(call, |a, b, c, d| (a * c - b * d, a * d + b * c)),
        "__divdc3" => |_, call| complex(call, divide),
        "__mulsc3" => |_, call| narrow(call, |a, b, c, d| (a * c - b * d, a * d + b * c)),
        "__divsc3" => |_, call| {
            narrow(call, |a, b, c, d| {
                let denominator = c * c + d * d;
                ((a * c + b * d) / denominator, (b * c - a * d) / denominator)
            })
        },
        _ => return None,
    })
}

/// A row of [`FLOATS`] as a library function.
fn library(machine: &mut Machine<'_>, call: &Call<'_>, row: usize) -> Res<Value> {
    let (scalar, _) = machine.types().lanes(call.result)?;
    let Scalar::Float(kind) = scalar else { return undefined(Rule::CallMismatch, "a function of math.h") };
    let operands: Vec<&Value> = call.values.iter().collect();
    let op = ScalarOp::Math(Math::Float(FLOATS[row].2, kind, FastMath::NONE));
    let value = op.apply(&operands)?;
    machine.state.chosen = machine.state.chosen.noting(&op, &operands, &value);
    Ok(value)
}

fn argument(call: &Call<'_>, index: usize) -> Res<f64> {
    Ok(f64::from_bits(call.int(index)?))
}

fn unary(_: &mut Machine<'_>, call: &Call<'_>, op: fn(f64) -> f64) -> Res<Value> {
    Ok(Value::Int(op(argument(call, 0)?).to_bits()))
}

fn binary(machine: &mut Machine<'_>, call: &Call<'_>, op: fn(f64, f64) -> f64) -> Res<Value> {
    match machine.types().lanes(call.result)?.0 {
        Scalar::Float(kind @ (FloatKind::Single | FloatKind::Double)) => {
            let of = |index| call.int(index).map(|bits| float::to_f64(kind, bits.into()));
            Ok(Value::from_bits(kind.bits(), float::from_f64(kind, op(of(0)?, of(1)?))))
        }
        _ => unsupported("long double function"),
    }
}

fn scale(machine: &mut Machine<'_>, call: &Call<'_>) -> Res<Value> {
    match machine.types().lanes(call.result)?.0 {
        Scalar::Float(kind) => Math::Scale(kind, false).apply(&[call.value(0)?, call.value(1)?]),
        Scalar::Int(_) | Scalar::Ptr(_) => undefined(Rule::CallMismatch, "ldexp"),
    }
}

fn complex(call: &Call<'_>, op: fn(f64, f64, f64, f64) -> (f64, f64)) -> Res<Value> {
    let (re, im) = op(argument(call, 0)?, argument(call, 1)?, argument(call, 2)?, argument(call, 3)?);
    Ok(Value::seq(vec![Value::Int(re.to_bits()), Value::Int(im.to_bits())]))
}

/// On complex floats, in double precision.
fn narrow(call: &Call<'_>, op: fn(f64, f64, f64, f64) -> (f64, f64)) -> Res<Value> {
    let part = |index| -> Res<f64> { Ok(f64::from(f32::from_bits(call.int(index)? as u32))) };
    let (re, im) = op(part(0)?, part(1)?, part(2)?, part(3)?);
    Ok(Value::seq([re, im].map(|value| Value::Int((value as f32).to_bits().into())).to_vec()))
}

/// The quotient of complex numbers, by Smith's method as libgcc has it.
fn divide(a: f64, b: f64, c: f64, d: f64) -> (f64, f64) {
    if c.abs() < d.abs() {
        let ratio = c / d;
        let denominator = c * ratio + d;
        ((a * ratio + b) / denominator, (b * ratio - a) / denominator)
    } else {
        let ratio = d / c;
        let denominator = d * ratio + c;
        ((b * ratio + a) / denominator, (b - a * ratio) / denominator)
    }
}

/// A fraction of at least a half and less than one, and the power of two it is multiplied with.
pub(crate) fn frexp(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    let scaled = if value.abs() < f64::MIN_POSITIVE { value * 2f64.powi(64) } else { value };
    let less = if scaled == value { 0 } else { 64 };
    let exponent = (scaled.to_bits() >> 52 & 0x7ff) as i32 - 1022;
    let fraction = f64::from_bits(scaled.to_bits() & !(0x7ff << 52) | 1022 << 52);
    (fraction, exponent - less)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions() {
        assert_eq!(frexp(8.0), (0.5, 4));
        assert_eq!(frexp(-0.75), (-0.75, 0));
        assert_eq!(frexp(f64::from_bits(1)), (0.5, -1073));
    }

    #[test]
    fn names_are_told_apart() {
        assert_eq!(stem("fma.f64"), Some("fma"));
        assert_eq!(stem("fmuladd.f64"), Some("fmuladd"));
        assert_eq!(stem("minimumnum.f64"), Some("minimumnum"));
        assert_eq!(stem("memcpy.p0"), None);
    }
}
