//! Operations on values that are added before a node: parts of integers, vectors and aggregates.

use rvsdg_analysis::memory::bits_in_memory;
use rvsdg_core::build::Insert;
use rvsdg_core::constant::Words;
use rvsdg_core::layout::FloatKind;
use rvsdg_core::op::{BinaryFlags, CastOp, GepFlags, IntBinary};
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Type, TypeKind};

fn add(graph: &mut Graph, before: Node, op: Op, inputs: &[Origin], ty: Type) -> Origin {
    Insert::before(graph, before).add(op, inputs, ty)
}

fn constant(graph: &mut Graph, before: Node, constant: Const) -> Origin {
    Insert::before(graph, before).constant(constant)
}

/// An integer.
pub(super) fn int(graph: &mut Graph, before: Node, ty: Type, value: u64) -> Origin {
    let limbs = match *graph.pool().type_kind(ty) {
        TypeKind::Int(bits) => bits.div_ceil(64) as usize,
        _ => 1,
    };
    let mut words = vec![0; limbs.max(1)];
    words[0] = value;
    let words = if limbs <= 1 { Words::Small(value) } else { Words::Large(words.into()) };
    let int = graph.pool().intern_const(Constant::Int { ty, words });
    constant(graph, before, int)
}

pub(super) fn poison(graph: &mut Graph, before: Node, ty: Type) -> Origin {
    let poison = graph.pool().poison(ty);
    constant(graph, before, poison)
}

/// A value of a type whose bytes are all the same; the type has such a constant.
pub(super) fn filled(graph: &mut Graph, before: Node, ty: Type, byte: u8) -> Origin {
    let pool = graph.pool().clone();
    let filled = match pool.type_kind(ty) {
        TypeKind::Int(_) => pool.int_const(ty, u64::from_le_bytes([byte; 8])),
        kind => pool.intern_const(match FloatKind::of(kind) {
            Some(kind) => Constant::Float { ty, bits: u128::from_le_bytes([byte; 16]) >> (128 - kind.bits()) },
            None => Constant::Zero(ty),
        }),
    };
    constant(graph, before, filled)
}

/// A pointer a number of bytes further in the same object.
pub(super) fn advance(graph: &mut Graph, before: Node, address: Origin, offset: u64) -> Origin {
    let flags = GepFlags::INBOUNDS | GepFlags::NUSW | GepFlags::NUW;
    Insert::before(graph, before).advance(address, offset as i64, flags)
}

/// By how many bits a part at a byte offset of an integer in memory is shifted in it.
fn shift(graph: &Graph, whole: Type, part: Type, offset: u64, big_endian: bool) -> u64 {
    let bits = |ty| match *graph.pool().type_kind(ty) {
        TypeKind::Int(bits) => u64::from(bits),
        _ => 0,
    };
    if big_endian { bits(whole) - bits(part) - 8 * offset } else { 8 * offset }
}

/// The part of an integer or vector at a byte offset in memory.
pub(super) fn take(graph: &mut Graph, before: Node, value: Origin, ty: Type, offset: u64, big_endian: bool) -> Origin {
    let whole = graph.ty(value);
    if let TypeKind::Vector { .. } = graph.pool().type_kind(whole) {
        let lane = lane(graph, before, whole, offset);
        return add(graph, before, Op::ExtractElement, &[value, lane], ty);
    }
    let mut value = value;
    let shift = shift(graph, whole, ty, offset, big_endian);
    if shift > 0 {
        let by = int(graph, before, whole, shift);
        value = Insert::before(graph, before).binary(IntBinary::LShr, value, by);
    }
    cast(graph, before, CastOp::Trunc, value, ty)
}

/// An integer or vector with a part set at a byte offset in memory; parts are set in order.
pub(super) fn put(
    graph: &mut Graph,
    before: Node,
    ty: Type,
    whole: Option<Origin>,
    part: Origin,
    offset: u64,
    big_endian: bool,
) -> Origin {
    if let TypeKind::Vector { .. } = graph.pool().type_kind(ty) {
        let whole = whole.unwrap_or_else(|| poison(graph, before, ty));
        let lane = lane(graph, before, ty, offset);
        return add(graph, before, Op::InsertElement, &[whole, part, lane], ty);
    }
    let shift = shift(graph, ty, graph.ty(part), offset, big_endian);
    let mut part = cast(graph, before, CastOp::ZExt, part, ty);
    if shift > 0 {
        let by = int(graph, before, ty, shift);
        let op = Op::IntBinary { op: IntBinary::Shl, flags: BinaryFlags::NUW };
        part = add(graph, before, op, &[part, by], ty);
    }
    let op = Op::IntBinary { op: IntBinary::Or, flags: BinaryFlags::DISJOINT };
    whole.map_or(part, |whole| add(graph, before, op, &[whole, part], ty))
}

/// The index of the lane at a byte offset of a vector.
fn lane(graph: &mut Graph, before: Node, vector: Type, offset: u64) -> Origin {
    let pool = graph.pool();
    let size = match *pool.type_kind(vector) {
        TypeKind::Vector { element, .. } => bits_in_memory(pool, element).unwrap_or(8) / 8,
        _ => 1,
    };
    int(graph, before, Type::I32, offset / size)
}

/// An aggregate with a value in it.
pub(super) fn insert(
    graph: &mut Graph,
    before: Node,
    ty: Type,
    whole: Option<Origin>,
    value: Origin,
    path: &[u32],
) -> Origin {
    let whole = whole.unwrap_or_else(|| poison(graph, before, ty));
    let op = Op::InsertValue(graph.pool().intern_indices(path));
    add(graph, before, op, &[whole, value], ty)
}

/// A value in an aggregate.
pub(super) fn extract(graph: &mut Graph, before: Node, ty: Type, whole: Origin, path: &[u32]) -> Origin {
    let op = Op::ExtractValue(graph.pool().intern_indices(path));
    add(graph, before, op, &[whole], ty)
}

fn cast(graph: &mut Graph, before: Node, op: CastOp, value: Origin, ty: Type) -> Origin {
    Insert::before(graph, before).cast(op, value, ty)
}
