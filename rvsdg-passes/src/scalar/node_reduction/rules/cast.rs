//! Conversions.

use rvsdg_core::fold::{Int, arith::mask};
use rvsdg_core::op::{BinaryFlags, CastOp, IntBinary, OpCode};

use crate::scalar::node_reduction::rule::{Rule, rule};

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "zext-of-zext",
        OpCode::ZExt,
        "i2 %x",
        "%s = zext i2 %x to i4; %r = zext i4 %s to i8",
        "%r = zext i2 %x to i8",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::ZExt)?;
            Some(c.add_cast(CastOp::ZExt, x, n.ty))
        },
    ),
    rule(
        "sext-of-sext",
        OpCode::SExt,
        "i2 %x",
        "%s = sext i2 %x to i4; %r = sext i4 %s to i8",
        "%r = sext i2 %x to i8",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::SExt)?;
            Some(c.add_cast(CastOp::SExt, x, n.ty))
        },
    ),
    rule(
        "sext-of-zext",
        OpCode::SExt,
        "i2 %x",
        "%s = zext i2 %x to i4; %r = sext i4 %s to i8",
        "%r = zext i2 %x to i8",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::ZExt)?;
            Some(c.add_cast(CastOp::ZExt, x, n.ty))
        },
    ),
    rule(
        "sext-non-negative",
        OpCode::SExt,
        "i4 %v",
        "%x = lshr i4 %v, 1; %r = sext i4 %x to i8",
        "%x = lshr i4 %v, 1; %r = zext i4 %x to i8",
        |c, n| {
            // For a loop variable it stays: its sums have `nsw`, so that it can be widened.
            if !c.known_near(n.a)?.is_non_negative() {
                return None;
            }
            Some(c.add_cast(CastOp::ZExt, n.a, n.ty))
        },
    ),
    rule(
        "trunc-of-trunc",
        OpCode::Trunc,
        "i8 %x",
        "%s = trunc i8 %x to i4; %r = trunc i4 %s to i2",
        "%r = trunc i8 %x to i2",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::Trunc)?;
            Some(c.add_cast(CastOp::Trunc, x, n.ty))
        },
    ),
    rule("trunc-of-zext", OpCode::Trunc, "i4 %x", "%s = zext i4 %x to i8; %r = trunc i8 %s to i4", "%x", |c, n| {
        let (x, _) = c.cast(n.a, CastOp::ZExt)?;
        if c.ty(x) == n.ty {
            return Some(x);
        }
        let (from, to) = (c.bits(c.ty(x))?, c.bits(n.ty)?);
        Some(c.add_cast(if from < to { CastOp::ZExt } else { CastOp::Trunc }, x, n.ty))
    }),
    rule("trunc-of-sext", OpCode::Trunc, "i4 %x", "%s = sext i4 %x to i8; %r = trunc i8 %s to i4", "%x", |c, n| {
        let (x, _) = c.cast(n.a, CastOp::SExt)?;
        if c.ty(x) == n.ty {
            return Some(x);
        }
        let (from, to) = (c.bits(c.ty(x))?, c.bits(n.ty)?);
        Some(c.add_cast(if from < to { CastOp::SExt } else { CastOp::Trunc }, x, n.ty))
    }),
    rule(
        "zext-of-trunc",
        OpCode::ZExt,
        "i8 %x",
        "%s = trunc i8 %x to i4; %r = zext i4 %s to i8",
        "%r = and i8 %x, 15",
        |c, n| {
            let (x, flags) = c.cast(n.a, CastOp::Trunc)?;
            // A lossless conversion is for another rule.
            if c.ty(x) != n.ty || flags.wrap.contains(BinaryFlags::NUW) {
                return None;
            }
            let (from, to) = (c.bits(c.ty(n.a))?, c.bits(n.ty)?);
            c.plain_int(IntBinary::And, x, Int::new(to, mask(from)))
        },
    ),
    rule(
        "ptrtoint-of-inttoptr",
        OpCode::PtrToInt,
        "i64 %x",
        "%s = inttoptr i64 %x to ptr; %r = ptrtoint ptr %s to i64",
        "%x",
        |c, n| c.address_of_integer(n.a, n.ty),
    ),
    rule(
        "ptrtoint-of-select",
        OpCode::PtrToInt,
        "i1 %c, i64 %x, ptr %p -> i64",
        "%s = inttoptr i64 %x to ptr; %t = select i1 %c, ptr %s, ptr %p; %r = ptrtoint ptr %t to i64",
        "%s = ptrtoint ptr %p to i64; %r = select i1 %c, i64 %x, i64 %s",
        |c, n| {
            let (condition, then, otherwise) = c.select(n.a).filter(|_| c.one_use(n.a))?;
            let known = [then, otherwise].map(|pointer| c.address_of_integer(pointer, n.ty));
            if known == [None, None] {
                return None;
            }
            let mut integer = |known, pointer| match known {
                Some(integer) => integer,
                None => c.add_cast(CastOp::PtrToInt, pointer, n.ty),
            };
            let (then, otherwise) = (integer(known[0], then), integer(known[1], otherwise));
            Some(c.add_select(condition, then, otherwise))
        },
    ),
    rule("bitcast-same", OpCode::BitCast, "i8 %x", "%r = bitcast i8 %x to i8", "%x", |c, n| {
        (c.ty(n.a) == n.ty).then_some(n.a)
    }),
    rule(
        "bitcast-twice",
        OpCode::BitCast,
        "i32 %x",
        "%s = bitcast i32 %x to float; %r = bitcast float %s to i32",
        "%x",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::BitCast)?;
            if c.ty(x) == n.ty {
                return Some(x);
            }
            Some(c.add_cast(CastOp::BitCast, x, n.ty))
        },
    ),
    rule(
        "freeze-twice",
        OpCode::Freeze,
        "i8 %x",
        "%s = freeze i8 %x; %r = freeze i8 %s",
        "%r = freeze i8 %x",
        |c, n| matches!(c.op(n.a)?.1, rvsdg_core::Op::Freeze).then_some(n.a),
    ),
];
