//! Integer arithmetic: a fast path for at most 64 defined bits, and a general one.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate};

use crate::memory::partial;
use crate::outcome::{Res, Rule, undefined};
use crate::value::{Value, mask, mask128, signed};

/// The result where it is defined and no flag is violated; `None` where [`slow`] has to look.
#[inline]
pub(crate) fn fast(op: IntBinary, flags: BinaryFlags, bits: u32, a: u64, b: u64) -> Option<u64> {
    let all = mask(bits);
    let sign = |value| signed(bits, value);
    let (nuw, nsw, exact) =
        (flags.contains(BinaryFlags::NUW), flags.contains(BinaryFlags::NSW), flags.contains(BinaryFlags::EXACT));
    Some(match op {
        IntBinary::Add => {
            let sum = a.wrapping_add(b) & all;
            if nuw && sum < a {
                return None;
            }
            if nsw && sign(a).checked_add(sign(b)) != Some(sign(sum)) {
                return None;
            }
            sum
        }
        IntBinary::Sub => {
            let difference = a.wrapping_sub(b) & all;
            if nuw && a < b {
                return None;
            }
            if nsw && sign(a).checked_sub(sign(b)) != Some(sign(difference)) {
                return None;
            }
            difference
        }
        IntBinary::Mul => {
            let product = a.wrapping_mul(b) & all;
            if nuw && a.checked_mul(b) != Some(product) {
                return None;
            }
            if nsw && sign(a).checked_mul(sign(b)) != Some(sign(product)) {
                return None;
            }
            product
        }
        IntBinary::UDiv if b != 0 && (!exact || a.is_multiple_of(b)) => a / b,
        IntBinary::URem if b != 0 => a % b,
        IntBinary::SDiv | IntBinary::SRem => {
            let (a, b) = (sign(a), sign(b));
            let quotient = a.checked_div(b)?;
            if sign(quotient as u64 & all) != quotient || exact && quotient.wrapping_mul(b) != a {
                return None;
            }
            let result = if op == IntBinary::SDiv { quotient } else { a.wrapping_rem(b) };
            result as u64 & all
        }
        IntBinary::Shl if b < u64::from(bits) => {
            let shifted = a << b & all;
            if nuw && shifted >> b != a || nsw && sign(shifted) >> b != sign(a) {
                return None;
            }
            shifted
        }
        IntBinary::LShr if b < u64::from(bits) && (!exact || a >> b << b == a) => a >> b,
        IntBinary::AShr if b < u64::from(bits) && (!exact || a >> b << b == a) => (sign(a) >> b) as u64 & all,
        IntBinary::And => a & b,
        IntBinary::Or if !flags.contains(BinaryFlags::DISJOINT) || a & b == 0 => a | b,
        IntBinary::Xor => a ^ b,
        IntBinary::UDiv | IntBinary::URem | IntBinary::Shl | IntBinary::LShr | IntBinary::AShr | IntBinary::Or => {
            return None;
        }
    })
}

fn divides(op: IntBinary) -> bool {
    matches!(op, IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem)
}

/// The result for operands of any width, poison and undef included.
pub(crate) fn slow(op: IntBinary, flags: BinaryFlags, bits: u32, a: &Value, b: &Value) -> Res<Value> {
    if divides(op) && !b.is_defined() {
        return undefined(Rule::DivisorNotDefined, "");
    }
    if divides(op) && unsigned(b).is_some_and(|b| b == BigUint::ZERO) {
        return undefined(Rule::DivisionByZero, format!("{a} / 0"));
    }
    if matches!(a, Value::Poison) || matches!(b, Value::Poison) {
        return Ok(Value::Poison);
    }
    match (unsigned(a), unsigned(b)) {
        (Some(a), Some(b)) => exact(op, flags, bits, &a, &b),
        _ => Ok(with_undef(op, bits, a, b)),
    }
}

