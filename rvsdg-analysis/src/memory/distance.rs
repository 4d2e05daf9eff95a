//! Constant distances between addresses, under a data layout.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::{Const, Constant, Graph, Node, Op, Origin, Pool, Type, TypeKind};

use crate::invariant::{follow_out, known_constant};

/// How many successive `getelementptr` are looked through.
const MAX_CHAIN: usize = 16;

/// The distance in bytes from the base to a `getelementptr` with constant indices; `None` for other nodes, and for vectors of addresses.
pub fn gep_distance(graph: &Graph, layouts: &mut Layouts, node: Node) -> Option<i64> {
    let Some(Op::Gep { source, .. }) = graph.op(node) else { return None };
    let pool = graph.pool();
    if !matches!(pool.type_kind(graph.ty(graph.output(node, 0))), TypeKind::Ptr(_)) {
        return None;
    }
    let indices = graph.input_origins(node).skip(1).map(|index| known_constant(graph, index));
    distance_of(pool, layouts, source, indices)
}

/// The distance in bytes of indices into a type.
fn distance_of(
    pool: &Pool,
    layouts: &mut Layouts,
    source: Type,
    indices: impl Iterator<Item = Option<Const>>,
) -> Option<i64> {
    let (mut ty, mut distance) = (source, 0i64);
    for (position, index) in indices.enumerate() {
        let index = Int::of_const(pool, index?).filter(|index| index.bits() <= 64)?.signed();
        let index = i64::try_from(index).ok()?;
        let (size, next) = match pool.type_kind(ty) {
            _ if position == 0 => (layouts.of(pool, ty).ok()?.size, ty),
            &TypeKind::Array { element, .. } => (layouts.of(pool, element).ok()?.size, element),
            TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
                let field = usize::try_from(index).ok()?;
                let (offset, _) = *layouts.of(pool, ty).ok()?.fields()?.get(field)?;
                distance = distance.checked_add(i64::try_from(offset).ok()?)?;
                ty = *elements.get(field)?;
                continue;
            }
            _ => return None,
        };
        distance = distance.checked_add(i64::try_from(size).ok()?.checked_mul(index)?)?;
        ty = next;
    }
    Some(distance)
}

/// The hole whose address a constant is relative to, and the distance in bytes. `None` for other constants.
pub fn constant_distance(pool: &Pool, layouts: &mut Layouts, constant: Const) -> Option<(u32, i64)> {
    let (mut at, mut sum) = (constant, 0i64);
    for _ in 0..MAX_CHAIN {
        match *pool.constant(at) {
            Constant::Hole { index, .. } => return Some((index, sum)),
            Constant::Expr { ty, op: Op::Gep { source, .. }, ref operands, .. } => {
                let (&base, indices) = operands.split_first()?;
                if !matches!(pool.type_kind(ty), TypeKind::Ptr(_)) {
                    return None;
                }
                let distance = distance_of(pool, layouts, source, indices.iter().map(|&index| Some(index)))?;
                sum = sum.checked_add(distance)?;
                at = base;
            }
            _ => return None,
        }
    }
    None
}

/// The address to which a value has a known distance, in its region or an enclosing one, and the distance in bytes.
pub fn base_and_distance(graph: &Graph, layouts: &mut Layouts, origin: Origin) -> Option<(Origin, i64)> {
    let (mut base, mut sum) = (follow_out(graph, origin).0, 0i64);
    for _ in 0..MAX_CHAIN {
        let Some(node) = graph.producer(base) else { break };
        let (from, distance) = match graph.op(node) {
            Some(Op::Const(constant)) => {
                let Some((hole, distance)) = constant_distance(graph.pool(), layouts, constant) else { break };
                (hole as usize, distance)
            }
            _ => {
                let Some(distance) = gep_distance(graph, layouts, node) else { break };
                (0, distance)
            }
        };
        sum = sum.checked_add(distance)?;
        base = follow_out(graph, graph.input(node, from)).0;
    }
    Some((base, sum))
}
