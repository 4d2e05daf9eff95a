//! Sums and differences.

use rvsdg_analysis::integers::Bounds;
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::IntBinary::{Add, And, Or, Sub, Xor};
use rvsdg_core::op::{BinaryFlags, OpCode};

use crate::scalar::node_reduction::rule::{Rule, rule};

/// The rules.
pub const RULES: &[Rule] = &[
    rule("add-zero", OpCode::Add, "i8 %x", "%r = add i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule(
        "add-constants",
        OpCode::Add,
        "i8 %x",
        "%s = add nsw i8 %x, 3; %r = add nsw i8 %s, 4",
        "%r = add nsw i8 %x, 7",
        |c, n| {
            let (x, first, flags) = c.binary_int(n.a, Add)?;
            let second = c.int(n.b)?;
            let sum = c.int_like(n.ty, first.add(second))?;
            let flags = flags & n.flags & flags_of_sum(first, second);
            Some(c.add_binary(Add, flags, x, sum))
        },
    ),
    rule("add-to-not", OpCode::Add, "i8 %x", "%s = xor i8 %x, -1; %r = add i8 %s, 1", "%r = sub i8 0, %x", |c, n| {
        let x = c.not_of(n.a)?;
        if !c.is_one(n.b) {
            return None;
        }
        c.neg(x)
    }),
    rule(
        "add-constant-to-sub",
        OpCode::Add,
        "i8 %x",
        "%s = sub i8 3, %x; %r = add i8 %s, 4",
        "%r = sub i8 7, %x",
        |c, n| {
            let (from, x, _) = c.binary(n.a, Sub)?;
            let (first, second) = (c.int(from)?, c.int(n.b)?);
            let sum = c.int_like(n.ty, first.add(second))?;
            Some(c.plain(Sub, sum, x))
        },
    ),
    rule("add-sub-left", OpCode::Add, "i8 %x, i8 %y", "%s = sub i8 %x, %y; %r = add i8 %s, %y", "%x", |c, n| {
        let (x, y, _) = c.binary(n.a, Sub)?;
        (y == n.b).then_some(x)
    }),
    rule("add-sub-right", OpCode::Add, "i8 %x, i8 %y", "%s = sub i8 %x, %y; %r = add i8 %y, %s", "%x", |c, n| {
        let (x, y, _) = c.binary(n.b, Sub)?;
        (y == n.a).then_some(x)
    }),
    rule(
        "add-neg-right",
        OpCode::Add,
        "i8 %x, i8 %y",
        "%s = sub i8 0, %y; %r = add i8 %x, %s",
        "%r = sub i8 %x, %y",
        |c, n| {
            let y = c.neg_of(n.b)?;
            Some(c.plain(Sub, n.a, y))
        },
    ),
    rule(
        "add-neg-left",
        OpCode::Add,
        "i8 %x, i8 %y",
        "%s = sub i8 0, %x; %r = add i8 %s, %y",
        "%r = sub i8 %y, %x",
        |c, n| {
            let x = c.neg_of(n.a)?;
            Some(c.plain(Sub, n.b, x))
        },
    ),
    rule("add-not", OpCode::Add, "i8 %x", "%s = xor i8 %x, -1; %r = add i8 %x, %s", "-1", |c, n| {
        if c.are_inverse(n.a, n.b) { c.ones(n.ty) } else { None }
    }),
    rule("add-sign-bit", OpCode::Add, "i8 %x", "%r = add i8 %x, -128", "%r = xor i8 %x, -128", |c, n| {
        let k = c.int(n.b)?;
        if !k.is_min_signed() || !n.flags.is_empty() {
            return None;
        }
        c.plain_int(Xor, n.a, k)
    }),
    rule(
        "add-and-or",
        OpCode::Add,
        "i8 %x, i8 %y",
        "%s = and i8 %x, %y; %t = or i8 %x, %y; %r = add i8 %s, %t",
        "%r = add i8 %x, %y",
        |c, n| {
            let (a, b) = if c.binary(n.a, And).is_some() { (n.a, n.b) } else { (n.b, n.a) };
            let (x, y, _) = c.binary(a, And)?;
            let (v, w, _) = c.binary(b, Or)?;
            if (x, y) != (v, w) && (x, y) != (w, v) {
                return None;
            }
            Some(c.plain(Add, x, y))
        },
    ),
    rule(
        "add-xor-and",
        OpCode::Add,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %t = and i8 %x, %y; %r = add i8 %s, %t",
        "%r = or i8 %x, %y",
        |c, n| {
            let (a, b) = if c.binary(n.a, Xor).is_some() { (n.a, n.b) } else { (n.b, n.a) };
            let (x, y, _) = c.binary(a, Xor)?;
            let (v, w, _) = c.binary(b, And)?;
            if (x, y) != (v, w) && (x, y) != (w, v) {
                return None;
            }
            Some(c.plain(Or, x, y))
        },
    ),
    rule("sub-zero", OpCode::Sub, "i8 %x", "%r = sub i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule(
        "sub-self",
        OpCode::Sub,
        "i8 %x",
        "%r = sub i8 %x, %x",
        "0",
        |c, n| if n.a == n.b { c.zero(n.ty) } else { None },
    ),
    rule("sub-constant", OpCode::Sub, "i8 %x", "%r = sub nsw i8 %x, 3", "%r = add nsw i8 %x, -3", |c, n| {
        let k = c.int(n.b)?;
        // The minimum is its own negation, so the sum overflows where the difference does not.
        let flags = if k.is_min_signed() { BinaryFlags::NONE } else { n.flags & BinaryFlags::NSW };
        let negative = c.int_like(n.ty, k.neg())?;
        Some(c.add_binary(Add, flags, n.a, negative))
    }),
    rule("sub-from-ones", OpCode::Sub, "i8 %x", "%r = sub i8 -1, %x", "%r = xor i8 %x, -1", |c, n| {
        if c.is_ones(n.a) { c.not(n.b) } else { None }
    }),
    rule(
        "sub-neg",
        OpCode::Sub,
        "i8 %x, i8 %y",
        "%s = sub i8 0, %y; %r = sub i8 %x, %s",
        "%r = add i8 %x, %y",
        |c, n| {
            let y = c.neg_of(n.b)?;
            Some(c.plain(Add, n.a, y))
        },
    ),
    rule("sub-of-add-left", OpCode::Sub, "i8 %x, i8 %y", "%s = add i8 %x, %y; %r = sub i8 %s, %x", "%y", |c, n| {
        c.other(n.a, Add, n.b)
    }),
    rule(
        "sub-by-add",
        OpCode::Sub,
        "i8 %x, i8 %y",
        "%s = add i8 %x, %y; %r = sub i8 %x, %s",
        "%r = sub i8 0, %y",
        |c, n| {
            let y = c.other(n.b, Add, n.a)?;
            c.neg(y)
        },
    ),
    rule(
        "sub-of-sub-left",
        OpCode::Sub,
        "i8 %x, i8 %y",
        "%s = sub i8 %x, %y; %r = sub i8 %s, %x",
        "%r = sub i8 0, %y",
        |c, n| {
            let (x, y, _) = c.binary(n.a, Sub)?;
            if x != n.b {
                return None;
            }
            c.neg(y)
        },
    ),
    rule(
        "sub-of-subs",
        OpCode::Sub,
        "i8 %x, i8 %y, i8 %z",
        "%a = sub i8 %x, %y; %b = sub i8 %x, %z; %r = sub i8 %a, %b",
        "%r = sub i8 %z, %y",
        |c, n| {
            let ((x, y, _), (other, z, _)) = (c.binary(n.a, Sub)?, c.binary(n.b, Sub)?);
            (x == other).then(|| c.plain(Sub, z, y))
        },
    ),
    rule("sub-by-sub", OpCode::Sub, "i8 %x, i8 %y", "%s = sub i8 %x, %y; %r = sub i8 %x, %s", "%y", |c, n| {
        let (x, y, _) = c.binary(n.b, Sub)?;
        (x == n.a).then_some(y)
    }),
    rule(
        "neg-of-sub",
        OpCode::Sub,
        "i8 %x, i8 %y",
        "%s = sub i8 %x, %y; %r = sub i8 0, %s",
        "%r = sub i8 %y, %x",
        |c, n| {
            if !c.is_zero(n.a) || !c.one_use(n.b) {
                return None;
            }
            let (x, y, _) = c.binary(n.b, Sub)?;
            Some(c.plain(Sub, y, x))
        },
    ),
    rule(
        "sub-constant-from-constant",
        OpCode::Sub,
        "i8 %x",
        "%s = add i8 %x, 3; %r = sub i8 10, %s",
        "%r = sub i8 7, %x",
        |c, n| {
            let (x, k, _) = c.binary_int(n.b, Add)?;
            let from = c.int(n.a)?;
            let rest = c.int_like(n.ty, from.sub(k))?;
            Some(c.plain(Sub, rest, x))
        },
    ),
    rule("sub-not", OpCode::Sub, "i8 %x", "%s = xor i8 %x, -1; %r = sub i8 0, %s", "%r = add i8 %x, 1", |c, n| {
        if !c.is_zero(n.a) {
            return None;
        }
        let x = c.not_of(n.b)?;
        let one = c.add_int(n.ty, 1)?;
        Some(c.plain(Add, x, one))
    }),
    rule(
        "sub-or-and",
        OpCode::Sub,
        "i8 %x, i8 %y",
        "%s = or i8 %x, %y; %t = and i8 %x, %y; %r = sub i8 %s, %t",
        "%r = xor i8 %x, %y",
        |c, n| {
            let (x, y, _) = c.binary(n.a, Or)?;
            let (v, w, _) = c.binary(n.b, And)?;
            if (x, y) != (v, w) && (x, y) != (w, v) {
                return None;
            }
            Some(c.plain(Xor, x, y))
        },
    ),
    rule(
        "add-never-wraps",
        OpCode::Add,
        "i8 %v",
        "%x = lshr i8 %v, 1; %r = add nsw i8 %x, 3",
        "%r = add nuw nsw i8 %x, 3",
        |c, n| {
            let by = c.int(n.b).filter(|_| !n.flags.contains(BinaryFlags::NUW))?;
            let bounds = if c.op(n.a).is_none() { c.bounds(n.a)? } else { Bounds::of_known(c.known_near(n.a)?) };
            // The maximum of the sum fits: the flag is kept.
            let fits = bounds.greatest <= arith::mask(by.bits()) - by.unsigned();
            fits.then(|| c.add_binary(Add, n.flags | BinaryFlags::NUW, n.a, n.b))
        },
    ),
];

/// Which flags of adding two constants one after the other hold for adding their sum: those that adding the constants to each other
/// satisfies.
fn flags_of_sum(first: Int, second: Int) -> BinaryFlags {
    let sum = first.add(second);
    let mut flags = BinaryFlags::NONE;
    if first.is_negative() != second.is_negative() || sum.is_negative() == first.is_negative() {
        flags = flags | BinaryFlags::NSW;
    }
    if sum.unsigned() >= first.unsigned() {
        flags = flags | BinaryFlags::NUW;
    }
    flags
}
