//! Floats: conversions and comparisons, and constants moved past negations.

use rvsdg_core::fold::{arith, parts};
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::{CastOp, FastMath, FloatBinary, FloatPredicate, IntPredicate, Op, OpCode};
use rvsdg_core::{Constant, Origin};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// The operand of a negation.
fn neg_of(c: &Cx<'_>, origin: Origin) -> Option<Origin> {
    match c.op(origin)? {
        (node, Op::FNeg(_)) => Some(c.operand(node, 0)),
        _ => None,
    }
}

/// The operands of an operation, with its flags.
fn binary(c: &Cx<'_>, origin: Origin, wanted: FloatBinary) -> Option<(Origin, Origin, FastMath)> {
    match c.op(origin)? {
        (node, Op::FloatBinary { op, flags }) if op == wanted => Some((c.operand(node, 0), c.operand(node, 1), flags)),
        _ => None,
    }
}

/// The flags of the node.
fn flags(c: &Cx<'_>, n: At) -> FastMath {
    match c.op_of(n.node) {
        Some(Op::FloatBinary { flags, .. } | Op::FNeg(flags) | Op::FCmp { flags, .. }) => flags,
        _ => FastMath::NONE,
    }
}

fn relation(c: &Cx<'_>, n: At) -> Option<FloatPredicate> {
    match c.op_of(n.node)? {
        Op::FCmp { predicate, .. } => Some(predicate),
        _ => None,
    }
}

/// The predicate for exchanged operands.
fn swapped(predicate: FloatPredicate) -> FloatPredicate {
    use FloatPredicate::{False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Uge, Ugt, Ule, Ult, Une, Uno};
    match predicate {
        False | Oeq | One | Ord | Uno | Ueq | Une | True => predicate,
        Ogt => Olt,
        Oge => Ole,
        Olt => Ogt,
        Ole => Oge,
        Ugt => Ult,
        Uge => Ule,
        Ult => Ugt,
        Ule => Uge,
    }
}

/// The integer predicate equivalent to a predicate of numbers that are not NaN, or whether it always holds.
fn of_numbers(predicate: FloatPredicate, signed: bool) -> Result<IntPredicate, bool> {
    use FloatPredicate::{False, Oeq, Oge, Ogt, Ole, Olt, One, Ord, True, Ueq, Uge, Ugt, Ule, Ult, Une, Uno};
    let predicate = match predicate {
        False | Uno => return Err(false),
        True | Ord => return Err(true),
        Oeq | Ueq => IntPredicate::Eq,
        One | Une => IntPredicate::Ne,
        Ogt | Ugt => IntPredicate::Sgt,
        Oge | Uge => IntPredicate::Sge,
        Olt | Ult => IntPredicate::Slt,
        Ole | Ule => IntPredicate::Sle,
    };
    Ok(if signed { predicate } else { arith::unsigned(predicate) })
}

/// A number of type `ty`, in each lane.
fn number(c: &mut Cx<'_>, ty: rvsdg_core::Type, bits: u128) -> Option<Origin> {
    let scalar = parts::lane_type(c.pool(), ty);
    let constant = c.pool().intern_const(Constant::Float { ty: scalar.unwrap_or(ty), bits });
    let constant = if scalar.is_some() { parts::splat_of(c.pool(), ty, constant)? } else { constant };
    Some(c.add_constant(constant))
}

/// The constant with its sign flipped.
fn negated(c: &mut Cx<'_>, origin: Origin) -> Option<Origin> {
    let (format, bits) = c.real(origin)?;
    let ty = c.ty(origin);
    number(c, ty, format.with_sign(bits, !format.is_negative(bits)))
}

/// The format of a type or of the lanes of a vector.
fn format(c: &Cx<'_>, ty: rvsdg_core::Type) -> Option<FloatKind> {
    FloatKind::of(c.pool().type_kind(parts::lane_type(c.pool(), ty).unwrap_or(ty)))
}

fn product_of_neg(c: &mut Cx<'_>, n: At, op: FloatBinary) -> Option<Origin> {
    let x = neg_of(c, n.a)?;
    let k = negated(c, n.b)?;
    let flags = flags(c, n);
    Some(c.add(Op::FloatBinary { op, flags }, &[x, k], n.ty))
}

fn neg_of_product(c: &mut Cx<'_>, n: At, op: FloatBinary) -> Option<Origin> {
    let (x, k, inner) = binary(c, n.a, op)?;
    if !c.one_use(n.a) {
        return None;
    }
    let k = negated(c, k)?;
    let flags = flags(c, n) & inner;
    Some(c.add(Op::FloatBinary { op, flags }, &[x, k], n.ty))
}

