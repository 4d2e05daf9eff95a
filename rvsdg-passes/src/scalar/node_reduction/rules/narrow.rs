//! Operations on converted values, computed in the type before the conversion; and operations on selects of constants.

use rvsdg_core::fold::{self, Int, arith, arith::mask};
use rvsdg_core::op::IntBinary::{self, Add, And, LShr, Mul, Or, Shl, Sub, Xor};
use rvsdg_core::op::{BinaryFlags, CastOp, IntPredicate, Op, OpCode};
use rvsdg_core::{Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// How deep the operands of a truncation are followed.
const DEPTH: u32 = 4;

/// An operation on an extended value and a constant that fits the narrower type.
fn on_narrower(c: &mut Cx<'_>, n: At, op: IntBinary, keeps: impl Fn(Int, u32) -> bool) -> Option<Origin> {
    let (x, _) = c.cast(n.a, CastOp::ZExt)?;
    let k = c.int(n.b)?;
    let from = c.bits(c.ty(x))?;
    if from < 8 || !keeps(k, from) || !c.one_use(n.a) {
        return None;
    }
    let narrow = c.plain_int(op, x, k.zext_or_trunc(from))?;
    Some(c.add_cast(CastOp::ZExt, narrow, n.ty))
}

/// An extended operation on a constant and a value that was truncated: the operation on the wide value. Neither truncation nor operation
/// loses anything, by the same promise, so that the wide operation does not wrap either.
fn on_wider(c: &mut Cx<'_>, n: At, promise: BinaryFlags) -> Option<Origin> {
    let (node, Op::IntBinary { op: op @ (Add | Sub | Mul), flags }) = c.op(n.a)? else { return None };
    if !flags.contains(promise) || !c.one_use(n.a) || !c.fits_register(n.ty) || c.has_groups() {
        return None;
    }
    let (to, from) = (c.bits(n.ty)?, c.bits(c.ty(n.a))?);
    let [a, b] = [0, 1].map(|index| c.operand(node, index));
    let wide = |c: &Cx<'_>, operand| {
        let (x, flags) = c.cast(operand, CastOp::Trunc)?;
        (c.ty(x) == n.ty && flags.wrap.contains(promise)).then_some(x)
    };
    let extended = |c: &mut Cx<'_>, operand| {
        let k = c.int(operand).filter(|k| k.bits() == from)?;
        let k = if promise == BinaryFlags::NSW { k.sext(to) } else { k.zext_or_trunc(to) };
        c.int_like(n.ty, k)
    };
    let (a, b) = match (wide(c, a), wide(c, b)) {
        (Some(x), None) => (x, extended(c, b)?),
        (None, Some(x)) => (extended(c, a)?, x),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    Some(c.add_binary(op, promise, a, b))
}

/// The two numbers of a narrow type that are widened, without their signs, and added or subtracted.
fn widened(c: &mut Cx<'_>, value: Origin, op: IntBinary, ty: Type) -> Option<(Origin, Origin)> {
    let (a, b, _) = c.binary(value, op)?;
    let (x, _) = c.cast(a, CastOp::ZExt).filter(|&(x, _)| c.ty(x) == ty)?;
    let y = match c.cast(b, CastOp::ZExt) {
        Some((y, _)) => Some(y).filter(|&y| c.ty(y) == ty),
        None => {
            let (k, bits) = (c.int(b)?, c.bits(ty)?);
            if fits(k, bits) { c.int_like(ty, k.zext_or_trunc(bits)) } else { None }
        }
    };
    Some((x, y?))
}

/// The widest constants that fit into a narrower type.
fn fits(k: Int, from: u32) -> bool {
    k.unsigned() & !mask(from) == 0
}

/// A bitwise operation on two values widened from one type.
fn of_both(c: &mut Cx<'_>, n: At, op: IntBinary, cast: CastOp) -> Option<Origin> {
    let ((x, _), (y, _)) = (c.cast(n.a, cast)?, c.cast(n.b, cast)?);
    if c.ty(x) != c.ty(y) || n.a == n.b || !(c.one_use(n.a) && c.one_use(n.b)) {
        return None;
    }
    let narrow = c.plain(op, x, y);
    Some(c.add_cast(cast, narrow, n.ty))
}

