//! Shifts.

use rvsdg_core::fold::arith::mask;
use rvsdg_core::op::IntBinary::{AShr, And, LShr, Shl};
use rvsdg_core::op::{BinaryFlags, CastOp, OpCode};

use crate::scalar::node_reduction::rule::{Rule, rule};

/// The rules.
pub const RULES: &[Rule] = &[
    rule("shl-by-zero", OpCode::Shl, "i8 %x", "%r = shl i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule("lshr-by-zero", OpCode::LShr, "i8 %x", "%r = lshr i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule("ashr-by-zero", OpCode::AShr, "i8 %x", "%r = ashr i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule("shl-of-zero", OpCode::Shl, "i8 %x", "%r = shl i8 0, %x", "0", |c, n| c.is_zero(n.a).then_some(n.a)),
    rule("lshr-of-zero", OpCode::LShr, "i8 %x", "%r = lshr i8 0, %x", "0", |c, n| c.is_zero(n.a).then_some(n.a)),
    rule("ashr-of-zero", OpCode::AShr, "i8 %x", "%r = ashr i8 0, %x", "0", |c, n| c.is_zero(n.a).then_some(n.a)),
    rule("ashr-of-ones", OpCode::AShr, "i8 %x", "%r = ashr i8 -1, %x", "-1", |c, n| c.is_ones(n.a).then_some(n.a)),
    rule("shl-too-far", OpCode::Shl, "i8 %x", "%r = shl i8 %x, 8", "poison", |c, n| {
        let k = c.int(n.b)?;
        (k.unsigned() >= k.bits().into()).then(|| c.poison(n.ty))
    }),
    rule("lshr-too-far", OpCode::LShr, "i8 %x", "%r = lshr i8 %x, 8", "poison", |c, n| {
        let k = c.int(n.b)?;
        (k.unsigned() >= k.bits().into()).then(|| c.poison(n.ty))
    }),
    rule("ashr-too-far", OpCode::AShr, "i8 %x", "%r = ashr i8 %x, 8", "poison", |c, n| {
        let k = c.int(n.b)?;
        (k.unsigned() >= k.bits().into()).then(|| c.poison(n.ty))
    }),
    rule("shl-twice", OpCode::Shl, "i8 %x", "%s = shl i8 %x, 2; %r = shl i8 %s, 3", "%r = shl i8 %x, 5", |c, n| {
        let (x, first, _) = c.binary_int(n.a, Shl)?;
        let sum = first.unsigned().checked_add(c.int(n.b)?.unsigned())?;
        if sum >= first.bits().into() {
            return c.zero(n.ty);
        }
        c.plain_int(Shl, x, first.with(sum))
    }),
    rule(
        "lshr-twice",
        OpCode::LShr,
        "i8 %x",
        "%s = lshr i8 %x, 2; %r = lshr i8 %s, 3",
        "%r = lshr i8 %x, 5",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, LShr)?;
            let sum = first.unsigned().checked_add(c.int(n.b)?.unsigned())?;
            if sum >= first.bits().into() {
                return c.zero(n.ty);
            }
            c.plain_int(LShr, x, first.with(sum))
        },
    ),
    rule(
        "lshr-sign-of-bool",
        OpCode::LShr,
        "i1 %x -> i8",
        "%s = sext i1 %x to i8; %r = lshr i8 %s, 7",
        "%r = zext i1 %x to i8",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::SExt)?;
            let distance = c.int(n.b)?;
            if c.bits(c.ty(x))? != 1 || distance.unsigned() + 1 != u128::from(distance.bits()) {
                return None;
            }
            Some(c.add_cast(CastOp::ZExt, x, n.ty))
        },
    ),
    rule(
        "ashr-twice",
        OpCode::AShr,
        "i8 %x",
        "%s = ashr i8 %x, 2; %r = ashr i8 %s, 3",
        "%r = ashr i8 %x, 5",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, AShr)?;
            let bits = u128::from(first.bits());
            let sum = first.unsigned().checked_add(c.int(n.b)?.unsigned())?;
            c.plain_int(AShr, x, first.with(sum.min(bits - 1)))
        },
    ),
    rule(
        "lshr-of-shl",
        OpCode::LShr,
        "i8 %x",
        "%s = shl i8 %x, 3; %r = lshr i8 %s, 3",
        "%r = and i8 %x, 31",
        |c, n| {
            let (x, amount, flags) = c.binary_int(n.a, Shl)?;
            if c.int(n.b)? != amount || amount.unsigned() >= amount.bits().into() {
                return None;
            }
            if flags.contains(BinaryFlags::NUW) {
                return Some(x);
            }
            c.plain_int(And, x, amount.with(mask(amount.bits() - amount.unsigned() as u32)))
        },
    ),
    rule("shl-of-lshr", OpCode::Shl, "i8 %x", "%s = lshr i8 %x, 3; %r = shl i8 %s, 3", "%r = and i8 %x, -8", |c, n| {
        let shifted = c.outside(n.a);
        let (x, amount, flags) = c.binary_int(shifted, LShr)?;
        if c.int(n.b)? != amount || amount.unsigned() >= amount.bits().into() {
            return None;
        }
        if flags.contains(BinaryFlags::EXACT) {
            return Some(x);
        }
        if shifted != n.a {
            return None;
        }
        c.plain_int(And, x, amount.with(!mask(amount.unsigned() as u32)))
    }),
    rule("shl-of-ashr", OpCode::Shl, "i8 %x", "%s = ashr i8 %x, 3; %r = shl i8 %s, 3", "%r = and i8 %x, -8", |c, n| {
        let shifted = c.outside(n.a);
        let (x, amount, flags) = c.binary_int(shifted, AShr)?;
        if c.int(n.b)? != amount || amount.unsigned() >= amount.bits().into() {
            return None;
        }
        if flags.contains(BinaryFlags::EXACT) {
            return Some(x);
        }
        if shifted != n.a {
            return None;
        }
        c.plain_int(And, x, amount.with(!mask(amount.unsigned() as u32)))
    }),
    rule("ashr-of-shl-nsw", OpCode::AShr, "i8 %x", "%s = shl nsw i8 %x, 3; %r = ashr i8 %s, 3", "%x", |c, n| {
        let (x, amount, flags) = c.binary_int(n.a, Shl)?;
        (flags.contains(BinaryFlags::NSW) && c.int(n.b)? == amount).then_some(x)
    }),
    rule(
        "ashr-non-negative",
        OpCode::AShr,
        "i8 %v",
        "%x = lshr i8 %v, 1; %r = ashr i8 %x, 2",
        "%r = lshr i8 %v, 3",
        |c, n| {
            if !c.bounds(n.a)?.is_non_negative() {
                return None;
            }
            Some(c.add_binary(LShr, n.flags & BinaryFlags::EXACT, n.a, n.b))
        },
    ),
    rule("shift-of-known", OpCode::LShr, "i8 %v", "%x = and i8 %v, 7; %r = lshr i8 %x, 3", "0", |c, n| {
        let amount = c.int(n.b)?;
        let known = c.known(n.a)?;
        if amount.unsigned() < amount.bits().into() && known.max() >> amount.unsigned() == 0 {
            c.zero(n.ty)
        } else {
            None
        }
    }),
];
