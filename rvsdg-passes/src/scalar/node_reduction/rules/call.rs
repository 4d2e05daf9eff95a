//! Intrinsics that compute.

use rvsdg_analysis::arc::Arc;
use rvsdg_core::Origin;
use rvsdg_core::fold::Intrinsic::{self, *};
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::op::{BinaryFlags, IntBinary, IntPredicate, Op, OpCode};
use smallvec::SmallVec;

use super::{order, range};
use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};
use rvsdg_analysis::integers::Known;

/// The intrinsic call that computes a value, with its arguments.
fn call(c: &Cx<'_>, origin: Origin) -> Option<(Intrinsic, SmallVec<[Origin; 4]>)> {
    let (node, Op::Call(_)) = c.op(origin)? else { return None };
    Some((c.intrinsic(node)?, (1..c.operands(node)).map(|index| c.operand(node, index)).collect()))
}

/// Both arguments of a binary intrinsic, a constant last if they commute.
fn two(c: &Cx<'_>, origin: Origin) -> Option<(Intrinsic, Origin, Origin)> {
    let (intrinsic, arguments) = call(c, origin)?;
    let &[a, b] = arguments.as_slice() else { return None };
    let commutes =
        intrinsic.chooses().is_some() || matches!(intrinsic, UAddSat | SAddSat | UAddOverflow | SAddOverflow);
    Some(if commutes && c.is_constant(a) && !c.is_constant(b) { (intrinsic, b, a) } else { (intrinsic, a, b) })
}

fn this(c: &Cx<'_>, n: At) -> Option<(Intrinsic, Origin, Origin)> {
    two(c, c.output(n.node))
}

/// The one argument of an intrinsic, or the first of one with a constant flag.
fn only(c: &Cx<'_>, origin: Origin, wanted: Intrinsic) -> Option<Origin> {
    let (intrinsic, arguments) = call(c, origin)?;
    (intrinsic == wanted).then(|| arguments.first().copied())?
}

/// The same intrinsic on other arguments.
fn again(c: &mut Cx<'_>, n: At, arguments: &[Origin]) -> Option<Origin> {
    let op = c.op_of(n.node)?;
    let mut inputs: SmallVec<[Origin; 4]> = SmallVec::from_slice(&[n.a]);
    inputs.extend_from_slice(arguments);
    Some(c.add(op, &inputs, n.ty))
}

/// Whether an operation never wraps, given known bits.
fn never_wraps(intrinsic: Intrinsic, a: Known, b: Known) -> bool {
    let fits = |value: Option<u128>| value.is_some_and(|value| value <= Int::new(a.bits, u128::MAX).unsigned());
    let signed = |op: IntBinary| {
        // The sum of numbers with two sign bits has one.
        op == IntBinary::Add && a.leading_zeros() > 1 && b.leading_zeros() > 1
            || op == IntBinary::Sub && a.is_non_negative() && b.is_non_negative()
            || op == IntBinary::Mul && a.leading_zeros() + b.leading_zeros() > a.bits
    };
    match intrinsic {
        UAddOverflow => fits(a.max().checked_add(b.max())),
        USubOverflow => a.min() >= b.max(),
        UMulOverflow => fits(a.max().checked_mul(b.max())),
        SAddOverflow => signed(IntBinary::Add),
        SSubOverflow => signed(IntBinary::Sub),
        SMulOverflow => signed(IntBinary::Mul),
        _ => false,
    }
}

