//! Structurization: makes divergent threads reconverge before code that several of them reach on different paths.
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
//! becomes, where `v2` is divergent,
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
//! Predicative recovery turns every definition of a predicate into a jump to the alternative that it chooses, so both paths to
//! alternative 1 are arcs to one block. Machines that execute threads in groups reconverge at a branch's immediate
//! postdominator, which that block is not: it would be executed once for each path. If the predicate is a value instead, it is decided
//! where the graph says so: after the join, by all threads together.
//!
//! Only predicates that need it become values: those that select a non-empty alternative on several paths that
//! threads of one group take separately, while other threads of the group go elsewhere. For a θ, the alternative is another iteration,
//! reached on several paths; and a predicate that threads obtain when they leave the θ in different iterations selects no code before
//! all of them have left. So structured or uniform control flow stays as it is. Divergence analysis tells where threads diverge.
//!
//! If a value selects among three alternatives, those that compute nothing become one alternative, in which that value also selects
//! the results: a three-way branch is two branches on the machine. More than two alternatives that are left become a cascade of
//! conditionals with two.
//!
//! What one way alone does before it leads to an alternative is done in that alternative, where this saves the branch to it.
//!
//! It has to be the last pass that looks at predicates: others thread them back to their definitions.
//!
//! Statistics: `alternatives_sunk`, `cascades`, `predicates_kept`.
//!
//! Cost: linear in the number of γ and θ results that predicates come from, times their alternatives.
//!
//! Left out: predicates that come from an `invoke` or an indirect branch; loops that would be merged with the loops around them.
//!
//! Thesis C1, with conditions on divergence and need, which C1.7 leaves as future work.

mod cascade;
mod merge;
mod predicate;
mod sink;

use rvsdg_analysis::divergence::Divergence;
use rvsdg_core::build::Insert;
use rvsdg_core::op::MatchTable;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, Region, Type, User};

use crate::pass::{BodyPass, Change, PassCx, Stage};
use predicate::{Predicates, Values, Ways};
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
        let needy = decisions.into_iter().filter_map(|(node, user)| {
            Some((node, user, needs_join(graph, &divergence, &mut predicates, node, user)?))
        });
        let needy: Vec<(Node, User, Ways)> = needy.collect();
        let mut changed = false;
        let gammas: Vec<Gamma> = needy.iter().filter_map(|&(node, ..)| Gamma::new(graph, node)).collect();
        for gamma in gammas {
            changed |= sink(graph, cx, &mut predicates, gamma);
        }
        let mut values = Values::default();
        let mut kept = Vec::new();
        for (node, user, ways) in needy {
            if !cx.rewrite("predicates_kept", graph, node) {
                break;
            }
            keep(graph, &mut values, node, user);
            cx.count("predicates_kept", 1);
            kept.push((node, ways));
        }
        changed |= !kept.is_empty();
        for (node, mut ways) in kept {
            let Some(gamma) = Gamma::new(graph, node) else { continue };
            let gamma = merge::merge_empty(graph, gamma, &mut ways).unwrap_or(gamma);
            let is_cascade = ways.len() > 2 && cascade::deciding_number(graph, gamma).is_some();
            if is_cascade && cx.rewrite("cascades", graph, gamma.node()) {
                cascade::cascade(graph, gamma, ways);
                cx.count("cascades", 1);
            }
        }
        if changed { Change::Changed } else { Change::Unchanged }
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// A γ or θ, and the user of the predicate that decides it.
fn decision(graph: &Graph, node: Node) -> Option<(Node, User)> {
    let gamma = Gamma::new(graph, node).map(|gamma| gamma.predicate(graph));
    let user = gamma.or_else(|| Theta::new(graph, node).map(|theta| theta.predicate(graph)))?;
    Some((node, user))
}

/// On how many ways each alternative is reached, if divergent threads would execute one of them one after the other.
fn needs_join(
    graph: &Graph,
    divergence: &Divergence,
    predicates: &mut Predicates,
    node: Node,
    user: User,
) -> Option<Ways> {
    let origin = graph.origin(user);
    if divergence.is_uniform(origin) || graph.producer(origin).is_some_and(|producer| graph.op(producer).is_some()) {
        return None;
    }
    let ways = predicates.ways(graph, origin)?;
    let does_something = |alternative: usize| match Gamma::new(graph, node) {
        Some(gamma) => !is_empty(graph, gamma.regions(graph)[alternative]),
        // Another iteration of a θ; all threads reconverge at what comes after it.
        None => alternative == 1,
    };
    let reached = ways.iter().filter(|&&ways| ways > 0).count();
    let needs = ways.iter().enumerate().any(|(alternative, &ways)| ways > 1 && does_something(alternative));
    (reached > 1 && needs).then(|| ways.clone())
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

/// Makes a γ or θ decide by a value.
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

/// The table of a predicate that equals its number.
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