/// A defined integer.
pub(crate) fn unsigned(value: &Value) -> Option<BigUint> {
    match value {
        Value::Int(bits) => Some(BigUint::from(*bits)),
        Value::Ptr(pointer) => Some(BigUint::from(pointer.address)),
        Value::Wide(limbs) => {
            let words: Vec<u32> = limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
            Some(BigUint::new(words))
        }
        Value::Poison | Value::Undef | Value::Partial(_) | Value::Seq(_) => None,
    }
}

/// The number that `bits` bits are in two's complement.
pub(crate) fn to_signed(bits: u32, value: &BigUint) -> BigInt {
    let number = BigInt::from(value.clone());
    if value.bit(u64::from(bits) - 1) { number - (BigInt::from(1) << bits) } else { number }
}

/// The low `bits` bits of a number.
pub(crate) fn wrap(bits: u32, number: &BigInt) -> Value {
    let modulus = BigInt::from(1) << bits;
    let mut rest = number % &modulus;
    if rest.sign() == Sign::Minus {
        rest += modulus;
    }
    let mut limbs = rest.magnitude().to_u64_digits();
    limbs.resize(bits.div_ceil(64) as usize, 0);
    if bits <= 64 { Value::Int(limbs[0]) } else { Value::Wide(Arc::new(limbs)) }
}

/// The result of defined operands.
fn exact(op: IntBinary, flags: BinaryFlags, bits: u32, a: &BigUint, b: &BigUint) -> Res<Value> {
    let zero = BigUint::from(0u32);
    let unsigned = |value: &BigUint| BigInt::from(value.clone());
    let (sa, sb) = (to_signed(bits, a), to_signed(bits, b));
    let shift = u32::try_from(b).ok().filter(|&amount| amount < bits);
    let (nuw, nsw) = (flags.contains(BinaryFlags::NUW), flags.contains(BinaryFlags::NSW));
    // The exact results of both readings; their low bits are the same.
    let (as_unsigned, as_signed) = match op {
        IntBinary::Add => (unsigned(a) + unsigned(b), &sa + &sb),
        IntBinary::Sub => (unsigned(a) - unsigned(b), &sa - &sb),
        IntBinary::Mul => (unsigned(a) * unsigned(b), &sa * &sb),
        IntBinary::Shl => {
            let Some(amount) = shift else { return Ok(Value::Poison) };
            (unsigned(a) << amount, &sa << amount)
        }
        IntBinary::UDiv => {
            if flags.contains(BinaryFlags::EXACT) && a % b != zero {
                return Ok(Value::Poison);
            }
            return Ok(wrap(bits, &unsigned(&(a / b))));
        }
        IntBinary::URem => return Ok(wrap(bits, &unsigned(&(a % b)))),
        IntBinary::SDiv | IntBinary::SRem => {
            let quotient = &sa / &sb;
            if quotient >= BigInt::from(1) << (bits - 1) {
                return undefined(Rule::DivisionOverflow, format!("{sa} / {sb}"));
            }
            let remainder = &sa % &sb;
            if flags.contains(BinaryFlags::EXACT) && remainder != BigInt::from(0) {
                return Ok(Value::Poison);
            }
            return Ok(wrap(bits, if op == IntBinary::SDiv { &quotient } else { &remainder }));
        }
        IntBinary::LShr | IntBinary::AShr => {
            let Some(amount) = shift else { return Ok(Value::Poison) };
            if flags.contains(BinaryFlags::EXACT) && (a >> amount) << amount != *a {
                return Ok(Value::Poison);
            }
            // Shifting a number right rounds down, as an arithmetic shift does.
            return Ok(if op == IntBinary::LShr {
                wrap(bits, &unsigned(&(a >> amount)))
            } else {
                wrap(bits, &(sa >> amount))
            });
        }
        IntBinary::And => return Ok(wrap(bits, &unsigned(&(a & b)))),
        IntBinary::Or => {
            if flags.contains(BinaryFlags::DISJOINT) && a & b != zero {
                return Ok(Value::Poison);
            }
            return Ok(wrap(bits, &unsigned(&(a | b))));
        }
        IntBinary::Xor => return Ok(wrap(bits, &unsigned(&(a ^ b)))),
    };
    let unsigned_range = as_unsigned.sign() != Sign::Minus && as_unsigned.bits() <= u64::from(bits);
    let half = BigInt::from(1) << (bits - 1);
    let signed_range = as_signed < half && as_signed >= -half;
    if nuw && !unsigned_range || nsw && !signed_range {
        return Ok(Value::Poison);
    }
    Ok(wrap(bits, &as_unsigned))
}

