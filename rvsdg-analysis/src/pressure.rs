//! Register pressure: how many registers the values of a loop take on machines without a fixed number of them, such as GPUs, where
//! threads that take more leave room for fewer.

use rvsdg_core::graph::WalkItem;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Op, Origin, Pool, Type, TypeKind};

/// Registers of 32 bits. Conditions and states take none; addresses take two.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Pressure {
    /// For what is live in all of the loop: its variables that are used in it, if only for the next iteration.
    pub carried: u32,
    /// For what an iteration loads. Loads of several iterations are issued before their results are needed.
    pub loaded: u32,
}

impl Pressure {
    /// That of a loop. Cost: linear in its nodes.
    pub fn of(graph: &Graph, theta: Theta) -> Pressure {
        let body = theta.body(graph);
        let taken = |origin: Origin| registers(graph.pool(), graph.ty(origin));
        let carried = graph.arguments(body).iter().filter(|&&argument| graph.has_users(argument));
        let loads = graph.walk_region(body).filter_map(|item| match item {
            WalkItem::Node(node) => matches!(graph.op(node), Some(Op::Load(_))).then(|| graph.output(node, 0)),
            WalkItem::Enter(_) | WalkItem::Leave(_) => None,
        });
        Pressure { carried: carried.map(|&argument| taken(argument)).sum(), loaded: loads.map(taken).sum() }
    }

    /// That of the loop with so many iterations at once.
    pub fn unrolled(self, factor: u32) -> u32 {
        self.carried.saturating_add(self.loaded.saturating_mul(factor))
    }
}

/// The registers that a value of a type takes; of a scalable vector, its least lanes.
fn registers(pool: &Pool, ty: Type) -> u32 {
    match pool.type_kind(ty) {
        TypeKind::Int(1) | TypeKind::Mem | TypeKind::Io | TypeKind::Ctl(_) | TypeKind::Void => 0,
        TypeKind::Int(bits) => bits.div_ceil(32),
        TypeKind::Ptr(_) | TypeKind::Double => 2,
        TypeKind::X86Fp80 | TypeKind::Fp128 | TypeKind::PpcFp128 => 4,
        TypeKind::Vector { element, len, .. } => registers(pool, *element).saturating_mul(*len),
        TypeKind::Array { element, len } => {
            registers(pool, *element).saturating_mul(u32::try_from(*len).unwrap_or(u32::MAX))
        }
        TypeKind::Struct { elements, .. } | TypeKind::Named { elements: Some(elements), .. } => {
            elements.iter().fold(0, |sum, &element| sum.saturating_add(registers(pool, element)))
        }
        TypeKind::Half
        | TypeKind::BFloat
        | TypeKind::Float
        | TypeKind::X86Amx
        | TypeKind::Named { elements: None, .. }
        | TypeKind::Function { .. }
        | TypeKind::Target { .. }
        | TypeKind::Token
        | TypeKind::Metadata => 1,
    }
}

#[cfg(test)]
mod tests {
    use rvsdg_core::text::parse_module;

    use super::*;

    #[test]
    fn of_variables_and_loads() {
        let module = parse_module(
            "module \"test\"
             @f = function float (ptr, i32, i1, <4 x i8>)
             lambda @f [] (v0: ptr, v1: i32, v2: i1, v30: <4 x i8>, mem0, io0) {
               v3 = const float 0.0
               v36 = const i64 7
               v4: float, v31: i1, v32: <4 x i8>, v33: i64, v37: ptr, mem1 = theta (v5: float = v3, v6: i1 = v2,
                   v34: <4 x i8> = v30, v35: i64 = v36, v7: ptr = v0, mem2 = mem0) {
                 v8: float, mem3 = load v7, mem2, align 4
                 v9: double, mem4 = load v7, mem3, align 8
                 v10: float = fptrunc v9
                 v11: float = fadd v5, v8
                 v12: float = fadd v11, v10
                 v13: ctl(2) = match i1 v6 [true -> 1, _ -> 0]
                 next v12, v6, v34, v35, v7, mem4 while v13
               }
               yield v4, mem1, io0
             }
             export @f",
        );
        let module = module.unwrap_or_else(|error| panic!("{error}"));
        let graph = module.bodies.values().find_map(|body| body.graph()).expect("@f has a body");
        let theta = graph.all_nodes().find_map(|node| Theta::new(graph, node)).expect("it has a loop");
        let pressure = Pressure::of(graph, theta);
        assert_eq!(pressure, Pressure { carried: 1 + 4 + 2 + 2, loaded: 1 + 2 });
        assert_eq!([1, 8].map(|factor| pressure.unrolled(factor)), [12, 33]);
        assert_eq!(pressure.unrolled(u32::MAX), u32::MAX);
    }
}
