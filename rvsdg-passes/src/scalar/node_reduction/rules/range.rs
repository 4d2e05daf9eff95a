//! Truth values: selects that are logic, and comparisons of one value with several constants.

use rvsdg_analysis::arc::Arc;
use rvsdg_analysis::conditions;
use rvsdg_core::fold::arith;
use rvsdg_core::op::IntBinary::{self, Add, And, Or};
use rvsdg_core::op::{CastOp, IntPredicate, Op, OpCode};
use rvsdg_core::{Origin, Type};

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};
use rvsdg_analysis::integers::{Bounds, bounds};

/// How deep operands are followed for poison.
const DEPTH: u32 = 3;

/// Whether an operation propagates poison from every operand.
fn passes_poison(op: Op) -> bool {
    match op {
        // Not lane by lane.
        Op::Cast { op: CastOp::BitCast, .. } => false,
        Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Gep { .. } | Op::FCmp { .. } => true,
        _ => false,
    }
}

/// Whether an operation is poison only if an operand is.
fn makes_no_poison(op: Op) -> bool {
    match op {
        Op::IntBinary { op: IntBinary::Shl | IntBinary::LShr | IntBinary::AShr, .. } => false,
        Op::IntBinary { flags, .. } => flags.is_empty(),
        Op::ICmp { same_sign, .. } => !same_sign,
        Op::Cast { op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt, flags } => !flags.nneg && flags.wrap.is_empty(),
        _ => false,
    }
}

/// Whether `value` is poison whenever `operand` is.
fn is_poison_with(c: &Cx<'_>, value: Origin, operand: Origin, depth: u32) -> bool {
    if value == operand {
        return true;
    }
    match c.op(value) {
        Some((node, op)) if depth > 0 && passes_poison(op) => {
            (0..c.operands(node)).any(|index| is_poison_with(c, c.operand(node, index), operand, depth - 1))
        }
        _ => false,
    }
}

/// Whether `first` is poison whenever `second` is.
fn covers(c: &Cx<'_>, first: Origin, second: Origin, depth: u32) -> bool {
    if is_poison_with(c, first, second, DEPTH) {
        return true;
    }
    if c.is_defined(second) {
        return true;
    }
    match c.op(second) {
        Some((node, op)) if depth > 0 && makes_no_poison(op) => {
            (0..c.operands(node)).all(|index| covers(c, first, c.operand(node, index), depth - 1))
        }
        _ => false,
    }
}

/// A comparison with a constant of a value, possibly plus a constant: the value, and the range for which it holds.
pub(super) fn arc(c: &Cx<'_>, origin: Origin) -> Option<(Origin, Arc)> {
    let (predicate, _, x, k) = c.icmp(origin)?;
    let arc = Arc::of(predicate, c.int(k)?)?;
    match c.binary_int(x, Add) {
        Some((inner, by, _)) => Some((inner, arc.before_adding(by))),
        None => Some((x, arc)),
    }
}

/// The comparison that tests whether a value is in a range.
fn contains(c: &mut Cx<'_>, n: At, x: Origin, arc: Arc) -> Option<Origin> {
    let all = arc.all();
    if arc.size() == 0 || arc.size() == all {
        return c.truth(n.ty, arc.size() == all);
    }
    let start = arc.start();
    let end = start.with(start.unsigned().wrapping_add(arc.size()));
    let last = start.sub(start.with(1));
    let (predicate, k) = if arc.size() == 1 {
        (IntPredicate::Eq, start)
    } else if arc.size() == all - 1 {
        (IntPredicate::Ne, end)
    } else if start.is_zero() {
        (IntPredicate::Ult, end)
    } else if end.is_zero() {
        (IntPredicate::Ugt, last)
    } else if start.is_min_signed() {
        (IntPredicate::Slt, end)
    } else if end.is_min_signed() {
        (IntPredicate::Sgt, last)
    } else {
        let moved = c.plain_int(Add, x, start.neg())?;
        let ty = c.ty(x);
        let size = c.int_like(ty, start.with(arc.size()))?;
        return Some(c.add_icmp(IntPredicate::Ult, moved, size, n.ty));
    };
    let ty = c.ty(x);
    let k = c.int_like(ty, k)?;
    Some(c.add_icmp(predicate, x, k, n.ty))
}

