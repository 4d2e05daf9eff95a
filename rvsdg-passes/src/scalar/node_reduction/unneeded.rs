//! Unused results of alternatives.
//!
//! A predicate that a conditional returns, or that it shares with a later one, leads from each of its alternatives to one alternative of
//! the later conditional, or out of a loop or back to its start; or, if a loop ends with it, to an alternative of a conditional after the
//! loop. A value that is not used there may be anything:
//!
//! ```text
//! v1: ptr, v2: ctl(2) = gamma v0 (v3) { case 0 (…): yield null, ctl 0   case 1 (v4): yield v4, ctl 1 }
//! gamma v2 (v1) { case 0 (v5): …   case 1 (v6): … v6 … }
//! ```
//!
//! The null becomes poison, so that `v1` is `v3`. A select whose condition also decides where an alternative leads is replaced by the
//! value that is selected where it is used; that condition, and its extension to an integer, by constants.

use rvsdg_analysis::conditions::{self, REPEAT};
use rvsdg_analysis::leads::{self, Lead, leads};
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::fold::{self, Int, arith};
use rvsdg_core::op::CastOp;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Const, Graph, Op, Origin, OriginDef, Region, Type, Use};
use smallvec::SmallVec;

use super::driver::Driver;
use crate::pass::PassCx;

/// How many nested conditionals are visited for one value.
const MAX_NESTED: usize = 8;

/// A decision after a conditional.
#[derive(Copy, Clone)]
enum Decider {
    Gamma(Gamma),
    Theta(Theta),
    /// A γ after a loop, on a value of the last iteration.
    Behind(Theta, Gamma),
}

/// Replaces results of a γ by poison in alternatives that do not lead to a use of them.
pub(super) fn forget(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let deciders: SmallVec<[(Lead, Decider); 2]> = leads(graph, gamma)
        .flat_map(|(lead, predicate)| deciders(graph, gamma, predicate).map(move |decider| (lead, decider)))
        .collect();
    for (lead, decider) in deciders {
        for index in 0..graph.outputs(gamma.node()).len() {
            let output = graph.output(gamma.node(), index);
            if !graph.has_users(output) {
                continue;
            }
            if graph.pool().has_poison(graph.ty(output)) {
                forget_one(driver, graph, (gamma, lead, index), decider, cx);
            } else if lead != Lead::Exit(index) {
                agree(driver, graph, (gamma, lead, index), decider, cx);
            }
        }
    }
}

/// The decisions of a predicate after a conditional.
fn deciders(graph: &Graph, gamma: Gamma, predicate: Origin) -> impl Iterator<Item = Decider> {
    graph.users_of(predicate).filter_map(move |user| match graph.site(user) {
        Use::Input(node, 0) if node != gamma.node() => Gamma::new(graph, node).map(Decider::Gamma),
        Use::Input(..) => None,
        Use::Result(region, 0) => Theta::new(graph, graph.parent(region)?).map(Decider::Theta),
        Use::Result(region, index) => {
            let theta = Theta::new(graph, graph.parent(region)?)?;
            let output = theta.loop_var(graph, index as usize - 1).output;
            let decides = |user| match graph.site(user) {
                Use::Input(node, 0) => Gamma::new(graph, node),
                Use::Input(..) | Use::Result(..) => None,
            };
            Some(Decider::Behind(theta, graph.users_of(output).find_map(decides)?))
        }
    })
}

