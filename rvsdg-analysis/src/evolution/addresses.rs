//! Addresses in loops: a base that does not change, and a distance in bytes that is a chain of recurrences.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};

use super::{Chain, DEPTH, Evolution, Linear};
use crate::invariant::known_constant;

/// The width of distances.
const BITS: u32 = 64;

/// An address as a chain of recurrences, modulo two to the 64.
#[derive(Clone, Debug)]
pub struct Address {
    /// A pointer in the body: one that does not change, or a variable for what it is in the first iteration.
    pub base: Origin,
    /// How many bytes away the address is.
    pub distance: Chain,
}

impl Evolution {
    /// The chain that a pointer of the body in address space 0 is, where the offsets there have 64 bits. Where one of the
    /// operations that compute the pointer gives poison, it is poison.
    pub fn address(&self, graph: &Graph, layouts: &mut Layouts, pointer: Origin) -> Option<Address> {
        let space = layouts.data().pointer(0);
        if graph.ty(pointer) != Type::PTR || space.index_bits != BITS || space.bits != BITS {
            return None;
        }
        let mut distance = Chain::new(vec![zero()]);
        let mut at = pointer;
        for _ in 0..DEPTH {
            if self.invariants.is_available(graph, at) {
                return Some(Address { base: at, distance });
            }
            if let Some((of, variable)) = Theta::loop_var_of_argument(graph, at) {
                let step = self.fixed_distance(graph, layouts, graph.origin(variable.post), at);
                let step = Linear::constant(step.filter(|_| of == self.theta)?);
                let moved = Chain::new(vec![zero(), step]);
                return Some(Address { base: at, distance: distance.combine(&moved, Linear::plus) });
            }
            let node = graph.producer(at)?;
            distance = distance.combine(&self.offset(graph, layouts, node)?, Linear::plus);
            at = graph.input(node, 0);
        }
        None
    }

    /// How far a pointer is from another one that it is computed from, when that is known.
    fn fixed_distance(&self, graph: &Graph, layouts: &mut Layouts, pointer: Origin, from: Origin) -> Option<Int> {
        let (mut sum, mut at) = (Int::new(BITS, 0), pointer);
        for _ in 0..DEPTH {
            if at == from {
                return Some(sum);
            }
            let node = graph.producer(at)?;
            sum = sum.add(super::known(&self.offset(graph, layouts, node)?)?);
            at = graph.input(node, 0);
        }
        None
    }

    /// What `getelementptr` adds to a pointer.
    fn offset(&self, graph: &Graph, layouts: &mut Layouts, node: Node) -> Option<Chain> {
        let Some(Op::Gep { source, .. }) = graph.op(node) else { return None };
        if graph.ty(graph.output(node, 0)) != Type::PTR {
            return None;
        }
        let pool = graph.pool();
        let (mut sum, mut ty) = (Chain::new(vec![zero()]), source);
        for (position, index) in graph.input_origins(node).skip(1).enumerate() {
            let known = || Some(Int::of_const(pool, known_constant(graph, index)?)?.sext(BITS));
            let part = match pool.type_kind(ty) {
                TypeKind::Struct { .. } | TypeKind::Named { .. } if position > 0 => {
                    let field = usize::try_from(known()?.unsigned()).ok()?;
                    let elements = match pool.type_kind(ty) {
                        TypeKind::Struct { elements, .. } => elements,
                        TypeKind::Named { elements, .. } => elements.as_ref()?,
                        _ => return None,
                    };
                    let layout = layouts.of(pool, ty).ok()?;
                    ty = *elements.get(field)?;
                    let (offset, _) = *layout.fields()?.get(field).map(|(offset, of)| (*offset, of)).as_ref()?;
                    Chain::new(vec![Linear::constant(Int::new(BITS, offset.into()))])
                }
                kind => {
                    if position > 0 {
                        let TypeKind::Array { element, .. } = *kind else { return None };
                        ty = element;
                    }
                    let size = Int::new(BITS, layouts.of(pool, ty).ok()?.size.into());
                    match known() {
                        Some(index) => Chain::new(vec![Linear::constant(index.mul(size))]),
                        None if graph.ty(index) == Type::I64 => self.chain(graph, index)?.scaled(size),
                        None => return None,
                    }
                }
            };
            sum = sum.combine(&part, Linear::plus);
        }
        Some(sum)
    }
}

fn zero() -> Linear {
    Linear::constant(Int::new(BITS, 0))
}
