//! Merges successive decisions on one value into one.
//!
//! ```text
//! gamma (x == 1) { case no: gamma (x == 2) { case no: C  case yes: B }   case yes: A }
//! ```
//!
//! becomes a γ on `match x [1 -> A, 2 -> B, _ -> C]`. And a γ that only selects among constant predicates and further decisions on the
//! same value, as remains of `x == 1 || x == 2`, becomes a `match` of that value.

use rustc_hash::FxHashMap;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int};
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Const, Graph, Node, NodeKind, Op, Origin, OriginDef, Region, TypeKind};

use super::driver::Driver;
use crate::pass::PassCx;

/// How a γ chooses: the value, and the alternative for each of its values.
struct Decision {
    on: Origin,
    table: MatchTable,
}

impl Decision {
    /// The decision of a predicate; a comparison for equality with a constant counts as a decision on the compared value.
    fn of(graph: &Graph, predicate: Origin) -> Option<Decision> {
        let node = graph.producer(predicate)?;
        let Some(Op::Match(table)) = graph.op(node) else { return None };
        let table = graph.pool().table(table);
        let on = graph.input(node, 0);
        let compared = graph.producer(on).and_then(|node| match graph.op(node) {
            Some(Op::ICmp { predicate: pred @ (IntPredicate::Eq | IntPredicate::Ne), .. }) => Some((node, pred)),
            _ => None,
        });
        let by_compare = compared.and_then(|(node, pred)| {
            let constant = fold::int(graph, graph.input(node, 1))?;
            let chosen = |is: bool| table.alternative(graph.pool(), Int::bool(is));
            let (equal, other) = match pred {
                IntPredicate::Eq => (chosen(true), chosen(false)),
                _ => (chosen(false), chosen(true)),
            };
            let cases = [(constant.to_const(graph.pool()), equal)].into();
            let table = MatchTable { cases, default: other, alternatives: table.alternatives };
            Some(Decision { on: graph.input(node, 0), table })
        });
        Some(by_compare.unwrap_or_else(|| Decision { on, table: table.clone() }))
    }

    /// The alternative for a value.
    fn alternative(&self, value: Const) -> u32 {
        alternative(&self.table, value)
    }
}

/// The alternative for a value.
fn alternative(table: &MatchTable, value: Const) -> u32 {
    table.cases.iter().find(|&&(case, _)| case == value).map_or(table.default, |&(_, chosen)| chosen)
}

