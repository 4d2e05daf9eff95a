//! Equations, and bits of one value on both sides.

use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::IntBinary::{Add, And, Or, Sub, Xor};
use rvsdg_core::op::{IntPredicate, OpCode};
use rvsdg_core::{Const, Op, Origin};
use smallvec::SmallVec;

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// The predicate of a comparison if it is equality or inequality.
fn equality(c: &Cx<'_>, n: At) -> Option<IntPredicate> {
    let (predicate, ..) = c.icmp(c.output(n.node))?;
    matches!(predicate, IntPredicate::Eq | IntPredicate::Ne).then_some(predicate)
}

/// A comparison with zero.
fn is_zero(c: &mut Cx<'_>, n: At, predicate: IntPredicate, x: Origin) -> Option<Origin> {
    let ty = c.ty(x);
    let zero = c.zero(ty)?;
    Some(c.add_icmp(predicate, x, zero, n.ty))
}

/// Combines two predicates on the same operands into the one that holds for `less`, `equal` and `greater` where the operation says so.
fn combine(c: &mut Cx<'_>, n: At, and: bool) -> Option<Origin> {
    let (p, _, x, y) = c.icmp(n.a)?;
    let (q, _, v, w) = c.icmp(n.b)?;
    let q = if (x, y) == (v, w) {
        q
    } else if (x, y) == (w, v) {
        arith::swapped(q)
    } else {
        return None;
    };
    let signed = |p| matches!(p, IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge);
    let unsigned = |p| matches!(p, IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Ugt | IntPredicate::Uge);
    if signed(p) && unsigned(q) || unsigned(p) && signed(q) {
        return None;
    }
    // Two bits are ordered 0 < 1 in either sense.
    let outcomes = |p: IntPredicate| {
        let int = |value| Int::new(3, value);
        [(0, 1), (1, 1), (1, 0)].map(|(a, b)| int(a).compare(p, int(b)))
    };
    let (first, second) = (outcomes(p), outcomes(q));
    let wanted: [bool; 3] =
        std::array::from_fn(|at| if and { first[at] && second[at] } else { first[at] || second[at] });
    if wanted == [wanted[0]; 3] {
        return c.truth(n.ty, wanted[0]);
    }
    let fits = |r: IntPredicate| {
        outcomes(r) == wanted && !(signed(r) && (unsigned(p) || unsigned(q)) || unsigned(r) && (signed(p) || signed(q)))
    };
    let found = IntPredicate::ALL.iter().copied().find(|&r| fits(r))?;
    Some(c.add_icmp(found, x, y, n.ty))
}

/// The depth to which a condition is evaluated for a known value.
const DEPTH: u32 = 5;

/// The value of an expression if another value is a known constant. At most `DEPTH` calls deep.
fn where_known(c: &Cx<'_>, origin: Origin, known: (Origin, Const), depth: u32) -> Option<Const> {
    if origin == known.0 {
        return Some(known.1);
    }
    if let Some(constant) = c.constant(origin) {
        return Some(constant);
    }
    let (node, op) = c.op(origin)?;
    if depth == 0 || !matches!(op, Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_)) {
        return None;
    }
    let operand = |index| where_known(c, c.operand(node, index), known, depth - 1);
    let operands: SmallVec<[Option<Const>; 3]> = (0..c.operands(node)).map(operand).collect();
    fold::fold_known(c.pool(), op, &operands, c.ty(origin))
}

/// Whether a condition is `value` if another one, a comparison of a value with a constant by `relation`, says that the two are equal or
/// does not say that they differ.
fn decides(c: &Cx<'_>, condition: Origin, value: bool, other: Origin, relation: IntPredicate) -> bool {
    let Some((predicate, _, x, k)) = c.icmp(other) else { return false };
    let Some(constant) = c.constant(k).filter(|_| predicate == relation && c.int(k).is_some()) else { return false };
    let there = where_known(c, condition, (x, constant), DEPTH);
    c.ty(condition) == c.ty(other)
        && there.and_then(|there| fold::splat_int(c.pool(), there)).is_some_and(|there| there.is_one() == value)
}

