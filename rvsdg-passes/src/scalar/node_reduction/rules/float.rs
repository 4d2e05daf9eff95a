//! Floating-point operations in the default environment: rounding to nearest, no traps, arbitrary NaN payloads.

use rvsdg_core::Origin;
use rvsdg_core::op::{FastMath, FloatBinary, FloatPredicate, Op, OpCode};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// The fast-math flags of the node; only for rules about binary arithmetic.
fn fast(c: &Cx<'_>, n: At) -> FastMath {
    match c.op_of(n.node) {
        Some(Op::FloatBinary { flags, .. }) => flags,
        _ => FastMath::NONE,
    }
}

/// Whether a value is the IEEE number 1 (`one`) or 0, with a sign.
fn is_number(c: &Cx<'_>, origin: Origin, negative: bool, one: bool) -> bool {
    let Some((format, bits)) = c.real(origin) else { return false };
    format.small(u128::from(one), negative) == Some(bits)
}

/// The operand of a negation.
fn neg_of(c: &Cx<'_>, origin: Origin) -> Option<Origin> {
    match c.op(origin)? {
        (node, Op::FNeg(_)) => Some(c.operand(node, 0)),
        _ => None,
    }
}

fn neg(c: &mut Cx<'_>, n: At, x: Origin) -> Option<Origin> {
    let flags = fast(c, n);
    Some(c.add(Op::FNeg(flags), &[x], n.ty))
}

fn binary(c: &mut Cx<'_>, n: At, op: FloatBinary, a: Origin, b: Origin) -> Option<Origin> {
    let flags = fast(c, n);
    Some(c.add(Op::FloatBinary { op, flags }, &[a, b], n.ty))
}