/// Two comparisons of one value with constants, as one. If one of them stays, the other is only not needed where the result is known: of an
/// undef value, another comparison could disagree with the one that stays.
fn combined(c: &mut Cx<'_>, n: At, and: bool) -> Option<Origin> {
    let ((x, first), (y, second)) = (arc(c, n.a)?, arc(c, n.b)?);
    let go = [n.a, n.b].into_iter().filter(|&comparison| c.one_use(comparison)).count();
    if x != y || go == 0 {
        return None;
    }
    let arc = if and { first.intersection(second)? } else { first.union(second)? };
    if go == 2 {
        return contains(c, n, x, arc);
    }
    let truth = if arc.size() == 0 || arc.size() == arc.all() {
        arc.size() != 0
    } else {
        (n.ty == Type::I1).then(|| conditions::is_among(c.graph, c.graph.region_of(n.node), x, arc))??
    };
    c.truth(n.ty, truth)
}

/// Whether a value is in one of two ranges that differ in one bit: of equal size, and not larger than their distance.
fn one_of_two(c: &mut Cx<'_>, n: At, and: bool) -> Option<Origin> {
    let ((x, first), (y, second)) = (arc(c, n.a)?, arc(c, n.b)?);
    if x != y || !c.one_use(n.a) || !c.one_use(n.b) {
        return None;
    }
    let [first, second] = if and { [first.complement(), second.complement()] } else { [first, second] };
    let bit = first.start().xor(second.start());
    bit.exact_log2()?;
    let lower = if first.start().and(bit).is_zero() { first } else { second };
    let reach = lower.size().checked_sub(1)?;
    let last = lower.start().with(lower.start().unsigned().wrapping_add(reach));
    if first.size() != second.size() || reach >= bit.unsigned() || !last.and(bit).is_zero() {
        return None;
    }
    let rest = c.plain_int(And, x, bit.not())?;
    contains(c, n, rest, if and { lower.complement() } else { lower })
}

/// The outcome of a comparison by bounds.
fn decided(c: &Cx<'_>, n: At) -> Option<bool> {
    let (predicate, _, a, b) = c.icmp(c.output(n.node))?;
    c.int(b)?;
    bounds::relation(predicate, c.bounds(a)?, c.bounds(b)?)
}

/// The bounds of a value if a condition, computed from comparisons of that value with constants, has a given value.
fn bounds_where(c: &Cx<'_>, x: Origin, condition: Origin, value: bool, depth: u32) -> Option<Bounds> {
    let bounds = c.bounds(x)?;
    if let Some((_, arc)) = arc(c, c.resolved(condition)).filter(|&(compared, _)| c.resolved(compared) == c.resolved(x))
    {
        let arc = if value { arc } else { arc.complement() };
        let (least, size) = (arc.start().unsigned(), arc.size());
        // A wrapping range has no bounds, and an empty one none at all.
        let last = size.checked_sub(1).and_then(|steps| least.checked_add(steps)).filter(|&last| last < arc.all());
        return Some(last.map_or(bounds, |last| bounds.narrowed(least, last)));
    }
    let Some((node, op)) = c.op(c.resolved(condition)).filter(|_| depth > 0) else { return Some(bounds) };
    // Both of two conditions hold, or neither.
    let parts = match op {
        Op::IntBinary { op: And, .. } if value => [(0, true), (1, true)],
        Op::IntBinary { op: Or, .. } if !value => [(0, false), (1, false)],
        Op::Select(_) => {
            let constant = |index: usize, ones: bool| {
                let arm = c.operand(node, index);
                if ones { c.is_ones(arm) } else { c.is_zero(arm) }
            };
            // One arm is not the condition's value, so the other one was chosen.
            if constant(2, !value) {
                [(0, true), (1, value)]
            } else if constant(1, !value) {
                [(0, false), (2, value)]
            } else {
                return Some(bounds);
            }
        }
        _ => return Some(bounds),
    };
    let mut all = bounds;
    for (index, value) in parts {
        let part = bounds_where(c, x, c.operand(node, index), value, depth - 1)?;
        all = all.narrowed(part.least, part.greatest);
    }
    Some(all)
}

