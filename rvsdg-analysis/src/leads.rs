//! Where the alternatives of a conditional lead: what is chosen behind it by a predicate that it gives, or that it has in common with
//! another conditional.

use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Op, Origin, TypeKind};

/// Where a γ has a predicate from that decides something behind it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Lead {
    /// It is the γ's own.
    Same,
    /// It is this exit variable.
    Exit(usize),
}

/// The predicates by which something behind a γ may be decided.
pub fn leads(graph: &Graph, gamma: Gamma) -> impl Iterator<Item = (Lead, Origin)> {
    let is_predicate = |origin| matches!(graph.pool().type_kind(graph.ty(origin)), TypeKind::Ctl(_));
    let exits = graph.outputs(gamma.node()).iter().enumerate().map(|(index, &output)| (Lead::Exit(index), output));
    exits.chain([(Lead::Same, graph.origin(gamma.predicate(graph)))]).filter(move |&(_, origin)| is_predicate(origin))
}

/// The alternative that a predicate chooses where an alternative of the γ was chosen, if that is known.
pub fn alternative(graph: &Graph, gamma: Gamma, lead: Lead, position: usize) -> Option<u32> {
    let exit = match lead {
        Lead::Same => return u32::try_from(position).ok(),
        Lead::Exit(exit) => exit,
    };
    let producer = graph.producer(graph.result(gamma.regions(graph)[position], exit))?;
    match graph.op(producer)? {
        Op::CtlConst { value, .. } => Some(value),
        _ => None,
    }
}
