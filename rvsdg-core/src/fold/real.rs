//! Floating-point numbers with LLVM's default semantics: rounded to nearest, with subnormal numbers, and with the quiet NaN of its own
//! constant folder for a NaN result.
//!
//! A function may be set to flush subnormal numbers. Operations with subnormal operands or results are not folded.

use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::arith::{Int, MAX_BITS};
use crate::layout::FloatKind;
use crate::op::{FloatBinary, FloatPredicate};
use crate::with_float;

impl FloatKind {
    /// The second operand with which an operation changes no number, by bits.
    pub fn neutral(self, op: FloatBinary) -> Option<u128> {
        match op {
            FloatBinary::FAdd => Some(self.with_sign(0, true)),
            FloatBinary::FSub => Some(0),
            FloatBinary::FMul | FloatBinary::FDiv => self.small(1, false),
            FloatBinary::FRem => None,
        }
    }

    /// A binary operation by bits.
    pub fn binary(self, op: FloatBinary, a: u128, b: u128) -> Option<u128> {
        // For a neutral operand, LLVM returns the other operand unchanged, even a signalling NaN.
        let neutral = self.neutral(op);
        if Some(b) == neutral && self.is_nan(a) {
            return Some(a);
        }
        if Some(a) == neutral && self.is_nan(b) && matches!(op, FloatBinary::FAdd | FloatBinary::FMul) {
            return Some(b);
        }
        with_float!(self, Number => {
            let (a, b) = (number::<Number>(a)?, number::<Number>(b)?);
            bits(match op {
                FloatBinary::FAdd => a + b,
                FloatBinary::FSub => a - b,
                FloatBinary::FMul => a * b,
                FloatBinary::FDiv => a / b,
                FloatBinary::FRem => a.c_fmod(b),
            }.value)
        })
    }

    /// Whether a relation holds between numbers by bits.
    pub fn compare(self, predicate: FloatPredicate, a: u128, b: u128) -> Option<bool> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let order = with_float!(self, Number => number::<Number>(a)?.partial_cmp(&number::<Number>(b)?));
        let holds = |or_unordered: bool, wanted: &[std::cmp::Ordering]| {
            order.map_or(or_unordered, |order| wanted.contains(&order))
        };
        Some(match predicate {
            FloatPredicate::False => false,
            FloatPredicate::Oeq => holds(false, &[Equal]),
            FloatPredicate::Ogt => holds(false, &[Greater]),
            FloatPredicate::Oge => holds(false, &[Greater, Equal]),
            FloatPredicate::Olt => holds(false, &[Less]),
            FloatPredicate::Ole => holds(false, &[Less, Equal]),
            FloatPredicate::One => holds(false, &[Less, Greater]),
            FloatPredicate::Ord => order.is_some(),
            FloatPredicate::Uno => order.is_none(),
            FloatPredicate::Ueq => holds(true, &[Equal]),
            FloatPredicate::Ugt => holds(true, &[Greater]),
            FloatPredicate::Uge => holds(true, &[Greater, Equal]),
            FloatPredicate::Ult => holds(true, &[Less]),
            FloatPredicate::Ule => holds(true, &[Less, Equal]),
            FloatPredicate::Une => holds(true, &[Less, Greater]),
            FloatPredicate::True => true,
        })
    }

    /// A number in another format.
    pub fn convert(self, to: FloatKind, from: u128) -> Option<u128> {
        with_float!(self, From => {
            let value = number::<From>(from)?;
            with_float!(to, To => bits(converted::<From, To>(value)))
        })
    }

    /// A number as an integer, towards zero. `Err` when it does not fit.
    pub fn to_int(self, from: u128, width: u32, signed: bool) -> Option<Result<Int, ()>> {
        with_float!(self, Number => {
            let value = number::<Number>(from)?;
            let mut exact = false;
            let (status, value) = if signed {
                let result = value.to_i128_r(width as usize, Round::TowardZero, &mut exact);
                (result.status, result.value as u128)
            } else {
                let result = value.to_u128_r(width as usize, Round::TowardZero, &mut exact);
                (result.status, result.value)
            };
            Some(if status.contains(Status::INVALID_OP) { Err(()) } else { Ok(Int::new(width.min(MAX_BITS), value)) })
        })
    }

    /// An integer as a number, rounded to nearest.
    pub fn of_int(self, from: Int, signed: bool) -> Option<u128> {
        with_float!(self, Number => bits(if signed {
            Number::from_i128(from.signed()).value
        } else {
            Number::from_u128(from.unsigned()).value
        }))
    }

    /// A small number, which every format has.
    pub fn small(self, magnitude: u128, negative: bool) -> Option<u128> {
        with_float!(self, Number => {
            let value = Number::from_u128(magnitude).value;
            bits(if negative { -value } else { value })
        })
    }

    /// The bits with a sign.
    pub fn with_sign(self, bits: u128, negative: bool) -> u128 {
        let sign = 1 << (self.bits() - 1);
        if negative { bits | sign } else { bits & !sign }
    }

    /// Whether the sign bit is set.
    pub fn is_negative(self, bits: u128) -> bool {
        bits >> (self.bits() - 1) & 1 == 1
    }

    /// How many bits an integer may have so that the format holds every one of that width.
    pub fn exact_bits(self) -> u32 {
        with_float!(self, Number => Number::PRECISION as u32)
    }

    /// The smaller or the greater of two numbers; not of NaNs.
    pub fn least(self, a: u128, b: u128, greatest: bool) -> Option<u128> {
        if self.is_nan(a) || self.is_nan(b) {
            return None;
        }
        let first = if self.compare(FloatPredicate::Oeq, a, b)? {
            self.is_negative(a)
        } else {
            self.compare(FloatPredicate::Olt, a, b)?
        };
        Some(if first != greatest { a } else { b })
    }

    /// A number rounded to an integer.
    pub fn rounded(self, from: u128, round: Round) -> Option<u128> {
        with_float!(self, Number => bits(number::<Number>(from)?.round_to_integral(round).value))
    }

    /// A product and a sum, rounded in the end; not a NaN.
    pub fn sum_of_product(self, a: u128, b: u128, c: u128) -> Option<u128> {
        with_float!(self, Number => {
            let sum = number::<Number>(a)?.mul_add(number(b)?, number(c)?).value;
            if sum.is_nan() { None } else { bits(sum) }
        })
    }

    /// Whether bits are a NaN.
    pub fn is_nan(self, bits: u128) -> bool {
        with_float!(self, Number => Number::from_bits(bits).is_nan())
    }

    /// The reciprocal of a number, when it is exact and normal.
    pub fn exact_inverse(self, bits: u128) -> Option<u128> {
        with_float!(self, Number => {
            let inverse = number::<Number>(bits)?.get_exact_inverse()?;
            (inverse.is_normal() && inverse.is_finite()).then(|| inverse.to_bits())
        })
    }
}

