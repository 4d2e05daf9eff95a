//! Integers of a fixed width, with LLVM's semantics.

use crate::constant::Words;
use crate::op::{BinaryFlags, CastFlags, CastOp, IntBinary, IntPredicate, Resize};
use crate::{Const, Constant, Pool, Type, TypeKind};

/// The maximum width of computations. Wider integers are not folded.
pub const MAX_BITS: u32 = 128;

/// An integer of 1 to [`MAX_BITS`] bits.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Int {
    bits: u32,
    value: u128,
}

/// The result of an operation on known integers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A value.
    Value(Int),
    /// Poison: a flag is violated, or a shift amount is too large.
    Poison,
    /// The operation is undefined behaviour; it is not folded.
    Undefined,
}

#[allow(clippy::should_implement_trait, reason = "operators would hide that these wrap")]
impl Int {
    /// The low `bits` of a value.
    pub fn new(bits: u32, value: u128) -> Int {
        debug_assert!((1..=MAX_BITS).contains(&bits), "{bits} bits are not computed with");
        Int { bits, value: value & mask(bits) }
    }

    /// A truth value.
    pub fn bool(value: bool) -> Int {
        Int::new(1, value.into())
    }

    /// The value of an interned integer that is not too wide.
    pub fn of_const(pool: &Pool, constant: Const) -> Option<Int> {
        let Constant::Int { ty, words } = pool.constant(constant) else { return None };
        let TypeKind::Int(bits @ ..=MAX_BITS) = *pool.type_kind(*ty) else { return None };
        let words = words.as_slice();
        let high = words.get(1).copied().unwrap_or(0);
        Some(Int::new(bits, u128::from(words[0]) | u128::from(high) << 64))
    }

    /// Interns the integer.
    pub fn to_const(self, pool: &Pool) -> Const {
        let ty = pool.int(self.bits);
        let words = if self.bits <= 64 {
            Words::Small(self.value as u64)
        } else {
            Words::Large([self.value as u64, (self.value >> 64) as u64].into())
        };
        pool.intern_const(Constant::Int { ty, words })
    }

    /// The width.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The unsigned value.
    pub fn unsigned(self) -> u128 {
        self.value
    }

    /// The signed value.
    pub fn signed(self) -> i128 {
        let unused = 128 - self.bits;
        ((self.value << unused) as i128) >> unused
    }

    /// Whether no bit is set.
    pub fn is_zero(self) -> bool {
        self.value == 0
    }

    /// Whether the unsigned value is 1.
    pub fn is_one(self) -> bool {
        self.value == 1
    }

    /// Whether every bit is set.
    pub fn is_ones(self) -> bool {
        self.value == mask(self.bits)
    }

    /// Whether the sign bit is set.
    pub fn is_negative(self) -> bool {
        self.value >> (self.bits - 1) == 1
    }

    /// Whether only the sign bit is set.
    pub fn is_min_signed(self) -> bool {
        self.value == 1 << (self.bits - 1)
    }

    /// Whether only the sign bit is not set.
    pub fn is_max_signed(self) -> bool {
        self.value == mask(self.bits) >> 1
    }

    /// The position of the only bit that is set.
    pub fn exact_log2(self) -> Option<u32> {
        self.value.is_power_of_two().then(|| self.value.trailing_zeros())
    }

    /// Another value of the same width.
    pub fn with(self, value: u128) -> Int {
        Int::new(self.bits, value)
    }

    /// The sum, wrapped.
    pub fn add(self, other: Int) -> Int {
        self.with(self.value.wrapping_add(other.value))
    }

    /// The difference, wrapped.
    pub fn sub(self, other: Int) -> Int {
        self.with(self.value.wrapping_sub(other.value))
    }

    /// The product, wrapped.
    pub fn mul(self, other: Int) -> Int {
        self.with(self.value.wrapping_mul(other.value))
    }

    /// The negation, wrapped.
    pub fn neg(self) -> Int {
        self.with(self.value.wrapping_neg())
    }

    /// Every bit flipped.
    pub fn not(self) -> Int {
        self.with(!self.value)
    }

