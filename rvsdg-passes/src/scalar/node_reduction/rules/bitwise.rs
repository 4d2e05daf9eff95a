//! And, or, exclusive or.

use rvsdg_core::fold::arith;
use rvsdg_core::op::IntBinary::{And, Or, Xor};
use rvsdg_core::op::OpCode;

use crate::scalar::node_reduction::rule::{Rule, rule};

/// The rules.
pub const RULES: &[Rule] = &[
    rule("and-zero", OpCode::And, "i8 %x", "%r = and i8 %x, 0", "0", |c, n| c.is_zero(n.b).then_some(n.b)),
    rule("and-ones", OpCode::And, "i8 %x", "%r = and i8 %x, -1", "%x", |c, n| c.is_ones(n.b).then_some(n.a)),
    rule("and-self", OpCode::And, "i8 %x", "%r = and i8 %x, %x", "%x", |_, n| (n.a == n.b).then_some(n.a)),
    rule("and-not", OpCode::And, "i8 %x", "%s = xor i8 %x, -1; %r = and i8 %x, %s", "0", |c, n| {
        if c.are_inverse(n.a, n.b) { c.zero(n.ty) } else { None }
    }),
    rule(
        "and-constants",
        OpCode::And,
        "i8 %x",
        "%s = and i8 %x, 12; %r = and i8 %s, 10",
        "%r = and i8 %x, 8",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, And)?;
            let second = c.int(n.b)?;
            c.plain_int(And, x, first.and(second))
        },
    ),
    rule("and-known", OpCode::And, "i8 %v", "%x = lshr i8 %v, 4; %r = and i8 %x, 15", "%r = lshr i8 %v, 4", |c, n| {
        let k = c.int(n.b)?;
        let known = c.known(n.a)?;
        (known.zero | k.unsigned() == arith::mask(k.bits())).then_some(n.a)
    }),
    rule("and-known-zero", OpCode::And, "i8 %v", "%x = shl i8 %v, 4; %r = and i8 %x, 7", "0", |c, n| {
        let k = c.int(n.b)?;
        let known = c.known(n.a)?;
        if known.max() & k.unsigned() == 0 { c.zero(n.ty) } else { None }
    }),
    rule(
        "and-negated",
        OpCode::And,
        "i8 %v",
        "%x = or i8 %v, 1; %s = sub i8 0, %x; %r = and i8 %x, %s",
        "1",
        |c, n| {
            // The lowest bit that is set, here a known one.
            let x = if c.neg_of(n.b) == Some(n.a) { n.a } else { c.neg_of(n.a).filter(|&x| x == n.b)? };
            let known = c.known(x)?;
            let lowest = known.trailing_zeros();
            if lowest < known.bits && known.one >> lowest & 1 == 1 { c.add_int(n.ty, 1 << lowest) } else { None }
        },
    ),
    rule("and-absorb-left", OpCode::And, "i8 %x, i8 %y", "%s = or i8 %x, %y; %r = and i8 %s, %x", "%x", |c, n| {
        c.other(n.a, Or, n.b).map(|_| n.b)
    }),
    rule("and-absorb-right", OpCode::And, "i8 %x, i8 %y", "%s = or i8 %x, %y; %r = and i8 %x, %s", "%x", |c, n| {
        c.other(n.b, Or, n.a).map(|_| n.a)
    }),
    rule(
        "and-again-left",
        OpCode::And,
        "i8 %x, i8 %y",
        "%s = and i8 %x, %y; %r = and i8 %s, %x",
        "%r = and i8 %x, %y",
        |c, n| c.other(n.a, And, n.b).map(|_| n.a),
    ),
    rule(
        "and-again-right",
        OpCode::And,
        "i8 %x, i8 %y",
        "%s = and i8 %x, %y; %r = and i8 %x, %s",
        "%r = and i8 %x, %y",
        |c, n| c.other(n.b, And, n.a).map(|_| n.b),
    ),
    rule(
        "and-nots",
        OpCode::And,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, -1; %t = xor i8 %y, -1; %r = and i8 %s, %t",
        "%s = or i8 %x, %y; %r = xor i8 %s, -1",
        |c, n| {
            let (x, y) = (c.not_of(n.a)?, c.not_of(n.b)?);
            if !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let or = c.plain(Or, x, y);
            c.not(or)
        },
    ),
    rule("and-or-constants", OpCode::And, "i8 %x", "%s = or i8 %x, 12; %r = and i8 %s, 4", "4", |c, n| {
        let (_, set, _) = c.binary_int(n.a, Or)?;
        let k = c.int(n.b)?;
        (set.and(k) == k).then_some(n.b)
    }),
    rule(
        "and-factor",
        OpCode::And,
        "i8 %x, i8 %y, i8 %z",
        "%s = or i8 %x, %y; %t = or i8 %x, %z; %r = and i8 %s, %t",
        "%s = and i8 %y, %z; %r = or i8 %x, %s",
        |c, n| {
            if n.a == n.b || !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let (x, y, _) = c.binary(n.a, Or)?;
            let (x, y, z) = match c.other(n.b, Or, x) {
                Some(z) => (x, y, z),
                None => (y, x, c.other(n.b, Or, y)?),
            };
            let inner = c.plain(And, y, z);
            Some(c.plain(Or, x, inner))
        },
    ),
    rule("or-zero", OpCode::Or, "i8 %x", "%r = or i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule("or-ones", OpCode::Or, "i8 %x", "%r = or i8 %x, -1", "-1", |c, n| c.is_ones(n.b).then_some(n.b)),
    rule("or-self", OpCode::Or, "i8 %x", "%r = or i8 %x, %x", "%x", |_, n| (n.a == n.b).then_some(n.a)),
    rule("or-not", OpCode::Or, "i8 %x", "%s = xor i8 %x, -1; %r = or i8 %x, %s", "-1", |c, n| {
        if c.are_inverse(n.a, n.b) { c.ones(n.ty) } else { None }
    }),
    rule("or-constants", OpCode::Or, "i8 %x", "%s = or i8 %x, 12; %r = or i8 %s, 3", "%r = or i8 %x, 15", |c, n| {
        let (x, first, _) = c.binary_int(n.a, Or)?;
        let second = c.int(n.b)?;
        c.plain_int(Or, x, first.or(second))
    }),
    rule(
        "or-known",
        OpCode::Or,
        "i8 %v",
        "%x = or i8 %v, 12; %s = shl i8 %x, 1; %r = or i8 %s, 8",
        "%x = or i8 %v, 12; %r = shl i8 %x, 1",
        |c, n| {
            let k = c.int(n.b)?;
            let known = c.known(n.a)?;
            (known.one & k.unsigned() == k.unsigned()).then_some(n.a)
        },
    ),
    rule("or-absorb-left", OpCode::Or, "i8 %x, i8 %y", "%s = and i8 %x, %y; %r = or i8 %s, %x", "%x", |c, n| {
        c.other(n.a, And, n.b).map(|_| n.b)
    }),
    rule("or-absorb-right", OpCode::Or, "i8 %x, i8 %y", "%s = and i8 %x, %y; %r = or i8 %x, %s", "%x", |c, n| {
        c.other(n.b, And, n.a).map(|_| n.a)
    }),
    rule(
        "or-again-left",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = or i8 %x, %y; %r = or i8 %s, %x",
        "%r = or i8 %x, %y",
        |c, n| c.other(n.a, Or, n.b).map(|_| n.a),
    ),
    rule(
        "or-again-right",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = or i8 %x, %y; %r = or i8 %x, %s",
        "%r = or i8 %x, %y",
        |c, n| c.other(n.b, Or, n.a).map(|_| n.b),
    ),
    rule(
        "or-nots",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, -1; %t = xor i8 %y, -1; %r = or i8 %s, %t",
        "%s = and i8 %x, %y; %r = xor i8 %s, -1",
        |c, n| {
            let (x, y) = (c.not_of(n.a)?, c.not_of(n.b)?);
            if !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let and = c.plain(And, x, y);
            c.not(and)
        },
    ),
    rule(
        "or-factor",
        OpCode::Or,
        "i8 %x, i8 %y, i8 %z",
        "%s = and i8 %x, %y; %t = and i8 %x, %z; %r = or i8 %s, %t",
        "%s = or i8 %y, %z; %r = and i8 %x, %s",
        |c, n| {
            if n.a == n.b || !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let (x, y, _) = c.binary(n.a, And)?;
            let (x, y, z) = match c.other(n.b, And, x) {
                Some(z) => (x, y, z),
                None => (y, x, c.other(n.b, And, y)?),
            };
            let inner = c.plain(Or, y, z);
            Some(c.plain(And, x, inner))
        },
    ),
    rule(
        "or-xor-and",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %t = and i8 %x, %y; %r = or i8 %s, %t",
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
    rule("xor-zero", OpCode::Xor, "i8 %x", "%r = xor i8 %x, 0", "%x", |c, n| c.is_zero(n.b).then_some(n.a)),
    rule(
        "xor-self",
        OpCode::Xor,
        "i8 %x",
        "%r = xor i8 %x, %x",
        "0",
        |c, n| if n.a == n.b { c.zero(n.ty) } else { None },
    ),
    rule("xor-not-of-it", OpCode::Xor, "i8 %x", "%s = xor i8 %x, -1; %r = xor i8 %x, %s", "-1", |c, n| {
        if c.are_inverse(n.a, n.b) { c.ones(n.ty) } else { None }
    }),
    rule(
        "xor-constants",
        OpCode::Xor,
        "i8 %x",
        "%s = xor i8 %x, 12; %r = xor i8 %s, 10",
        "%r = xor i8 %x, 6",
        |c, n| {
            let (x, first, _) = c.binary_int(n.a, Xor)?;
            let second = c.int(n.b)?;
            let both = first.xor(second);
            if both.is_zero() { Some(x) } else { c.plain_int(Xor, x, both) }
        },
    ),
    rule("xor-again-left", OpCode::Xor, "i8 %x, i8 %y", "%s = xor i8 %x, %y; %r = xor i8 %s, %x", "%y", |c, n| {
        c.other(n.a, Xor, n.b)
    }),
    rule("xor-again-right", OpCode::Xor, "i8 %x, i8 %y", "%s = xor i8 %x, %y; %r = xor i8 %x, %s", "%y", |c, n| {
        c.other(n.b, Xor, n.a)
    }),
    rule(
        "xor-nots",
        OpCode::Xor,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, -1; %t = xor i8 %y, -1; %r = xor i8 %s, %t",
        "%r = xor i8 %x, %y",
        |c, n| {
            let (x, y) = (c.not_of(n.a)?, c.not_of(n.b)?);
            Some(c.plain(Xor, x, y))
        },
    ),
    rule(
        "xor-or-and",
        OpCode::Xor,
        "i8 %x, i8 %y",
        "%s = or i8 %x, %y; %t = and i8 %x, %y; %r = xor i8 %s, %t",
        "%r = xor i8 %x, %y",
        |c, n| {
            let (a, b) = if c.binary(n.a, Or).is_some() { (n.a, n.b) } else { (n.b, n.a) };
            let (x, y, _) = c.binary(a, Or)?;
            let (v, w, _) = c.binary(b, And)?;
            if (x, y) != (v, w) && (x, y) != (w, v) {
                return None;
            }
            Some(c.plain(Xor, x, y))
        },
    ),
    rule(
        "not-icmp",
        OpCode::Xor,
        "i8 %x, i8 %y",
        "%s = icmp slt i8 %x, %y; %r = xor i1 %s, true",
        "%r = icmp sge i8 %x, %y",
        |c, n| {
            if !c.is_ones(n.b) || !c.one_use(n.a) {
                return None;
            }
            let (predicate, _, x, y) = c.icmp(n.a)?;
            Some(c.add_icmp(arith::inverse(predicate), x, y, n.ty))
        },
    ),
    rule("not-add", OpCode::Xor, "i8 %x", "%s = add i8 %x, 3; %r = xor i8 %s, -1", "%r = sub i8 -4, %x", |c, n| {
        if !c.is_ones(n.b) {
            return None;
        }
        let (x, k, _) = c.binary_int(n.a, rvsdg_core::op::IntBinary::Add)?;
        let from = c.int_like(n.ty, k.not())?;
        Some(c.plain(rvsdg_core::op::IntBinary::Sub, from, x))
    }),
    rule("not-sub", OpCode::Xor, "i8 %x", "%s = sub i8 3, %x; %r = xor i8 %s, -1", "%r = add i8 %x, -4", |c, n| {
        if !c.is_ones(n.b) {
            return None;
        }
        let (from, x, _) = c.binary(n.a, rvsdg_core::op::IntBinary::Sub)?;
        let k = c.int(from)?;
        c.plain_int(rvsdg_core::op::IntBinary::Add, x, k.not())
    }),
];
