//! Distances between addresses, from their indices.

use rvsdg_analysis::memory::{constant_distance, gep_distance};
use rvsdg_core::fold::{Int, arith};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, Op, OpCode};
use rvsdg_core::{Const, Constant, Origin, Pool, Type, TypeKind};
use smallvec::SmallVec;

use super::gep::{Element, goes_on, kept};
use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// How many steps between addresses are followed.
const MAX_STEPS: usize = 4;

/// A step from one address to another: an index times an element size in bytes.
#[derive(Copy, Clone)]
struct Step {
    from: Origin,
    index: Origin,
    size: u64,
}

impl Step {
    /// The step that computes an address in address space 0. The index has as many bits as an address.
    fn to(c: &Cx<'_>, layouts: &mut Layouts, address: Origin, ty: Type) -> Option<Step> {
        let (node, Op::Gep { source, .. }) = c.op(address)? else { return None };
        let (from, index) = (c.operand(node, 0), c.operand(node, 1));
        let is_plain = c.operands(node) == 2 && c.ty(from) == Type::PTR && c.ty(index) == ty;
        let size = layouts.of(c.pool(), source).ok().filter(|_| is_plain)?.size;
        Some(Step { from, index, size })
    }
}

/// The steps that compute an address, the last one first.
fn steps(c: &Cx<'_>, layouts: &mut Layouts, mut address: Origin, ty: Type) -> SmallVec<[Step; MAX_STEPS]> {
    let mut steps = SmallVec::new();
    while steps.len() < MAX_STEPS
        && let Some(step) = Step::to(c, layouts, address, ty)
    {
        steps.push(step);
        address = step.from;
    }
    steps
}

/// The numbers of leading steps after which two addresses are computed in the same way.
fn parting(first: (Origin, &[Step]), second: (Origin, &[Step])) -> Option<(usize, usize)> {
    let at = |(address, steps): (Origin, &[Step]), number: usize| match number {
        0 => address,
        number => steps[number - 1].from,
    };
    let numbers = (0..=first.1.len()).flat_map(|a| (0..=second.1.len()).map(move |b| (a, b)));
    numbers.into_iter().find(|&(a, b)| at(first, a) == at(second, b))
}

/// The difference of two addresses that are computed from one. Addresses wrap around at the width of an integer that holds one.
fn distance(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let [(p, _), (q, _)] = [c.cast(n.a, CastOp::PtrToInt)?, c.cast(n.b, CastOp::PtrToInt)?];
    let bits = c.bits(n.ty).filter(|_| c.is_int(n.ty) && c.ty(p) == Type::PTR && c.ty(q) == Type::PTR)?;
    let data = c.surroundings?.data_layout()?;
    let pointers = data.pointer(0);
    if pointers.bits != bits || pointers.index_bits != bits || bits > 64 {
        return None;
    }
    let mut layouts = Layouts::new(data.clone());
    let (to_p, to_q) = (steps(c, &mut layouts, p, n.ty), steps(c, &mut layouts, q, n.ty));
    let (of_p, of_q) = parting((p, &to_p), (q, &to_q))?;
    let mut known = Int::new(bits, 0);
    let mut open: SmallVec<[(Step, bool); 2]> = SmallVec::new();
    for (step, adds) in to_p[..of_p].iter().map(|&step| (step, true)).chain(to_q[..of_q].iter().map(|&s| (s, false))) {
        let scale = known.with(step.size.into());
        match c.int(step.index) {
            Some(index) if adds => known = known.add(index.mul(scale)),
            Some(index) => known = known.sub(index.mul(scale)),
            None => open.push((step, adds)),
        }
    }
    let (index, size) = match *open {
        [] => return c.int_like(n.ty, known),
        [(step, true)] => (step.index, step.size),
        [(step, false)] => (c.neg(step.index)?, step.size),
        [(a, true), (b, false)] if a.size == b.size => (c.plain(IntBinary::Sub, a.index, b.index), a.size),
        _ => return None,
    };
    let bytes = match size {
        1 => index,
        size => c.plain_int(IntBinary::Mul, index, known.with(size.into()))?,
    };
    if known.is_zero() { Some(bytes) } else { c.plain_int(IntBinary::Add, bytes, known) }
}

