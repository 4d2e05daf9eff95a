//! Where operations may be executed although, or before, they were executed elsewhere.

use rvsdg_core::constant::Words;
use rvsdg_core::op::IntBinary;
use rvsdg_core::{Constant, Graph, Node, Op, Origin, Region, Type, TypeKind, Use};

use crate::callee::is_convergent;
use crate::seeded::{self, Bug};
use crate::surroundings::Surroundings;

/// Whether a node takes or gives a state.
pub fn has_states(graph: &Graph, node: Node) -> bool {
    let is_state = |origin: Origin| graph.ty(origin).is_state();
    graph.outputs(node).iter().copied().any(is_state) || graph.input_origins(node).any(is_state)
}

/// Whether a node may be executed where it was not before: a simple node without states that is defined, if only as
/// poison, for all inputs. Predicates are not, since they are executed where they decide. Nor are calls, whose attributes
/// may make them undefined.
pub fn is_speculatable(graph: &Graph, node: Node) -> bool {
    match graph.op(node) {
        None | Some(Op::Call(_) | Op::Match(_) | Op::CtlConst { .. }) => false,
        Some(_) if has_states(graph, node) => false,
        Some(Op::IntBinary {
            op: op @ (IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem),
            ..
        }) => {
            let signed = matches!(op, IntBinary::SDiv | IntBinary::SRem);
            is_safe_divisor(graph, graph.input(node, 1), signed)
        }
        Some(op) => op.is_speculatable(graph.pool()),
    }
}

/// Whether a value is a constant by which everything can be divided.
fn is_safe_divisor(graph: &Graph, origin: Origin, signed: bool) -> bool {
    if seeded::is_active(Bug::PshGuardedDivision) {
        return true;
    }
    let Some(Op::Const(mut constant)) = graph.producer(origin).and_then(|node| graph.op(node)) else { return false };
    let pool = graph.pool();
    if let Constant::Splat { element, .. } = *pool.constant(constant) {
        constant = element;
    }
    let Constant::Int { ty, words } = pool.constant(constant) else { return false };
    let TypeKind::Int(bits) = *pool.type_kind(*ty) else { return false };
    let limbs: &[u64] = Words::as_slice(words);
    let ones = limbs.iter().map(|limb| limb.count_ones()).sum::<u32>();
    ones != 0 && !(signed && ones == bits)
}

/// Whether a node without states that is not speculatable may be moved to where it is certain to be executed later: it
/// depends on nothing but its inputs.
pub fn is_movable(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let pool = graph.pool();
    match graph.op(node) {
        None | Some(Op::Match(_) | Op::CtlConst { .. } | Op::IndirectBr(_)) => false,
        Some(_) if has_states(graph, node) => false,
        Some(Op::Call(call)) => {
            let info = pool.call(call);
            let is_token = |&output: &Origin| *pool.type_kind(graph.ty(output)) == TypeKind::Token;
            !info.tail.ends_function()
                && info.bundles.is_empty()
                && info.assembly.is_none()
                && !graph.outputs(node).iter().any(is_token)
                && !is_convergent(graph, surroundings, node)
        }
        Some(_) => true,
    }
}

/// Whether everything that is directly in a region is executed whenever the region is entered: nothing in it ends or
/// might not return. What carries no io state returns, and divisions do.
pub fn is_executed_wholly(graph: &Graph, region: Region) -> bool {
    let io = graph.arguments(region).iter().copied().find(|&argument| graph.ty(argument) == Type::IO);
    let Some(mut state) = io else { return true };
    loop {
        let Some(user) = graph.users_of(state).next() else { return false };
        let Use::Input(node, _) = graph.site(user) else { return true };
        if !graph.op(node).is_some_and(Op::may_carry_io) {
            return false;
        }
        let Some(next) = graph.outputs(node).iter().copied().find(|&output| graph.ty(output) == Type::IO) else {
            return false;
        };
        state = next;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rvsdg_core::{NodeKind, Pool};

    use super::*;

    #[test]
    fn states_that_go_in_or_come_out() {
        let mut graph = Graph::new(Arc::new(Pool::new()));
        let root = graph.root();
        let [number, mem] = [Type::I32, Type::MEM].map(|ty| graph.add_argument(root, ty));
        for (inputs, outputs, expected) in [
            (&[number][..], &[Type::I32][..], false),
            (&[mem], &[], true),
            (&[number, mem], &[Type::I32], true),
            (&[], &[Type::IO], true),
        ] {
            let node = graph.add_node(root, NodeKind::Gamma, inputs, outputs);
            assert_eq!(has_states(&graph, node), expected, "{inputs:?} {outputs:?}");
        }
    }
}