/// Bits, zero where undef, and which are undef; `None` when that is not known bit by bit.
pub(crate) fn known(bits: u32, value: &Value) -> Option<(u128, u128)> {
    match value {
        Value::Undef if bits <= 128 => Some((0, mask128(bits))),
        Value::Partial(part) => Some((part.bits, part.undef)),
        value => value.bits().map(|bits| (bits, 0)),
    }
}

fn with_undef(op: IntBinary, bits: u32, a: &Value, b: &Value) -> Value {
    let (Some((a, ua)), Some((b, ub))) = (known(bits, a), known(bits, b)) else { return Value::Undef };
    let amount = u32::try_from(b).ok().filter(|&amount| ub == 0 && amount < bits);
    match op {
        IntBinary::And => partial(bits, a & b, ua & ub | ua & b | ub & a),
        IntBinary::Or => partial(bits, a | b, ua & ub | ua & !b | ub & !a),
        IntBinary::Xor => partial(bits, a ^ b, ua | ub),
        IntBinary::Shl | IntBinary::LShr | IntBinary::AShr if ub == 0 && amount.is_none() => Value::Poison,
        IntBinary::Shl => amount.map_or(Value::Undef, |by| partial(bits, a << by, ua << by)),
        IntBinary::LShr => amount.map_or(Value::Undef, |by| partial(bits, a >> by, ua >> by)),
        IntBinary::AShr => amount.map_or(Value::Undef, |by| {
            let shift = |value| (crate::value::signed128(bits, value) >> by) as u128;
            partial(bits, shift(a), shift(ua))
        }),
        IntBinary::Add | IntBinary::Sub | IntBinary::Mul => {
            let result = match op {
                IntBinary::Add => a.wrapping_add(b),
                IntBinary::Sub => a.wrapping_sub(b),
                _ => a.wrapping_mul(b),
            };
            let lowest = (ua | ub).trailing_zeros();
            partial(bits, result, if lowest >= 128 { 0 } else { u128::MAX << lowest })
        }
        IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem => Value::Undef,
    }
}

/// A relation of defined integers of at most 64 bits.
#[inline]
pub(crate) fn relation(predicate: IntPredicate, bits: u32, a: u64, b: u64) -> bool {
    match predicate {
        IntPredicate::Eq => a == b,
        IntPredicate::Ne => a != b,
        IntPredicate::Ugt => a > b,
        IntPredicate::Uge => a >= b,
        IntPredicate::Ult => a < b,
        IntPredicate::Ule => a <= b,
        IntPredicate::Sgt => signed(bits, a) > signed(bits, b),
        IntPredicate::Sge => signed(bits, a) >= signed(bits, b),
        IntPredicate::Slt => signed(bits, a) < signed(bits, b),
        IntPredicate::Sle => signed(bits, a) <= signed(bits, b),
    }
}

