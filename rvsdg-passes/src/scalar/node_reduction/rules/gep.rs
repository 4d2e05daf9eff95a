//! Addresses of elements. The data layout is not known here, so what depends on its sizes is left alone.

use std::iter;

use rvsdg_core::fold::{Int, arith, parts};
use rvsdg_core::op::{CastOp, GepFlags, IntPredicate, Op, OpCode};
use rvsdg_core::{Constant, Node, Origin, Type, TypeKind};
use smallvec::SmallVec;

use crate::scalar::node_reduction::cx::Cx;
use crate::scalar::node_reduction::rule::{At, Rule, rule};

/// An address as an element of another.
pub(super) struct Element {
    node: Node,
    pub source: Type,
    pub flags: GepFlags,
    indices: SmallVec<[Origin; 4]>,
}

impl Element {
    pub fn of(c: &Cx<'_>, origin: Origin) -> Option<Element> {
        let (node, Op::Gep { source, flags }) = c.op(origin)? else { return None };
        let indices = (1..c.operands(node)).map(|index| c.operand(node, index)).collect();
        Some(Element { node, source, flags, indices })
    }

    fn base(&self, c: &Cx<'_>) -> Origin {
        c.operand(self.node, 0)
    }

    /// The only index.
    pub fn index(&self) -> Option<Origin> {
        match *self.indices {
            [index] => Some(index),
            _ => None,
        }
    }

    pub fn is_known(&self, c: &Cx<'_>) -> bool {
        self.indices.iter().all(|&index| c.int(index).is_some())
    }

    fn is_zero(&self, c: &Cx<'_>) -> bool {
        self.indices.iter().all(|&index| c.is_zero(index))
    }

    /// The type of the element.
    fn leads_to(&self, c: &Cx<'_>) -> Option<Type> {
        self.indices.get(1..)?.iter().try_fold(self.source, |ty, &index| match *c.pool().type_kind(ty) {
            TypeKind::Array { element, .. } => Some(element),
            TypeKind::Struct { .. } | TypeKind::Named { .. } => {
                parts::part_type(c.pool(), ty, u64::try_from(c.int(index)?.unsigned()).ok()?)
            }
            _ => None,
        })
    }
}

/// How many parts of a type are visited.
const MAX_PARTS: u32 = 16;

/// Whether an element of this type has at least one byte, whatever the layout.
fn has_bytes(c: &Cx<'_>, mut ty: Type) -> bool {
    for _ in 0..MAX_PARTS {
        ty = match c.pool().type_kind(ty) {
            TypeKind::Int(_)
            | TypeKind::Half
            | TypeKind::BFloat
            | TypeKind::Float
            | TypeKind::Double
            | TypeKind::X86Fp80
            | TypeKind::Fp128
            | TypeKind::PpcFp128
            | TypeKind::Ptr(_) => return true,
            &TypeKind::Array { element, len: 1.. } => element,
            // One part with bytes is enough; usually the first.
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                match elements.first() {
                    Some(&first) => first,
                    None => return false,
                }
            }
            _ => return false,
        };
    }
    false
}

/// Whether another address is computed from this one in such a way that both can be one operation: the path through an object is worth
/// keeping.
pub(super) fn goes_on(c: &Cx<'_>, n: At) -> bool {
    let Some(ty) = Element::of(c, c.output(n.node)).and_then(|element| element.leads_to(c)) else { return false };
    c.users(n.node).any(|user| match c.op_of(user) {
        Some(Op::Gep { source, .. }) => {
            source == ty
                && c.operand(user, 0) == c.output(n.node)
                && c.operands(user) > 1
                && c.is_zero(c.operand(user, 1))
        }
        _ => false,
    })
}

/// The flags of one operation that replaces two. Between addresses within one object the sum of their offsets does not overflow;
/// elsewhere it may although neither offset does.
pub(super) fn kept(inner: GepFlags, outer: GepFlags) -> GepFlags {
    let both = inner & outer;
    if both.contains(GepFlags::INBOUNDS) { both } else { both & GepFlags::NUW }
}

