//! Which later choice each alternative of a conditional determines: through a predicate that the conditional returns, or that it shares
//! with another conditional.

use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, LoopVar, Theta};
use rvsdg_core::{Const, Constant, Graph, Op, Origin, OriginDef, TypeKind};
use smallvec::SmallVec;

use crate::conditions::REPEAT;
use crate::integers::bounds;

/// The maximum number of nested conditionals visited for one predicate or value.
const MAX_NESTED: usize = 32;

/// The maximum number of γs that pass on a predicate, of one region.
const MAX_CHAINED: u32 = 4;

/// The source of a predicate that is used after a γ.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Lead {
    /// It is the γ's own predicate.
    Same,
    /// It is this exit variable.
    Exit(usize),
}

/// The predicates that may be used after a γ.
pub fn leads(graph: &Graph, gamma: Gamma) -> impl Iterator<Item = (Lead, Origin)> {
    let is_predicate = |origin| matches!(graph.pool().type_kind(graph.ty(origin)), TypeKind::Ctl(_));
    let exits = graph.outputs(gamma.node()).iter().enumerate().map(|(index, &output)| (Lead::Exit(index), output));
    exits.chain([(Lead::Same, graph.origin(gamma.predicate(graph)))]).filter(move |&(_, origin)| is_predicate(origin))
}

/// The alternative that a predicate chooses if an alternative of the γ was chosen, if known.
pub fn alternative(graph: &Graph, gamma: Gamma, lead: Lead, position: usize) -> Option<u32> {
    let exit = match lead {
        Lead::Same => return u32::try_from(position).ok(),
        Lead::Exit(exit) => exit,
    };
    constant(graph, graph.result(gamma.regions(graph)[position], exit))
}

/// The alternative that a predicate after a γ, or its own, chooses if an alternative of the γ was chosen, if that is known; also
/// through other γs that this decides.
pub fn chosen(graph: &Graph, gamma: Gamma, position: u32, predicate: Origin) -> Option<u32> {
    chosen_within(graph, gamma, position, predicate, MAX_CHAINED)
}

/// At most `left` calls deep.
fn chosen_within(graph: &Graph, gamma: Gamma, position: u32, predicate: Origin, left: u32) -> Option<u32> {
    if predicate == graph.origin(gamma.predicate(graph)) {
        return Some(position);
    }
    let OriginDef::Output(node, index) = graph.def(predicate) else { return None };
    let Some(other) = Gamma::new(graph, node) else { return constant(graph, predicate) };
    let left = left.checked_sub(1)?;
    let at = if other == gamma {
        position
    } else {
        chosen_within(graph, gamma, position, graph.origin(other.predicate(graph)), left)?
    };
    let region = other.regions(graph)[at as usize];
    let result = graph.result(region, index as usize);
    match graph.def(result) {
        OriginDef::Argument(_, entry) => {
            chosen_within(graph, gamma, position, graph.input(node, entry as usize + 1), left)
        }
        OriginDef::Output(..) => constant(graph, result),
    }
}

/// The alternative that a predicate always chooses.
pub fn constant(graph: &Graph, predicate: Origin) -> Option<u32> {
    match graph.op(graph.producer(predicate)?)? {
        Op::CtlConst { value, .. } => Some(value),
        _ => None,
    }
}

/// The exit variables through which nested γs pass on a predicate, outer ones first; the innermost one gets it from a `match` or a
/// constant. Empty for a predicate that no γ returns.
pub type Givers = SmallVec<[(Gamma, usize); 4]>;

/// The alternatives that a predicate may choose: those that a `match` or a constant in one of the γs names, with the exit variables
/// through which it is passed. `None` if it has another source, such as a call that may unwind or a loop variable, or passes more γs than
/// are visited.
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

/// Whether each value that an operand may have has a case.
fn names_all(graph: &Graph, table: &MatchTable, operand: Origin) -> bool {
    let bits = arith::width(graph.pool(), graph.ty(operand));
    if bits.is_some_and(|bits| bits < usize::BITS && table.cases.len() == 1 << bits) {
        return true;
    }
    // Bounds take longer, and a value with a single case is not worth it.
    let bounds = (table.cases.len() > 1).then(|| bounds::of(graph, operand)).flatten();
    let Some(bounds) = bounds else { return false };
    let values = table.cases.iter().filter_map(|&(value, _)| Int::of_const(graph.pool(), value));
    let within = values.filter(|value| (bounds.least..=bounds.greatest).contains(&value.unsigned())).count();
    // Code that nothing reaches may have bounds that leave no value.
    bounds.greatest.checked_sub(bounds.least).is_some_and(|rest| within as u128 > rest)
}

/// The constant that a loop variable is at the end of each iteration that repeats the loop, if there is one; an unchanged variable does
/// not count against it.
pub fn repeated_constant(graph: &Graph, theta: Theta, variable: LoopVar) -> Option<Const> {
    let mut common = None;
    let mut looked_at = 0;
    // A value, and the predicate of repetition in the same region, if known.
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
