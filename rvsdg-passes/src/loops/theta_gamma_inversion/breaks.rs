//! Inversion of a loop whose repeating alternative may leave it too (a `break`).
//!
//! ```text
//! theta { head; gamma p { case 0: left; ctl 0   case 1: repeated; q }; tail } while …
//! ```
//!
//! becomes
//!
//! ```text
//! head; gamma p {
//! case 0: came to the end
//! case 1: theta { repeated; tail; gamma q { case 0: was left, ctl 0   case 1: head; came to the end, p } } while …
//! }
//! gamma (which of the two) { case 0   case 1: left; tail }
//! ```

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Op, Origin, OriginDef, Type};

use super::invert::{self, Decided, Entered, Parts};

/// The selector after the loop: it was left by the break, or its condition did not hold.
const WAS_LEFT: u32 = 0;
const CAME_TO_THE_END: u32 = 1;

/// Builds the new loop and the conditionals around it, moves and copies the parts, and removes the old loop. `breaks` is the result of
/// the repeating alternative that says whether the loop continues.
pub(super) fn rebuild(
    parts: &Parts,
    graph: &mut Graph,
    theta: Theta,
    decided: Decided,
    breaks: usize,
    duplicator: &mut Duplicator,
) -> Theta {
    let (outside, body) = (graph.region_of(theta.node()), theta.body(graph));
    let mut entered = parts.enter(graph, theta, decided, duplicator);
    let Entered { guard, new, .. } = entered;
    let [entered_loop, passed] = [decided.repeat, 1 - decided.repeat].map(|which| guard.regions(graph)[which]);
    // The reason why the loop ended, and the old loop's variables at the break.
    let start = Insert::front(graph, entered_loop).predicate(WAS_LEFT, 2);
    let why = new.add_loop_var(graph, start);
    let mut results = [why.output; 2];
    results[1 - decided.repeat] = Insert::end(graph, passed).predicate(CAME_TO_THE_END, 2);
    let end = guard.add_exit_var(graph, &results).output;
    let mut given = Vec::new();
    for index in 0..graph.outputs(theta.node()).len() {
        let output = graph.output(theta.node(), index);
        let ty = graph.ty(output);
        if ty.is_state() || !graph.has_users(output) {
            given.push(None);
            continue;
        }
        let start = nothing(Insert::front(graph, entered_loop), ty);
        let variable = new.add_loop_var(graph, start);
        let mut results = [variable.output; 2];
        results[1 - decided.repeat] = nothing(Insert::end(graph, passed), ty);
        given.push(Some((variable, guard.add_exit_var(graph, &results).output)));
    }
    // After the loop.
    let last = Gamma::add(graph, outside, end, 2);
    entered.placed.push(last.node());
    let [left, ended] = [WAS_LEFT, CAME_TO_THE_END].map(|which| last.regions(graph)[which as usize]);
    let mut states: Vec<(Type, Origin)> = Vec::new();
    for &(origin, after) in &entered.after {
        let entry = last.add_entry_var(graph, after);
        duplicator.substitute(origin, entry.argument(graph, last, CAME_TO_THE_END as usize));
        if graph.ty(origin).is_state() {
            states.push((graph.ty(origin), entry.argument(graph, last, WAS_LEFT as usize)));
        }
    }
    let constants: Vec<_> = parts.head.iter().copied().filter(|&node| invert::is_constant(graph, node)).collect();
    duplicator.copy_nodes(graph, &constants, ended);
    parts.leave(graph, decided, ended, duplicator);
    let mut finals = Vec::new();
    for (index, given) in given.iter().enumerate() {
        let output = graph.output(theta.node(), index);
        let at_end = duplicator.get(graph.origin(theta.loop_var(graph, index).post));
        let ty = graph.ty(output);
        let was_left = match *given {
            Some((_, value)) => last.add_entry_var(graph, value).argument(graph, last, WAS_LEFT as usize),
            None if ty.is_state() => {
                let state = states.iter().find(|(of, _)| *of == ty);
                state.expect("one state of each kind crosses").1
            }
            None => nothing(Insert::end(graph, left), ty),
        };
        finals.push(last.add_exit_var(graph, &[was_left, at_end]).output);
    }
    for &node in &entered.placed {
        graph.move_before(node, theta.node());
    }
    // The new loop.
    let inner = new.body(graph);
    let posts = parts.fill(graph, theta, decided, &entered);
    let again = graph.result(decided.gamma.regions(graph)[decided.repeat], breaks);
    let again = Gamma::add(graph, inner, again, 2);
    let [breaks_out, goes_on] = [0, 1].map(|which| again.regions(graph)[which]);
    let mut router = Router::default();
    for &node in &parts.head {
        if let Some(Op::Const(constant)) = graph.op(node).filter(|_| invert::is_constant(graph, node)) {
            // Some operands must be constants at their use.
            let users: Vec<_> = graph.users_of(graph.output(node, 0)).collect();
            graph.move_to(node, inner);
            graph.move_to_front(node);
            for user in users {
                if parts.is_of_head(graph, user) {
                    let copy = Insert::front(graph, goes_on).constant(constant);
                    graph.divert(user, copy);
                }
            }
        }
    }
    for (index, &post) in posts.iter().enumerate() {
        let argument = graph.arguments(body)[index];
        if graph.has_users(argument) {
            let inside = router.route(graph, post, goes_on);
            graph.divert_users(argument, inside);
        }
    }
    for &node in parts.head.iter().filter(|node| !constants.contains(node)) {
        graph.move_to(node, goes_on);
    }
    for &origin in &parts.crossing {
        let variable = entered.variables[&origin];
        let next = match graph.def(origin) {
            OriginDef::Argument(_, index) => posts[index as usize],
            OriginDef::Output(..) => {
                let ty = graph.ty(origin);
                let was_left = if ty.is_state() {
                    let index = theta.loop_vars(graph).position(|variable| graph.ty(variable.pre) == ty);
                    let index = index.expect("what crosses goes through the loop");
                    router.route(graph, posts[index], breaks_out)
                } else {
                    nothing(Insert::end(graph, breaks_out), ty)
                };
                again.add_exit_var(graph, &[was_left, origin]).output
            }
        };
        graph.divert(variable.post, next);
    }
    for (index, given) in given.iter().enumerate() {
        if let Some((variable, _)) = given {
            graph.divert(variable.post, posts[index]);
        }
    }
    let was_left = if seeded::is_active(Bug::IvtLeft) { CAME_TO_THE_END } else { WAS_LEFT };
    let reasons = [(breaks_out, was_left), (goes_on, CAME_TO_THE_END)]
        .map(|(region, reason)| Insert::end(graph, region).predicate(reason, 2));
    let reason = again.add_exit_var(graph, &reasons).output;
    graph.divert(why.post, reason);
    if decided.repeat == 0 {
        invert::exchange_alternatives(graph, decided.predicate);
    }
    let stop = Insert::end(graph, breaks_out).predicate(0, 2);
    let predicate = again.add_exit_var(graph, &[stop, graph.output(decided.predicate, 0)]).output;
    graph.divert(new.predicate(graph), predicate);
    invert::remove(graph, theta, decided.gamma, &finals);
    new
}

/// A placeholder for a value that is not used.
fn nothing(mut at: Insert<'_>, ty: Type) -> Origin {
    match at.graph().pool().ctl_alternatives(ty) {
        Some(alternatives) => at.predicate(0, alternatives),
        None => at.poison(ty),
    }
}
