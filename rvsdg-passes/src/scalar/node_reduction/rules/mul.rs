//! Products, quotients and remainders.

use rvsdg_core::fold::{Int, arith::mask};
use rvsdg_core::op::IntBinary::{self, AShr, Add, And, LShr, Mul, Shl, Sub, UDiv, URem};
use rvsdg_core::op::{BinaryFlags, CastOp, IntPredicate, OpCode};
use rvsdg_core::{Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// A division of an extended value by a constant that fits, before the extension.
fn narrowed(c: &mut Cx<'_>, n: At, op: IntBinary) -> Option<Origin> {
    let (x, _) = c.cast(n.a, CastOp::ZExt)?;
    let narrow = c.ty(x);
    let (k, bits) = (c.int(n.b)?, c.bits(narrow)?);
    if k.is_zero() || k.zext_or_trunc(bits).unsigned() != k.unsigned() || !c.one_use(n.a) {
        return None;
    }
    let result = c.plain_int(op, x, k.zext_or_trunc(bits))?;
    Some(c.add_cast(CastOp::ZExt, result, n.ty))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule("udiv-self", OpCode::UDiv, "i8 %x", "%r = udiv i8 %x, %x", "1", |c, n| {
        if n.a == n.b { c.add_int(n.ty, 1) } else { None }
    }),
    rule(
        "urem-self",
        OpCode::URem,
        "i8 %x",
        "%r = urem i8 %x, %x",
        "0",
        |c, n| if n.a == n.b { c.zero(n.ty) } else { None },
    ),
    rule("mul-zero", OpCode::Mul, "i8 %x", "%r = mul i8 %x, 0", "0", |c, n| c.is_zero(n.b).then_some(n.b)),
    rule("mul-one", OpCode::Mul, "i8 %x", "%r = mul i8 %x, 1", "%x", |c, n| c.is_one(n.b).then_some(n.a)),
    rule("mul-minus-one", OpCode::Mul, "i8 %x", "%r = mul i8 %x, -1", "%r = sub i8 0, %x", |c, n| {
        if c.is_ones(n.b) { c.neg(n.a) } else { None }
    }),
    rule("mul-power", OpCode::Mul, "i8 %x", "%r = mul i8 %x, 8", "%r = shl i8 %x, 3", |c, n| {
        let k = c.int(n.b)?;
        let log = k.exact_log2()?;
        // The product by the sign bit may have `nsw` where the shift may not.
        let flags = if k.is_min_signed() { n.flags & BinaryFlags::NUW } else { n.flags };
        let amount = c.add_int(n.ty, log.into())?;
        Some(c.add_binary(Shl, flags, n.a, amount))
    }),
    rule(
        "mul-constants",
        OpCode::Mul,
        "i8 %x",
        "%s = mul i8 %x, 3; %r = mul i8 %s, 5",
        "%r = mul i8 %x, 15",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, Mul)?;
            let second = c.int(n.b)?;
            c.plain_int(Mul, x, first.mul(second))
        },
    ),
    rule("mul-of-shl", OpCode::Mul, "i8 %x", "%s = shl i8 %x, 2; %r = mul i8 %s, 5", "%r = mul i8 %x, 20", |c, n| {
        let (x, amount, _) = c.binary_int(n.a, Shl)?;
        let factor = c.int(n.b)?.shl(amount)?;
        c.plain_int(Mul, x, factor)
    }),
    rule("mul-of-neg", OpCode::Mul, "i8 %x", "%s = sub i8 0, %x; %r = mul i8 %s, 5", "%r = mul i8 %x, -5", |c, n| {
        let x = c.neg_of(n.a)?;
        let k = c.int(n.b)?;
        c.plain_int(Mul, x, k.neg())
    }),
    rule(
        "mul-negs",
        OpCode::Mul,
        "i8 %x, i8 %y",
        "%s = sub i8 0, %x; %t = sub i8 0, %y; %r = mul i8 %s, %t",
        "%r = mul i8 %x, %y",
        |c, n| {
            let (x, y) = (c.neg_of(n.a)?, c.neg_of(n.b)?);
            Some(c.plain(Mul, x, y))
        },
    ),
    rule("mul-bool", OpCode::Mul, "i1 %x, i1 %y", "%r = mul i1 %x, %y", "%r = and i1 %x, %y", |c, n| {
        (c.bits(n.ty)? == 1).then(|| c.plain(And, n.a, n.b))
    }),
    rule(
        "mul-of-sign",
        OpCode::Mul,
        "i8 %x",
        "%s = lshr i8 %x, 7; %r = mul i8 %s, 27",
        "%s = ashr i8 %x, 7; %r = and i8 %s, 27",
        |c, n| {
            let (x, amount, _) = c.binary_int(n.a, LShr)?;
            c.int(n.b)?;
            if amount.unsigned() + 1 != c.bits(n.ty)?.into() || !c.one_use(n.a) {
                return None;
            }
            let sign = c.plain_int(AShr, x, amount)?;
            Some(c.plain(And, sign, n.b))
        },
    ),
    rule("udiv-one", OpCode::UDiv, "i8 %x", "%r = udiv i8 %x, 1", "%x", |c, n| c.is_one(n.b).then_some(n.a)),
    rule("sdiv-one", OpCode::SDiv, "i8 %x", "%r = sdiv i8 %x, 1", "%x", |c, n| {
        (c.is_one(n.b) && c.bits(n.ty)? > 1).then_some(n.a)
    }),
    rule("sdiv-minus-one", OpCode::SDiv, "i8 %x", "%r = sdiv i8 %x, -1", "%r = sub i8 0, %x", |c, n| {
        if c.is_ones(n.b) && c.bits(n.ty)? > 1 { c.neg(n.a) } else { None }
    }),
    rule("udiv-power", OpCode::UDiv, "i8 %x", "%r = udiv i8 %x, 8", "%r = lshr i8 %x, 3", |c, n| {
        let log = c.int(n.b)?.exact_log2()?;
        let amount = c.add_int(n.ty, log.into())?;
        Some(c.add_binary(LShr, n.flags & BinaryFlags::EXACT, n.a, amount))
    }),
    rule(
        "udiv-of-zext",
        OpCode::UDiv,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = udiv i16 %s, 10",
        "%q = udiv i8 %x, 10; %r = zext i8 %q to i16",
        |c, n| narrowed(c, n, UDiv),
    ),
    rule(
        "urem-of-zext",
        OpCode::URem,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = urem i16 %s, 10",
        "%q = urem i8 %x, 10; %r = zext i8 %q to i16",
        |c, n| narrowed(c, n, URem),
    ),
    rule(
        "udiv-constants",
        OpCode::UDiv,
        "i8 %x",
        "%s = udiv i8 %x, 3; %r = udiv i8 %s, 5",
        "%r = udiv i8 %x, 15",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, UDiv)?;
            let second = c.int(n.b)?;
            let product = first.unsigned().checked_mul(second.unsigned())?;
            if second.is_zero() || first.is_zero() || product & !mask(first.bits()) != 0 {
                return None;
            }
            c.plain_int(UDiv, x, first.with(product))
        },
    ),
    rule(
        "sdiv-non-negative",
        OpCode::SDiv,
        "i8 %v",
        "%x = lshr i8 %v, 1; %r = sdiv i8 %x, 5",
        "%x = lshr i8 %v, 1; %r = udiv i8 %x, 5",
        |c, n| {
            let k = c.int(n.b)?;
            if k.is_negative() || k.is_zero() || !c.bounds(n.a)?.is_non_negative() {
                return None;
            }
            Some(c.add_binary(UDiv, n.flags & BinaryFlags::EXACT, n.a, n.b))
        },
    ),
    rule("sdiv-exact-power", OpCode::SDiv, "i8 %x", "%r = sdiv exact i8 %x, 8", "%r = ashr exact i8 %x, 3", |c, n| {
        let k = c.int(n.b)?;
        let log = k.exact_log2().filter(|_| !k.is_negative() && n.flags.contains(BinaryFlags::EXACT))?;
        let amount = c.add_int(n.ty, log.into())?;
        Some(c.add_binary(AShr, BinaryFlags::EXACT, n.a, amount))
    }),
    rule("udiv-of-mul", OpCode::UDiv, "i8 %x", "%s = mul nuw i8 %x, 5; %r = udiv i8 %s, 5", "%x", |c, n| {
        let (x, k, flags) = c.binary_int(n.a, Mul)?;
        (flags.contains(BinaryFlags::NUW) && !k.is_zero() && c.int(n.b)? == k).then_some(x)
    }),
    rule("sdiv-of-mul", OpCode::SDiv, "i8 %x", "%s = mul nsw i8 %x, 5; %r = sdiv i8 %s, 5", "%x", |c, n| {
        let (x, k, flags) = c.binary_int(n.a, Mul)?;
        (flags.contains(BinaryFlags::NSW) && !k.is_zero() && c.int(n.b)? == k).then_some(x)
    }),
    rule("udiv-less", OpCode::UDiv, "i8 %v", "%x = and i8 %v, 3; %r = udiv i8 %x, 5", "0", |c, n| {
        let k = c.int(n.b)?;
        if c.bounds(n.a)?.greatest < k.unsigned() { c.zero(n.ty) } else { None }
    }),
    rule(
        "urem-one",
        OpCode::URem,
        "i8 %x",
        "%r = urem i8 %x, 1",
        "0",
        |c, n| if c.is_one(n.b) { c.zero(n.ty) } else { None },
    ),
    rule(
        "srem-one",
        OpCode::SRem,
        "i8 %x",
        "%r = srem i8 %x, 1",
        "0",
        |c, n| if c.is_one(n.b) { c.zero(n.ty) } else { None },
    ),
    rule("srem-minus-one", OpCode::SRem, "i8 %x", "%r = srem i8 %x, -1", "0", |c, n| {
        if c.is_ones(n.b) { c.zero(n.ty) } else { None }
    }),
    rule("urem-power", OpCode::URem, "i8 %x", "%r = urem i8 %x, 8", "%r = and i8 %x, 7", |c, n| {
        let k = c.int(n.b)?;
        k.exact_log2()?;
        c.plain_int(And, n.a, k.sub(Int::new(k.bits(), 1)))
    }),
    rule(
        "urem-less",
        OpCode::URem,
        "i8 %v",
        "%x = and i8 %v, 3; %r = urem i8 %x, 5",
        "%x = and i8 %v, 3; %r = or i8 %x, 0",
        |c, n| {
            let k = c.int(n.b)?;
            (c.bounds(n.a)?.greatest < k.unsigned()).then_some(n.a)
        },
    ),
    rule(
        "urem-once",
        OpCode::URem,
        "i8 noundef %v",
        "%x = and i8 %v, 7; %r = urem i8 %x, 5",
        "%x = and i8 %v, 7; %c = icmp ult i8 %x, 5; %s = sub i8 %x, 5; %r = select i1 %c, i8 %x, i8 %s",
        |c, n| {
            let k = c.int(n.b)?;
            let bounds = c.bounds(n.a)?;
            // The dividend is used three times, and must have one value.
            if !c.is_int(n.ty) || bounds.greatest / 2 >= k.unsigned() || !c.is_not_undef(n.a) {
                return None;
            }
            let less = c.plain_int(Sub, n.a, k)?;
            let is_below = c.add_icmp(IntPredicate::Ult, n.a, n.b, Type::I1);
            Some(c.add_select(is_below, n.a, less))
        },
    ),
    rule(
        "srem-non-negative",
        OpCode::SRem,
        "i8 %v",
        "%x = lshr i8 %v, 1; %r = srem i8 %x, 5",
        "%x = lshr i8 %v, 1; %r = urem i8 %x, 5",
        |c, n| {
            let k = c.int(n.b)?;
            if k.is_negative() || k.is_zero() || !c.bounds(n.a)?.is_non_negative() {
                return None;
            }
            Some(c.plain(URem, n.a, n.b))
        },
    ),
    rule("mul-then-sub", OpCode::Sub, "i8 %x", "%s = mul i8 %x, 5; %r = sub i8 %s, %x", "%r = mul i8 %x, 4", |c, n| {
        let (x, k, _) = c.binary_int(n.a, Mul)?;
        if x != n.b || !c.one_use(n.a) {
            return None;
        }
        c.plain_int(Mul, x, k.sub(k.with(1)))
    }),
    rule("mul-then-add", OpCode::Add, "i8 %x", "%s = mul i8 %x, 5; %r = add i8 %s, %x", "%r = mul i8 %x, 6", |c, n| {
        let (x, k, _) = c.binary_int(n.a, Mul)?;
        if x != n.b || !c.one_use(n.a) {
            return None;
        }
        c.plain_int(Mul, x, k.add(k.with(1)))
    }),
    rule("add-self", OpCode::Add, "i8 %x", "%r = add i8 %x, %x", "%r = shl i8 %x, 1", |c, n| {
        if n.a != n.b || c.bits(n.ty)? < 2 {
            return None;
        }
        let one = c.add_int(n.ty, 1)?;
        Some(c.add_binary(Shl, n.flags, n.a, one))
    }),
    rule(
        "mul-factor",
        OpCode::Add,
        "i8 %x, i8 %y, i8 %z",
        "%s = mul i8 %x, %y; %t = mul i8 %x, %z; %r = add i8 %s, %t",
        "%s = add i8 %y, %z; %r = mul i8 %x, %s",
        |c, n| {
            if n.a == n.b || !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let (x, y, _) = c.binary(n.a, Mul)?;
            let (x, y, z) = match c.other(n.b, Mul, x) {
                Some(z) => (x, y, z),
                None => (y, x, c.other(n.b, Mul, y)?),
            };
            let sum = c.plain(Add, y, z);
            Some(c.plain(Mul, x, sum))
        },
    ),
    rule(
        "mul-factor-sub",
        OpCode::Sub,
        "i8 %x, i8 %y, i8 %z",
        "%s = mul i8 %x, %y; %t = mul i8 %x, %z; %r = sub i8 %s, %t",
        "%s = sub i8 %y, %z; %r = mul i8 %x, %s",
        |c, n| {
            if n.a == n.b || !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let (x, y, _) = c.binary(n.a, Mul)?;
            let (x, y, z) = match c.other(n.b, Mul, x) {
                Some(z) => (x, y, z),
                None => (y, x, c.other(n.b, Mul, y)?),
            };
            let difference = c.plain(Sub, y, z);
            Some(c.plain(Mul, x, difference))
        },
    ),
];