/// How many conversions are saved if a value is computed in a narrower type; `None` if it cannot be.
fn saved(c: &Cx<'_>, origin: Origin, ty: Type, depth: u32) -> Option<u32> {
    if c.int(origin).is_some() {
        return Some(0);
    }
    let (node, op) = c.op(origin)?;
    match op {
        Op::Cast { op: CastOp::ZExt | CastOp::SExt, .. } if c.ty(c.operand(node, 0)) == ty => Some(1),
        Op::IntBinary { op: Add | Sub | Mul | And | Or | Xor, .. } if depth > 0 && c.one_use(origin) => {
            let (a, b) = (saved(c, c.operand(node, 0), ty, depth - 1)?, saved(c, c.operand(node, 1), ty, depth - 1)?);
            Some(a + b)
        }
        Op::IntBinary { op: Shl, .. } if depth > 0 && c.one_use(origin) => {
            let amount = c.int(c.operand(node, 1))?;
            let less = amount.unsigned() < u128::from(c.bits(ty)?);
            less.then(|| saved(c, c.operand(node, 0), ty, depth - 1))?
        }
        Op::IntBinary { op: LShr, .. } if c.one_use(origin) => {
            // What is shifted in is zero, too, if it is from above the narrower type.
            let (x, _) = c.cast(c.operand(node, 0), CastOp::ZExt)?;
            let less = c.bounds(c.operand(node, 1))?.greatest < u128::from(c.bits(ty)?);
            (less && c.ty(x) == ty).then_some(1)
        }
        Op::Select(_) if depth > 0 && c.one_use(origin) => {
            let (a, b) = (saved(c, c.operand(node, 1), ty, depth - 1)?, saved(c, c.operand(node, 2), ty, depth - 1)?);
            Some(a + b)
        }
        _ => None,
    }
}

/// The value in a narrower type, for which [`saved`] returned a number.
fn narrowed(c: &mut Cx<'_>, origin: Origin, ty: Type) -> Option<Origin> {
    if let Some(k) = c.int(origin) {
        let bits = c.bits(ty)?;
        return c.int_like(ty, k.zext_or_trunc(bits));
    }
    let (node, op) = c.op(origin)?;
    match op {
        Op::Cast { .. } => Some(c.operand(node, 0)),
        Op::IntBinary { op: LShr, .. } => {
            let (x, amount) = (c.operand(node, 0), c.operand(node, 1));
            let x = narrowed(c, x, ty)?;
            let amount = c.add_cast(CastOp::Trunc, amount, ty);
            Some(c.plain(LShr, x, amount))
        }
        Op::IntBinary { op, .. } => {
            let (a, b) = (c.operand(node, 0), c.operand(node, 1));
            let (a, b) = (narrowed(c, a, ty)?, narrowed(c, b, ty)?);
            // Flags may be about the bits that are cut off.
            Some(c.plain(op, a, b))
        }
        Op::Select(_) => {
            let (condition, a, b) = (c.operand(node, 0), c.operand(node, 1), c.operand(node, 2));
            let (a, b) = (narrowed(c, a, ty)?, narrowed(c, b, ty)?);
            Some(c.add_select(condition, a, b))
        }
        _ => None,
    }
}

/// An operation on a select of two constants, as a select of the results.
fn of_choice(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let (condition, then, otherwise) = c.select(n.a)?;
    let op = c.op_of(n.node)?;
    let (x, y) = (c.constant(then)?, c.constant(otherwise)?);
    if !c.one_use(n.a) || c.int(then).is_none() || c.int(otherwise).is_none() {
        return None;
    }
    let second = match op {
        Op::Cast { .. } => None,
        _ => Some(c.constant(n.b)?),
    };
    let of = |first| fold::fold_known(c.pool(), op, &[Some(first), second], n.ty);
    let (x, y) = (of(x)?, of(y)?);
    let (x, y) = (c.add_constant(x), c.add_constant(y));
    Some(c.add_select(condition, x, y))
}

