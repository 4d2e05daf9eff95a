//! Sinking: what is executed on one way only to where threads meet is executed after they have met, where that way leads.
//!
//! ```text
//! v1: ctl(2), mem1 = gamma v0 (v2, mem0) {
//! case 0 (v3: i1, mem2) {
//!   v4: ctl(2) = match i1 v3 [true -> 1, _ -> 0]
//!   v5: ctl(2), mem3 = gamma v4 (mem2) {
//!   case 0 (mem4) { yield 0, mem4 }
//!   case 1 (mem5) { …; yield 1, mem6 }
//!   yield v5, mem3
//! }
//! case 1 (v6: i1, mem7) { yield 0, mem7 }
//! mem8 = gamma v1 (mem1) {
//! case 0 (mem9) { … }
//! case 1 (mem10) { yield mem10 }
//! ```
//!
//! As values, the predicates of the outer two γ leave three branches, that of the inner γ too. But alternative 1 of the last γ is for
//! just the threads that were in alternative 1 of the inner one, so that what is computed there can be computed here, and the inner
//! predicate becomes a value without a branch.

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::callee::is_convergent;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::structural::{EntryVar, Gamma};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Use, User, fold};

use super::is_empty;
use super::merge::Passed;
use super::predicate::{Predicates, needs_no_branch, only_decides};

/// So many values are brought along from where the alternative was; each lives longer than it did.
const MAX_BROUGHT: usize = 4;

/// An alternative that can be executed where it leads.
pub(super) struct Sinking {
    /// The conditionals at whose end threads are on their way, and the alternatives they come from, outermost first; the last
    /// alternative is the one that moves.
    way: Vec<(Gamma, usize)>,
    /// The alternative that it leads to.
    into: (Gamma, usize),
    leaving: Vec<Leaving>,
    /// The arguments that are needed there, by position, and what they are then.
    needed: Vec<(usize, Needed)>,
}

/// A result that is not what all other alternatives give.
struct Leaving {
    result: usize,
    others: Passed,
    /// The arguments, by position, as which it comes to where it leads.
    arrives: Vec<usize>,
}

#[derive(Copy, Clone)]
enum Needed {
    /// A state, which comes as the argument at this position.
    State(usize),
    /// A value from around the conditional.
    Value(Origin),
}

impl Sinking {
    /// What can be executed in an alternative of a γ instead of before the γ.
    pub(super) fn find(
        graph: &Graph,
        surroundings: Option<&Surroundings>,
        predicates: &mut Predicates,
        into: (Gamma, usize),
    ) -> Option<Sinking> {
        let predicate = graph.origin(into.0.predicate(graph));
        let (way, decides) = only_way(graph, predicates, predicate, into.1)?;
        let &(from, own) = way.last()?;
        let (regions, moves) = (from.regions(graph), from.regions(graph)[own]);
        // Alternatives that compute nothing become one, which saves as much.
        let mut empty = into.0.regions(graph).iter().filter(|&&region| is_empty(graph, region));
        if only_decides(graph, moves)
            || !needs_no_branch(graph, from, decides, Some(own))
            || is_empty(graph, into.0.regions(graph)[into.1]) && empty.nth(1).is_some()
            || graph.nodes(moves).any(|node| is_convergent(graph, surroundings, node))
                && !seeded::is_active(Bug::StzSunkConvergent)
        {
            return None;
        }
        let mut leaving = Vec::new();
        for variable in from.exit_vars(graph).filter(|variable| variable.index != decides) {
            let passed = |region| Passed::of(graph, region, variable.index);
            let mut others = regions.iter().copied().filter(|&region| region != moves);
            let first = others.next()?;
            let given = passed(first).filter(|_| {
                others.all(|other| passed(other) == passed(first)) || seeded::is_active(Bug::StzSunkOthers)
            })?;
            if passed(moves) == Some(given) {
                continue;
            }
            let is_poison = fold::is_poison(graph, graph.result(first, variable.index));
            if matches!(given, Passed::Constant(..)) && !is_poison {
                return None;
            }
            let arrives = arrivals(graph, &way, variable.output, into.0.node())?;
            leaving.push(Leaving { result: variable.index, others: given, arrives });
        }
        let mut needed = Vec::new();
        for (index, &argument) in graph.arguments(moves).iter().enumerate() {
            if graph.users_of(argument).all(|user| !moves_along(graph, &leaving, user)) {
                continue;
            }
            let ty = graph.ty(argument);
            let need = if ty.is_state() {
                let state = leaving.iter().find(|leaving| leaving.others == Passed::Entry(index))?;
                Needed::State(*state.arrives.first()?)
            } else if graph.pool().has_poison(ty) {
                Needed::Value(graph.input(from.node(), index + 1))
            } else {
                return None;
            };
            needed.push((index, need));
        }
        let is_brought = |need: Needed| matches!(need, Needed::Value(origin) if is_inside(graph, &way, origin));
        let brought = needed.iter().filter(|&&(_, need)| is_brought(need)).count();
        (brought <= MAX_BROUGHT).then_some(Sinking { way, into, leaving, needed })
    }