/// The one of two conditions that alone decides whether both hold.
fn both(c: &Cx<'_>, a: Origin, b: Origin) -> Option<Origin> {
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| decides(c, a, false, b, IntPredicate::Ne).then_some(a))
}

/// The one of two conditions that alone decides whether either holds.
fn either(c: &Cx<'_>, a: Origin, b: Origin) -> Option<Origin> {
    [(a, b), (b, a)].into_iter().find_map(|(a, b)| decides(c, a, true, b, IntPredicate::Eq).then_some(a))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "and-one-decides",
        OpCode::And,
        "i8 %x",
        "%s = lshr i8 %x, 1; %t = icmp ugt i8 %s, 7; %u = icmp ne i8 %x, 5; %r = and i1 %t, %u",
        "%s = lshr i8 %x, 1; %r = icmp ugt i8 %s, 7",
        |c, n| both(c, n.a, n.b),
    ),
    rule(
        "or-one-decides",
        OpCode::Or,
        "i8 %x",
        "%s = lshr i8 %x, 1; %t = icmp ult i8 %s, 7; %u = icmp eq i8 %x, 5; %r = or i1 %t, %u",
        "%s = lshr i8 %x, 1; %r = icmp ult i8 %s, 7",
        |c, n| either(c, n.a, n.b),
    ),
    rule(
        "select-one-decides",
        OpCode::Select,
        "i8 %x",
        "%s = lshr i8 %x, 1; %t = icmp ugt i8 %s, 7; %u = icmp ne i8 %x, 5; %r = select i1 %u, i1 %t, i1 false",
        "%s = lshr i8 %x, 1; %r = icmp ugt i8 %s, 7",
        |c, n| {
            let otherwise = c.input(2);
            if c.ty(n.a) != n.ty {
                return None;
            }
            match (c.int(n.b), c.int(otherwise)) {
                (_, Some(value)) if value.is_zero() => both(c, n.a, n.b),
                (Some(value), _) if value.is_one() => either(c, n.a, otherwise),
                (Some(_), _) if decides(c, n.a, true, otherwise, IntPredicate::Ne) => c.not(n.a),
                (Some(_), _) if decides(c, otherwise, false, n.a, IntPredicate::Eq) => Some(otherwise),
                (_, Some(_)) if decides(c, n.a, false, n.b, IntPredicate::Eq) => c.not(n.a),
                (_, Some(_)) if decides(c, n.b, true, n.a, IntPredicate::Ne) => Some(n.b),
                _ => None,
            }
        },
    ),
    rule(
        "and-icmps",
        OpCode::And,
        "i8 %x, i8 %y",
        "%s = icmp sle i8 %x, %y; %t = icmp sge i8 %x, %y; %r = and i1 %s, %t",
        "%r = icmp eq i8 %x, %y",
        |c, n| combine(c, n, true),
    ),
    rule(
        "or-icmps",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = icmp slt i8 %x, %y; %t = icmp eq i8 %x, %y; %r = or i1 %s, %t",
        "%r = icmp sle i8 %x, %y",
        |c, n| combine(c, n, false),
    ),
    rule("sub-and", OpCode::Sub, "i8 %x", "%s = and i8 %x, 12; %r = sub i8 %x, %s", "%r = and i8 %x, -13", |c, n| {
        let (x, k, _) = c.binary_int(n.b, And)?;
        if x != n.a {
            return None;
        }
        c.plain_int(And, x, k.not())
    }),
    rule("xor-and", OpCode::Xor, "i8 %x", "%s = and i8 %x, 12; %r = xor i8 %s, %x", "%r = and i8 %x, -13", |c, n| {
        let (x, k, _) = c.binary_int(n.a, And)?;
        if x != n.b {
            return None;
        }
        c.plain_int(And, x, k.not())
    }),
    rule("xor-or", OpCode::Xor, "i8 %x", "%s = or i8 %x, 12; %r = xor i8 %s, 12", "%r = and i8 %x, -13", |c, n| {
        let (x, k, _) = c.binary_int(n.a, Or)?;
        if c.int(n.b)? != k {
            return None;
        }
        c.plain_int(And, x, k.not())
    }),
    rule(
        "or-xor-left",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %r = or i8 %s, %x",
        "%r = or i8 %x, %y",
        |c, n| {
            let y = c.other(n.a, Xor, n.b)?;
            Some(c.plain(Or, n.b, y))
        },
    ),
    rule(
        "or-xor-right",
        OpCode::Or,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %r = or i8 %x, %s",
        "%r = or i8 %x, %y",
        |c, n| {
            let y = c.other(n.b, Xor, n.a)?;
            Some(c.plain(Or, n.a, y))
        },
    ),
    rule(
        "icmp-eq-negs",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = sub i8 0, %x; %t = sub i8 0, %y; %r = icmp eq i8 %s, %t",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, y) = (c.neg_of(n.a)?, c.neg_of(n.b)?);
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-nots",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, -1; %t = xor i8 %y, -1; %r = icmp slt i8 %s, %t",
        "%r = icmp slt i8 %y, %x",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (x, y) = (c.not_of(n.a)?, c.not_of(n.b)?);
            Some(c.add_icmp(predicate, y, x, n.ty))
        },
    ),
    rule(
        "icmp-eq-sub-same-left",
        OpCode::ICmp,
        "i8 %x, i8 %y, i8 %z",
        "%s = sub i8 %x, %y; %t = sub i8 %x, %z; %r = icmp eq i8 %s, %t",
        "%r = icmp eq i8 %y, %z",
        |c, n| {
            let predicate = equality(c, n)?;
            let ((x, y, _), (v, z, _)) = (c.binary(n.a, Sub)?, c.binary(n.b, Sub)?);
            (x == v).then(|| c.add_icmp(predicate, y, z, n.ty))
        },
    ),
    rule(
        "icmp-eq-sub-same-right",
        OpCode::ICmp,
        "i8 %x, i8 %y, i8 %z",
        "%s = sub i8 %x, %z; %t = sub i8 %y, %z; %r = icmp eq i8 %s, %t",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let ((x, z, _), (y, v, _)) = (c.binary(n.a, Sub)?, c.binary(n.b, Sub)?);
            (z == v).then(|| c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-eq-xor-same",
        OpCode::ICmp,
        "i8 %x, i8 %y, i8 %z",
        "%s = xor i8 %x, %z; %t = xor i8 %y, %z; %r = icmp eq i8 %s, %t",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let (a, b, _) = c.binary(n.a, Xor)?;
            let (x, y) = match c.other(n.b, Xor, b) {
                Some(y) => (a, y),
                None => (b, c.other(n.b, Xor, a)?),
            };
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-eq-add-self",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = add i8 %x, %y; %r = icmp eq i8 %s, %x",
        "%r = icmp eq i8 %y, 0",
        |c, n| {
            let predicate = equality(c, n)?;
            let y = c.other(n.a, Add, n.b).or_else(|| c.other(n.b, Add, n.a))?;
            is_zero(c, n, predicate, y)
        },
    ),
    rule(
        "icmp-eq-xor-self",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %r = icmp eq i8 %s, %x",
        "%r = icmp eq i8 %y, 0",
        |c, n| {
            let predicate = equality(c, n)?;
            let y = c.other(n.a, Xor, n.b).or_else(|| c.other(n.b, Xor, n.a))?;
            is_zero(c, n, predicate, y)
        },
    ),
    rule(
        "icmp-eq-sub-self",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = sub i8 %x, %y; %r = icmp eq i8 %s, %x",
        "%r = icmp eq i8 %y, 0",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, y, _) = c.binary(n.a, Sub)?;
            if x != n.b {
                return None;
            }
            is_zero(c, n, predicate, y)
        },
    ),
];
