//! Cascades: a conditional that a number decides as conditionals with two alternatives.
//!
//! Code generators make an indirect branch of one with four and more alternatives. When its threads are at several of these, a cascade is
//! faster, as measured in `docs/gpu.md`. Where it parts the alternatives, as many ways lead to one side as to the other: alternatives
//! to which equally many lead are tested in halves (the breadth-first cascade of figure C1.5 of the thesis), and one to which
//! most of them lead is tested first (depth-first).

use std::ops::Range;

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::Insert;
use rvsdg_core::op::{IntPredicate, MatchTable};
use rvsdg_core::structural::Gamma;
use rvsdg_core::{Graph, Node, Op, Origin};

use super::predicate::Ways;

/// The number that decides a γ, and which alternative it chooses; `None` where the alternative is known, for one.
pub(super) fn deciding_number(graph: &Graph, gamma: Gamma) -> Option<(Node, MatchTable)> {
    let decides = graph.producer(graph.origin(gamma.predicate(graph)))?;
    let Op::Match(table) = graph.op(decides)? else { return None };
    Some((decides, graph.pool().table(table).clone()))
}

/// Makes a cascade of a γ that a [number](deciding_number) decides and to whose alternatives so many ways lead.
pub(super) fn cascade(graph: &mut Graph, gamma: Gamma, ways: Ways) {
    let mut pending = vec![(gamma, ways)];
    while let Some((gamma, ways)) = pending.pop() {
        let Some(decides) = deciding_number(graph, gamma) else { continue };
        let middle = middle(&ways);
        let sides = [0..middle, middle..ways.len()];
        for (inner, side) in split(graph, gamma, decides, &sides).into_iter().zip(sides) {
            pending.extend(inner.filter(|_| side.len() > 2).map(|inner| (inner, Ways::from_slice(&ways[side]))));
        }
    }
}

/// The number of alternatives before which as many ways lead as to the others, as nearly as can be.
fn middle(ways: &[u8]) -> usize {
    let sum = |ways: &[u8]| ways.iter().map(|&ways| i32::from(ways)).sum::<i32>();
    let unbalance = |&at: &usize| (sum(&ways[..at]) - sum(&ways[at..])).abs();
    (1..ways.len()).min_by_key(unbalance).expect("there are two alternatives")
}

/// Replaces a γ by one that decides between two sides of its alternatives. The γ of each side that has several.
fn split(
    graph: &mut Graph,
    gamma: Gamma,
    (decides, table): (Node, MatchTable),
    sides: &[Range<usize>; 2],
) -> [Option<Gamma>; 2] {
    let (node, regions) = (gamma.node(), gamma.regions(graph).to_vec());
    let number = graph.input(decides, 0);

    let mut at = Insert::before(graph, node);
    let predicate = decide(&mut at, &table, number, sides[1].start);
    let outer = at.gamma(predicate, 2);
    for index in 1..graph.inputs(node).len() {
        let origin = graph.input(node, index);
        outer.add_entry_var(graph, origin);
    }
    let entered = outer.add_entry_var(graph, number);
    let mut left: [Vec<Origin>; 2] = Default::default();
    let mut inners = [None; 2];
    for (number, side) in sides.iter().enumerate() {
        let (region, olds) = (outer.regions(graph)[number], &regions[side.clone()]);
        if let &[old] = olds {
            graph.move_contents(old, region);
            left[number] = graph.result_origins(old).collect();
            continue;
        }
        let operand = entered.argument(graph, outer, number);
        let mut at = Insert::end(graph, region);
        let table = within(&table, side);
        let predicate = if side.len() == 2 { decide(&mut at, &table, operand, 1) } else { at.choose(table, operand) };
        let inner = at.gamma(predicate, side.len());
        for index in 0..entered.index {
            let argument = graph.arguments(region)[index];
            inner.add_entry_var(graph, argument);
        }
        for (&old, new) in olds.iter().zip(inner.regions(graph).to_vec()) {
            graph.move_contents(old, new);
        }
        for result in 0..graph.outputs(node).len() {
            let origins: Vec<Origin> = olds.iter().map(|&old| graph.result(old, result)).collect();
            left[number].push(inner.add_exit_var(graph, &origins).output);
        }
        inners[number] = Some(inner);
    }
    let [lower, upper] = left;
    for (index, (lower, upper)) in lower.into_iter().zip(upper).enumerate() {
        let variable = outer.add_exit_var(graph, &[lower, upper]);
        let old = graph.output(node, index);
        graph.set_origin_source(variable.output, graph.origin_source(old));
        graph.divert_users(old, variable.output);
    }
    regions.iter().for_each(|&region| graph.retain_results(region, |_| false));
    graph.remove(node);
    if !graph.has_users(graph.output(decides, 0)) {
        graph.remove(decides);
    }
    inners
}

/// The predicate that chooses alternative 1 where a table chooses an alternative from `middle` on for a number, else 0.
fn decide(at: &mut Insert, table: &MatchTable, number: Origin, middle: usize) -> Origin {
    let is_upper = |alternative: u32| u32::from(alternative as usize >= middle);
    // Where alternative 0 is the default, alternatives stand in the order of the numbers that choose them.
    let first = table.cases.iter().find(|&&(_, alternative)| alternative as usize == middle);
    if let Some(&(first, _)) = first.filter(|_| table.default == 0 || seeded::is_active(Bug::StzUnordered)) {
        let first = at.constant(first);
        let is_upper = at.compare(IntPredicate::Uge, number, first);
        return at.decide(is_upper, 1);
    }
    let default = is_upper(table.default);
    let cases = table.cases.iter().map(|&(case, alternative)| (case, is_upper(alternative)));
    let cases = cases.filter(|&(_, side)| side != default).collect();
    at.choose(MatchTable { cases, default, alternatives: 2 }, number)
}

/// Which alternative of a side a table chooses, if it chooses one of these.
fn within(table: &MatchTable, side: &Range<usize>) -> MatchTable {
    let of_side = |alternative: u32| {
        let alternative = alternative as usize;
        side.contains(&alternative).then(|| (alternative - side.start) as u32)
    };
    let default = of_side(table.default).filter(|_| !seeded::is_active(Bug::StzSideDefault)).unwrap_or(0);
    let cases = table.cases.iter().filter_map(|&(case, alternative)| Some((case, of_side(alternative)?)));
    let cases = cases.filter(|&(_, alternative)| alternative != default).collect();
    MatchTable { cases, default, alternatives: side.len() as u32 }
}