/// The type of an integer that is as wide as a distance between pointers of a type.
fn index_type(data: &DataLayout, pool: &Pool, pointer: Type) -> Option<Type> {
    let TypeKind::Ptr(space) = *pool.type_kind(pointer) else { return None };
    Some(pool.int(data.pointer(space).index_bits))
}

/// A distance as an integer of a type, if it fits.
fn index_of_bytes(pool: &Pool, ty: Type, distance: i64) -> Option<Int> {
    let by = Int::new(arith::width(pool, ty)?, i128::from(distance) as u128);
    (by.signed() == distance.into()).then_some(by)
}

/// An address at a known distance from another, by the distance in bytes: addresses that are equal are computed in the same way then. The
/// flags stay: the steps are within one object if they are for each index, and their sum overflows no more than they do.
fn in_bytes(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let element = Element::of(c, c.output(n.node))?;
    let data = c.surroundings?.data_layout()?;
    let (byte, ty) = (c.pool().int(8), index_type(data, c.pool(), n.ty)?);
    let is_in_bytes = element.source == byte && element.index().is_some_and(|only| c.ty(only) == ty);
    if is_in_bytes || !element.is_known(c) || goes_on(c, n) {
        return None;
    }
    let distance = gep_distance(c.graph, &mut Layouts::new(data.clone()), n.node)?;
    let by = index_of_bytes(c.pool(), ty, distance)?;
    let by = c.int_like(ty, by)?;
    Some(c.add(Op::Gep { source: byte, flags: element.flags }, &[n.a, by], n.ty))
}

/// The same for a constant address relative to a symbol: the constant relative to one symbol, and the index of that symbol among its own.
pub(in crate::scalar::node_reduction) fn constant_in_bytes(
    pool: &Pool,
    data: &DataLayout,
    constant: Const,
) -> Option<(Const, u32)> {
    let ty = pool.constant(constant).ty();
    let (byte, index) = (pool.int(8), index_type(data, pool, ty)?);
    if let Constant::Expr { op: Op::Gep { source, .. }, operands, .. } = pool.constant(constant)
        && let &[base, by] = &**operands
        && let Constant::Hole { index: 0, .. } = pool.constant(base)
        && *source == byte
        && pool.constant(by).ty() == index
    {
        return None;
    }
    let mut flags: Option<GepFlags> = None;
    let mut at = constant;
    while let Constant::Expr { op: Op::Gep { flags: inner, .. }, operands, in_range: None, .. } = pool.constant(at) {
        flags = Some(flags.map_or(*inner, |outer| kept(*inner, outer)));
        at = *operands.first()?;
    }
    let Constant::Hole { ty: base, .. } = *pool.constant(at) else { return None };
    let op = Op::Gep { source: byte, flags: flags? };
    let (hole, distance) = constant_distance(pool, &mut Layouts::new(data.clone()), constant)?;
    let by = index_of_bytes(pool, index, distance).filter(|by| !by.is_zero())?.to_const(pool);
    let base = pool.intern_const(Constant::Hole { ty: base, index: 0 });
    let new = pool.intern_const(Constant::Expr { ty, op, operands: [base, by].into(), in_range: None });
    Some((new, hole))
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "gep-bytes",
        OpCode::Gep,
        "ptr %p -> ptr",
        "%r = getelementptr inbounds { i32, [4 x i16] }, ptr %p, i64 1, i32 1, i64 2",
        "%r = getelementptr inbounds i8, ptr %p, i64 20",
        in_bytes,
    ),
    rule(
        "sub-addresses",
        OpCode::Sub,
        "ptr %p, i64 %x, i64 %y -> i64",
        "%s = getelementptr i32, ptr %p, i64 %x; %t = getelementptr i32, ptr %p, i64 %y; %u = getelementptr i8, ptr %t, i64 3; %a = ptrtoint ptr %s to i64; %b = ptrtoint ptr %u to i64; %r = sub i64 %a, %b",
        "%d = sub i64 %x, %y; %e = shl i64 %d, 2; %r = add i64 %e, -3",
        distance,
    ),
];
