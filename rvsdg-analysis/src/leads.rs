//! Where the alternatives of a conditional lead: what is chosen behind it by a predicate that it gives, or that it has in common with
//! another conditional.

use rvsdg_core::fold::{self, arith};
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Op, Origin, OriginDef, TypeKind};
use smallvec::SmallVec;

use crate::conditions::REPEAT;

/// So many conditionals inside of one are looked at for one predicate or value.
const MAX_NESTED: usize = 32;

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

/// The exit variables through which γs inside of one another give a predicate, outer ones first; the last one gives it from a `match`
/// or a constant. A predicate that no γ gives has none.
pub type Givers = SmallVec<[(Gamma, usize); 4]>;

/// Which alternatives a predicate may choose, and which γs give it: those that a `match` or a constant in one of their alternatives names.
/// Nothing where something else decides, as a call that may unwind, a variable of a loop, or more γs than are looked at.
pub fn possible(graph: &Graph, predicate: Origin) -> Option<(SmallVec<[bool; 4]>, Givers)> {
    let of = graph.pool().ctl_alternatives(graph.ty(predicate))?;
    let mut chosen: SmallVec<[bool; 4]> = SmallVec::from_elem(false, of as usize);
    let mut givers = Givers::new();
    let mut pending: SmallVec<[Origin; 4]> = SmallVec::from_slice(&[predicate]);
    while let Some(predicate) = pending.pop() {
        let OriginDef::Output(node, index) = graph.def(predicate) else { return None };
        if let Some(gamma) = Gamma::new(graph, node) {
            if givers.len() == MAX_NESTED {
                return None;
            }
            givers.push((gamma, index as usize));
            pending.extend(gamma.regions(graph).iter().map(|&region| graph.result(region, index as usize)));
            continue;
        }
        match graph.op(node)? {
            Op::CtlConst { value, .. } => chosen[value as usize] = true,
            Op::Match(table) => {
                let table = graph.pool().table(table);
                table.cases.iter().for_each(|&(_, case)| chosen[case as usize] = true);
                chosen[table.default as usize] |= !names_all(graph, table, graph.input(node, 0));
            }
            _ => return None,
        }
    }
    Some((chosen, givers))
}

/// Whether each value of an operand has a case.
fn names_all(graph: &Graph, table: &MatchTable, operand: Origin) -> bool {
    let bits = arith::width(graph.pool(), graph.ty(operand));
    bits.is_some_and(|bits| bits < usize::BITS && table.cases.len() == 1 << bits)
}

/// The constant that a loop variable is at the end of each iteration but the last, if it is one there, or the same as at its start.
pub fn repeated_constant(graph: &Graph, theta: Theta, variable: LoopVar) -> Option<Const> {
    let mut common = None;
    let mut looked_at = 0;
    // A value, and the predicate of repetition in the same region, where it is known.
    let mut pending: SmallVec<[(Origin, Option<Origin>); 4]> = SmallVec::new();
    pending.push((graph.origin(variable.post), Some(graph.origin(theta.predicate(graph)))));
    while let Some((value, predicate)) = pending.pop() {
        let decision = predicate.and_then(|predicate| graph.producer(predicate)).and_then(|node| graph.op(node));
        let is_left = matches!(decision, Some(Op::CtlConst { value, .. }) if value != REPEAT);
        if is_left || value == variable.pre {
            continue;
        }
        if let Some(constant) = fold::constant(graph, value) {
            let is_poison = matches!(graph.pool().constant(constant), Constant::Poison(_));
            if !is_poison && *common.get_or_insert(constant) != constant {
                return None;
            }
            continue;
        }
        looked_at += 1;
        if looked_at > MAX_NESTED {
            return None;
        }
        let (node, index) = match graph.def(value) {
            OriginDef::Output(node, index) => (node, index as usize),
            OriginDef::Argument(region, argument) => {
                let gamma = Gamma::new(graph, graph.parent(region)?)?;
                pending.push((graph.input(gamma.node(), argument as usize + 1), None));
                continue;
            }
        };
        let gamma = Gamma::new(graph, node)?;
        let lead = predicate.and_then(|predicate| leads(graph, gamma).find(|&(_, origin)| origin == predicate));
        for (position, &region) in gamma.regions(graph).iter().enumerate() {
            let inner = match lead {
                Some((Lead::Same, _)) if position as u32 != REPEAT => continue,
                Some((Lead::Exit(exit), _)) => Some(graph.result(region, exit)),
                Some((Lead::Same, _)) | None => None,
            };
            pending.push((graph.result(region, index), inner));
        }
    }
    common
}