fn relation(c: &Cx<'_>, n: At) -> Option<FloatPredicate> {
    match c.op(c.output(n.node))?.1 {
        Op::FCmp { predicate, .. } => Some(predicate),
        _ => None,
    }
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule("fneg-twice", OpCode::FNeg, "half %x", "%s = fneg half %x; %r = fneg half %s", "%x", |c, n| neg_of(c, n.a)),
    rule("fadd-minus-zero", OpCode::FAdd, "half %x", "%r = fadd half %x, -0.0", "%x", |c, n| {
        is_number(c, n.b, true, false).then_some(n.a)
    }),
    rule("fadd-zero-nsz", OpCode::FAdd, "half %x", "%r = fadd nsz half %x, 0.0", "%x", |c, n| {
        (is_number(c, n.b, false, false) && fast(c, n).contains(FastMath::NSZ)).then_some(n.a)
    }),
    rule("fsub-zero", OpCode::FSub, "half %x", "%r = fsub half %x, 0.0", "%x", |c, n| {
        is_number(c, n.b, false, false).then_some(n.a)
    }),
    rule("fsub-minus-zero-nsz", OpCode::FSub, "half %x", "%r = fsub nsz half %x, -0.0", "%x", |c, n| {
        (is_number(c, n.b, true, false) && fast(c, n).contains(FastMath::NSZ)).then_some(n.a)
    }),
    rule("fsub-from-minus-zero", OpCode::FSub, "half %x", "%r = fsub half -0.0, %x", "%r = fneg half %x", |c, n| {
        if is_number(c, n.a, true, false) { neg(c, n, n.b) } else { None }
    }),
    rule(
        "fsub-from-zero-nsz",
        OpCode::FSub,
        "half %x",
        "%r = fsub nsz half 0.0, %x",
        "%r = fneg nsz half %x",
        |c, n| {
            if is_number(c, n.a, false, false) && fast(c, n).contains(FastMath::NSZ) { neg(c, n, n.b) } else { None }
        },
    ),
    rule(
        "fadd-fneg-right",
        OpCode::FAdd,
        "half %x, half %y",
        "%s = fneg half %y; %r = fadd half %x, %s",
        "%r = fsub half %x, %y",
        |c, n| {
            let y = neg_of(c, n.b)?;
            binary(c, n, FloatBinary::FSub, n.a, y)
        },
    ),
    rule(
        "fadd-fneg-left",
        OpCode::FAdd,
        "half %x, half %y",
        "%s = fneg half %x; %r = fadd half %s, %y",
        "%r = fsub half %y, %x",
        |c, n| {
            let x = neg_of(c, n.a)?;
            binary(c, n, FloatBinary::FSub, n.b, x)
        },
    ),
    rule(
        "fsub-fneg",
        OpCode::FSub,
        "half %x, half %y",
        "%s = fneg half %y; %r = fsub half %x, %s",
        "%r = fadd half %x, %y",
        |c, n| {
            let y = neg_of(c, n.b)?;
            binary(c, n, FloatBinary::FAdd, n.a, y)
        },
    ),
    rule("fmul-one", OpCode::FMul, "half %x", "%r = fmul half %x, 1.0", "%x", |c, n| {
        is_number(c, n.b, false, true).then_some(n.a)
    }),
    rule("fdiv-one", OpCode::FDiv, "half %x", "%r = fdiv half %x, 1.0", "%x", |c, n| {
        is_number(c, n.b, false, true).then_some(n.a)
    }),
    rule("fmul-minus-one", OpCode::FMul, "half %x", "%r = fmul half %x, -1.0", "%r = fneg half %x", |c, n| {
        if is_number(c, n.b, true, true) { neg(c, n, n.a) } else { None }
    }),
    rule("fdiv-minus-one", OpCode::FDiv, "half %x", "%r = fdiv half %x, -1.0", "%r = fneg half %x", |c, n| {
        if is_number(c, n.b, true, true) { neg(c, n, n.a) } else { None }
    }),
    rule(
        "fmul-fnegs",
        OpCode::FMul,
        "half %x, half %y",
        "%s = fneg half %x; %t = fneg half %y; %r = fmul half %s, %t",
        "%r = fmul half %x, %y",
        |c, n| {
            let (x, y) = (neg_of(c, n.a)?, neg_of(c, n.b)?);
            binary(c, n, FloatBinary::FMul, x, y)
        },
    ),
    rule(
        "fdiv-fnegs",
        OpCode::FDiv,
        "half %x, half %y",
        "%s = fneg half %x; %t = fneg half %y; %r = fdiv half %s, %t",
        "%r = fdiv half %x, %y",
        |c, n| {
            let (x, y) = (neg_of(c, n.a)?, neg_of(c, n.b)?);
            binary(c, n, FloatBinary::FDiv, x, y)
        },
    ),
    rule("fmul-zero", OpCode::FMul, "half %x", "%r = fmul nnan nsz half %x, 0.0", "0.0", |c, n| {
        let flags = fast(c, n);
        (flags.contains(FastMath::NNAN | FastMath::NSZ) && is_number(c, n.b, false, false)).then_some(n.b)
    }),
    rule("fcmp-false", OpCode::FCmp, "half %x, half %y", "%r = fcmp false half %x, %y", "false", |c, n| {
        if relation(c, n)? == FloatPredicate::False { c.truth(n.ty, false) } else { None }
    }),
    rule("fcmp-true", OpCode::FCmp, "half %x, half %y", "%r = fcmp true half %x, %y", "true", |c, n| {
        if relation(c, n)? == FloatPredicate::True { c.truth(n.ty, true) } else { None }
    }),
    rule("fcmp-self-never", OpCode::FCmp, "half %x", "%r = fcmp one half %x, %x", "false", |c, n| {
        let never = matches!(relation(c, n)?, FloatPredicate::One | FloatPredicate::Olt | FloatPredicate::Ogt);
        if n.a == n.b && never { c.truth(n.ty, false) } else { None }
    }),
    rule("fcmp-self-always", OpCode::FCmp, "half %x", "%r = fcmp ueq half %x, %x", "true", |c, n| {
        let always = matches!(relation(c, n)?, FloatPredicate::Ueq | FloatPredicate::Uge | FloatPredicate::Ule);
        if n.a == n.b && always { c.truth(n.ty, true) } else { None }
    }),
];