/// If an alternative of a γ contains only a γ on the same value, makes the alternatives of that one alternatives of the outer one.
/// Returns whether it did.
pub(super) fn flatten(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> bool {
    let Some(outer) = Decision::of(graph, graph.origin(gamma.predicate(graph))) else { return false };
    for position in 0..gamma.regions(graph).len() {
        let region = gamma.regions(graph)[position];
        let Some(inner) = only_gamma(graph, region) else { continue };
        let Some(decision) = Decision::of(graph, graph.origin(inner.predicate(graph))) else { continue };
        let OriginDef::Argument(owner, argument) = graph.def(decision.on) else { continue };
        if owner != region
            || graph.input(gamma.node(), argument as usize + 1) != outer.on
            || !moves(graph, region, inner)
        {
            continue;
        }
        if !driver.applies(cx, "gamma-chain", graph, gamma.node()) {
            return false;
        }
        lift(driver, graph, gamma, position, &outer, inner, &decision);
        return true;
    }
    false
}

/// The γ of a region that otherwise has only constants.
fn only_gamma(graph: &Graph, region: Region) -> Option<Gamma> {
    let gamma = graph.nodes(region).find_map(|node| Gamma::new(graph, node))?;
    let predicate = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Some(Op::Match(_)) = graph.op(predicate) else { return None };
    let condition = graph.producer(graph.input(predicate, 0));
    let rest = graph
        .nodes(region)
        .all(|node| node == gamma.node() || node == predicate || Some(node) == condition || is_constant(graph, node));
    rest.then_some(gamma)
}

fn is_constant(graph: &Graph, node: Node) -> bool {
    matches!(graph.kind(node), NodeKind::Simple(Op::Const(_) | Op::CtlConst { .. }))
}

/// Whether all inputs of the γ and all results of the region are arguments of the region, constants, or outputs of the γ.
fn moves(graph: &Graph, region: Region, gamma: Gamma) -> bool {
    let known = |origin: Origin| match graph.def(origin) {
        OriginDef::Argument(owner, _) => owner == region,
        OriginDef::Output(node, _) => is_constant(graph, node),
    };
    let results = (0..graph.results(region).len()).map(|index| graph.result(region, index));
    graph.input_origins(gamma.node()).skip(1).all(known)
        && results.into_iter().all(|origin| graph.producer(origin) == Some(gamma.node()) || known(origin))
}

/// Moves the alternatives of `inner`, in the region at `position`, to `outer`.
fn lift(
    driver: &mut Driver,
    graph: &mut Graph,
    gamma: Gamma,
    position: usize,
    outer: &Decision,
    inner: Gamma,
    decision: &Decision,
) {
    let region = gamma.regions(graph)[position];
    let before = gamma.regions(graph).len() as u32;
    // The outer alternative that an alternative of the inner one becomes: the first takes the region's position.
    let lifted = |chosen: u32| if chosen == 0 { position as u32 } else { before + chosen - 1 };
    let mut cases: Vec<(Const, u32)> = Vec::new();
    for &(value, chosen) in &outer.table.cases {
        let chosen = if chosen as usize == position { lifted(decision.alternative(value)) } else { chosen };
        cases.push((value, chosen));
    }
    let mut default = outer.table.default;
    if default as usize == position {
        for &(value, chosen) in &decision.table.cases {
            if !outer.table.cases.iter().any(|&(case, _)| case == value) {
                cases.push((value, lifted(chosen)));
            }
        }
        default = lifted(decision.table.default);
    }
    cases.retain(|&(_, chosen)| chosen != default);
    let alternatives = before + decision.table.alternatives - 1;
    let table = MatchTable { cases: cases.into(), default, alternatives };

    let inner_regions: Vec<Region> = inner.regions(graph).to_vec();
    for &from in &inner_regions[1..] {
        let to = graph.add_region(gamma.node());
        let mut map: FxHashMap<Origin, Origin> = FxHashMap::default();
        for index in 0..graph.arguments(region).len() {
            let argument = graph.arguments(region)[index];
            let ty = graph.ty(argument);
            map.insert(argument, graph.add_argument(to, ty));
        }
        for index in 0..graph.arguments(from).len() {
            let (argument, origin) = (graph.arguments(from)[index], graph.input(inner.node(), index + 1));
            let origin = known(graph, &mut map, to, origin);
            driver.push_users(graph, argument);
            graph.divert_users(argument, origin);
        }
        let nodes: Vec<Node> = graph.nodes(from).collect();
        for node in nodes {
            graph.move_to(node, to);
            driver.push(node);
        }
        for index in 0..graph.results(region).len() {
            let origin = graph.result(region, index);
            let origin = match graph.def(origin) {
                OriginDef::Output(node, output) if node == inner.node() => graph.result(from, output as usize),
                _ => known(graph, &mut map, to, origin),
            };
            graph.add_result(to, origin);
        }
        graph.retain_results(from, |_| false);
        let end = graph.end_source(from);
        graph.set_end_source(to, end);
    }
    // The inner γ has one alternative left, which is chosen.
    let predicate = graph.producer(graph.origin(inner.predicate(graph)));
    let origins: Vec<Origin> = graph.input_origins(inner.node()).skip(1).collect();
    super::control::inline(driver, graph, inner.node(), inner_regions[0], &origins, 0);
    if let Some(predicate) = predicate {
        driver.remove(graph, predicate);
    }
    let predicate = Insert::before(graph, gamma.node()).choose(table, outer.on);
    super::control::choose_by(driver, graph, gamma, predicate);
}

/// The value in a new region for a constant or an argument of the old one.
fn known(graph: &mut Graph, map: &mut FxHashMap<Origin, Origin>, to: Region, origin: Origin) -> Origin {
    if let Some(&known) = map.get(&origin) {
        return known;
    }
    let ty = graph.ty(origin);
    let op = graph.producer(origin).and_then(|node| graph.op(node)).expect("what is no argument is a constant");
    let copy = Insert::front(graph, to).node(op, &[], &[ty]);
    let copy = graph.output(copy, 0);
    map.insert(origin, copy);
    copy
}

/// The decision of an alternative of a γ.
enum Outcome {
    /// The same for all values.
    Constant(u32),
    /// It depends on the value that the γ itself decides on.
    Decided(MatchTable),
}

impl Outcome {
    /// The predicate that a region returns, if the region does nothing else.
    fn of(graph: &Graph, gamma: Gamma, region: Region, predicate: Origin, on: Origin) -> Option<Outcome> {
        let node = graph.producer(predicate)?;
        let chooser = match graph.op(node)? {
            Op::CtlConst { value, .. } => {
                return graph.nodes(region).all(|node| is_constant(graph, node)).then_some(Outcome::Constant(value));
            }
            _ => node,
        };
        let decision = Decision::of(graph, predicate)?;
        let OriginDef::Argument(_, argument) = graph.def(decision.on) else { return None };
        let condition = graph.producer(graph.input(chooser, 0));
        let does_nothing_else =
            graph.nodes(region).all(|node| node == chooser || Some(node) == condition || is_constant(graph, node));
        let value = graph.input(gamma.node(), argument as usize + 1);
        let is_same = value == on || seeded::is_active(Bug::RedOtherDecision) && graph.ty(value) == graph.ty(on);
        (does_nothing_else && is_same).then_some(Outcome::Decided(decision.table))
    }

    /// The alternative for a value.
    fn of_value(&self, value: Const) -> u32 {
        match self {
            Outcome::Constant(chosen) => *chosen,
            Outcome::Decided(table) => alternative(table, value),
        }
    }
}

/// Replaces a predicate that a γ selects among constants, or among constants and decisions on its own operand, by a `match` of that
/// operand, if the γ has no other use.
pub(super) fn constant_predicate(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) -> bool {
    let node = gamma.node();
    let mut used = (0..graph.outputs(node).len()).filter(|&index| graph.has_users(graph.output(node, index)));
    let (Some(index), None) = (used.next(), used.next()) else { return false };
    let output = graph.output(node, index);
    let TypeKind::Ctl(of) = *graph.pool().type_kind(graph.ty(output)) else { return false };
    let Some(outer) = Decision::of(graph, graph.origin(gamma.predicate(graph))) else { return false };
    let outcome = |&region: &Region| Outcome::of(graph, gamma, region, graph.result(region, index), outer.on);
    let Some(outcomes) = gamma.regions(graph).iter().map(outcome).collect::<Option<Vec<_>>>() else { return false };
    let decides = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Decided(_)));
    let rule = if decides { "gamma-chain-predicates" } else { "gamma-constant-predicates" };
    if !driver.applies(cx, rule, graph, node) {
        return false;
    }
    let chosen = |&(value, alternative): &(Const, u32)| (value, outcomes[alternative as usize].of_value(value));
    let mut cases: Vec<(Const, u32)> = outer.table.cases.iter().map(chosen).collect();
    let default = match &outcomes[outer.table.default as usize] {
        Outcome::Constant(default) => *default,
        Outcome::Decided(table) => {
            let is_new = |value| !outer.table.cases.iter().any(|&(case, _)| case == value);
            cases.extend(table.cases.iter().filter(|&&(value, _)| is_new(value)));
            table.default
        }
    };
    cases.retain(|&(_, chosen)| chosen != default || !decides);
    let table = MatchTable { cases: cases.into(), default, alternatives: of };
    let replacement = Insert::before(graph, node).choose(table, outer.on);
    graph.producer(replacement).into_iter().for_each(|new| driver.push(new));
    driver.push_users(graph, output);
    graph.divert_users(output, replacement);
    driver.remove(graph, node);
    true
}