/// The rules.
pub const RULES: &[Rule] = &[
    // Code generators have saturating sums and differences for these forms.
    rule(
        "select-saturated-sum",
        OpCode::Select,
        "i8 %x, i8 %y",
        "%a = zext i8 %x to i32; %b = zext i8 %y to i32; %s = add i32 %a, %b; %c = icmp ugt i32 %s, 255; %t = trunc i32 %s to i8; \
         %r = select i1 %c, i8 -1, i8 %t",
        "%s = add i8 %x, %y; %c = icmp ult i8 %s, %x; %r = select i1 %c, i8 -1, i8 %s",
        |c, n| {
            let (predicate, _, sum, most) = c.icmp(n.a)?;
            let (narrow, wide) = (c.bits(n.ty)?, c.bits(c.ty(sum))?);
            let (most, otherwise) = (c.int(most)?.unsigned(), c.input(2));
            let is_enough = |bits: u32| wide >= narrow + bits;
            let (most_result, other) = match predicate {
                IntPredicate::Ugt if is_enough(1) && most == mask(narrow) => (n.b, otherwise),
                IntPredicate::Sgt if is_enough(2) && most == mask(narrow) => (n.b, otherwise),
                IntPredicate::Ult if is_enough(1) && most == mask(narrow) + 1 => (otherwise, n.b),
                IntPredicate::Slt if is_enough(2) && most == mask(narrow) + 1 => (otherwise, n.b),
                _ => return None,
            };
            let (again, _) = c.cast(other, CastOp::Trunc)?;
            if again != sum || !c.is_ones(most_result) || !c.has_lanes_of(n.a, n.ty) {
                return None;
            }
            let (x, y) = widened(c, sum, Add, n.ty)?;
            let sum = c.plain(Add, x, y);
            let condition = c.add_icmp(IntPredicate::Ult, sum, x, c.ty(n.a));
            Some(c.add_select(condition, most_result, sum))
        },
    ),
    rule(
        "select-saturated-difference",
        OpCode::Select,
        "i8 %x, i8 %y",
        "%a = zext i8 %x to i32; %b = zext i8 %y to i32; %d = sub i32 %a, %b; %c = icmp slt i32 %d, 0; %t = trunc i32 %d to i8; \
         %r = select i1 %c, i8 0, i8 %t",
        "%c = icmp ugt i8 %x, %y; %d = sub i8 %x, %y; %r = select i1 %c, i8 %d, i8 0",
        |c, n| {
            let (predicate, _, difference, bound) = c.icmp(n.a)?;
            let (is_less, otherwise) = (predicate == IntPredicate::Slt && c.is_zero(bound), c.input(2));
            let is_more = predicate == IntPredicate::Sgt && c.is_ones(bound);
            let (zero, other) = if is_less { (n.b, otherwise) } else { (otherwise, n.b) };
            let (again, _) = c.cast(other, CastOp::Trunc)?;
            if !(is_less || is_more) || again != difference || !c.is_zero(zero) {
                return None;
            }
            let (x, y) = widened(c, difference, Sub, n.ty).filter(|_| c.has_lanes_of(n.a, n.ty))?;
            let condition = c.add_icmp(IntPredicate::Ugt, x, y, c.ty(n.a));
            let difference = c.plain(Sub, x, y);
            Some(c.add_select(condition, difference, zero))
        },
    ),
    rule(
        "and-of-zext",
        OpCode::And,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = and i16 %s, 300",
        "%s = and i8 %x, 44; %r = zext i8 %s to i16",
        |c, n| on_narrower(c, n, And, |_, _| true),
    ),
    rule(
        "or-of-zext",
        OpCode::Or,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = or i16 %s, 44",
        "%s = or i8 %x, 44; %r = zext i8 %s to i16",
        |c, n| on_narrower(c, n, Or, fits),
    ),
    rule(
        "xor-of-zext",
        OpCode::Xor,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = xor i16 %s, 44",
        "%s = xor i8 %x, 44; %r = zext i8 %s to i16",
        |c, n| on_narrower(c, n, Xor, fits),
    ),
    rule(
        "lshr-of-zext",
        OpCode::LShr,
        "i8 %x",
        "%s = zext i8 %x to i16; %r = lshr i16 %s, 3",
        "%s = lshr i8 %x, 3; %r = zext i8 %s to i16",
        |c, n| on_narrower(c, n, LShr, |k, from| k.unsigned() < from.into()),
    ),
    rule(
        "and-zexts",
        OpCode::And,
        "i4 %x, i4 %y",
        "%s = zext i4 %x to i8; %t = zext i4 %y to i8; %r = and i8 %s, %t",
        "%s = and i4 %x, %y; %r = zext i4 %s to i8",
        |c, n| of_both(c, n, And, CastOp::ZExt),
    ),
    rule(
        "or-zexts",
        OpCode::Or,
        "i4 %x, i4 %y",
        "%s = zext i4 %x to i8; %t = zext i4 %y to i8; %r = or i8 %s, %t",
        "%s = or i4 %x, %y; %r = zext i4 %s to i8",
        |c, n| of_both(c, n, Or, CastOp::ZExt),
    ),
    rule(
        "xor-zexts",
        OpCode::Xor,
        "i4 %x, i4 %y",
        "%s = zext i4 %x to i8; %t = zext i4 %y to i8; %r = xor i8 %s, %t",
        "%s = xor i4 %x, %y; %r = zext i4 %s to i8",
        |c, n| of_both(c, n, Xor, CastOp::ZExt),
    ),
    rule(
        "and-sexts",
        OpCode::And,
        "i4 %x, i4 %y",
        "%s = sext i4 %x to i8; %t = sext i4 %y to i8; %r = and i8 %s, %t",
        "%s = and i4 %x, %y; %r = sext i4 %s to i8",
        |c, n| of_both(c, n, And, CastOp::SExt),
    ),
    rule(
        "or-sexts",
        OpCode::Or,
        "i4 %x, i4 %y",
        "%s = sext i4 %x to i8; %t = sext i4 %y to i8; %r = or i8 %s, %t",
        "%s = or i4 %x, %y; %r = sext i4 %s to i8",
        |c, n| of_both(c, n, Or, CastOp::SExt),
    ),
    rule(
        "xor-sexts",
        OpCode::Xor,
        "i4 %x, i4 %y",
        "%s = sext i4 %x to i8; %t = sext i4 %y to i8; %r = xor i8 %s, %t",
        "%s = xor i4 %x, %y; %r = sext i4 %s to i8",
        |c, n| of_both(c, n, Xor, CastOp::SExt),
    ),
    rule(
        "trunc-of-operations",
        OpCode::Trunc,
        "i4 %x, i4 %y",
        "%a = zext i4 %x to i8; %b = sext i4 %y to i8; %s = add i8 %a, %b; %t = or i8 %s, 33; %r = trunc i8 %t to i4",
        "%s = add i4 %x, %y; %r = or i4 %s, 1",
        |c, n| {
            if c.cast(n.a, CastOp::ZExt).is_some() || c.cast(n.a, CastOp::SExt).is_some() {
                return None;
            }
            (saved(c, n.a, n.ty, DEPTH)? > 0).then(|| narrowed(c, n.a, n.ty))?
        },
    ),
    rule(
        "zext-of-trunc-nuw",
        OpCode::ZExt,
        "i8 %x",
        "%s = trunc nuw i8 %x to i4; %r = zext i4 %s to i8",
        "%x",
        |c, n| {
            let (x, flags) = c.cast(n.a, CastOp::Trunc)?;
            (c.ty(x) == n.ty && flags.wrap.contains(BinaryFlags::NUW)).then_some(x)
        },
    ),
    rule(
        "sext-of-trunc-nsw",
        OpCode::SExt,
        "i8 %x",
        "%s = trunc nsw i8 %x to i4; %r = sext i4 %s to i8",
        "%x",
        |c, n| {
            let (x, flags) = c.cast(n.a, CastOp::Trunc)?;
            (c.ty(x) == n.ty && flags.wrap.contains(BinaryFlags::NSW)).then_some(x)
        },
    ),
    rule(
        "sext-of-operation",
        OpCode::SExt,
        "i8 %x -> i8",
        "%s = trunc nsw i8 %x to i4; %m = mul nsw i4 %s, 3; %r = sext i4 %m to i8",
        "%r = mul nsw i8 %x, 3",
        |c, n| on_wider(c, n, BinaryFlags::NSW),
    ),
    rule(
        "zext-of-operation",
        OpCode::ZExt,
        "i8 %x -> i8",
        "%s = trunc nuw i8 %x to i4; %m = sub nuw i4 -2, %s; %r = zext i4 %m to i8",
        "%r = sub nuw i8 14, %x",
        |c, n| on_wider(c, n, BinaryFlags::NUW),
    ),
    rule(
        "not-trunc-nuw",
        OpCode::Xor,
        "i8 %x",
        "%s = trunc nuw i8 %x to i1; %r = xor i1 %s, true",
        "%r = icmp eq i8 %x, 0",
        |c, n| {
            let (x, flags) = c.cast(n.a, CastOp::Trunc)?;
            if !flags.wrap.contains(BinaryFlags::NUW) || c.bits(n.ty)? != 1 || !c.is_ones(n.b) || !c.one_use(n.a) {
                return None;
            }
            let ty = c.ty(x);
            let zero = c.zero(ty)?;
            Some(c.add_icmp(IntPredicate::Eq, x, zero, n.ty))
        },
    ),
    rule(
        "icmp-bit-set",
        OpCode::ICmp,
        "i8 %x",
        "%s = and i8 %x, 4; %r = icmp eq i8 %s, 4",
        "%s = and i8 %x, 4; %r = icmp ne i8 %s, 0",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (_, bit, _) = c.binary_int(n.a, And)?;
            let ty = c.ty(n.a);
            if c.int(n.b)? != bit || bit.exact_log2().is_none() {
                return None;
            }
            let inverse = match predicate {
                IntPredicate::Eq => IntPredicate::Ne,
                IntPredicate::Ne => IntPredicate::Eq,
                _ => return None,
            };
            let zero = c.zero(ty)?;
            Some(c.add_icmp(inverse, n.a, zero, n.ty))
        },
    ),
    rule(
        "icmp-shifted-zero",
        OpCode::ICmp,
        "i8 %x",
        "%s = ashr i8 %x, 3; %r = icmp eq i8 %s, 0",
        "%r = icmp ult i8 %x, 8",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (x, by, _) = c.binary_int(n.a, IntBinary::AShr).or_else(|| c.binary_int(n.a, LShr))?;
            // A shift that is needed anyway also tells whether its result is zero.
            if !c.int(n.b)?.is_zero() || !c.one_use(n.a) {
                return None;
            }
            let (ty, limit) = (c.ty(x), by.with(1).shl(by)?);
            match predicate {
                IntPredicate::Eq => {
                    let limit = c.int_like(ty, limit)?;
                    Some(c.add_icmp(IntPredicate::Ult, x, limit, n.ty))
                }
                IntPredicate::Ne => {
                    let limit = c.int_like(ty, limit.sub(limit.with(1)))?;
                    Some(c.add_icmp(IntPredicate::Ugt, x, limit, n.ty))
                }
                _ => None,
            }
        },
    ),
    rule(
        "icmp-zext-known",
        OpCode::ICmp,
        "i8 %x, i16 %v",
        "%y = and i16 %v, 99; %s = zext i8 %x to i16; %r = icmp slt i16 %y, %s",
        "%y = and i16 %v, 99; %s = trunc i16 %y to i8; %r = icmp ult i8 %s, %x",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (extended, other, first) = match c.cast(n.a, CastOp::ZExt) {
                Some(_) => (n.a, n.b, true),
                None => (n.b, n.a, false),
            };
            let (x, _) = c.cast(extended, CastOp::ZExt)?;
            let ty = c.ty(x);
            // An extension is for another rule. The truncation, as the extension that it replaces, is of one user.
            let fits = c.known(other)?.max() & !mask(c.bits(ty)?) == 0 && c.cast(other, CastOp::ZExt).is_none();
            if !fits || c.is_constant(other) || c.bits(ty)? < 8 || !c.one_use(extended) {
                return None;
            }
            let other = c.add_cast(CastOp::Trunc, other, ty);
            let (left, right) = if first { (x, other) } else { (other, x) };
            Some(c.add_icmp(arith::unsigned(predicate), left, right, n.ty))
        },
    ),
    rule(
        "icmp-zexts-uneven",
        OpCode::ICmp,
        "i2 %x, i4 %y",
        "%s = zext i2 %x to i8; %t = zext i4 %y to i8; %r = icmp slt i8 %s, %t",
        "%s = zext i2 %x to i4; %r = icmp ult i4 %s, %y",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let ((x, _), (y, _)) = (c.cast(n.a, CastOp::ZExt)?, c.cast(n.b, CastOp::ZExt)?);
            let (from, to) = (c.bits(c.ty(x))?, c.bits(c.ty(y))?);
            if from == to || !c.one_use(n.a) || !c.one_use(n.b) {
                return None;
            }
            let wide = if from < to { c.ty(y) } else { c.ty(x) };
            let x = if from < to { c.add_cast(CastOp::ZExt, x, wide) } else { x };
            let y = if from < to { y } else { c.add_cast(CastOp::ZExt, y, wide) };
            Some(c.add_icmp(arith::unsigned(predicate), x, y, n.ty))
        },
    ),
    rule(
        "add-of-choice",
        OpCode::Add,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = add i8 %s, 7",
        "%r = select i1 %c, i8 10, i8 12",
        of_choice,
    ),
    rule(
        "and-of-choice",
        OpCode::And,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = and i8 %s, 6",
        "%r = select i1 %c, i8 2, i8 4",
        of_choice,
    ),
    rule(
        "or-of-choice",
        OpCode::Or,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = or i8 %s, 8",
        "%r = select i1 %c, i8 11, i8 13",
        of_choice,
    ),
    rule(
        "xor-of-choice",
        OpCode::Xor,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = xor i8 %s, 8",
        "%r = select i1 %c, i8 11, i8 13",
        of_choice,
    ),
    rule(
        "mul-of-choice",
        OpCode::Mul,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = mul i8 %s, 7",
        "%r = select i1 %c, i8 21, i8 35",
        of_choice,
    ),
    rule(
        "shl-of-choice",
        OpCode::Shl,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = shl i8 %s, 2",
        "%r = select i1 %c, i8 12, i8 20",
        of_choice,
    ),
    rule(
        "lshr-of-choice",
        OpCode::LShr,
        "i1 %c",
        "%s = select i1 %c, i8 30, i8 5; %r = lshr i8 %s, 2",
        "%r = select i1 %c, i8 7, i8 1",
        of_choice,
    ),
    rule(
        "icmp-of-choice",
        OpCode::ICmp,
        "i1 %c",
        "%s = select i1 %c, i8 3, i8 5; %r = icmp eq i8 %s, 3",
        "%c",
        of_choice,
    ),
    rule(
        "zext-of-choice",
        OpCode::ZExt,
        "i1 %c",
        "%s = select i1 %c, i4 3, i4 -5; %r = zext i4 %s to i8",
        "%r = select i1 %c, i8 3, i8 11",
        of_choice,
    ),
    rule(
        "sext-of-choice",
        OpCode::SExt,
        "i1 %c",
        "%s = select i1 %c, i4 3, i4 -5; %r = sext i4 %s to i8",
        "%r = select i1 %c, i8 3, i8 -5",
        of_choice,
    ),
    rule(
        "trunc-of-choice",
        OpCode::Trunc,
        "i1 %c",
        "%s = select i1 %c, i8 35, i8 7; %r = trunc i8 %s to i4",
        "%r = select i1 %c, i4 3, i4 7",
        of_choice,
    ),
];