impl Decider {
    /// Whether a value may be used if an alternative is chosen.
    fn needs(self, graph: &Graph, value: Origin, alternative: u32) -> bool {
        graph.users_of(value).any(|user| match (self, graph.site(user)) {
            (Decider::Gamma(gamma), Use::Input(node, index @ 1..)) if node == gamma.node() => {
                enters(graph, gamma, alternative, index)
            }
            (Decider::Theta(theta), Use::Result(region, index @ 1..)) if region == theta.body(graph) => {
                let variable = theta.loop_var(graph, index as usize - 1);
                let is_used_again = graph.has_users(variable.pre);
                if alternative == REPEAT { is_used_again } else { graph.has_users(variable.output) }
            }
            (Decider::Behind(theta, gamma), Use::Result(region, index @ 1..)) if region == theta.body(graph) => {
                let variable = theta.loop_var(graph, index as usize - 1);
                let is_needed = |user| match graph.site(user) {
                    Use::Input(node, index @ 1..) if node == gamma.node() => enters(graph, gamma, alternative, index),
                    Use::Input(..) | Use::Result(..) => true,
                };
                graph.has_users(variable.pre) || graph.users_of(variable.output).any(is_needed)
            }
            (Decider::Gamma(_) | Decider::Theta(_) | Decider::Behind(..), _) => {
                !seeded::is_active(Bug::RedUnneededElsewhere)
            }
        })
    }
}

/// Whether an input of a γ is used in an alternative.
fn enters(graph: &Graph, gamma: Gamma, alternative: u32, index: u32) -> bool {
    let region = gamma.regions(graph)[alternative as usize];
    graph.has_users(graph.arguments(region)[index as usize - 1])
}

/// Does so for one result of a γ, including nested conditionals that return it.
fn forget_one(
    driver: &mut Driver,
    graph: &mut Graph,
    (gamma, lead, index): (Gamma, Lead, usize),
    decider: Decider,
    cx: &PassCx,
) {
    let value = graph.output(gamma.node(), index);
    let mut pending: SmallVec<[(Gamma, Lead, usize); MAX_NESTED]> = SmallVec::from_slice(&[(gamma, lead, index)]);
    let mut looked_at = 0;
    while let Some((at, lead, index)) = pending.pop() {
        looked_at += 1;
        for position in 0..at.regions(graph).len() {
            let region = at.regions(graph)[position];
            let given = graph.result(region, index);
            match leads::alternative(graph, at, lead, position) {
                Some(alternative) => {
                    let is_unneeded = !fold::is_poison(graph, given) && !decider.needs(graph, value, alternative);
                    if is_unneeded && driver.applies_to_variable(cx, "gamma-unneeded", graph, at.node()) {
                        let poison = graph.pool().poison(graph.ty(given));
                        let poison = Insert::end(graph, region).constant(poison);
                        graph.divert(graph.results(region)[index], poison);
                        driver.push(gamma.node());
                        driver.push(at.node());
                    }
                }
                None => {
                    let needs = |alternative| decider.needs(graph, value, alternative);
                    let given = match chosen(graph, region, lead, given, needs) {
                        Some(chosen) if driver.applies_to_variable(cx, "gamma-unneeded", graph, at.node()) => {
                            let chosen = match chosen {
                                Chosen::Value(value) => value,
                                Chosen::Constant(constant) => Insert::end(graph, region).constant(constant),
                            };
                            graph.divert(graph.results(region)[index], chosen);
                            driver.push(at.node());
                            chosen
                        }
                        _ => given,
                    };
                    if looked_at + pending.len() < MAX_NESTED {
                        pending.extend(inside(graph, region, lead, given));
                    }
                }
            }
        }
    }
}

/// Replaces a predicate, which cannot be poison, by the one that it is in all alternatives that lead to a use.
fn agree(
    driver: &mut Driver,
    graph: &mut Graph,
    (gamma, lead, index): (Gamma, Lead, usize),
    decider: Decider,
    cx: &PassCx,
) {
    let predicate = graph.output(gamma.node(), index);
    let Some(of) = graph.pool().ctl_alternatives(graph.ty(predicate)) else { return };
    let mut common = None;
    let mut unneeded: SmallVec<[usize; 4]> = SmallVec::new();
    for position in 0..gamma.regions(graph).len() {
        let given = leads::alternative(graph, gamma, Lead::Exit(index), position);
        let leads_to = leads::alternative(graph, gamma, lead, position);
        if leads_to.is_some_and(|alternative| !decider.needs(graph, predicate, alternative)) {
            unneeded.push(position);
        } else if given.is_none() || common.is_some_and(|common| given != Some(common)) {
            return;
        } else {
            common = given;
        }
    }
    let Some(common) = common else { return };
    for position in unneeded {
        let is_common = leads::alternative(graph, gamma, Lead::Exit(index), position) == Some(common);
        if !is_common && driver.applies_to_variable(cx, "gamma-unneeded", graph, gamma.node()) {
            let region = gamma.regions(graph)[position];
            let constant = Insert::end(graph, region).predicate(common, of);
            graph.divert(graph.results(region)[index], constant);
            driver.push(gamma.node());
        }
    }
}