    /// The common bits.
    pub fn and(self, other: Int) -> Int {
        self.with(self.value & other.value)
    }

    /// The bits of either.
    pub fn or(self, other: Int) -> Int {
        self.with(self.value | other.value)
    }

    /// The bits of exactly one.
    pub fn xor(self, other: Int) -> Int {
        self.with(self.value ^ other.value)
    }

    /// Shifted left; `None` when too far.
    pub fn shl(self, amount: Int) -> Option<Int> {
        (amount.value < u128::from(self.bits)).then(|| self.with(self.value << amount.value))
    }

    /// Shifted right with zeros; `None` when too far.
    pub fn lshr(self, amount: Int) -> Option<Int> {
        (amount.value < u128::from(self.bits)).then(|| self.with(self.value >> amount.value))
    }

    /// Shifted right with the sign; `None` when too far.
    pub fn ashr(self, amount: Int) -> Option<Int> {
        (amount.value < u128::from(self.bits)).then(|| self.with((self.signed() >> amount.value) as u128))
    }

    /// In another width, with zeros or cut.
    pub fn zext_or_trunc(self, bits: u32) -> Int {
        Int::new(bits, self.value)
    }

    /// In a greater width, with the sign.
    pub fn sext(self, bits: u32) -> Int {
        Int::new(bits, self.signed() as u128)
    }

    /// Whether a relation holds.
    pub fn compare(self, predicate: IntPredicate, other: Int) -> bool {
        let (a, b) = (self.value, other.value);
        let (sa, sb) = (self.signed(), other.signed());
        match predicate {
            IntPredicate::Eq => a == b,
            IntPredicate::Ne => a != b,
            IntPredicate::Ugt => a > b,
            IntPredicate::Uge => a >= b,
            IntPredicate::Ult => a < b,
            IntPredicate::Ule => a <= b,
            IntPredicate::Sgt => sa > sb,
            IntPredicate::Sge => sa >= sb,
            IntPredicate::Slt => sa < sb,
            IntPredicate::Sle => sa <= sb,
        }
    }
}

