//! Comparisons of integers and pointers.

use rvsdg_analysis::conditions;
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::IntBinary::{Add, Sub, Xor};
use rvsdg_core::op::{BinaryFlags, CastOp, IntPredicate, Op, OpCode};
use rvsdg_core::{Constant, Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};
use rvsdg_analysis::integers::{Bounds, bounds};

/// The predicate of a node without `samesign`.
fn relation(c: &Cx<'_>, n: At) -> Option<IntPredicate> {
    match c.op(c.output(n.node))?.1 {
        Op::ICmp { predicate, .. } => Some(predicate),
        _ => None,
    }
}

/// The predicate if it is equality or inequality.
fn equality(c: &Cx<'_>, n: At) -> Option<IntPredicate> {
    relation(c, n).filter(|predicate| matches!(predicate, IntPredicate::Eq | IntPredicate::Ne))
}

fn compare_int(c: &mut Cx<'_>, n: At, predicate: IntPredicate, a: Origin, b: Int) -> Option<Origin> {
    let ty = c.ty(a);
    let b = c.int_like(ty, b)?;
    Some(c.add_icmp(predicate, a, b, n.ty))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule("icmp-self", OpCode::ICmp, "i8 %x", "%r = icmp sle i8 %x, %x", "true", |c, n| {
        let predicate = relation(c, n)?;
        if n.a != n.b {
            return None;
        }
        c.truth(n.ty, arith::holds_for_equal(predicate))
    }),
    rule("icmp-constant-last", OpCode::ICmp, "i8 %x", "%r = icmp sgt i8 3, %x", "%r = icmp slt i8 %x, 3", |c, n| {
        let predicate = relation(c, n)?;
        if !c.is_constant(n.a) || c.is_constant(n.b) {
            return None;
        }
        Some(c.add_icmp(arith::swapped(predicate), n.b, n.a, n.ty))
    }),
    rule("icmp-never-below", OpCode::ICmp, "i8 %x", "%r = icmp ult i8 %x, 0", "false", |c, n| {
        let k = c.int(n.b)?;
        let never = match relation(c, n)? {
            IntPredicate::Ult => k.is_zero(),
            IntPredicate::Ugt => k.is_ones(),
            IntPredicate::Slt => k.is_min_signed(),
            IntPredicate::Sgt => k.is_max_signed(),
            _ => false,
        };
        if never { c.truth(n.ty, false) } else { None }
    }),
    rule("icmp-always", OpCode::ICmp, "i8 %x", "%r = icmp uge i8 %x, 0", "true", |c, n| {
        let k = c.int(n.b)?;
        let always = match relation(c, n)? {
            IntPredicate::Uge => k.is_zero(),
            IntPredicate::Ule => k.is_ones(),
            IntPredicate::Sge => k.is_min_signed(),
            IntPredicate::Sle => k.is_max_signed(),
            _ => false,
        };
        if always { c.truth(n.ty, true) } else { None }
    }),
    rule("icmp-strict", OpCode::ICmp, "i8 %x", "%r = icmp sle i8 %x, 3", "%r = icmp slt i8 %x, 4", |c, n| {
        let k = c.int(n.b)?;
        // Bounds for which this would wrap are for the rules above, which cannot express every constant.
        let (predicate, k) = match relation(c, n)? {
            IntPredicate::Ule if k.is_ones() => return None,
            IntPredicate::Uge if k.is_zero() => return None,
            IntPredicate::Sle if k.is_max_signed() => return None,
            IntPredicate::Sge if k.is_min_signed() => return None,
            IntPredicate::Ule => (IntPredicate::Ult, k.add(k.with(1))),
            IntPredicate::Uge => (IntPredicate::Ugt, k.sub(k.with(1))),
            IntPredicate::Sle => (IntPredicate::Slt, k.add(k.with(1))),
            IntPredicate::Sge => (IntPredicate::Sgt, k.sub(k.with(1))),
            _ => return None,
        };
        compare_int(c, n, predicate, n.a, k)
    }),
    rule("icmp-below-one", OpCode::ICmp, "i8 %x", "%r = icmp ult i8 %x, 1", "%r = icmp eq i8 %x, 0", |c, n| {
        if relation(c, n)? != IntPredicate::Ult || !c.is_one(n.b) {
            return None;
        }
        let zero = c.int(n.b)?.with(0);
        compare_int(c, n, IntPredicate::Eq, n.a, zero)
    }),
    rule("icmp-above-zero", OpCode::ICmp, "i8 %x", "%r = icmp ugt i8 %x, 0", "%r = icmp ne i8 %x, 0", |c, n| {
        if relation(c, n)? != IntPredicate::Ugt || !c.int(n.b)?.is_zero() {
            return None;
        }
        Some(c.add_icmp(IntPredicate::Ne, n.a, n.b, n.ty))
    }),
    rule("icmp-known", OpCode::ICmp, "i8 %v", "%x = or i8 %v, 4; %r = icmp eq i8 %x, 0", "false", |c, n| {
        let predicate = relation(c, n)?;
        let (a, b) = (c.known(n.a)?, c.known(n.b)?);
        let value = match predicate {
            IntPredicate::Eq | IntPredicate::Ne if a.one & b.zero != 0 || a.zero & b.one != 0 => {
                predicate == IntPredicate::Ne
            }
            IntPredicate::Slt | IntPredicate::Sle if a.is_negative() && b.is_non_negative() => true,
            IntPredicate::Sgt | IntPredicate::Sge if a.is_negative() && b.is_non_negative() => false,
            IntPredicate::Slt | IntPredicate::Sle if a.is_non_negative() && b.is_negative() => false,
            IntPredicate::Sgt | IntPredicate::Sge if a.is_non_negative() && b.is_negative() => true,
            _ => bounds::relation(predicate, Bounds::of_known(a), Bounds::of_known(b))?,
        };
        c.truth(n.ty, value)
    }),
    rule(
        "icmp-eq-add",
        OpCode::ICmp,
        "i8 %x",
        "%s = add i8 %x, 3; %r = icmp eq i8 %s, 5",
        "%r = icmp eq i8 %x, 2",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, k, _) = c.binary_int(n.a, Add)?;
            let to = c.int(n.b)?;
            // A sum that is needed anyway also tells whether it is zero.
            if to.is_zero() && !c.one_use(n.a) {
                return None;
            }
            compare_int(c, n, predicate, x, to.sub(k))
        },
    ),
    rule(
        "icmp-eq-xor",
        OpCode::ICmp,
        "i8 %x",
        "%s = xor i8 %x, 3; %r = icmp eq i8 %s, 5",
        "%r = icmp eq i8 %x, 6",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, k, _) = c.binary_int(n.a, Xor)?;
            let to = c.int(n.b)?;
            compare_int(c, n, predicate, x, to.xor(k))
        },
    ),
    rule(
        "icmp-eq-sub-from",
        OpCode::ICmp,
        "i8 %x",
        "%s = sub i8 3, %x; %r = icmp eq i8 %s, 5",
        "%r = icmp eq i8 %x, -2",
        |c, n| {
            let predicate = equality(c, n)?;
            let (from, x, _) = c.binary(n.a, Sub)?;
            let (from, to) = (c.int(from)?, c.int(n.b)?);
            compare_int(c, n, predicate, x, from.sub(to))
        },
    ),
    rule(
        "icmp-eq-sub-zero",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = sub i8 %x, %y; %r = icmp eq i8 %s, 0",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, y, _) = c.binary(n.a, Sub)?;
            if !c.int(n.b)?.is_zero() {
                return None;
            }
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-eq-xor-zero",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = xor i8 %x, %y; %r = icmp eq i8 %s, 0",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let (x, y, _) = c.binary(n.a, Xor)?;
            if !c.int(n.b)?.is_zero() {
                return None;
            }
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-eq-add-same",
        OpCode::ICmp,
        "i8 %x, i8 %y, i8 %z",
        "%s = add i8 %x, %z; %t = add i8 %y, %z; %r = icmp eq i8 %s, %t",
        "%r = icmp eq i8 %x, %y",
        |c, n| {
            let predicate = equality(c, n)?;
            let (a, b, _) = c.binary(n.a, Add)?;
            let (x, y) = match c.other(n.b, Add, b) {
                Some(y) => (a, y),
                None => (b, c.other(n.b, Add, a)?),
            };
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-add-same",
        OpCode::ICmp,
        "i8 %x, i8 %y, i8 %z",
        "%s = add nsw i8 %x, %z; %t = add nsw i8 %y, %z; %r = icmp slt i8 %s, %t",
        "%r = icmp slt i8 %x, %y",
        |c, n| {
            let predicate = relation(c, n)?;
            let ((a, b, first), (_, _, second)) = (c.binary(n.a, Add)?, c.binary(n.b, Add)?);
            let (x, y) = match c.other(n.b, Add, b) {
                Some(y) => (a, y),
                None => (b, c.other(n.b, Add, a)?),
            };
            let unsigned = arith::unsigned(predicate) == predicate;
            let keeps_order = if unsigned { BinaryFlags::NUW } else { BinaryFlags::NSW };
            (first & second).contains(keeps_order).then(|| c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule("icmp-own-sum", OpCode::ICmp, "i8 %x", "%s = add nsw i8 %x, 1; %r = icmp sge i8 %x, %s", "false", |c, n| {
        let relation = relation(c, n)?;
        let (relation, (x, k, flags), other) = match c.binary_int(n.b, Add) {
            Some(sum) if sum.0 == n.a => (relation, sum, n.a),
            _ => (arith::swapped(relation), c.binary_int(n.a, Add)?, n.b),
        };
        if x != other || k.is_zero() {
            return None;
        }
        let truth = match relation {
            IntPredicate::Eq => false,
            IntPredicate::Ne => true,
            IntPredicate::Ult | IntPredicate::Ule => flags.contains(BinaryFlags::NUW).then_some(true)?,
            IntPredicate::Ugt | IntPredicate::Uge => flags.contains(BinaryFlags::NUW).then_some(false)?,
            IntPredicate::Slt | IntPredicate::Sle => flags.contains(BinaryFlags::NSW).then_some(!k.is_negative())?,
            IntPredicate::Sgt | IntPredicate::Sge => flags.contains(BinaryFlags::NSW).then_some(k.is_negative())?,
        };
        c.truth(n.ty, truth)
    }),
    rule(
        "icmp-zext",
        OpCode::ICmp,
        "i4 %x",
        "%s = zext i4 %x to i8; %r = icmp ult i8 %s, 5",
        "%r = icmp ult i4 %x, 5",
        |c, n| {
            let predicate = relation(c, n)?;
            let (x, _) = c.cast(n.a, CastOp::ZExt)?;
            let from = c.bits(c.ty(x))?;
            let k = c.int(n.b)?;
            let predicate = match predicate {
                IntPredicate::Slt => IntPredicate::Ult,
                IntPredicate::Sle => IntPredicate::Ule,
                IntPredicate::Sgt => IntPredicate::Ugt,
                IntPredicate::Sge => IntPredicate::Uge,
                other => other,
            };
            // Constants that do not fit are decided by known bits.
            if k.unsigned() & !arith::mask(from) != 0 {
                return None;
            }
            compare_int(c, n, predicate, x, k.zext_or_trunc(from))
        },
    ),
    rule(
        "icmp-sext",
        OpCode::ICmp,
        "i4 %x",
        "%s = sext i4 %x to i8; %r = icmp slt i8 %s, -5",
        "%r = icmp slt i4 %x, -5",
        |c, n| {
            let predicate = relation(c, n)?;
            let (x, _) = c.cast(n.a, CastOp::SExt)?;
            let from = c.bits(c.ty(x))?;
            let k = c.int(n.b)?;
            let narrow = k.zext_or_trunc(from);
            if narrow.sext(k.bits()) != k {
                return None;
            }
            compare_int(c, n, predicate, x, narrow)
        },
    ),
    rule(
        "icmp-zexts",
        OpCode::ICmp,
        "i4 %x, i4 %y",
        "%s = zext i4 %x to i8; %t = zext i4 %y to i8; %r = icmp slt i8 %s, %t",
        "%r = icmp ult i4 %x, %y",
        |c, n| {
            let predicate = relation(c, n)?;
            let ((x, _), (y, _)) = (c.cast(n.a, CastOp::ZExt)?, c.cast(n.b, CastOp::ZExt)?);
            if c.ty(x) != c.ty(y) {
                return None;
            }
            let predicate = match predicate {
                IntPredicate::Slt => IntPredicate::Ult,
                IntPredicate::Sle => IntPredicate::Ule,
                IntPredicate::Sgt => IntPredicate::Ugt,
                IntPredicate::Sge => IntPredicate::Uge,
                other => other,
            };
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-sexts",
        OpCode::ICmp,
        "i4 %x, i4 %y",
        "%s = sext i4 %x to i8; %t = sext i4 %y to i8; %r = icmp ult i8 %s, %t",
        "%r = icmp ult i4 %x, %y",
        |c, n| {
            let predicate = relation(c, n)?;
            let ((x, _), (y, _)) = (c.cast(n.a, CastOp::SExt)?, c.cast(n.b, CastOp::SExt)?);
            if c.ty(x) != c.ty(y) {
                return None;
            }
            Some(c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-truncs",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = trunc nsw i8 %x to i4; %t = trunc nsw i8 %y to i4; %r = icmp slt i4 %s, %t",
        "%r = icmp slt i8 %x, %y",
        |c, n| {
            let predicate = relation(c, n)?;
            let ((x, a), (y, b)) = (c.cast(n.a, CastOp::Trunc)?, c.cast(n.b, CastOp::Trunc)?);
            let both = |flag| a.wrap.contains(flag) && b.wrap.contains(flag);
            // Signed numbers that fit have the same unsigned order; the reverse does not hold.
            let keeps = both(BinaryFlags::NSW) || both(BinaryFlags::NUW) && arith::unsigned(predicate) == predicate;
            (c.ty(x) == c.ty(y) && keeps).then(|| c.add_icmp(predicate, x, y, n.ty))
        },
    ),
    rule(
        "icmp-trunc",
        OpCode::ICmp,
        "i8 %x -> i1",
        "%s = trunc nsw i8 %x to i4; %r = icmp slt i4 %s, -5",
        "%r = icmp slt i8 %x, -5",
        |c, n| {
            let predicate = relation(c, n)?;
            let (x, flags) = c.cast(n.a, CastOp::Trunc)?;
            let (ty, k) = (c.ty(x), c.int(n.b)?);
            let to = c.bits(ty).filter(|_| c.fits_register(ty))?;
            // A number that fits with its sign has the same order among such, signed or not; one that fits without only the unsigned one. A
            // greater constant might be no part of an instruction.
            let unsigned = arith::unsigned(predicate) == predicate;
            let wide = match () {
                () if flags.wrap.contains(BinaryFlags::NSW) => k.sext(to),
                () if flags.wrap.contains(BinaryFlags::NUW) && unsigned && !k.is_negative() => k.zext_or_trunc(to),
                () => return None,
            };
            compare_int(c, n, predicate, x, wide)
        },
    ),
    rule("icmp-bool-is-true", OpCode::ICmp, "i1 %x", "%r = icmp ne i1 %x, false", "%x", |c, n| {
        let predicate = equality(c, n)?;
        if c.ty(n.a) != n.ty || c.bits(n.ty)? != 1 {
            return None;
        }
        let k = c.int(n.b)?;
        (k.is_one() == (predicate == IntPredicate::Eq)).then_some(n.a)
    }),
    // The only negative number of one bit is true.
    rule("icmp-bool-negative", OpCode::ICmp, "i1 %x", "%r = icmp slt i1 %x, false", "%x", |c, n| {
        if relation(c, n)? != IntPredicate::Slt || c.ty(n.a) != n.ty || c.bits(n.ty)? != 1 {
            return None;
        }
        c.int(n.b)?.is_zero().then_some(n.a)
    }),
    rule(
        "icmp-bool-not-negative",
        OpCode::ICmp,
        "i1 %x",
        "%r = icmp sgt i1 %x, true",
        "%r = xor i1 %x, true",
        |c, n| {
            if relation(c, n)? != IntPredicate::Sgt || c.ty(n.a) != n.ty || c.bits(n.ty)? != 1 {
                return None;
            }
            if c.int(n.b)?.is_one() { c.not(n.a) } else { None }
        },
    ),
    rule("icmp-bool-is-false", OpCode::ICmp, "i1 %x", "%r = icmp eq i1 %x, false", "%r = xor i1 %x, true", |c, n| {
        let predicate = equality(c, n)?;
        if c.ty(n.a) != n.ty || c.bits(n.ty)? != 1 {
            return None;
        }
        let k = c.int(n.b)?;
        if k.is_one() == (predicate == IntPredicate::Eq) {
            return None;
        }
        c.not(n.a)
    }),
    rule(
        "icmp-slt-add-nsw",
        OpCode::ICmp,
        "i8 %x",
        "%s = add nsw i8 %x, 3; %r = icmp slt i8 %s, 5",
        "%r = icmp slt i8 %x, 2",
        |c, n| {
            let predicate = relation(c, n)?;
            if !matches!(predicate, IntPredicate::Slt | IntPredicate::Sgt) {
                return None;
            }
            let (x, k, flags) = c.binary_int(n.a, Add)?;
            let to = c.int(n.b)?;
            let rest = to.signed().checked_sub(k.signed())?;
            let narrow = to.sub(k);
            if !flags.contains(BinaryFlags::NSW) || narrow.signed() != rest {
                return None;
            }
            compare_int(c, n, predicate, x, narrow)
        },
    ),
    rule(
        "icmp-ult-add-nuw",
        OpCode::ICmp,
        "i8 %x",
        "%s = add nuw i8 %x, 3; %r = icmp ult i8 %s, 5",
        "%r = icmp ult i8 %x, 2",
        |c, n| {
            let predicate = relation(c, n)?;
            if !matches!(predicate, IntPredicate::Ult | IntPredicate::Ugt) {
                return None;
            }
            let (x, k, flags) = c.binary_int(n.a, Add)?;
            let to = c.int(n.b)?;
            if !flags.contains(BinaryFlags::NUW) || to.unsigned() < k.unsigned() {
                return None;
            }
            compare_int(c, n, predicate, x, to.sub(k))
        },
    ),
    rule("icmp-nonnull", OpCode::ICmp, "ptr nonnull %p -> i1", "%r = icmp eq ptr %p, null", "false", |c, n| {
        let predicate = relation(c, n)?;
        let is_null = matches!(c.pool().constant(c.constant(n.b)?), Constant::Zero(Type::PTR));
        if !is_null || !matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) || !c.is_nonnull(n.a) {
            return None;
        }
        c.truth(n.ty, predicate == IntPredicate::Ne)
    }),
    rule(
        "icmp-null-or-not",
        OpCode::ICmp,
        "i1 %c, ptr nonnull %p -> i1",
        "%s = select i1 %c, ptr null, ptr %p; %r = icmp eq ptr %s, null",
        "%c",
        |c, n| {
            let predicate = equality(c, n)?;
            let is_null =
                |origin| c.constant(origin).is_some_and(|k| matches!(c.pool().constant(k), Constant::Zero(Type::PTR)));
            let (condition, then, otherwise) = c.select(n.a)?;
            if !is_null(n.b) || c.ty(condition) != n.ty {
                return None;
            }
            let null_if = match (is_null(then), is_null(otherwise)) {
                (true, false) if c.is_nonnull(otherwise) => true,
                (false, true) if c.is_nonnull(then) => false,
                _ => return None,
            };
            if null_if == (predicate == IntPredicate::Eq) { Some(condition) } else { c.not(condition) }
        },
    ),
    rule(
        "icmp-choice",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%c = icmp ult i8 %x, %y; %s = select i1 %c, i8 %x, i8 %y; %r = icmp ult i8 %s, %y",
        "%r = icmp ult i8 %x, %y",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (choice, other, predicate) = match (c.select(n.a), c.select(n.b)) {
                (Some(choice), _) => (choice, n.b, predicate),
                (None, Some(choice)) => (choice, n.a, arith::swapped(predicate)),
                (None, None) => return None,
            };
            let (condition, then, otherwise) = choice;
            if c.ty(condition) != n.ty || [then, otherwise, other].into_iter().all(|value| c.is_constant(value)) {
                return None;
            }
            let holds = |truth, chosen| conditions::follows(c.graph, (condition, truth), (predicate, chosen, other));
            match (holds(true, then)?, holds(false, otherwise)?) {
                (true, false) => Some(condition),
                (false, true) => c.not(condition),
                (same, _) => c.truth(n.ty, same),
            }
        },
    ),
];
