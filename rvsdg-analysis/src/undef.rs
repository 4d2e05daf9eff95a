//! Which values are surely not undef.
//!
//! Each use of undef may be another value, so that what is computed twice of it need not be the same.

use rvsdg_core::attribute::Attribute;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Constant, Graph, Op, Origin, OriginDef};
use smallvec::SmallVec;

use crate::callee::argument_of_root;
use crate::surroundings::Surroundings;

/// So many values are looked at to find out of what one is computed.
const MAX_LOOKED_AT: usize = 32;

/// Whether a value is neither undef nor poison, because it is a parameter or result that must not be.
pub fn is_noundef(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    let pool = graph.pool();
    let has = |list: &[Attribute]| list.iter().any(|attribute| &*attribute.text == "noundef");
    match graph.producer(origin) {
        Some(node) => match graph.op(node) {
            Some(Op::Call(call)) => has(&pool.attributes(pool.call(call).attributes).result),
            _ => false,
        },
        None => {
            let parameter = || {
                let surroundings = surroundings?;
                let parameter = surroundings.parameter(argument_of_root(graph, origin)?)?;
                let attributes = pool.attributes(surroundings.attributes()?);
                Some(has(attributes.params.get(parameter)?))
            };
            parameter() == Some(true)
        }
    }
}

/// Whether a value is surely not undef, in part or as a whole, though maybe poison: nothing is that it is computed of.
pub fn is_not_undef(graph: &Graph, surroundings: Option<&Surroundings>, origin: Origin) -> bool {
    let mut looked_at: SmallVec<[Origin; MAX_LOOKED_AT]> = SmallVec::new();
    let mut pending: SmallVec<[Origin; 8]> = SmallVec::from_slice(&[origin]);
    while let Some(origin) = pending.pop() {
        if looked_at.contains(&origin) || is_noundef(graph, surroundings, origin) {
            continue;
        }
        if looked_at.len() == MAX_LOOKED_AT {
            return false;
        }
        looked_at.push(origin);
        match graph.def(origin) {
            OriginDef::Argument(region, index) => {
                let Some(parent) = graph.parent(region) else { return false };
                if let Some(theta) = Theta::new(graph, parent) {
                    let variable = theta.loop_var(graph, index as usize);
                    pending.extend([graph.origin(variable.input), graph.origin(variable.post)]);
                } else if Gamma::new(graph, parent).is_some() {
                    pending.push(graph.input(parent, index as usize + 1));
                } else {
                    return false;
                }
            }
            OriginDef::Output(node, index) => {
                if let Some(theta) = Theta::new(graph, node) {
                    pending.push(graph.origin(theta.loop_var(graph, index as usize).post));
                    continue;
                }
                if let Some(gamma) = Gamma::new(graph, node) {
                    pending.extend(gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize)));
                    continue;
                }
                match graph.op(node) {
                    Some(Op::Freeze) => {}
                    Some(Op::Const(constant)) if matches!(graph.pool().constant(constant), Constant::Int { .. }) => {}
                    Some(Op::IntBinary { .. } | Op::ICmp { .. } | Op::Cast { .. } | Op::Select(_)) => {
                        pending.extend(graph.input_origins(node));
                    }
                    _ => return false,
                }
            }
        }
    }
    true
}