/// The value of an exit variable where the condition that it follows from is decided.
#[derive(Copy, Clone)]
enum Chosen {
    Value(Origin),
    Constant(Const),
}

/// The condition that a value follows from, and the value where it is false and where it is true: of a select, of the condition itself,
/// and of the condition extended to an integer.
fn by_condition(graph: &Graph, value: Origin) -> Option<(Origin, [Chosen; 2])> {
    if fold::constant(graph, value).is_some() {
        return None;
    }
    let node = graph.producer(value);
    let bits = arith::width(graph.pool(), graph.ty(value)).unwrap_or(1);
    let constants = |holds: Int| [Int::new(bits, 0), holds].map(|int| Chosen::Constant(int.to_const(graph.pool())));
    let (condition, values) = match node.and_then(|node| Some((node, graph.op(node)?))) {
        Some((node, Op::Select(_))) => {
            (graph.input(node, 0), [Chosen::Value(graph.input(node, 2)), Chosen::Value(graph.input(node, 1))])
        }
        Some((node, Op::Cast { op: CastOp::ZExt, .. })) => (graph.input(node, 0), constants(Int::new(bits, 1))),
        Some((node, Op::Cast { op: CastOp::SExt, .. })) => (graph.input(node, 0), constants(Int::new(bits, 0).not())),
        _ => (value, constants(Int::new(bits, 1))),
    };
    (graph.ty(condition) == Type::I1).then_some((condition, values))
}

/// The value that a region returns where it is used, if it follows from a condition that is decided there.
fn chosen(graph: &Graph, region: Region, lead: Lead, given: Origin, needs: impl Fn(u32) -> bool) -> Option<Chosen> {
    let (condition, [otherwise, then]) = by_condition(graph, given)?;
    let Lead::Exit(exit) = lead else { return None };
    let predicate = graph.result(region, exit);
    let OriginDef::Output(producer, index) = graph.def(predicate) else { return None };
    let (predicate, needed): (Origin, SmallVec<[u32; 4]>) = match Gamma::new(graph, producer) {
        Some(inner) => {
            let lead = Lead::Exit(index as usize);
            let leads = |&position: &u32| leads::alternative(graph, inner, lead, position as usize).is_none_or(&needs);
            let positions = 0..inner.regions(graph).len() as u32;
            (graph.origin(inner.predicate(graph)), positions.filter(leads).collect())
        }
        None => {
            let alternatives = graph.pool().ctl_alternatives(graph.ty(predicate))?;
            (predicate, (0..alternatives).filter(|&alternative| needs(alternative)).collect())
        }
    };
    let mut truths = needed.iter().map(|&alternative| conditions::leads(graph, predicate, alternative, condition));
    let truth = truths.next()??;
    truths.all(|other| other == Some(truth)).then_some(if truth { then } else { otherwise })
}

/// The γ of a region that returns both the predicate and a value without other users.
fn inside(graph: &Graph, region: Region, lead: Lead, value: Origin) -> Option<(Gamma, Lead, usize)> {
    let Lead::Exit(exit) = lead else { return None };
    let predicate = graph.result(region, exit);
    let (OriginDef::Output(node, exit), OriginDef::Output(other, index)) = (graph.def(predicate), graph.def(value))
    else {
        return None;
    };
    let gamma = Gamma::new(graph, node).filter(|_| node == other && graph.has_one_user(value))?;
    Some((gamma, Lead::Exit(exit as usize), index as usize))
}