/// The outcome, by bounds, of a comparison with a constant of one of two values, selected by a comparison of the selected value itself.
/// If that is undef, its uses may have one value.
fn decided_by_choice(c: &Cx<'_>, n: At) -> Option<bool> {
    let (predicate, _, a, b) = c.icmp(c.output(n.node))?;
    c.int(b)?;
    let (select, Op::Select(_)) = c.op(c.resolved(a))? else { return None };
    let [condition, x, y] = [0, 1, 2].map(|index| c.operand(select, index));
    let (chosen, other) = (bounds_where(c, x, condition, true, 2)?, bounds_where(c, y, condition, false, 2)?);
    let b = c.bounds(b)?;
    // A value that is never selected has no bounds.
    let says = |bounds: Bounds| (bounds.least <= bounds.greatest).then(|| bounds::relation(predicate, bounds, b));
    match (says(chosen), says(other)) {
        (Some(chosen), Some(other)) => chosen.filter(|_| chosen == other),
        _ => None,
    }
}

/// Whether the complement of a value costs nothing.
fn is_inverted_freely(c: &Cx<'_>, origin: Origin) -> bool {
    c.icmp(origin).is_some() && c.one_use(origin)
}

/// The opposite of the comparison by which a select of truth values chooses, if that is its only use.
fn inverted(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    if c.ty(n.a) != n.ty || !is_inverted_freely(c, n.a) {
        return None;
    }
    let (predicate, _, x, y) = c.icmp(n.a)?;
    Some(c.add_icmp(arith::inverse(predicate), x, y, n.ty))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "select-and",
        OpCode::Select,
        "i8 %x",
        "%a = icmp ugt i8 %x, 3; %b = icmp ne i8 %x, 9; %r = select i1 %a, i1 %b, i1 false",
        "%a = icmp ugt i8 %x, 3; %b = icmp ne i8 %x, 9; %r = and i1 %a, %b",
        |c, n| {
            let is_logic = c.ty(n.a) == n.ty && c.int(c.input(2))?.is_zero();
            (is_logic && covers(c, n.a, n.b, DEPTH)).then(|| c.plain(And, n.a, n.b))
        },
    ),
    rule(
        "select-or",
        OpCode::Select,
        "i8 %x",
        "%a = icmp ugt i8 %x, 9; %b = icmp eq i8 %x, 3; %r = select i1 %a, i1 true, i1 %b",
        "%a = icmp ugt i8 %x, 9; %b = icmp eq i8 %x, 3; %r = or i1 %a, %b",
        |c, n| {
            let otherwise = c.input(2);
            let is_logic = c.ty(n.a) == n.ty && c.is_ones(n.b);
            (is_logic && covers(c, n.a, otherwise, DEPTH)).then(|| c.plain(Or, n.a, otherwise))
        },
    ),
    // LLVM makes two branches of a logical "and" or "or", but not of other selects.
    rule(
        "select-and-not",
        OpCode::Select,
        "i8 %x, i1 %b",
        "%a = icmp ugt i8 %x, 3; %r = select i1 %a, i1 false, i1 %b",
        "%a = icmp ult i8 %x, 4; %r = select i1 %a, i1 %b, i1 false",
        |c, n| {
            let otherwise = c.input(2);
            let is_and = c.is_zero(n.b) && !c.is_constant(otherwise);
            let condition = if is_and { inverted(c, n)? } else { return None };
            Some(c.add_select(condition, otherwise, n.b))
        },
    ),
    rule(
        "select-or-not",
        OpCode::Select,
        "i8 %x, i1 %b",
        "%a = icmp ugt i8 %x, 3; %r = select i1 %a, i1 %b, i1 true",
        "%a = icmp ult i8 %x, 4; %r = select i1 %a, i1 true, i1 %b",
        |c, n| {
            let otherwise = c.input(2);
            let is_or = c.is_ones(otherwise) && !c.is_constant(n.b);
            let condition = if is_or { inverted(c, n)? } else { return None };
            Some(c.add_select(condition, otherwise, n.b))
        },
    ),
    rule("freeze-defined", OpCode::Freeze, "i8 noundef %x -> i8", "%r = freeze i8 %x", "%x", |c, n| {
        c.is_well_defined(n.a).then_some(n.a)
    }),
    rule("icmp-bounds", OpCode::ICmp, "i8 %v", "%x = urem i8 %v, 10; %r = icmp slt i8 %x, 10", "true", |c, n| {
        let value = decided(c, n)?;
        c.truth(n.ty, value)
    }),
    rule(
        "icmp-of-bounded-choice",
        OpCode::ICmp,
        "i8 %x, i8 %y",
        "%v = lshr i8 %y, 4; %c = icmp ult i8 %x, 8; %s = select i1 %c, i8 %x, i8 %v; %r = icmp ugt i8 %s, 15",
        "false",
        |c, n| {
            let value = decided_by_choice(c, n)?;
            c.truth(n.ty, value)
        },
    ),
    rule(
        "and-ranges",
        OpCode::And,
        "i8 %x",
        "%a = icmp ugt i8 %x, 3; %b = icmp ult i8 %x, 9; %r = and i1 %a, %b",
        "%s = add i8 %x, -4; %r = icmp ult i8 %s, 5",
        |c, n| combined(c, n, true),
    ),
    rule(
        "or-ranges",
        OpCode::Or,
        "i8 %x",
        "%a = icmp eq i8 %x, 3; %b = icmp eq i8 %x, 4; %r = or i1 %a, %b",
        "%s = add i8 %x, -3; %r = icmp ult i8 %s, 2",
        |c, n| combined(c, n, false),
    ),
    rule(
        "or-one-of-two",
        OpCode::Or,
        "i8 %x",
        "%p = add i8 %x, -65; %a = icmp ult i8 %p, 26; %q = add i8 %x, -97; %b = icmp ult i8 %q, 26; %r = or i1 %a, %b",
        "%s = and i8 %x, -33; %t = add i8 %s, -65; %r = icmp ult i8 %t, 26",
        |c, n| one_of_two(c, n, false),
    ),
    rule(
        "and-none-of-two",
        OpCode::And,
        "i8 %x",
        "%a = icmp ne i8 %x, 65; %b = icmp ne i8 %x, 97; %r = and i1 %a, %b",
        "%s = and i8 %x, -33; %r = icmp ne i8 %s, 65",
        |c, n| one_of_two(c, n, true),
    ),
    rule(
        "select-zext-not",
        OpCode::Select,
        "i8 %x",
        "%c = icmp ult i8 %x, 5; %r = select i1 %c, i8 0, i8 1",
        "%c = icmp ugt i8 %x, 4; %r = zext i1 %c to i8",
        |c, n| {
            let good = c.has_lanes_of(n.a, n.ty) && c.bits(n.ty)? > 1 && c.is_zero(n.b) && c.is_one(c.input(2));
            if !good || !is_inverted_freely(c, n.a) {
                return None;
            }
            let inverted = c.not(n.a)?;
            Some(c.add_cast(CastOp::ZExt, inverted, n.ty))
        },
    ),
    rule(
        "select-sext-not",
        OpCode::Select,
        "i8 %x",
        "%c = icmp ult i8 %x, 5; %r = select i1 %c, i8 0, i8 -1",
        "%c = icmp ugt i8 %x, 4; %r = sext i1 %c to i8",
        |c, n| {
            let good = c.has_lanes_of(n.a, n.ty) && c.bits(n.ty)? > 1 && c.is_zero(n.b) && c.is_ones(c.input(2));
            if !good || !is_inverted_freely(c, n.a) {
                return None;
            }
            let inverted = c.not(n.a)?;
            Some(c.add_cast(CastOp::SExt, inverted, n.ty))
        },
    ),
];
