//! What is said of a call, at the call itself or at the function that it calls.

use rvsdg_core::fold::Intrinsic;
use rvsdg_core::graph::WalkItem;
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef};

use crate::surroundings::{Context, Surroundings};
use crate::trace::outward;

/// Whether a call, or the function that it surely calls, has one of some attributes of functions.
///
/// As in LLVM (`CallBase::hasFnAttr`), what a declaration says holds for every direct call, while of a call through a pointer
/// nothing is known but what it says itself. Where it is not sure whether the callee is known, a call has them all.
/// Operations that are no calls have none.
pub fn call_has(graph: &Graph, surroundings: Option<&Surroundings>, node: Node, names: &[&str]) -> bool {
    let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return false };
    let pool = graph.pool();
    let info = pool.call(call);
    let own = pool.attributes(info.attributes);
    if names.iter().any(|name| own.function_has(name)) {
        return true;
    }
    let Some(surroundings) = surroundings.filter(|_| info.assembly.is_none()) else { return false };
    match callee(graph, graph.input(node, 0)) {
        Callee::Argument(index) => match surroundings.context(index) {
            Some(Context::Function { attributes, .. }) => {
                let declared = pool.attributes(attributes);
                names.iter().any(|name| declared.function_has(name))
            }
            Some(Context::Variable { .. } | Context::Other) | None => false,
        },
        Callee::Computed => false,
        Callee::Routed => true,
    }
}

/// The intrinsic that a call without states calls.
pub fn intrinsic(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> Option<Intrinsic> {
    let Op::Call(call) = graph.op(node)? else { return None };
    let info = graph.pool().call(call);
    let plain = info.assembly.is_none() && info.bundles.is_empty() && info.metadata.is_empty();
    if !plain || info.effects.count() > 0 || graph.outputs(node).len() != 1 {
        return None;
    }
    match surroundings?.context(argument_of_root(graph, graph.input(node, 0))?)? {
        Context::Function { intrinsic, .. } => intrinsic,
        Context::Variable { .. } | Context::Other => None,
    }
}

/// Whether a node is a convergent call, or has one in it: it must not depend on conditions that it did not depend on.
pub fn is_convergent(graph: &Graph, surroundings: Option<&Surroundings>, node: Node) -> bool {
    let convergent = |node| call_has(graph, surroundings, node, &["convergent"]);
    convergent(node)
        || graph.subregions(node).iter().any(|&region| {
            graph.walk_region(region).any(|item| matches!(item, WalkItem::Node(inner) if convergent(inner)))
        })
}

/// The argument of the body's root region that a value of any region surely is.
pub fn argument_of_root(graph: &Graph, origin: Origin) -> Option<usize> {
    match callee(graph, origin) {
        Callee::Argument(index) => Some(index),
        Callee::Computed | Callee::Routed => None,
    }
}

/// What a call calls.
enum Callee {
    /// An argument of the body's root region.
    Argument(usize),
    /// What an operation gave.
    Computed,
    /// What comes from several places, which may all be the same.
    Routed,
}

fn callee(graph: &Graph, mut origin: Origin) -> Callee {
    loop {
        let (region, index) = match graph.def(origin) {
            OriginDef::Argument(region, index) => (region, index),
            OriginDef::Output(node, _) if graph.op(node).is_some() => return Callee::Computed,
            OriginDef::Output(..) => return Callee::Routed,
        };
        if graph.parent(region).is_none() {
            return Callee::Argument(index as usize);
        }
        match outward(graph, region, index) {
            Some((outer, _)) => origin = outer,
            None => return Callee::Routed,
        }
    }
}