/// The lowest `bits` set.
pub fn mask(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// The width of an integer type that is computed with.
pub fn width(pool: &Pool, ty: Type) -> Option<u32> {
    match *pool.type_kind(ty) {
        TypeKind::Int(bits @ 1..=MAX_BITS) => Some(bits),
        _ => None,
    }
}

/// A binary operation on known operands of one width.
pub fn binary(op: IntBinary, flags: BinaryFlags, a: Int, b: Int) -> Outcome {
    let bits = a.bits;
    let fits = |value: Option<i128>| value.is_some_and(|value| Int::new(bits, value as u128).signed() == value);
    let fits_unsigned = |value: Option<u128>| value.is_some_and(|value| value & !mask(bits) == 0);
    let (value, unsigned, signed) = match op {
        IntBinary::Add => {
            (a.add(b), fits_unsigned(a.value.checked_add(b.value)), fits(a.signed().checked_add(b.signed())))
        }
        IntBinary::Sub => (a.sub(b), a.value >= b.value, fits(a.signed().checked_sub(b.signed()))),
        IntBinary::Mul => {
            (a.mul(b), fits_unsigned(a.value.checked_mul(b.value)), fits(a.signed().checked_mul(b.signed())))
        }
        IntBinary::Shl => {
            let Some(value) = a.shl(b) else { return Outcome::Poison };
            (value, value.lshr(b) == Some(a), value.ashr(b) == Some(a))
        }
        IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem => return division(op, flags, a, b),
        IntBinary::LShr | IntBinary::AShr => {
            let value = if op == IntBinary::LShr { a.lshr(b) } else { a.ashr(b) };
            return match value {
                Some(value) if !flags.contains(BinaryFlags::EXACT) || value.shl(b) == Some(a) => Outcome::Value(value),
                _ => Outcome::Poison,
            };
        }
        IntBinary::And => return Outcome::Value(a.and(b)),
        IntBinary::Xor => return Outcome::Value(a.xor(b)),
        IntBinary::Or => {
            let broken = flags.contains(BinaryFlags::DISJOINT) && !a.and(b).is_zero();
            return if broken { Outcome::Poison } else { Outcome::Value(a.or(b)) };
        }
    };
    let broken = flags.contains(BinaryFlags::NUW) && !unsigned || flags.contains(BinaryFlags::NSW) && !signed;
    if broken { Outcome::Poison } else { Outcome::Value(value) }
}

fn division(op: IntBinary, flags: BinaryFlags, a: Int, b: Int) -> Outcome {
    if b.is_zero() {
        return Outcome::Undefined;
    }
    let is_signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
    if is_signed && a.is_min_signed() && b.is_ones() {
        return Outcome::Undefined;
    }
    let (quotient, remainder) = if is_signed {
        // The one quotient that does not fit was excluded, at this width and so at every narrower one.
        let (quotient, remainder) = (a.signed() / b.signed(), a.signed() % b.signed());
        (a.with(quotient as u128), a.with(remainder as u128))
    } else {
        (a.with(a.value / b.value), a.with(a.value % b.value))
    };
    match op {
        IntBinary::URem | IntBinary::SRem => Outcome::Value(remainder),
        _ if flags.contains(BinaryFlags::EXACT) && !remainder.is_zero() => Outcome::Poison,
        _ => Outcome::Value(quotient),
    }
}

/// A conversion between integer widths; `None` for the other conversions.
pub fn cast(op: CastOp, flags: CastFlags, value: Int, bits: u32) -> Option<Outcome> {
    let result = match op.resize()? {
        Resize::Trunc => {
            let result = value.zext_or_trunc(bits);
            let unsigned = result.value == value.value;
            let signed = result.signed() == value.signed();
            let broken =
                flags.wrap.contains(BinaryFlags::NUW) && !unsigned || flags.wrap.contains(BinaryFlags::NSW) && !signed;
            if broken {
                return Some(Outcome::Poison);
            }
            result
        }
        Resize::ZExt if flags.nneg && value.is_negative() => return Some(Outcome::Poison),
        Resize::ZExt => value.zext_or_trunc(bits),
        Resize::SExt => value.sext(bits),
    };
    Some(Outcome::Value(result))
}

/// The relation that holds exactly when `predicate` does not.
pub fn inverse(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Eq => IntPredicate::Ne,
        IntPredicate::Ne => IntPredicate::Eq,
        IntPredicate::Ugt => IntPredicate::Ule,
        IntPredicate::Uge => IntPredicate::Ult,
        IntPredicate::Ult => IntPredicate::Uge,
        IntPredicate::Ule => IntPredicate::Ugt,
        IntPredicate::Sgt => IntPredicate::Sle,
        IntPredicate::Sge => IntPredicate::Slt,
        IntPredicate::Slt => IntPredicate::Sge,
        IntPredicate::Sle => IntPredicate::Sgt,
    }
}

/// The relation with its operands exchanged.
pub fn swapped(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Eq | IntPredicate::Ne => predicate,
        IntPredicate::Ugt => IntPredicate::Ult,
        IntPredicate::Uge => IntPredicate::Ule,
        IntPredicate::Ult => IntPredicate::Ugt,
        IntPredicate::Ule => IntPredicate::Uge,
        IntPredicate::Sgt => IntPredicate::Slt,
        IntPredicate::Sge => IntPredicate::Sle,
        IntPredicate::Slt => IntPredicate::Sgt,
        IntPredicate::Sle => IntPredicate::Sge,
    }
}

/// Whether a relation holds for equal operands.
pub fn holds_for_equal(predicate: IntPredicate) -> bool {
    Int::bool(false).compare(predicate, Int::bool(false))
}

/// The unsigned predicate corresponding to a signed one.
pub fn unsigned(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::Slt => IntPredicate::Ult,
        IntPredicate::Sle => IntPredicate::Ule,
        IntPredicate::Sgt => IntPredicate::Ugt,
        IntPredicate::Sge => IntPredicate::Uge,
        IntPredicate::Eq
        | IntPredicate::Ne
        | IntPredicate::Ult
        | IntPredicate::Ule
        | IntPredicate::Ugt
        | IntPredicate::Uge => predicate,
    }
}