/// A relation of any integers or pointers.
pub(crate) fn compare(predicate: IntPredicate, same_sign: bool, bits: u32, a: &Value, b: &Value) -> Value {
    if matches!(a, Value::Poison) || matches!(b, Value::Poison) {
        return Value::Poison;
    }
    let is_signed = matches!(predicate, IntPredicate::Sgt | IntPredicate::Sge | IntPredicate::Slt | IntPredicate::Sle);
    if let (Some(a), Some(b)) = (unsigned(a), unsigned(b)) {
        let top = u64::from(bits) - 1;
        if same_sign && a.bit(top) != b.bit(top) {
            return Value::Poison;
        }
        let order = if is_signed { to_signed(bits, &a).cmp(&to_signed(bits, &b)) } else { a.cmp(&b) };
        return Value::bool(holds(predicate, order));
    }
    let (Some((a, ua)), Some((b, ub))) = (known(bits, a), known(bits, b)) else { return Value::Undef };
    if a & !ub != b & !ua && matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) {
        return Value::bool(predicate == IntPredicate::Ne);
    }
    // With the sign's bit flipped, signed numbers are ordered as unsigned ones are.
    let flip = if is_signed { 1 << (bits - 1) } else { 0 };
    let (least_a, least_b) = ((a ^ flip) & !ua, (b ^ flip) & !ub);
    let (most_a, most_b) = (least_a | ua, least_b | ub);
    if most_a < least_b {
        Value::bool(holds(predicate, std::cmp::Ordering::Less))
    } else if least_a > most_b {
        Value::bool(holds(predicate, std::cmp::Ordering::Greater))
    } else {
        Value::Undef
    }
}

fn holds(predicate: IntPredicate, order: std::cmp::Ordering) -> bool {
    match predicate {
        IntPredicate::Eq => order.is_eq(),
        IntPredicate::Ne => order.is_ne(),
        IntPredicate::Ugt | IntPredicate::Sgt => order.is_gt(),
        IntPredicate::Uge | IntPredicate::Sge => order.is_ge(),
        IntPredicate::Ult | IntPredicate::Slt => order.is_lt(),
        IntPredicate::Ule | IntPredicate::Sle => order.is_le(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [IntBinary; 13] = [
        IntBinary::Add,
        IntBinary::Sub,
        IntBinary::Mul,
        IntBinary::UDiv,
        IntBinary::SDiv,
        IntBinary::URem,
        IntBinary::SRem,
        IntBinary::Shl,
        IntBinary::LShr,
        IntBinary::AShr,
        IntBinary::And,
        IntBinary::Or,
        IntBinary::Xor,
    ];

    #[test]
    fn fast_and_slow_agree_on_four_bits() {
        for op in OPS {
            for flags in (0..16).map(BinaryFlags::from_bits) {
                for (a, b) in (0..16).flat_map(|a| (0..16).map(move |b| (a, b))) {
                    let slow = slow(op, flags, 4, &Value::Int(a), &Value::Int(b));
                    match fast(op, flags, 4, a, b) {
                        Some(result) => assert_eq!(slow.unwrap(), Value::Int(result), "{op:?} {flags:?} {a} {b}"),
                        None => assert!(!matches!(slow, Ok(Value::Int(_))), "{op:?} {flags:?} {a} {b}"),
                    }
                }
            }
        }
    }

    #[test]
    fn undef_bits_are_those_that_vary() {
        for op in [IntBinary::And, IntBinary::Or, IntBinary::Xor, IntBinary::Add, IntBinary::Sub, IntBinary::Mul] {
            for (a, undef, b) in (0..512u32).map(|n| (n & 7, n >> 3 & 7, n >> 6)) {
                let value = partial(3, a.into(), undef.into());
                let result = slow(op, BinaryFlags::NONE, 3, &value, &Value::Int(b.into())).unwrap();
                let (bits, unknown) = known(3, &result).unwrap();
                for choice in (0..8).filter(|choice| choice & !undef == 0) {
                    let concrete = fast(op, BinaryFlags::NONE, 3, u64::from(a & !undef | choice), b.into()).unwrap();
                    assert_eq!(u128::from(concrete) & !unknown, bits, "{op:?} {a} {undef} {b}");
                }
            }
        }
    }

    #[test]
    fn wide_numbers() {
        let least = Value::from_bits(128, 1 << 127);
        let minus_one = Value::from_bits(128, u128::MAX);
        let quotient = slow(IntBinary::SDiv, BinaryFlags::NONE, 128, &least, &minus_one);
        assert!(quotient.is_err());
        let product = slow(IntBinary::Mul, BinaryFlags::NSW, 128, &least, &minus_one).unwrap();
        assert_eq!(product, Value::Poison);
        assert_eq!(compare(IntPredicate::Slt, false, 128, &least, &minus_one), Value::Int(1));
    }
}
