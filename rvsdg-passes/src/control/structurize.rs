//! Structurization: threads that parted meet again before code that several of them come to.
//!
//! ```text
//! v3: ctl(2) = gamma v2 (v1) {
//! case 0 (v4: i1) {
//!   v5: ctl(2) = match i1 v4 [true -> 1, _ -> 0]
//!   yield v5
//! }
//! case 1 (v6: i1) {
//!   v7 = ctl 1 of 2
//!   yield v7
//! }
//! gamma v3 () { … }
//! ```
//!
//! becomes, where `v2` differs between threads,
//!
//! ```text
//! v3: i1 = gamma v2 (v1) {
//! case 0 (v4: i1) {
//!   yield v4
//! }
//! case 1 (v6: i1) {
//!   v7 = const i1 true
//!   yield v7
//! }
//! v8: ctl(2) = match i1 v3 [true -> 1, _ -> 0]
//! gamma v8 () { … }
//! ```
//!
//! Predicative recovery lets every definition of a predicate jump to where that leads, so that both ways to alternative 1 are
//! arcs to one block. Machines that execute threads in groups go on together where a branch's ways all meet, its immediate
//! postdominator, which that block is not: it would be executed once for each way. As a value, the predicate is decided about
//! where the graph says: after the join, by all threads together.
//!
//! Only predicates that need it become values: those by which alternatives that do something are reached on several ways that
//! threads of one group take apart, while others of them go elsewhere. For a θ that is another iteration, reached on several
//! ways; and what threads are told when they leave it in different iterations decides about no code before all have left. So
//! control flow that is structured, or uniform, comes out as it was. Divergence analysis says which threads part.
//!
//! Of three alternatives that are decided about by a value, those that compute nothing become one, in which values are chosen by
//! that value: a branch of three ways is two branches to a machine.
//!
//! What one way alone does before it leads to an alternative is done in that alternative, where this saves the branch to it.
//!
//! It has to be the last pass that looks at predicates: others lead them back to where they are defined.
//!
//! Statistics: `alternatives_sunk`, `predicates_kept`.
//!
//! Cost: linear in the number of γ and θ results that predicates come from, times their alternatives.
//!
//! Left out: predicates that come from an `invoke` or an indirect branch; loops that would be merged with loops around them.
//!
//! Thesis C1, with divergence and need asked for, which C1.7 leaves as future work.

mod merge;
mod predicate;
mod sink;

use rvsdg_analysis::divergence::Divergence;
use rvsdg_core::build::Insert;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type, User};

use crate::pass::{BodyPass, Change, PassCx, Stage};
use predicate::{Predicates, Values};
use sink::Sinking;

/// The stage of [structurization](self).
pub struct Structurize;

impl BodyPass for Structurize {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(divergence) = cx.surroundings().and_then(|surroundings| Divergence::of(graph, surroundings)) else {
            return Change::Unchanged;
        };
        let mut predicates = Predicates::new(&divergence);
        let decisions: Vec<(Node, User)> = graph.all_nodes().filter_map(|node| decision(graph, node)).collect();
        let needy =
            decisions.into_iter().filter(|&(node, user)| needs_join(graph, &divergence, &mut predicates, node, user));
        let needy: Vec<(Node, User)> = needy.collect();
        let mut changed = false;
        let gammas: Vec<Gamma> = needy.iter().filter_map(|&(node, _)| Gamma::new(graph, node)).collect();
        for gamma in gammas {
            changed |= sink(graph, cx, &mut predicates, gamma);
        }
        let mut values = Values::default();
        let mut kept = Vec::new();
        for (node, user) in needy {
            if !cx.rewrite("predicates_kept", graph, node) {
                break;
            }
            keep(graph, &mut values, node, user);
            cx.count("predicates_kept", 1);
            kept.push(node);
        }
        for &node in &kept {
            let _ = merge::merge_empty(graph, node);
        }
        if changed || !kept.is_empty() { Change::Changed } else { Change::Unchanged }
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// A γ or θ and what decides about it.
fn decision(graph: &Graph, node: Node) -> Option<(Node, User)> {
    let gamma = Gamma::new(graph, node).map(|gamma| gamma.predicate(graph));
    let user = gamma.or_else(|| Theta::new(graph, node).map(|theta| theta.predicate(graph)))?;
    Some((node, user))
}

/// Whether threads that parted would execute an alternative one after the other.
fn needs_join(graph: &Graph, divergence: &Divergence, predicates: &mut Predicates, node: Node, user: User) -> bool {
    let origin = graph.origin(user);
    if divergence.is_uniform(origin) || graph.producer(origin).is_some_and(|producer| graph.op(producer).is_some()) {
        return false;
    }
    let Some(ways) = predicates.ways(graph, origin) else { return false };
    let does_something = |alternative: usize| match Gamma::new(graph, node) {
        Some(gamma) => !is_empty(graph, gamma.regions(graph)[alternative]),
        // Another iteration of a θ; what comes after it is where all meet.
        None => alternative == 1,
    };
    let reached = ways.iter().filter(|&&ways| ways > 0).count();
    reached > 1 && ways.iter().enumerate().any(|(alternative, &ways)| ways > 1 && does_something(alternative))
}

/// Moves what one way alone does before a γ into the alternative that it leads to. Whether there was such.
fn sink(graph: &mut Graph, cx: &PassCx, predicates: &mut Predicates, gamma: Gamma) -> bool {
    let mut any = false;
    for alternative in 0..gamma.regions(graph).len() {
        let found = Sinking::find(graph, cx.surroundings(), predicates, (gamma, alternative));
        if let Some(sinking) = found.filter(|_| cx.rewrite("alternatives_sunk", graph, gamma.node())) {
            sinking.apply(graph);
            cx.count("alternatives_sunk", 1);
            any = true;
        }
    }
    any
}

/// Whether a region computes nothing.
fn is_empty(graph: &Graph, region: Region) -> bool {
    graph.nodes(region).all(|node| matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. })))
}

/// Lets a γ or θ decide by a value.
fn keep(graph: &mut Graph, values: &mut Values, node: Node, user: User) {
    let origin = graph.origin(user);
    let alternatives = graph.pool().ctl_alternatives(graph.ty(origin)).expect("it decides about a γ or θ");
    let value = values.of(graph, origin);
    let numbers = numbers(graph, alternatives);
    let mut at = match Theta::new(graph, node) {
        Some(theta) => {
            let body = theta.body(graph);
            Insert::end(graph, body)
        }
        None => Insert::before(graph, node),
    };
    let predicate = if alternatives == 2 { at.decide(value, 1) } else { at.choose(numbers, value) };
    graph.divert(user, predicate);
}

/// The table of a predicate that is its number.
fn numbers(graph: &Graph, alternatives: u32) -> MatchTable {
    let cases =
        (1..alternatives).map(|alternative| (graph.pool().int_const(Type::I32, alternative.into()), alternative));
    MatchTable { cases: cases.collect(), default: 0, alternatives }
}

/// The type of a predicate as a value.
fn value_type(alternatives: u32) -> Type {
    if alternatives == 2 { Type::I1 } else { Type::I32 }
}

/// The number of an alternative as a value.
fn number(at: &mut Insert, alternatives: u32, alternative: u32) -> Origin {
    at.int(value_type(alternatives), alternative.into())
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Structurize))]
}