    /// Moves it.
    pub(super) fn apply(self, graph: &mut Graph) {
        let Some(&(from, own)) = self.way.last() else { return };
        let (moves, into) = (from.regions(graph)[own], self.into.0.regions(graph)[self.into.1]);
        let users = |leaving: &Leaving| {
            let arguments = leaving.arrives.iter().map(|&index| graph.arguments(into)[index]);
            arguments.flat_map(|argument| graph.users_of(argument)).collect::<Vec<User>>()
        };
        let arriving: Vec<Vec<User>> = self.leaving.iter().map(users).collect();
        let mut router = Router::new();
        for &(index, need) in &self.needed {
            let value = match need {
                Needed::State(arrives) => graph.arguments(into)[arrives],
                Needed::Value(origin) => {
                    let outer = bring_out(graph, &self.way, origin);
                    router.route(graph, outer, into)
                }
            };
            let users = graph.users_of(graph.arguments(moves)[index]);
            let users: Vec<User> = users.filter(|&user| moves_along(graph, &self.leaving, user)).collect();
            users.into_iter().for_each(|user| graph.divert(user, value));
        }
        for (leaving, users) in self.leaving.iter().zip(arriving) {
            let value = graph.result(moves, leaving.result);
            users.into_iter().for_each(|user| graph.divert(user, value));
        }
        let left = |result: usize| match self.leaving.iter().find(|leaving| leaving.result == result) {
            Some(leaving) => Some(leaving.others),
            None => Passed::of(graph, moves, result),
        };
        let left: Vec<Option<Passed>> = (0..graph.results(moves).len()).map(left).collect();
        for node in graph.nodes(moves).collect::<Vec<_>>().into_iter().rev() {
            graph.move_to(node, into);
            graph.move_to_front(node);
        }
        for (result, passed) in left.into_iter().enumerate() {
            let passed = passed.expect("what is computed leaves");
            let origin = passed.bring(&mut Insert::end(graph, moves));
            graph.divert(graph.results(moves)[result], origin);
            // All alternatives give it.
            if let Passed::Entry(index) = passed {
                graph.divert_users(graph.output(from.node(), result), graph.input(from.node(), index + 1));
            }
        }
        let is_used: Vec<bool> = from.exit_vars(graph).map(|variable| graph.has_users(variable.output)).collect();
        from.retain_exit_vars(graph, |index| is_used[index]);
        let enters = |variable: EntryVar| {
            (0..from.regions(graph).len()).any(|region| graph.has_users(variable.argument(graph, from, region)))
        };
        let enters: Vec<bool> = from.entry_vars(graph).map(enters).collect();
        from.retain_entry_vars(graph, |index| enters[index]);
    }
}