/// Which of value and flag an `extractvalue` takes from an operation with overflow; and whether it is the only user.
fn taken(c: &Cx<'_>, n: At) -> Option<(Intrinsic, Origin, Origin, u32, bool)> {
    let Op::ExtractValue(indices) = c.op_of(n.node)? else { return None };
    let &[index @ 0..=1] = c.pool().indices(indices) else { return None };
    let (intrinsic, a, b) = two(c, n.a)?;
    intrinsic.overflows()?;
    Some((intrinsic, a, b, index, c.one_use(n.a)))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "call-of-constants",
        OpCode::Call,
        "i8 %x",
        "%s = call i8 @llvm.umin.i8(i8 3, i8 5); %r = add i8 %x, %s",
        "%r = add i8 %x, 3",
        |c, n| {
            // A function of the library that is folded sets no `errno`.
            let computation = c.computation(n.node)?;
            let arguments = (1..c.operands(n.node)).map(|index| c.operand(n.node, index));
            let known = arguments.filter(|&argument| !c.ty(argument).is_state()).map(|argument| c.constant(argument));
            let folded = computation.fold(c.pool(), &known.collect::<Option<SmallVec<[_; 4]>>>()?, n.ty)?;
            (c.pool().constant(folded).ty() == n.ty).then(|| c.add_constant(folded))
        },
    ),
    rule("call-min-same", OpCode::Call, "i8 %x", "%r = call i8 @llvm.smax.i8(i8 %x, i8 %x)", "%x", |c, n| {
        let (intrinsic, a, b) = this(c, n)?;
        (intrinsic.chooses().is_some() && a == b).then_some(a)
    }),
    rule("call-min-limit", OpCode::Call, "i8 %x", "%r = call i8 @llvm.smax.i8(i8 %x, i8 127)", "127", |c, n| {
        let (intrinsic, _, b) = this(c, n)?;
        let k = c.int(b)?;
        (intrinsic.limit(k.bits())? == k).then_some(b)
    }),
    rule("call-min-neutral", OpCode::Call, "i8 %x", "%r = call i8 @llvm.smax.i8(i8 %x, i8 -128)", "%x", |c, n| {
        let (intrinsic, a, b) = this(c, n)?;
        let k = c.int(b)?;
        (intrinsic.limit(k.bits())?.not() == k).then_some(a)
    }),
    rule(
        "call-min-constants",
        OpCode::Call,
        "i8 %x",
        "%s = call i8 @llvm.umin.i8(i8 %x, i8 20); %r = call i8 @llvm.umin.i8(i8 %s, i8 9)",
        "%r = call i8 @llvm.umin.i8(i8 %x, i8 9)",
        |c, n| {
            let ((outer, s, second), relation) = (this(c, n)?, this(c, n)?.0.chooses()?);
            let (inner, x, first) = two(c, s)?;
            let (k, l) = (c.int(first)?, c.int(second)?);
            if inner != outer {
                return None;
            }
            let kept = if k.compare(relation, l) { first } else { second };
            again(c, n, &[x, kept])
        },
    ),
    rule(
        "call-min-absorb",
        OpCode::Call,
        "i8 %x, i8 %y",
        "%s = call i8 @llvm.umax.i8(i8 %x, i8 %y); %r = call i8 @llvm.umin.i8(i8 %x, i8 %s)",
        "%x",
        |c, n| {
            let (outer, a, b) = this(c, n)?;
            let opposite = match outer {
                UMin => UMax,
                UMax => UMin,
                SMin => SMax,
                SMax => SMin,
                _ => return None,
            };
            let holds = |whole: Origin, x: Origin| {
                two(c, whole).is_some_and(|(inner, v, w)| (inner == opposite || inner == outer) && (v == x || w == x))
            };
            let same = |whole: Origin| two(c, whole).is_some_and(|(inner, ..)| inner == outer);
            if holds(b, a) {
                return Some(if same(b) { b } else { a });
            }
            holds(a, b).then(|| if same(a) { a } else { b })
        },
    ),
    rule(
        "call-min-known",
        OpCode::Call,
        "i8 %v",
        "%x = lshr i8 %v, 4; %r = call i8 @llvm.umin.i8(i8 %x, i8 20)",
        "%r = lshr i8 %v, 4",
        |c, n| {
            let (intrinsic, a, b) = this(c, n)?;
            let (x, y) = (c.known(a)?, c.known(b)?);
            let same_sign = x.is_non_negative() && y.is_non_negative();
            let less = match intrinsic.chooses()? {
                IntPredicate::Ult | IntPredicate::Ugt => true,
                _ => same_sign,
            };
            let (small, large) = if matches!(intrinsic, UMin | SMin) { (a, b) } else { (b, a) };
            if less && x.max() <= y.min() {
                return Some(small);
            }
            (less && y.max() <= x.min()).then_some(large)
        },
    ),
    rule(
        "call-abs-non-negative",
        OpCode::Call,
        "i8 %v",
        "%x = lshr i8 %v, 1; %r = call i8 @llvm.abs.i8(i8 %x, i1 false)",
        "%r = lshr i8 %v, 1",
        |c, n| {
            let x = only(c, c.output(n.node), Abs)?;
            c.known(x)?.is_non_negative().then_some(x)
        },
    ),
    rule(
        "call-abs-neg",
        OpCode::Call,
        "i8 %x",
        "%s = sub i8 0, %x; %r = call i8 @llvm.abs.i8(i8 %s, i1 false)",
        "%r = call i8 @llvm.abs.i8(i8 %x, i1 false)",
        |c, n| {
            let (Abs, s, flag) = this(c, n)? else { return None };
            let x = c.neg_of(s)?;
            again(c, n, &[x, flag])
        },
    ),
    rule(
        "call-abs-twice",
        OpCode::Call,
        "i8 %x",
        "%s = call i8 @llvm.abs.i8(i8 %x, i1 false); %r = call i8 @llvm.abs.i8(i8 %s, i1 true)",
        "%r = call i8 @llvm.abs.i8(i8 %x, i1 false)",
        |c, n| {
            let s = only(c, c.output(n.node), Abs)?;
            only(c, s, Abs).map(|_| s)
        },
    ),
    rule(
        "call-bswap-twice",
        OpCode::Call,
        "i16 %x",
        "%s = call i16 @llvm.bswap.i16(i16 %x); %r = call i16 @llvm.bswap.i16(i16 %s)",
        "%x",
        |c, n| {
            let s = only(c, c.output(n.node), BSwap)?;
            only(c, s, BSwap)
        },
    ),
    rule(
        "call-bitreverse-twice",
        OpCode::Call,
        "i8 %x",
        "%s = call i8 @llvm.bitreverse.i8(i8 %x); %r = call i8 @llvm.bitreverse.i8(i8 %s)",
        "%x",
        |c, n| {
            let s = only(c, c.output(n.node), BitReverse)?;
            only(c, s, BitReverse)
        },
    ),
    rule(
        "call-funnel-by-zero",
        OpCode::Call,
        "i8 %x, i8 %y",
        "%r = call i8 @llvm.fshl.i8(i8 %x, i8 %y, i8 8)",
        "%x",
        |c, n| {
            let (intrinsic, arguments) = call(c, c.output(n.node))?;
            let &[x, y, by] = arguments.as_slice() else { return None };
            let by = c.int(by)?;
            if by.unsigned() % u128::from(by.bits()) != 0 {
                return None;
            }
            match intrinsic {
                FShl => Some(x),
                FShr => Some(y),
                _ => None,
            }
        },
    ),
    rule("call-sat-zero", OpCode::Call, "i8 %x", "%r = call i8 @llvm.usub.sat.i8(i8 %x, i8 0)", "%x", |c, n| {
        let (UAddSat | SAddSat | USubSat | SSubSat, a, b) = this(c, n)? else { return None };
        c.int(b)?.is_zero().then_some(a)
    }),
    rule("call-sat-self", OpCode::Call, "i8 %x", "%r = call i8 @llvm.usub.sat.i8(i8 %x, i8 %x)", "0", |c, n| {
        let (USubSat | SSubSat, a, b) = this(c, n)? else { return None };
        if a == b { c.zero(n.ty) } else { None }
    }),
    rule("call-sat-limit", OpCode::Call, "i8 %x", "%r = call i8 @llvm.uadd.sat.i8(i8 %x, i8 -1)", "-1", |c, n| {
        let (UAddSat, _, b) = this(c, n)? else { return None };
        c.is_ones(b).then_some(b)
    }),
    rule("call-sat-from-zero", OpCode::Call, "i8 %x", "%r = call i8 @llvm.usub.sat.i8(i8 0, i8 %x)", "0", |c, n| {
        let (USubSat, a, _) = this(c, n)? else { return None };
        c.is_zero(a).then_some(a)
    }),
    rule(
        "extractvalue-never-wraps",
        OpCode::ExtractValue,
        "i8 %x, i8 %y -> i1",
        "%a = lshr i8 %x, 1; %b = lshr i8 %y, 1; %s = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %a, i8 %b); %r = extractvalue { i8, i1 } %s, 1",
        "false",
        |c, n| {
            let (intrinsic, a, b, 1, _) = taken(c, n)? else { return None };
            if never_wraps(intrinsic, c.known(a)?, c.known(b)?) { c.truth(n.ty, false) } else { None }
        },
    ),
    rule(
        "extractvalue-wrapped-value",
        OpCode::ExtractValue,
        "i8 %x, i8 %y -> i8",
        "%s = call { i8, i1 } @llvm.smul.with.overflow.i8(i8 %x, i8 %y); %r = extractvalue { i8, i1 } %s, 0",
        "%r = mul i8 %x, %y",
        |c, n| {
            let (intrinsic, a, b, 0, alone) = taken(c, n)? else { return None };
            let (op, flag) = intrinsic.overflows()?;
            if c.known(a).zip(c.known(b)).is_some_and(|(a, b)| never_wraps(intrinsic, a, b)) {
                return Some(c.add_binary(op, flag, a, b));
            }
            alone.then(|| c.add_binary(op, BinaryFlags::NONE, a, b))
        },
    ),
    rule(
        "extractvalue-add-wraps",
        OpCode::ExtractValue,
        "i8 %x -> i1",
        "%s = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %x, i8 20); %r = extractvalue { i8, i1 } %s, 1",
        "%r = icmp ugt i8 %x, -21",
        |c, n| {
            let (UAddOverflow, a, b, 1, true) = taken(c, n)? else { return None };
            let ty = c.ty(a);
            let most = c.int(b)?.not();
            let most = c.int_like(ty, most)?;
            Some(c.add_icmp(IntPredicate::Ugt, a, most, n.ty))
        },
    ),
    rule(
        "extractvalue-sub-wraps",
        OpCode::ExtractValue,
        "i8 %x, i8 %y -> i1",
        "%s = call { i8, i1 } @llvm.usub.with.overflow.i8(i8 %x, i8 %y); %r = extractvalue { i8, i1 } %s, 1",
        "%r = icmp ult i8 %x, %y",
        |c, n| {
            let (USubOverflow, a, b, 1, true) = taken(c, n)? else { return None };
            Some(c.add_icmp(IntPredicate::Ult, a, b, n.ty))
        },
    ),
    rule(
        "call-fabs-twice",
        OpCode::Call,
        "float %x",
        "%s = call float @llvm.fabs.f32(float %x); %r = call float @llvm.fabs.f32(float %s)",
        "%r = call float @llvm.fabs.f32(float %x)",
        |c, n| {
            let s = only(c, c.output(n.node), FAbs)?;
            only(c, s, FAbs).map(|_| s)
        },
    ),
    rule(
        "call-fabs-fneg",
        OpCode::Call,
        "float %x",
        "%s = fneg float %x; %r = call float @llvm.fabs.f32(float %s)",
        "%r = call float @llvm.fabs.f32(float %x)",
        |c, n| {
            let s = only(c, c.output(n.node), FAbs)?;
            let (node, Op::FNeg(_)) = c.op(s)? else { return None };
            let x = c.operand(node, 0);
            again(c, n, &[x])
        },
    ),
    rule(
        "call-copysign-self",
        OpCode::Call,
        "float %x",
        "%r = call float @llvm.copysign.f32(float %x, float %x)",
        "%x",
        |c, n| {
            let (CopySign, a, b) = this(c, n)? else { return None };
            (a == b).then_some(a)
        },
    ),
    rule(
        "icmp-min",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = call i8 @llvm.umin.i8(i8 %x, i8 %y); %r = icmp ugt i8 %s, %x",
        "false",
        |c, n| {
            let (asked, ..) = c.icmp(c.output(n.node))?;
            let (intrinsic, x, y, other, asked) = match (two(c, n.a), two(c, n.b)) {
                (Some((intrinsic, x, y)), _) if x == n.b || y == n.b => (intrinsic, x, y, n.b, asked),
                (_, Some((intrinsic, x, y))) if x == n.a || y == n.a => (intrinsic, x, y, n.a, arith::swapped(asked)),
                _ => return None,
            };
            let rest = if x == other { y } else { x };
            // The selected value is in this relation to both.
            let holds = arith::inverse(arith::swapped(intrinsic.chooses()?));
            match asked {
                IntPredicate::Eq => Some(c.add_icmp(holds, other, rest, n.ty)),
                IntPredicate::Ne => Some(c.add_icmp(arith::inverse(holds), other, rest, n.ty)),
                _ if asked == holds => c.truth(n.ty, true),
                _ if asked == arith::inverse(holds) => c.truth(n.ty, false),
                _ => None,
            }
        },
    ),
    rule(
        "icmp-three-way",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%s = call i2 @llvm.ucmp.i2.i8(i8 %x, i8 %y); %r = icmp sgt i2 %s, 0",
        "%r = icmp ugt i8 %x, %y",
        |c, n| {
            let (three, arc) = range::arc(c, c.output(n.node))?;
            let (intrinsic, x, y) = two(c, three)?;
            let below = intrinsic.orders()?;
            let one = arc.start().with(1);
            let holds = |value| Arc::one(value).and_then(|value| arc.has_values_of(value));
            let of = [holds(one.neg())?, holds(one.with(0))?, holds(one)?];
            order::of_orders(c, n, (x, y, below), of)
        },
    ),
];