fn round_trip(c: &Cx<'_>, n: At, cast: CastOp) -> Option<Origin> {
    let (x, _) = c.cast(n.a, cast)?;
    let exact = format(c, c.ty(n.a))?.exact_bits();
    // A signed number needs one bit less; the minimum is a power of two.
    (c.ty(x) == n.ty && c.bits(n.ty)? <= exact).then_some(x)
}

/// A comparison of a converted integer with zero.
fn compare_zero(c: &mut Cx<'_>, n: At, cast: CastOp) -> Option<Origin> {
    let (x, _) = c.cast(n.a, cast)?;
    let (format, bits) = c.real(n.b)?;
    if format.with_sign(bits, false) != 0 {
        return None;
    }
    match of_numbers(relation(c, n)?, cast == CastOp::SIToFP) {
        Err(known) => c.truth(n.ty, known),
        Ok(predicate) => {
            let ty = c.ty(x);
            let zero = c.zero(ty)?;
            Some(c.add_icmp(predicate, x, zero, n.ty))
        }
    }
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule("fdiv-exact", OpCode::FDiv, "half %x", "%r = fdiv half %x, 8.0", "%r = fmul half %x, 0.125", |c, n| {
        let (format, bits) = c.real(n.b)?;
        let inverse = number(c, n.ty, format.exact_inverse(bits)?)?;
        let flags = flags(c, n);
        Some(c.add(Op::FloatBinary { op: FloatBinary::FMul, flags }, &[n.a, inverse], n.ty))
    }),
    rule(
        "fneg-of-fsub",
        OpCode::FNeg,
        "half %x, half %y",
        "%s = fsub nsz half %x, %y; %r = fneg nsz half %s",
        "%r = fsub nsz half %y, %x",
        |c, n| {
            let (x, y, inner) = binary(c, n.a, FloatBinary::FSub)?;
            let flags = flags(c, n) & inner;
            if !flags.contains(FastMath::NSZ) || !c.one_use(n.a) {
                return None;
            }
            Some(c.add(Op::FloatBinary { op: FloatBinary::FSub, flags }, &[y, x], n.ty))
        },
    ),
    rule(
        "fneg-of-fmul",
        OpCode::FNeg,
        "half %x",
        "%s = fmul half %x, 3.0; %r = fneg half %s",
        "%r = fmul half %x, -3.0",
        |c, n| neg_of_product(c, n, FloatBinary::FMul),
    ),
    rule(
        "fneg-of-fdiv",
        OpCode::FNeg,
        "half %x",
        "%s = fdiv half %x, 3.0; %r = fneg half %s",
        "%r = fdiv half %x, -3.0",
        |c, n| neg_of_product(c, n, FloatBinary::FDiv),
    ),
    rule(
        "fmul-of-fneg",
        OpCode::FMul,
        "half %x",
        "%s = fneg half %x; %r = fmul half %s, 3.0",
        "%r = fmul half %x, -3.0",
        |c, n| product_of_neg(c, n, FloatBinary::FMul),
    ),
    rule(
        "fdiv-of-fneg",
        OpCode::FDiv,
        "half %x",
        "%s = fneg half %x; %r = fdiv half %s, 3.0",
        "%r = fdiv half %x, -3.0",
        |c, n| product_of_neg(c, n, FloatBinary::FDiv),
    ),
    rule("fsub-self", OpCode::FSub, "half %x", "%r = fsub nnan half %x, %x", "0.0", |c, n| {
        if n.a != n.b || !flags(c, n).contains(FastMath::NNAN) {
            return None;
        }
        number(c, n.ty, 0)
    }),
    rule("fdiv-self", OpCode::FDiv, "half %x", "%r = fdiv nnan half %x, %x", "1.0", |c, n| {
        if n.a != n.b || !flags(c, n).contains(FastMath::NNAN) {
            return None;
        }
        let one = format(c, n.ty)?.small(1, false)?;
        number(c, n.ty, one)
    }),
    rule(
        "fpext-twice",
        OpCode::FPExt,
        "half %x",
        "%s = fpext half %x to float; %r = fpext float %s to double",
        "%r = fpext half %x to double",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::FPExt)?;
            Some(c.add_cast(CastOp::FPExt, x, n.ty))
        },
    ),
    rule(
        "fptrunc-of-fpext",
        OpCode::FPTrunc,
        "half %x",
        "%s = fpext half %x to float; %r = fptrunc float %s to half",
        "%x",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::FPExt)?;
            (c.ty(x) == n.ty).then_some(x)
        },
    ),
    rule(
        "fptosi-of-sitofp",
        OpCode::FPToSI,
        "i4 %x",
        "%s = sitofp i4 %x to half; %r = fptosi half %s to i4",
        "%x",
        |c, n| round_trip(c, n, CastOp::SIToFP),
    ),
    rule(
        "fptoui-of-uitofp",
        OpCode::FPToUI,
        "i4 %x",
        "%s = uitofp i4 %x to half; %r = fptoui half %s to i4",
        "%x",
        |c, n| round_trip(c, n, CastOp::UIToFP),
    ),
    rule(
        "fcmp-constant-last",
        OpCode::FCmp,
        "half %x",
        "%r = fcmp ogt half 3.0, %x",
        "%r = fcmp olt half %x, 3.0",
        |c, n| {
            if !c.is_constant(n.a) || c.is_constant(n.b) {
                return None;
            }
            let predicate = swapped(relation(c, n)?);
            let flags = flags(c, n);
            Some(c.add(Op::FCmp { predicate, flags }, &[n.b, n.a], n.ty))
        },
    ),
    rule("fcmp-nan", OpCode::FCmp, "half %x", "%r = fcmp ult half %x, 0xH7E00", "true", |c, n| {
        let (format, bits) = c.real(n.b)?;
        if !format.is_nan(bits) {
            return None;
        }
        let holds = format.compare(relation(c, n)?, bits, bits)?;
        c.truth(n.ty, holds)
    }),
    rule(
        "fcmp-fnegs",
        OpCode::FCmp,
        "half %x, half %y",
        "%s = fneg half %x; %t = fneg half %y; %r = fcmp olt half %s, %t",
        "%r = fcmp ogt half %x, %y",
        |c, n| {
            let (x, y) = (neg_of(c, n.a)?, neg_of(c, n.b)?);
            let op = Op::FCmp { predicate: swapped(relation(c, n)?), flags: flags(c, n) };
            Some(c.add(op, &[x, y], n.ty))
        },
    ),
    rule(
        "fcmp-fneg",
        OpCode::FCmp,
        "half %x",
        "%s = fneg half %x; %r = fcmp olt half %s, 3.0",
        "%r = fcmp ogt half %x, -3.0",
        |c, n| {
            let x = neg_of(c, n.a)?;
            let k = negated(c, n.b)?;
            let op = Op::FCmp { predicate: swapped(relation(c, n)?), flags: flags(c, n) };
            Some(c.add(op, &[x, k], n.ty))
        },
    ),
    rule(
        "fcmp-fpexts",
        OpCode::FCmp,
        "half %x, half %y",
        "%s = fpext half %x to float; %t = fpext half %y to float; %r = fcmp olt float %s, %t",
        "%r = fcmp olt half %x, %y",
        |c, n| {
            let ((x, _), (y, _)) = (c.cast(n.a, CastOp::FPExt)?, c.cast(n.b, CastOp::FPExt)?);
            if c.ty(x) != c.ty(y) {
                return None;
            }
            let op = Op::FCmp { predicate: relation(c, n)?, flags: flags(c, n) };
            Some(c.add(op, &[x, y], n.ty))
        },
    ),
    rule(
        "fcmp-fpext",
        OpCode::FCmp,
        "half %x",
        "%s = fpext half %x to float; %r = fcmp olt float %s, 3.0",
        "%r = fcmp olt half %x, 3.0",
        |c, n| {
            let (x, _) = c.cast(n.a, CastOp::FPExt)?;
            let (wide, bits) = c.real(n.b)?;
            let ty = c.ty(x);
            let narrow = format(c, ty)?;
            let k = wide.convert(narrow, bits)?;
            if wide.is_nan(bits) || narrow.convert(wide, k)? != bits {
                return None;
            }
            let k = number(c, ty, k)?;
            let op = Op::FCmp { predicate: relation(c, n)?, flags: flags(c, n) };
            Some(c.add(op, &[x, k], n.ty))
        },
    ),
    rule(
        "fcmp-sitofp",
        OpCode::FCmp,
        "i8 %x",
        "%s = sitofp i8 %x to float; %r = fcmp olt float %s, 0.0",
        "%r = icmp slt i8 %x, 0",
        |c, n| compare_zero(c, n, CastOp::SIToFP),
    ),
    rule(
        "fcmp-uitofp",
        OpCode::FCmp,
        "i8 %x",
        "%s = uitofp i8 %x to float; %r = fcmp une float %s, 0.0",
        "%r = icmp ne i8 %x, 0",
        |c, n| compare_zero(c, n, CastOp::UIToFP),
    ),
];