/// The only way on which a predicate chooses an alternative, which it chooses on all of it, and the exit variable of the innermost γ
/// that says so.
fn only_way(
    graph: &Graph,
    predicates: &mut Predicates,
    mut predicate: Origin,
    alternative: usize,
) -> Option<(Vec<(Gamma, usize)>, usize)> {
    let mut way = Vec::new();
    let mut variable = None;
    loop {
        let OriginDef::Output(node, index) = graph.def(predicate) else { return None };
        let Some(gamma) = Gamma::new(graph, node) else {
            return matches!(graph.op(node), Some(Op::CtlConst { .. })).then_some((way, variable?));
        };
        let mut chosen = None;
        for (number, &region) in gamma.regions(graph).iter().enumerate() {
            let part = graph.result(region, index as usize);
            if predicates.ways(graph, part)?[alternative] == 0 {
                continue;
            }
            if chosen.is_some() && seeded::is_active(Bug::StzSunkTwoWays) {
                continue;
            }
            if chosen.replace((number, part)).is_some() {
                return None;
            }
        }
        let (number, part) = chosen?;
        way.push((gamma, number));
        (predicate, variable) = (part, Some(index as usize));
    }
}

/// The arguments, by position, as which an exit variable of the last γ of a way comes into a γ; `None` when something else uses it.
fn arrivals(graph: &Graph, way: &[(Gamma, usize)], output: Origin, into: Node) -> Option<Vec<usize>> {
    let mut values = vec![output];
    for &(gamma, _) in way[..way.len() - 1].iter().rev() {
        let outer = |user| match graph.site(user) {
            Use::Result(_, index) => Some(graph.outputs(gamma.node())[index as usize]),
            Use::Input(..) => None,
        };
        values = values.iter().flat_map(|&value| graph.users_of(value)).map(outer).collect::<Option<_>>()?;
    }
    let argument = |user| match graph.site(user) {
        Use::Input(node, index) if node == into => Gamma::argument_index(index as usize),
        Use::Input(..) | Use::Result(..) => None,
    };
    let uses = values.iter().flat_map(|&value| graph.users_of(value)).map(argument);
    uses.filter(|argument| argument.is_some() || !seeded::is_active(Bug::StzSunkUsed)).collect()
}

/// Whether a user of an argument is among what moves.
fn moves_along(graph: &Graph, leaving: &[Leaving], user: User) -> bool {
    match graph.site(user) {
        Use::Input(..) => true,
        Use::Result(_, index) => leaving.iter().any(|leaving| leaving.result == index as usize),
    }
}

/// Whether a value of the innermost region of a way is computed on it.
fn is_inside(graph: &Graph, way: &[(Gamma, usize)], mut origin: Origin) -> bool {
    way[..way.len() - 1].iter().rev().any(|&(gamma, _)| match graph.def(origin) {
        OriginDef::Argument(_, index) => {
            origin = graph.input(gamma.node(), index as usize + 1);
            false
        }
        OriginDef::Output(..) => true,
    })
}

/// A value of the innermost region of a way, where the way ends.
fn bring_out(graph: &mut Graph, way: &[(Gamma, usize)], mut origin: Origin) -> Origin {
    for &(gamma, alternative) in way[..way.len() - 1].iter().rev() {
        origin = match graph.def(origin) {
            OriginDef::Argument(_, index) => graph.input(gamma.node(), index as usize + 1),
            OriginDef::Output(..) => {
                let regions = gamma.regions(graph).to_vec();
                let ty = graph.ty(origin);
                let given = |(number, region)| match number == alternative {
                    true => origin,
                    false => Insert::end(graph, region).poison(ty),
                };
                let values: Vec<Origin> = regions.into_iter().enumerate().map(given).collect();
                gamma.add_exit_var(graph, &values).output
            }
        };
    }
    origin
}
