//! Merges alternatives that compute nothing.
//!
//! A three-way branch is two branches on a machine. If two of the alternatives differ only in constants, these are selected by the value
//! that is decided on, and one branch is left.

use rvsdg_core::build::Insert;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Op, Origin, OriginDef, Region, Type};

use super::is_empty;
use super::predicate::{MAX_SELECTS, Ways, selected};

/// A value that a region passes on without computing it.
#[derive(Copy, Clone, PartialEq)]
pub(super) enum Passed {
    /// An entry variable, by position.
    Entry(usize),
    Constant(Op, Type),
}

impl Passed {
    pub(super) fn of(graph: &Graph, region: Region, result: usize) -> Option<Passed> {
        let origin = graph.result(region, result);
        match graph.def(origin) {
            OriginDef::Argument(_, index) => Some(Passed::Entry(index as usize)),
            OriginDef::Output(node, _) => {
                let constant = graph.op(node).filter(|_| graph.inputs(node).is_empty())?;
                Some(Passed::Constant(constant, graph.ty(origin)))
            }
        }
    }

    pub(super) fn bring(self, at: &mut Insert) -> Origin {
        match self {
            Passed::Entry(index) => {
                let region = at.region();
                at.graph().arguments(region)[index]
            }
            Passed::Constant(Op::Const(constant), _) => at.constant(constant),
            Passed::Constant(op, ty) => at.add(op, &[], ty),
        }
    }
}

/// Merges the alternatives of a γ that compute nothing, if a `match` of a number selects the alternative. The γ with one alternative for
/// them, the last, takes the place of the other; `ways` is that of its alternatives.
pub(super) fn merge_empty(graph: &mut Graph, gamma: Gamma, ways: &mut Ways) -> Option<Gamma> {
    let node = gamma.node();
    let regions = gamma.regions(graph).to_vec();
    let (empty, others): (Vec<usize>, Vec<usize>) =
        (0..regions.len()).partition(|&alternative| is_empty(graph, regions[alternative]));
    if empty.len() < 2 {
        return None;
    }
    let decides = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Op::Match(_) = graph.op(decides)? else { return None };
    let value = graph.input(decides, 0);
    let used: Vec<bool> = gamma.exit_vars(graph).map(|variable| graph.has_users(variable.output)).collect();
    gamma.retain_exit_vars(graph, |index| used[index]);
    let passed = gamma.exit_vars(graph).map(|variable| {
        empty.iter().map(|&alternative| Passed::of(graph, regions[alternative], variable.index)).collect()
    });
    let passed: Vec<Vec<Passed>> = passed.collect::<Option<_>>()?;
    let chosen: Vec<bool> = passed.iter().map(|of| of.iter().any(|other| *other != of[0])).collect();
    let is_value = |index: usize| {
        let ty = graph.ty(graph.output(node, index));
        !ty.is_state() && graph.pool().ctl_alternatives(ty).is_none()
    };
    let count = chosen.iter().filter(|&&chosen| chosen).count();
    if count * (empty.len() - 1) > MAX_SELECTS || !(0..chosen.len()).all(|index| !chosen[index] || is_value(index)) {
        return None;
    }

    let number = |graph: &Graph, alternative: usize| graph.pool().int_const(Type::I32, alternative as u64);
    let last = others.len() as u32;
    let cases = (0..last).zip(&others).map(|(new, &old)| (number(graph, old), new)).collect();
    let table = MatchTable { cases, default: last, alternatives: last + 1 };
    let mut at = Insert::before(graph, node);
    let predicate = at.choose(table, value);
    let merged = at.gamma(predicate, others.len() + 1);
    for index in 1..graph.inputs(node).len() {
        let origin = graph.input(node, index);
        merged.add_entry_var(graph, origin);
    }
    let number_in = merged.add_entry_var(graph, value);
    let into = merged.regions(graph).to_vec();
    for (&other, &new) in others.iter().zip(&into) {
        graph.move_contents(regions[other], new);
    }
    let names = empty[1..].iter().zip(1..).map(|(&alternative, index)| (number(graph, alternative), index)).collect();
    let names = MatchTable { cases: names, default: 0, alternatives: empty.len() as u32 };
    let number = number_in.argument(graph, merged, others.len());
    for (index, passed) in passed.iter().enumerate() {
        let mut origins: Vec<Origin> =
            others.iter().map(|&alternative| graph.result(regions[alternative], index)).collect();
        let mut at = Insert::end(graph, into[others.len()]);
        let first = passed[0].bring(&mut at);
        origins.push(if chosen[index] {
            let values: Vec<Origin> = passed.iter().map(|passed| passed.bring(&mut at)).collect();
            selected(&mut at, &names, number, &values)
        } else {
            first
        });
        let variable = merged.add_exit_var(graph, &origins);
        let old = graph.output(node, index);
        graph.set_origin_source(variable.output, graph.origin_source(old));
        graph.divert_users(old, variable.output);
    }
    others.iter().for_each(|&alternative| graph.retain_results(regions[alternative], |_| false));
    graph.remove(node);
    if !graph.has_users(graph.output(decides, 0)) {
        graph.remove(decides);
    }
    let together = empty.iter().map(|&alternative| ways[alternative]).max();
    *ways = others.iter().map(|&alternative| ways[alternative]).chain(together).collect();
    Some(merged)
}