/// Combines an element of an element into one step.
fn path(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let outer = Element::of(c, c.output(n.node))?;
    let inner = Element::of(c, n.a)?;
    let (&first, rest) = outer.indices.split_first()?;
    if inner.leads_to(c)? != outer.source || !c.is_zero(first) || !c.is_int(c.ty(first)) {
        return None;
    }
    // Loop-varying parts are kept apart from invariant ones.
    let cheap = inner.is_known(c) && (outer.is_known(c) || inner.is_zero(c) || c.one_use(n.a));
    if !(cheap || outer.is_known(c) && c.one_use(n.a)) {
        return None;
    }
    let mut inputs: SmallVec<[Origin; 8]> = SmallVec::from_slice(&[inner.base(c)]);
    inputs.extend(inner.indices.iter().chain(rest).copied());
    // The offsets are added one after the other as before, except for a zero.
    Some(c.add(Op::Gep { source: inner.source, flags: kept(inner.flags, outer.flags) }, &inputs, n.ty))
}

/// Combines successive known steps of one size.
fn steps(c: &mut Cx<'_>, n: At) -> Option<Origin> {
    let outer = Element::of(c, c.output(n.node))?;
    let inner = Element::of(c, n.a)?;
    let base = inner.base(c);
    // A vector index turns one address into several, which a scalar index would not.
    if outer.source != inner.source || c.ty(base) != n.ty {
        return None;
    }
    let (first, second) = (inner.index()?, outer.index()?);
    let (ty, first, second) = (c.ty(second), c.int(first)?, c.int(second)?);
    if !c.is_int(ty) || first.bits() > 64 || second.bits() > 64 {
        return None;
    }
    let sum = first.signed() + second.signed();
    let index = Int::new(second.bits(), sum as u128);
    if index.signed() != sum {
        return None;
    }
    if index.is_zero() {
        return Some(base);
    }
    let mut flags = kept(inner.flags, outer.flags);
    if first.is_negative() || second.is_negative() {
        flags = flags & (GepFlags::INBOUNDS | GepFlags::NUSW);
    }
    let index = c.int_like(ty, index)?;
    Some(c.add(Op::Gep { source: outer.source, flags }, &[base, index], n.ty))
}

/// The predicate of distances equivalent to a predicate of addresses within one object.
fn of_distances(predicate: IntPredicate) -> Option<IntPredicate> {
    Some(match predicate {
        IntPredicate::Eq | IntPredicate::Ne => predicate,
        IntPredicate::Ult => IntPredicate::Slt,
        IntPredicate::Ule => IntPredicate::Sle,
        IntPredicate::Ugt => IntPredicate::Sgt,
        IntPredicate::Uge => IntPredicate::Sge,
        IntPredicate::Slt | IntPredicate::Sle | IntPredicate::Sgt | IntPredicate::Sge => return None,
    })
}

/// The index of an address within the object of its base, in elements of a nonzero size.
fn index_of(c: &Cx<'_>, origin: Origin) -> Option<(Element, Origin)> {
    let element = Element::of(c, origin)?;
    let index = element.index().filter(|&index| c.is_int(c.ty(index)))?;
    let promised = element.flags.contains(GepFlags::INBOUNDS);
    (promised && has_bytes(c, element.source)).then_some((element, index))
}

fn with_base(c: &mut Cx<'_>, n: At, predicate: IntPredicate, address: Origin, base: Origin) -> Option<Origin> {
    let (element, index) = index_of(c, address)?;
    if element.base(c) != base {
        return None;
    }
    let ty = c.ty(index);
    let zero = c.zero(ty)?;
    Some(c.add_icmp(of_distances(predicate)?, index, zero, n.ty))
}

/// The pointer whose whole address an integer is: no target has more than 64 bits in this address space.
fn address(c: &Cx<'_>, origin: Origin) -> Option<Origin> {
    let (p, _) = c.cast(origin, CastOp::PtrToInt).or_else(|| c.cast(origin, CastOp::PtrToAddr))?;
    (c.ty(p) == Type::PTR && c.is_int(c.ty(origin)) && c.bits(c.ty(origin))? >= 64).then_some(p)
}

