//! Intrinsics that compute: which they are, and what they give for constants.

use smallvec::SmallVec;

use super::arith::{self, Int, Outcome};
use super::math::Math;
use super::parts;
use crate::layout::FloatKind;
use crate::op::{BinaryFlags, IntBinary, IntPredicate};
use crate::{Const, Constant, Pool, Type, TypeKind};

/// Defines the intrinsics by the part of their names between `llvm.` and the type.
macro_rules! intrinsics {
    ($($(#[$doc:meta])* $name:ident = $text:literal),* $(,)?) => {
        /// An intrinsic that computes a value of its arguments and does nothing else.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        pub enum Intrinsic {
            $($(#[$doc])* $name,)*
            /// A function that the host's library computes.
            Math(Math),
        }

        impl Intrinsic {
            /// The intrinsic of a name such as `llvm.umin.i32`.
            pub fn of_name(name: &str) -> Option<Intrinsic> {
                let (name, _) = name.strip_prefix("llvm.")?.rsplit_once('.')?;
                // Those with two types in their names: of the value, and of the arguments.
                let name = match name.split_once('.') {
                    Some((name @ ("ucmp" | "scmp"), _)) => name,
                    _ => name,
                };
                match name {
                    $($text => Some(Intrinsic::$name),)*
                    _ => Math::of_name(name).map(Intrinsic::Math),
                }
            }
        }
    };
}

intrinsics! {
    /// The unsigned minimum.
    UMin = "umin",
    /// The unsigned maximum.
    UMax = "umax",
    /// The signed minimum.
    SMin = "smin",
    /// The signed maximum.
    SMax = "smax",
    /// Three-way unsigned comparison: negative, zero or positive if the first is less than, equal to or greater than the second.
    UCmp = "ucmp",
    /// Three-way signed comparison: negative, zero or positive if the first is less than, equal to or greater than the second.
    SCmp = "scmp",
    /// The absolute value; the second argument says whether the minimum integer yields poison.
    Abs = "abs",
    /// The number of bits set.
    CtPop = "ctpop",
    /// The number of highest bits not set; the second argument says whether zero is poison.
    CtLz = "ctlz",
    /// The number of lowest bits not set; the second argument says whether zero is poison.
    CtTz = "cttz",
    /// The bytes in the other order.
    BSwap = "bswap",
    /// The bits in the other order.
    BitReverse = "bitreverse",
    /// The upper half of two values shifted left as one.
    FShl = "fshl",
    /// The lower half of two values shifted right as one.
    FShr = "fshr",
    /// The sum, or the limit that it exceeds.
    UAddSat = "uadd.sat",
    /// The sum, or the limit that it exceeds.
    SAddSat = "sadd.sat",
    /// The difference, or the limit that it exceeds.
    USubSat = "usub.sat",
    /// The difference, or the limit that it exceeds.
    SSubSat = "ssub.sat",
    /// The sum, and whether it wraps.
    UAddOverflow = "uadd.with.overflow",
    /// The sum, and whether it wraps.
    SAddOverflow = "sadd.with.overflow",
    /// The difference, and whether it wraps.
    USubOverflow = "usub.with.overflow",
    /// The difference, and whether it wraps.
    SSubOverflow = "ssub.with.overflow",
    /// The product, and whether it wraps.
    UMulOverflow = "umul.with.overflow",
    /// The product, and whether it wraps.
    SMulOverflow = "smul.with.overflow",
    /// A float without its sign.
    FAbs = "fabs",
    /// The first with the sign of the second.
    CopySign = "copysign",
    /// The smaller, or the one that is a number.
    MinNum = "minnum",
    /// The greater, or the one that is a number.
    MaxNum = "maxnum",
    /// The smaller, or NaN.
    Minimum = "minimum",
    /// The greater, or NaN.
    Maximum = "maximum",
    /// The smaller, or the one that is a number.
    MinimumNum = "minimumnum",
    /// The greater, or the one that is a number.
    MaximumNum = "maximumnum",
    /// The next integer down.
    Floor = "floor",
    /// The next integer up.
    Ceil = "ceil",
    /// The next integer towards zero.
    Trunc = "trunc",
    /// The next integer to either side, the even one of two.
    RoundEven = "roundeven",
    /// The nearest integer; of two equally near ones, the one farther from zero.
    Round = "round",
    /// The next integer in the direction of rounding, which is to the nearest.
    Rint = "rint",
    /// The next integer in the direction of rounding, which is to the nearest.
    NearbyInt = "nearbyint",
    /// A product of floats and a sum, rounded after each or only in the end.
    FMulAdd = "fmuladd",
    /// A product of floats and a sum, rounded in the end.
    Fma = "fma",
}

impl Intrinsic {
    /// What the function of C with this name computes, where it is one of `double`.
    pub fn of_library(name: &str) -> Option<Intrinsic> {
        Some(match name {
            "fabs" => Intrinsic::FAbs,
            "copysign" => Intrinsic::CopySign,
            "fmin" => Intrinsic::MinNum,
            "fmax" => Intrinsic::MaxNum,
            "floor" => Intrinsic::Floor,
            "ceil" => Intrinsic::Ceil,
            "trunc" => Intrinsic::Trunc,
            "rint" => Intrinsic::Rint,
            "nearbyint" => Intrinsic::NearbyInt,
            "round" => Intrinsic::Round,
            _ => Intrinsic::Math(Math::of_name(name)?),
        })
    }

    /// The operation whose overflow is returned, and the flag that excludes it.
    pub fn overflows(self) -> Option<(IntBinary, BinaryFlags)> {
        Some(match self {
            Intrinsic::UAddOverflow => (IntBinary::Add, BinaryFlags::NUW),
            Intrinsic::SAddOverflow => (IntBinary::Add, BinaryFlags::NSW),
            Intrinsic::USubOverflow => (IntBinary::Sub, BinaryFlags::NUW),
            Intrinsic::SSubOverflow => (IntBinary::Sub, BinaryFlags::NSW),
            Intrinsic::UMulOverflow => (IntBinary::Mul, BinaryFlags::NUW),
            Intrinsic::SMulOverflow => (IntBinary::Mul, BinaryFlags::NSW),
            _ => return None,
        })
    }

    /// The relation in which the chosen argument is to the other.
    pub fn chooses(self) -> Option<IntPredicate> {
        Some(match self {
            Intrinsic::UMin => IntPredicate::Ult,
            Intrinsic::UMax => IntPredicate::Ugt,
            Intrinsic::SMin => IntPredicate::Slt,
            Intrinsic::SMax => IntPredicate::Sgt,
            _ => return None,
        })
    }

    /// The relation in which the first argument is to the second where the value is less than zero.
    pub fn orders(self) -> Option<IntPredicate> {
        match self {
            Intrinsic::UCmp => Some(IntPredicate::Ult),
            Intrinsic::SCmp => Some(IntPredicate::Slt),
            _ => None,
        }
    }

    /// The argument that is chosen whatever the other is.
    pub fn limit(self, bits: u32) -> Option<Int> {
        let least = Int::new(bits, 1 << (bits - 1));
        Some(match self {
            Intrinsic::UMin => Int::new(bits, 0),
            Intrinsic::UMax => Int::new(bits, u128::MAX),
            Intrinsic::SMin => least,
            Intrinsic::SMax => least.not(),
            _ => return None,
        })
    }

    /// The result of an intrinsic on constants.
    pub fn fold(self, pool: &Pool, arguments: &[Const], ty: Type) -> Option<Const> {
        if let Some(lanes) = parts::lanes(pool, ty) {
            let element = parts::lane_type(pool, ty)?;
            let folded = (0..lanes).map(|lane| {
                let of = |&argument: &Const| match parts::lane_type(pool, pool.constant(argument).ty()) {
                    Some(_) => parts::part(pool, argument, lane.into()),
                    None => Some(argument),
                };
                let arguments = arguments.iter().map(of).collect::<Option<SmallVec<[Const; 4]>>>()?;
                self.fold_scalar(pool, &arguments, element)
            });
            return parts::whole(pool, ty, &folded.collect::<Option<SmallVec<[Const; 16]>>>()?);
        }
        self.fold_scalar(pool, arguments, ty)
    }

    fn fold_scalar(self, pool: &Pool, arguments: &[Const], ty: Type) -> Option<Const> {
        if arguments.iter().any(|&argument| matches!(pool.constant(argument), Constant::Poison(_))) {
            return Some(pool.poison(ty));
        }
        if let Constant::Float { ty, .. } = *pool.constant(*arguments.first()?) {
            let number = |&number: &Const| match *pool.constant(number) {
                Constant::Float { ty: of, bits } if of == ty => Some(bits),
                _ => None,
            };
            let numbers: SmallVec<[u128; 4]> = arguments.iter().map(number).collect::<Option<_>>()?;
            let bits = self.real(FloatKind::of(pool.type_kind(ty))?, &numbers)?;
            return Some(pool.intern_const(Constant::Float { ty, bits }));
        }
        let ints = arguments.iter().map(|&argument| Int::of_const(pool, argument));
        let ints = ints.collect::<Option<SmallVec<[Int; 4]>>>()?;
        if let (Some((op, flags)), &[a, b]) = (self.overflows(), ints.as_slice()) {
            let Outcome::Value(value) = arith::binary(op, BinaryFlags::NONE, a, b) else { return None };
            let wraps = arith::binary(op, flags, a, b) == Outcome::Poison;
            if !matches!(pool.type_kind(ty), TypeKind::Struct { .. }) {
                return None;
            }
            return parts::whole(pool, ty, &[value.to_const(pool), Int::bool(wraps).to_const(pool)]);
        }
        if let (Some(less), &[a, b]) = (self.orders(), ints.as_slice()) {
            let zero = Int::new(arith::width(pool, ty)?, 0);
            let one = zero.with(1);
            let value = match a.compare(less, b) {
                true => one.neg(),
                false if a == b => zero,
                false => one,
            };
            return Some(value.to_const(pool));
        }
        match self.int(&ints)? {
            Outcome::Value(value) => Some(value.to_const(pool)),
            Outcome::Poison => Some(pool.poison(ty)),
            Outcome::Undefined => None,
        }
    }

    fn int(self, arguments: &[Int]) -> Option<Outcome> {
        let (&a, second) = (arguments.first()?, arguments.get(1).copied());
        let bits = a.bits();
        let b = second.unwrap_or(a);
        if let Some(relation) = self.chooses() {
            return Some(Outcome::Value(if a.compare(relation, b) { a } else { b }));
        }
        let least = a.with(1 << (bits - 1));
        let saturated = |op, flags, limit: Int| match arith::binary(op, flags, a, b) {
            Outcome::Value(value) => value,
            Outcome::Poison | Outcome::Undefined => limit,
        };
        let signed_limit = if a.is_negative() { least } else { least.not() };
        let value = match self {
            Intrinsic::Abs if a.is_min_signed() && !b.is_zero() => return Some(Outcome::Poison),
            Intrinsic::Abs => {
                if a.is_negative() {
                    a.neg()
                } else {
                    a
                }
            }
            Intrinsic::CtLz | Intrinsic::CtTz if a.is_zero() && !b.is_zero() => return Some(Outcome::Poison),
            Intrinsic::CtPop => a.with(a.unsigned().count_ones().into()),
            Intrinsic::CtLz => a.with((a.unsigned().leading_zeros() - (128 - bits)).into()),
            Intrinsic::CtTz => a.with(a.unsigned().trailing_zeros().min(bits).into()),
            Intrinsic::BSwap if bits.is_multiple_of(16) => a.with(a.unsigned().swap_bytes() >> (128 - bits)),
            Intrinsic::BitReverse => a.with(a.unsigned().reverse_bits() >> (128 - bits)),
            Intrinsic::FShl | Intrinsic::FShr => {
                let by = arguments.get(2)?.unsigned() % u128::from(bits);
                // A left funnel shift is a right one by the rest of the width.
                let left = if self == Intrinsic::FShl { by } else { (u128::from(bits) - by) % u128::from(bits) };
                if left == 0 {
                    if self == Intrinsic::FShl { a } else { b }
                } else {
                    a.shl(a.with(left))?.or(b.lshr(a.with(u128::from(bits) - left))?)
                }
            }
            Intrinsic::UAddSat => saturated(IntBinary::Add, BinaryFlags::NUW, a.with(u128::MAX)),
            Intrinsic::USubSat => saturated(IntBinary::Sub, BinaryFlags::NUW, a.with(0)),
            Intrinsic::SAddSat => saturated(IntBinary::Add, BinaryFlags::NSW, signed_limit),
            Intrinsic::SSubSat => saturated(IntBinary::Sub, BinaryFlags::NSW, signed_limit),
            _ => return None,
        };
        Some(Outcome::Value(value))
    }

    /// The result on as many numbers as it takes.
    fn real(self, format: FloatKind, numbers: &[u128]) -> Option<u128> {
        use rustc_apfloat::Round;
        if let Intrinsic::Math(function) = self {
            return function.compute(format, numbers);
        }
        match *numbers {
            [a] => match self {
                Intrinsic::FAbs => Some(format.with_sign(a, false)),
                Intrinsic::Floor => format.rounded(a, Round::TowardNegative),
                Intrinsic::Ceil => format.rounded(a, Round::TowardPositive),
                Intrinsic::Trunc => format.rounded(a, Round::TowardZero),
                Intrinsic::RoundEven | Intrinsic::Rint | Intrinsic::NearbyInt => {
                    format.rounded(a, Round::NearestTiesToEven)
                }
                Intrinsic::Round => format.rounded(a, Round::NearestTiesToAway),
                _ => None,
            },
            [a, b] => match self {
                Intrinsic::CopySign => Some(format.with_sign(a, format.is_negative(b))),
                Intrinsic::MinNum | Intrinsic::Minimum | Intrinsic::MinimumNum => format.least(a, b, false),
                Intrinsic::MaxNum | Intrinsic::Maximum | Intrinsic::MaximumNum => format.least(a, b, true),
                _ => None,
            },
            [a, b, c] if matches!(self, Intrinsic::FMulAdd | Intrinsic::Fma) => format.sum_of_product(a, b, c),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(intrinsic: Intrinsic, arguments: &[u128]) -> Option<Outcome> {
        let ints: Vec<Int> = arguments.iter().map(|&value| Int::new(8, value)).collect();
        intrinsic.int(&ints)
    }

    #[test]
    fn names() {
        assert_eq!(Intrinsic::of_name("llvm.umin.i32"), Some(Intrinsic::UMin));
        assert_eq!(Intrinsic::of_name("llvm.uadd.with.overflow.v4i8"), Some(Intrinsic::UAddOverflow));
        assert_eq!(Intrinsic::of_name("llvm.memcpy.p0.p0.i64"), None);
        assert_eq!(Intrinsic::of_name("llvm.ucmp.i8.i32"), Some(Intrinsic::UCmp));
        assert_eq!(Intrinsic::of_name("llvm.scmp.i2.i64"), Some(Intrinsic::SCmp));
        assert_eq!(Intrinsic::of_name("umin.i32"), None);
    }

    #[test]
    fn comparisons_of_three_ways() {
        let pool = Pool::new();
        let (of, to) = (pool.int(8), pool.int(2));
        for (a, b) in (0..=255u8).flat_map(|a| (0..=255u8).step_by(5).map(move |b| (a, b))) {
            let arguments = [a, b].map(|value| Int::new(8, value.into()).to_const(&pool));
            assert_eq!(pool.constant(arguments[0]).ty(), of);
            let of_order = |order: std::cmp::Ordering| Int::new(2, order as i8 as u128).to_const(&pool);
            assert_eq!(Intrinsic::UCmp.fold(&pool, &arguments, to), Some(of_order(a.cmp(&b))));
            assert_eq!(Intrinsic::SCmp.fold(&pool, &arguments, to), Some(of_order((a as i8).cmp(&(b as i8)))));
        }
    }

    #[test]
    fn integers_of_eight_bits_are_as_the_host_computes() {
        for a in 0..=255u8 {
            for b in (0..=255u8).step_by(3) {
                let check = |intrinsic, expected: u8| {
                    let arguments = [a.into(), b.into(), u128::from(b % 8)];
                    assert_eq!(of(intrinsic, &arguments), Some(Outcome::Value(Int::new(8, expected.into()))));
                };
                check(Intrinsic::UMin, a.min(b));
                check(Intrinsic::SMax, (a as i8).max(b as i8) as u8);
                check(Intrinsic::UAddSat, a.saturating_add(b));
                check(Intrinsic::USubSat, a.saturating_sub(b));
                check(Intrinsic::SAddSat, (a as i8).saturating_add(b as i8) as u8);
                check(Intrinsic::SSubSat, (a as i8).saturating_sub(b as i8) as u8);
                check(Intrinsic::BitReverse, a.reverse_bits());
                check(Intrinsic::CtPop, a.count_ones() as u8);
                let wide = u16::from(a) << 8 | u16::from(b);
                check(Intrinsic::FShl, (wide << (b % 8) >> 8) as u8);
                check(Intrinsic::FShr, (wide >> (b % 8)) as u8);
            }
            let alone = |intrinsic| of(intrinsic, &[a.into(), 0]);
            assert_eq!(alone(Intrinsic::CtLz), Some(Outcome::Value(Int::new(8, a.leading_zeros().into()))));
            assert_eq!(alone(Intrinsic::CtTz), Some(Outcome::Value(Int::new(8, a.trailing_zeros().into()))));
            assert_eq!(alone(Intrinsic::Abs), Some(Outcome::Value(Int::new(8, (a as i8).unsigned_abs().into()))));
        }
        assert_eq!(of(Intrinsic::CtLz, &[0, 1]), Some(Outcome::Poison));
        assert_eq!(of(Intrinsic::Abs, &[128, 1]), Some(Outcome::Poison));
    }
}
