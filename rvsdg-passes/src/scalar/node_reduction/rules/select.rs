//! Selects.

use rvsdg_analysis::conditions;
use rvsdg_analysis::integers::bounds;
use rvsdg_core::fold::Int;
use rvsdg_core::op::IntBinary::{Add, And, Or, Sub, Xor};
use rvsdg_core::op::{CastOp, IntPredicate, Op, OpCode};
use rvsdg_core::{Constant, Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// A comparison that matters only if a condition is true, or false, of a value selected by the same condition: a comparison of the value
/// selected then.
fn chosen_before(c: &mut Cx<'_>, condition: Origin, compared: Origin, truth: bool) -> Option<Origin> {
    let (predicate, _, mut x, mut y) = c.icmp(compared)?;
    if c.is_constant(condition) || !c.one_use(compared) || c.ty(condition) != c.ty(compared) {
        return None;
    }
    let mut found = false;
    for side in [&mut x, &mut y] {
        if let Some((again, then, otherwise)) = c.select(*side)
            && again == condition
        {
            *side = if truth { then } else { otherwise };
            found = true;
        }
    }
    let ty = c.ty(compared);
    found.then(|| c.add_icmp(predicate, x, y, ty))
}

/// For an operation that is applied to a value only if a condition has a truth value: the operation with an operand that is neutral
/// otherwise. Its flags still hold because what is neutral changes nothing. The condition must not depend on the value: it would be computed
/// before the operation rather than beside it.
fn operation_or_not(c: &mut Cx<'_>, n: At, applied: Origin, kept: Origin, truth: bool) -> Option<Origin> {
    let (node, Op::IntBinary { op, flags }) = c.op(applied)? else { return None };
    let [x, y] = [0, 1].map(|index| c.operand(node, index));
    let by = match op {
        Add | Sub | And | Or | Xor if x == kept => y,
        Add | And | Or | Xor if y == kept => x,
        _ => return None,
    };
    let compares = c.icmp(n.a).is_some_and(|(_, _, a, b)| a == kept || b == kept);
    if compares || c.is_constant(by) || !c.one_use(applied) || !c.has_lanes_of(n.a, n.ty) {
        return None;
    }
    let neutral = if op == And { c.ones(n.ty)? } else { c.zero(n.ty)? };
    let by = if truth { c.add_select(n.a, by, neutral) } else { c.add_select(n.a, neutral, by) };
    Some(c.add_binary(op, flags, kept, by))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule("select-same", OpCode::Select, "i1 %c, i8 %x", "%r = select i1 %c, i8 %x, i8 %x", "%x", |c, n| {
        (n.b == c.input(2)).then_some(n.b)
    }),
    rule("select-true", OpCode::Select, "i8 %x, i8 %y", "%r = select i1 true, i8 %x, i8 %y", "%x", |c, n| {
        c.is_ones(n.a).then_some(n.b)
    }),
    rule("select-false", OpCode::Select, "i8 %x, i8 %y", "%r = select i1 false, i8 %x, i8 %y", "%y", |c, n| {
        let otherwise = c.input(2);
        c.int(n.a)?.is_zero().then_some(otherwise)
    }),
    rule("select-then-poison", OpCode::Select, "i1 %c, i8 %y", "%r = select i1 %c, i8 poison, i8 %y", "%y", |c, n| {
        let otherwise = c.input(2);
        c.is_poison(n.b).then_some(otherwise)
    }),
    rule("select-else-poison", OpCode::Select, "i1 %c, i8 %x", "%r = select i1 %c, i8 %x, i8 poison", "%x", |c, n| {
        c.is_poison(c.input(2)).then_some(n.b)
    }),
    rule(
        "select-then-undef",
        OpCode::Select,
        "i1 %c, i8 noundef %y",
        "%r = select i1 %c, i8 undef, i8 %y",
        "%y",
        |c, n| {
            let otherwise = c.input(2);
            // Poison is stronger than undef.
            (c.is_undef(n.b) && c.is_defined(otherwise)).then_some(otherwise)
        },
    ),
    rule(
        "select-else-undef",
        OpCode::Select,
        "i1 %c, i8 noundef %x",
        "%r = select i1 %c, i8 %x, i8 undef",
        "%x",
        |c, n| (c.is_undef(c.input(2)) && c.is_defined(n.b)).then_some(n.b),
    ),
    rule(
        "select-not",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y",
        "%d = xor i1 %c, true; %r = select i1 %d, i8 %x, i8 %y",
        "%r = select i1 %c, i8 %y, i8 %x",
        |c, n| {
            let condition = c.not_of(n.a)?;
            let otherwise = c.input(2);
            // A select of floats would lose its flags.
            c.bits(n.ty)?;
            Some(c.add_select(condition, otherwise, n.b))
        },
    ),
    rule("select-condition", OpCode::Select, "i1 %c", "%r = select i1 %c, i1 true, i1 false", "%c", |c, n| {
        (c.ty(n.a) == n.ty && c.is_ones(n.b) && c.int(c.input(2))?.is_zero()).then_some(n.a)
    }),
    rule(
        "select-condition-not",
        OpCode::Select,
        "i1 %c",
        "%r = select i1 %c, i1 false, i1 true",
        "%r = xor i1 %c, true",
        |c, n| {
            if c.ty(n.a) != n.ty || !c.int(n.b)?.is_zero() || !c.is_ones(c.input(2)) {
                return None;
            }
            c.not(n.a)
        },
    ),
    rule("select-zext", OpCode::Select, "i1 %c", "%r = select i1 %c, i8 1, i8 0", "%r = zext i1 %c to i8", |c, n| {
        if !c.has_lanes_of(n.a, n.ty) || c.bits(n.ty)? == 1 || !c.is_one(n.b) || !c.is_zero(c.input(2)) {
            return None;
        }
        Some(c.add_cast(CastOp::ZExt, n.a, n.ty))
    }),
    rule("select-sext", OpCode::Select, "i1 %c", "%r = select i1 %c, i8 -1, i8 0", "%r = sext i1 %c to i8", |c, n| {
        if !c.has_lanes_of(n.a, n.ty) || c.bits(n.ty)? == 1 || !c.is_ones(n.b) || !c.is_zero(c.input(2)) {
            return None;
        }
        Some(c.add_cast(CastOp::SExt, n.a, n.ty))
    }),
    rule(
        "select-then-condition",
        OpCode::Select,
        "i1 %c, i1 %y",
        "%r = select i1 %c, i1 %c, i1 %y",
        "%r = select i1 %c, i1 true, i1 %y",
        |c, n| {
            let otherwise = c.input(2);
            if n.a != n.b {
                return None;
            }
            let truth = c.truth(n.ty, true)?;
            Some(c.add_select(n.a, truth, otherwise))
        },
    ),
    rule(
        "select-else-condition",
        OpCode::Select,
        "i1 %c, i1 %x",
        "%r = select i1 %c, i1 %x, i1 %c",
        "%r = select i1 %c, i1 %x, i1 false",
        |c, n| {
            if n.a != c.input(2) {
                return None;
            }
            let truth = c.truth(n.ty, false)?;
            Some(c.add_select(n.a, n.b, truth))
        },
    ),
    rule(
        "select-again-then",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y, i8 %z",
        "%s = select i1 %c, i8 %x, i8 %y; %r = select i1 %c, i8 %s, i8 %z",
        "%r = select i1 %c, i8 %x, i8 %z",
        |c, n| {
            let (condition, x, _) = c.select(n.b)?;
            let otherwise = c.input(2);
            (condition == n.a && c.bits(n.ty).is_some()).then(|| c.add_select(n.a, x, otherwise))
        },
    ),
    rule(
        "select-again-else",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y, i8 %z",
        "%s = select i1 %c, i8 %x, i8 %y; %r = select i1 %c, i8 %z, i8 %s",
        "%r = select i1 %c, i8 %z, i8 %y",
        |c, n| {
            let (condition, _, y) = c.select(c.input(2))?;
            (condition == n.a && c.bits(n.ty).is_some()).then(|| c.add_select(n.a, n.b, y))
        },
    ),
    rule(
        "select-compares-again",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y, i8 %z, i1 %w",
        "%s = select i1 %c, i8 %x, i8 %y; %d = icmp ult i8 %s, %z; %r = select i1 %c, i1 %d, i1 %w",
        "%d = icmp ult i8 %x, %z; %r = select i1 %c, i1 %d, i1 %w",
        |c, n| {
            let otherwise = c.input(2);
            let compared = chosen_before(c, n.a, n.b, true).map(|compared| (compared, otherwise));
            let [then, otherwise] = match compared {
                Some((then, otherwise)) => [then, otherwise],
                None => [n.b, chosen_before(c, n.a, otherwise, false)?],
            };
            Some(c.add_select(n.a, then, otherwise))
        },
    ),
    rule(
        "select-implied",
        OpCode::Select,
        "i8 %x, i8 %y",
        "%c = icmp ult i8 %x, %y; %d = icmp ule i8 %x, %y; %r = select i1 %c, i1 %d, i1 false",
        "%r = icmp ult i8 %x, %y",
        |c, n| {
            let otherwise = c.input(2);
            let (truth, asked) = if c.int(otherwise).is_some_and(Int::is_zero) {
                (true, n.b)
            } else if c.int(n.b).is_some_and(Int::is_one) {
                (false, otherwise)
            } else {
                return None;
            };
            let (predicate, _, x, y) = c.icmp(asked).filter(|_| c.ty(n.a) == n.ty)?;
            let implied = conditions::follows(c.graph, (n.a, truth), (predicate, x, y))?;
            if implied == truth { Some(n.a) } else { c.truth(n.ty, !truth) }
        },
    ),
    rule(
        "select-of-operations",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y, i8 %z",
        "%s = add nsw i8 %x, %z; %t = add nsw i8 %z, %y; %r = select i1 %c, i8 %s, i8 %t",
        "%s = select i1 %c, i8 %x, i8 %y; %r = add nsw i8 %s, %z",
        |c, n| {
            let (then, otherwise) = (n.b, c.input(2));
            let ((first, Op::IntBinary { op, flags }), (second, other)) = (c.op(then)?, c.op(otherwise)?) else {
                return None;
            };
            let Op::IntBinary { flags: more, .. } = other else { return None };
            if other.code() != c.op_of(first)?.code() || !c.one_use(then) || !c.one_use(otherwise) {
                return None;
            }
            // A divisor that is chosen by poison is undefined behaviour.
            if !other.code().info().speculatable {
                return None;
            }
            let [a, b] = [0, 1].map(|index| c.operand(first, index));
            let [x, y] = [0, 1].map(|index| c.operand(second, index));
            let commutes = other.code().info().commutative;
            // The operand that differs comes first, or second.
            let (chosen, kept, is_first) = match () {
                () if b == y => ((a, x), b, true),
                () if a == x => ((b, y), a, false),
                () if commutes && b == x => ((a, y), b, true),
                () if commutes && a == y => ((b, x), a, false),
                () => return None,
            };
            // By a constant, these are cheaper than otherwise.
            let is_plain = matches!(op, Add | Sub | And | Or | Xor);
            if !is_first && !is_plain && (c.is_constant(chosen.0) || c.is_constant(chosen.1)) {
                return None;
            }
            let choice = c.add_select(n.a, chosen.0, chosen.1);
            let (left, right) = if is_first { (choice, kept) } else { (kept, choice) };
            Some(c.add_binary(op, flags & more, left, right))
        },
    ),
    rule(
        "select-operation-or-not",
        OpCode::Select,
        "i1 %c, i8 %x, i8 %y",
        "%s = add nsw i8 %x, %y; %r = select i1 %c, i8 %s, i8 %x",
        "%s = select i1 %c, i8 %y, i8 0; %r = add nsw i8 %x, %s",
        |c, n| {
            let otherwise = c.input(2);
            operation_or_not(c, n, n.b, otherwise, true).or_else(|| operation_or_not(c, n, otherwise, n.b, false))
        },
    ),
    rule(
        "select-distance",
        OpCode::Select,
        "i8 %v",
        "%x = or i8 %v, 4; %c = icmp ugt i8 %x, 4; %s = sub i8 %x, 4; %r = select i1 %c, i8 %s, i8 0",
        "%x = or i8 %v, 4; %r = sub i8 %x, 4",
        |c, n| {
            let (predicate, _, x, y) = c.icmp(n.a)?;
            let at_least = match predicate {
                IntPredicate::Ugt => IntPredicate::Uge,
                IntPredicate::Sgt => IntPredicate::Sge,
                IntPredicate::Ult => IntPredicate::Ule,
                IntPredicate::Slt => IntPredicate::Sle,
                _ => return None,
            };
            // If the values are equal where the condition does not hold, so is their distance to zero there.
            let is_distance = match (c.binary(n.b, Sub), c.binary_int(n.b, Add), c.int(y)) {
                (Some((a, b, _)), ..) => (a, b) == (x, y) || (a, b) == (y, x),
                (None, Some((a, k, _)), Some(to)) => a == x && k == to.neg(),
                _ => false,
            };
            if !is_distance || !c.is_zero(c.input(2)) {
                return None;
            }
            let region = c.graph.region_of(n.node);
            let by_bounds = bounds::relation(at_least, c.bounds(x)?, c.bounds(y)?) == Some(true);
            let holds = by_bounds || conditions::compared(c.graph, region, (at_least, x, y)) == Some(true);
            holds.then_some(n.b)
        },
    ),
    rule(
        "select-eq",
        OpCode::Select,
        "i8 %x",
        "%c = icmp eq i8 %x, 5; %r = select i1 %c, i8 5, i8 %x",
        "%x",
        |c, n| {
            let (predicate, _, x, k) = c.icmp(n.a)?;
            let otherwise = c.input(2);
            (predicate == IntPredicate::Eq && x == otherwise && c.int(k)? == c.int(n.b)? && c.has_lanes_of(n.a, n.ty))
                .then_some(x)
        },
    ),
    rule(
        "select-null",
        OpCode::Select,
        "ptr %p",
        "%c = icmp eq ptr %p, null; %r = select i1 %c, ptr null, ptr %p",
        "%p",
        |c, n| {
            let (predicate, _, p, null) = c.icmp(n.a)?;
            let (chosen, other) = match predicate {
                IntPredicate::Eq => (n.b, c.input(2)),
                IntPredicate::Ne => (c.input(2), n.b),
                _ => return None,
            };
            let is_null = matches!(c.pool().constant(c.constant(null)?), Constant::Zero(Type::PTR));
            (is_null && c.constant(chosen) == c.constant(null) && p == other).then_some(p)
        },
    ),
    rule(
        "select-ne",
        OpCode::Select,
        "i8 %x",
        "%c = icmp ne i8 %x, 5; %r = select i1 %c, i8 %x, i8 5",
        "%x",
        |c, n| {
            let (predicate, _, x, k) = c.icmp(n.a)?;
            let otherwise = c.input(2);
            (predicate == IntPredicate::Ne && x == n.b && c.int(k)? == c.int(otherwise)? && c.has_lanes_of(n.a, n.ty))
                .then_some(x)
        },
    ),
    rule(
        "xor-of-zext-bool",
        OpCode::Xor,
        "i1 %c",
        "%s = zext i1 %c to i8; %r = xor i8 %s, 1",
        "%d = xor i1 %c, true; %r = zext i1 %d to i8",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::ZExt)?;
            if c.bits(c.ty(x))? != 1 || !c.is_one(n.b) || !c.one_use(n.a) {
                return None;
            }
            let inverted = c.not(x)?;
            Some(c.add_cast(CastOp::ZExt, inverted, n.ty))
        },
    ),
];