/// The rules.
pub const RULES: &[Rule] = &[
    rule(
        "gep-of-gep",
        OpCode::Gep,
        "ptr %p, i64 %i -> ptr",
        "%s = getelementptr inbounds { i32, [4 x i16] }, ptr %p, i32 0, i32 1; %r = getelementptr inbounds [4 x i16], ptr %s, i64 0, i64 %i",
        "%r = getelementptr inbounds { i32, [4 x i16] }, ptr %p, i32 0, i32 1, i64 %i",
        path,
    ),
    rule(
        "gep-steps",
        OpCode::Gep,
        "ptr %p -> ptr",
        "%s = getelementptr inbounds i32, ptr %p, i64 3; %r = getelementptr inbounds i32, ptr %s, i64 -1",
        "%r = getelementptr inbounds i32, ptr %p, i64 2",
        steps,
    ),
    rule(
        "gep-forward",
        OpCode::Gep,
        "ptr %p -> ptr",
        "%r = getelementptr inbounds i32, ptr %p, i64 3",
        "%r = getelementptr inbounds nuw i32, ptr %p, i64 3",
        |c, n| {
            let element = Element::of(c, c.output(n.node))?;
            let leads_on = element.indices.iter().all(|&index| c.int(index).is_some_and(|index| !index.is_negative()));
            if !leads_on || !element.flags.contains(GepFlags::NUSW) || element.flags.contains(GepFlags::NUW) {
                return None;
            }
            let inputs: SmallVec<[Origin; 5]> = iter::once(n.a).chain(element.indices).collect();
            Some(c.add(Op::Gep { source: element.source, flags: element.flags | GepFlags::NUW }, &inputs, n.ty))
        },
    ),
    rule(
        "gep-zero",
        OpCode::Gep,
        "ptr %p -> ptr",
        "%r = getelementptr inbounds { i32, i8 }, ptr %p, i32 0, i32 0",
        "%p",
        |c, n| {
            let element = Element::of(c, c.output(n.node))?;
            (element.is_zero(c) && c.ty(n.a) == n.ty && !goes_on(c, n)).then_some(n.a)
        },
    ),
    rule(
        "icmp-geps",
        OpCode::ICmp,
        "ptr %p, i64 %x, i64 %y -> i1",
        "%s = getelementptr inbounds i32, ptr %p, i64 %x; %t = getelementptr inbounds i32, ptr %p, i64 %y; %r = icmp ult ptr %s, %t",
        "%r = icmp slt i64 %x, %y",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let ((first, x), (second, y)) = (index_of(c, n.a)?, index_of(c, n.b)?);
            let same = first.base(c) == second.base(c) && first.source == second.source && c.ty(x) == c.ty(y);
            let is_known = c.int(x).is_some() && c.int(y).is_some();
            if !same || !(is_known || c.one_use(n.a) || c.one_use(n.b)) {
                return None;
            }
            Some(c.add_icmp(of_distances(predicate)?, x, y, n.ty))
        },
    ),
    rule(
        "icmp-gep-base",
        OpCode::ICmp,
        "ptr %p, i64 %x -> i1",
        "%s = getelementptr inbounds i32, ptr %p, i64 %x; %r = icmp eq ptr %s, %p",
        "%r = icmp eq i64 %x, 0",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            with_base(c, n, predicate, n.a, n.b)
        },
    ),
    rule(
        "icmp-base-gep",
        OpCode::ICmp,
        "ptr %p, i64 %x -> i1",
        "%s = getelementptr inbounds i32, ptr %p, i64 %x; %r = icmp ult ptr %p, %s",
        "%r = icmp sgt i64 %x, 0",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            with_base(c, n, arith::swapped(predicate), n.b, n.a)
        },
    ),
    rule(
        "icmp-address-zero",
        OpCode::ICmp,
        "ptr %p -> i1",
        "%s = ptrtoint ptr %p to i64; %r = icmp eq i64 %s, 0",
        "%r = icmp eq ptr %p, null",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let p = address(c, n.a)?;
            of_distances(predicate)?;
            if !c.is_zero(n.b) {
                return None;
            }
            let null = c.pool().intern_const(Constant::Zero(Type::PTR));
            let null = c.add_constant(null);
            Some(c.add_icmp(predicate, p, null, n.ty))
        },
    ),
    rule(
        "icmp-addresses",
        OpCode::ICmp,
        "ptr %p, ptr %q -> i1",
        "%s = ptrtoint ptr %p to i64; %t = ptrtoint ptr %q to i64; %r = icmp ult i64 %s, %t",
        "%r = icmp ult ptr %p, %q",
        |c, n| {
            let (predicate, ..) = c.icmp(c.output(n.node))?;
            let (p, q) = (address(c, n.a)?, address(c, n.b)?);
            of_distances(predicate)?;
            Some(c.add_icmp(predicate, p, q, n.ty))
        },
    ),
];