/// The number with these bits; `None` for a subnormal one, and where several patterns are one number.
fn number<N: Float>(bits: u128) -> Option<N> {
    let value = N::from_bits(bits);
    (!value.is_denormal() && (value.is_nan() || value.to_bits() == bits)).then_some(value)
}

/// The bits of a result. A NaN keeps sign and payload: LLVM leaves open which NaN results, but machine code returns the operand's NaN,
/// quieted, and a program may print its sign.
fn bits<N: Float>(value: N) -> Option<u128> {
    (!value.is_denormal()).then(|| value.to_bits())
}

fn converted<A: Float + FloatConvert<B>, B: Float>(value: A) -> B {
    let mut loses = false;
    value.convert_r(Round::NearestTiesToEven, &mut loses).value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_as_the_host_computes() {
        let values = [0.0, -0.0, 1.0, -1.5, 1e300, 0.1, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 7.25];
        for a in values {
            for b in values {
                let of = |op| FloatKind::Double.binary(op, a.to_bits().into(), b.to_bits().into());
                let expected = [a + b, a - b, a * b, a / b, a % b];
                let ops =
                    [FloatBinary::FAdd, FloatBinary::FSub, FloatBinary::FMul, FloatBinary::FDiv, FloatBinary::FRem];
                for (op, expected) in ops.into_iter().zip(expected) {
                    let Some(bits) = of(op) else { continue };
                    let value = f64::from_bits(bits as u64);
                    assert!(
                        value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan(),
                        "{op:?} {a} {b}"
                    );
                }
                let less = FloatKind::Double.compare(FloatPredicate::Olt, a.to_bits().into(), b.to_bits().into());
                assert_eq!(less, Some(a < b));
            }
        }
    }

    #[test]
    fn subnormal_numbers_are_left_alone() {
        let tiny = u128::from(f64::from_bits(1).to_bits());
        assert_eq!(FloatKind::Double.binary(FloatBinary::FAdd, tiny, 0), None);
        let small = u128::from(f64::MIN_POSITIVE.to_bits());
        let half = u128::from(0.5f64.to_bits());
        assert_eq!(FloatKind::Double.binary(FloatBinary::FMul, small, half), None);
    }

    #[test]
    fn integers_that_do_not_fit() {
        let of = |value: f64, signed| FloatKind::Double.to_int(value.to_bits().into(), 8, signed);
        assert_eq!(of(-128.9, true), Some(Ok(Int::new(8, 128))));
        assert_eq!(of(255.5, false), Some(Ok(Int::new(8, 255))));
        assert_eq!(of(256.0, false), Some(Err(())));
        assert_eq!(of(f64::NAN, true), Some(Err(())));
    }
}
