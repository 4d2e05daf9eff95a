//! Addresses in loops: an invariant base, and a distance in bytes that is a chain of recurrences.

use rvsdg_core::fold::Int;
use rvsdg_core::layout::Layouts;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op, Origin, Type, TypeKind};

use super::{Chain, DEPTH, Evolution, Linear};
use crate::invariant::known_constant;

/// The width of distances.
const BITS: u32 = 64;

/// An address as a chain of recurrences, modulo 2^64.
#[derive(Clone, Debug)]
pub struct Address {
    /// A pointer in the body: an invariant, or a variable at its value in the first iteration.
    pub base: Origin,
    /// The distance in bytes of the address from the base.
    pub distance: Chain,
}

impl Evolution {
    /// The chain of a pointer of the body in address space 0, if offsets there have 64 bits. If one of the operations that compute the
    /// pointer yields poison, the pointer is poison.
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

    /// The distance of a pointer from another one from which it is computed, if known.
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

    /// The offset that `getelementptr` adds to a pointer.
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

#[cfg(test)]
mod tests {
    use rvsdg_core::layout::DataLayout;

    use super::*;
    use crate::tests::Example;

    /// Of the address that `v20` is in a loop: which pointer its base is, the bytes at the start that are known, and those that it
    /// moves on in each iteration.
    fn address(layout: &str, operations: &str) -> Option<(&'static str, i128, i128)> {
        let example = Example::of(&format!(
            "module \"test\"
             @f = function ptr (ptr, i1, i32, ptr addrspace(1))
             export @f
             lambda @f [] (v0: ptr, v1: i1, v30: i32, v31: ptr addrspace(1), mem0, io0) {{
               v2 = const i64 0
               v3: i64, v4: ptr, v5: ptr, v6: i1, v32: i32,
               v33: ptr addrspace(1) = theta (v7: i64 = v2, v8: ptr = v0, v9: ptr = v0, v10: i1 = v1, v34: i32 = v30,
                 v35: ptr addrspace(1) = v31) {{
                 v11 = const i64 1
                 v12: i64 = add v7, v11
                 v13 = const i64 3
                 v14: ptr = getelementptr i16, v9, v13
                 v15 = const i32 1
                 {operations}
                 v19: ctl(2) = match i1 v10 [true -> 1, _ -> 0]
                 next v12, v8, v14, v10, v34, v35 while v19
               }}
               yield v4, mem0, io0
             }}"
        ));
        let graph = example.graph();
        let nodes = example.nodes();
        let theta = Theta::new(graph, nodes[0]).expect("a loop");
        let pointer = graph.output(*nodes.last().expect("there are nodes"), 0);
        let evolution = Evolution::of(graph, theta);
        let mut layouts = Layouts::new(DataLayout::parse(layout).expect("a layout"));
        let Address { base, distance } = evolution.address(graph, &mut layouts, pointer)?;
        let bases =
            [(pointer, "itself"), (theta.loop_var(graph, 1).pre, "kept"), (theta.loop_var(graph, 2).pre, "moved")];
        let (_, base) = bases.into_iter().find(|&(origin, _)| origin == base)?;
        Some((base, distance.start().offset().signed(), distance.step()?.known()?.signed()))
    }

    #[test]
    fn distances_are_those_of_the_layout() {
        for (operations, expected) in [
            ("v20: ptr = getelementptr i32, v8, v7", Some(("kept", 0, 4))),
            ("v20: ptr = getelementptr i32, v8, v12", Some(("kept", 4, 4))),
            ("v20: ptr = getelementptr i32, v8, v13", Some(("itself", 0, 0))),
            ("v20: ptr = getelementptr i32, v8, v15", Some(("itself", 0, 0))),
            ("v20: ptr = getelementptr i32, v8, v34", Some(("itself", 0, 0))),
            ("v16: i32 = trunc v7\nv20: ptr = getelementptr i32, v8, v16", None),
            ("v20: ptr = getelementptr { i8, [4 x i32] }, v8, v13, v15, v7", Some(("kept", 64, 4))),
            ("v20: ptr = getelementptr { i8, [4 x i32] }, v8, v7, v15, v11", Some(("kept", 8, 20))),
            ("v20: ptr = getelementptr [4 x i16], v8, v7, v11", Some(("kept", 2, 8))),
            ("v20: ptr = getelementptr i8, v9, v7", Some(("moved", 0, 7))),
            ("v20: ptr = getelementptr i8, v9, v13", Some(("moved", 3, 6))),
            ("v16: ptr = getelementptr i8, v14, v13\nv20: ptr = getelementptr i8, v16, v13", Some(("moved", 12, 6))),
            ("v20: ptr addrspace(1) = getelementptr i8, v35, v7", None),
            ("v20: ptr addrspace(1) = getelementptr i8, v35, v13", None),
            ("v16: ptr = freeze v8\nv20: ptr = getelementptr i8, v16, v7", None),
        ] {
            assert_eq!(address("", operations), expected, "{operations}");
        }
    }

    #[test]
    fn addresses_have_64_bits() {
        let plain = "v20: ptr = getelementptr i32, v8, v7";
        for (layout, is_known) in
            [("p:64:64", true), ("p:32:32", false), ("p:64:64:64:32", false), ("p:128:128:128:64", false)]
        {
            assert_eq!(address(layout, plain).is_some(), is_known, "{layout}");
        }
    }
}
