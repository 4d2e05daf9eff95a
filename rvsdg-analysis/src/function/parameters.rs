//! The uses of pointer parameters by functions.

use rustc_hash::FxHashMap;
use rvsdg_core::op::CallInfo;
use rvsdg_core::{Body, Module, Node, Op, Symbol, TypeKind};

use super::attributes;
use crate::CallGraph;
use crate::callee::takes;
use crate::captures::{PointerUse, uses};

/// The uses of a function's parameters, by index; any use for those that are not pointers.
pub type ParameterUses = Box<[PointerUse]>;

/// The uses of their parameters by functions that call each other: `members` are the functions of a component of the call graph whose
/// definitions are exact, `known` has the results for earlier ones.
///
/// The least fixed point: the uses by a call of a member are those found so far, until nothing is added. Each round is linear in the uses
/// of the parameters.
pub fn parameter_uses(
    module: &Module,
    calls: &CallGraph,
    members: &[Body],
    known: &FxHashMap<Symbol, ParameterUses>,
) -> Vec<(Symbol, ParameterUses)> {
    let callees: Vec<FxHashMap<Node, Symbol>> = members.iter().map(|&body| calls.calls(body).collect()).collect();
    let mut found: FxHashMap<Symbol, ParameterUses> = FxHashMap::default();
    for &body in members {
        let Some(count) = parameters(module, calls, body).map(|(_, count)| count) else { continue };
        found.insert(module.bodies[body].symbol, vec![PointerUse::NONE; count].into());
    }
    let mut changed = true;
    while changed {
        changed = false;
        for (&body, callees) in members.iter().zip(&callees) {
            let symbol = module.bodies[body].symbol;
            let own = of_body(module, calls, body, callees, |callee| found.get(&callee).or_else(|| known.get(&callee)));
            if let Some(own) = own.filter(|own| found.get(&symbol) != Some(own)) {
                changed = true;
                found.insert(symbol, own);
            }
        }
    }
    found.into_iter().collect()
}

/// The argument of a body's root region that is its first parameter, and the number of parameters; `None` if it has no graph.
fn parameters(module: &Module, calls: &CallGraph, body: Body) -> Option<(usize, usize)> {
    let graph = module.bodies[body].graph()?;
    let first = calls.contexts(body).len();
    let arguments = &graph.arguments(graph.root())[first..];
    Some((first, arguments.iter().filter(|&&argument| !graph.ty(argument).is_state()).count()))
}

fn of_body<'k>(
    module: &Module,
    calls: &CallGraph,
    body: Body,
    callees: &FxHashMap<Node, Symbol>,
    known: impl Fn(Symbol) -> Option<&'k ParameterUses>,
) -> Option<ParameterUses> {
    let (first, count) = parameters(module, calls, body)?;
    let graph = module.bodies[body].graph()?;
    let argument_use = |node: Node, param: usize| {
        let Some(Op::Call(call) | Op::Invoke(call)) = graph.op(node) else { return PointerUse::ANY };
        of_argument(module, module.pool.call(call), callees.get(&node).copied(), param, &known)
    };
    let of = |&parameter: &rvsdg_core::Origin| {
        if !matches!(module.pool.type_kind(graph.ty(parameter)), TypeKind::Ptr(_)) {
            return PointerUse::ANY;
        }
        let mut all = PointerUse::NONE;
        uses(graph, parameter, argument_use, |_, one| all = all.or(one));
        all
    };
    Some(graph.arguments(graph.root())[first..first + count].iter().map(of).collect())
}

/// The uses of an argument by a call, from attributes and from its callee.
fn of_argument<'k>(
    module: &Module,
    call: &CallInfo,
    callee: Option<Symbol>,
    param: usize,
    known: impl Fn(Symbol) -> Option<&'k ParameterUses>,
) -> PointerUse {
    let site = PointerUse::of_attributes(module.pool.attributes(call.attributes), param);
    let Some(callee) = callee.filter(|&symbol| takes(&module.symbols[symbol], call)) else { return site };
    let declared = attributes(module, callee).map_or(PointerUse::ANY, |list| PointerUse::of_attributes(list, param));
    let inferred = known(callee).and_then(|uses| uses.get(param)).copied().unwrap_or(PointerUse::ANY);
    site.and(declared).and(inferred)
}
