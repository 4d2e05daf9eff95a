//! Loops that may be left early, as they are while they are not.
//!
//! ```text
//! theta {
//!   …; v1: ctl(2) = match … [true -> 0, _ -> 1]
//!   v2: ctl(2) = gamma v1 { case 0: left; ctl 0   case 1: stayed; ctl 1 }
//!   v3: ctl(2) = gamma v2 { case 0: ctl 0   case 1: match … }
//! } while v3
//! ```
//!
//! becomes
//!
//! ```text
//! theta {
//!   …; is left: i1; stayed
//!   v4: ctl(2) = match …
//! } while v4
//! ```
//!
//! in which a new variable tells whether an iteration would have left the original.

use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::IntBinary;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Op, Origin, OriginDef, Region, Type, TypeKind};

use super::flatten::Choice;

/// Whether what decides about another iteration is decided by conditionals: in some of their alternatives the loop ends.
pub(super) fn is_left_early(graph: &Graph, theta: Theta) -> bool {
    giver(graph, graph.origin(theta.predicate(graph))).is_some()
}

/// Makes a loop one that is not left early, and adds a variable that says whether an iteration would have left it: its position, and the
/// number of conditionals that are gone. Variables that no iteration reads keep their initial values.
///
/// `None` if what leaves is not understood; then only a part is done.
pub(super) fn stay(graph: &mut Graph, theta: Theta) -> Option<(usize, u32)> {
    let variables = theta.loop_vars(graph).filter(|variable| !graph.ty(variable.pre).is_state());
    let unread: Vec<usize> =
        variables.filter(|variable| !graph.has_users(variable.pre)).map(|variable| variable.index).collect();
    let mut exits = Exits { leaves: Vec::new(), opened: 0 };
    let predicate = theta.predicate(graph);
    while let Some((gamma, exit)) = giver(graph, graph.origin(predicate)) {
        let stays = only(graph, gamma, exit, |value| value != 0)?;
        exits.assume(graph, graph.origin(gamma.predicate(graph)), stays)?;
        exits.open(graph, gamma, stays);
    }
    for index in unread {
        let variable = theta.loop_var(graph, index);
        graph.divert(variable.post, variable.pre);
    }
    // A constant of its own, which is removed together with the loop.
    let no = Op::Const(graph.pool().int_const(Type::I1, 0));
    let no = Insert::before(graph, theta.node()).node(no, &[], &[Type::I1]);
    let variable = theta.add_loop_var(graph, graph.output(no, 0));
    let body = theta.body(graph);
    let mut leaves = variable.pre;
    for leaving in exits.leaves {
        leaves = Insert::end(graph, body).binary(IntBinary::Or, leaves, leaving);
    }
    graph.divert(variable.post, leaves);
    Some((variable.index, exits.opened))
}

/// The conditional that gives a predicate, and as which of its outputs.
fn giver(graph: &Graph, predicate: Origin) -> Option<(Gamma, usize)> {
    let OriginDef::Output(node, index) = graph.def(predicate) else { return None };
    Some((Gamma::new(graph, node)?, index as usize))
}

/// The only alternative of a conditional in which a predicate may have a value that is wanted.
fn only(graph: &Graph, gamma: Gamma, exit: usize, wanted: impl Fn(u32) -> bool) -> Option<u32> {
    let may_be = |&(_, &region): &(usize, &Region)| {
        let decision = graph.producer(graph.result(region, exit)).and_then(|node| graph.op(node));
        !matches!(decision, Some(Op::CtlConst { value, .. }) if !wanted(value))
    };
    let mut alternatives = gamma.regions(graph).iter().enumerate().filter(may_be);
    let (alternative, _) = alternatives.next()?;
    alternatives.next().is_none().then_some(alternative as u32)
}

/// What has been found out about a loop's early exits.
struct Exits {
    /// The truth values, in the body, of which one holds if the loop is left.
    leaves: Vec<Origin>,
    /// How many conditionals were opened.
    opened: u32,
}

impl Exits {
    /// Makes a predicate of the body have a value unless the loop is left.
    fn assume(&mut self, graph: &mut Graph, predicate: Origin, value: u32) -> Option<()> {
        if let Some((gamma, exit)) = giver(graph, predicate)
            && let Some(alternative) = only(graph, gamma, exit, |other| other == value)
        {
            self.assume(graph, graph.origin(gamma.predicate(graph)), alternative)?;
            let inside = graph.result(gamma.regions(graph)[alternative as usize], exit);
            let inside = match graph.def(inside) {
                OriginDef::Argument(_, index) => graph.input(gamma.node(), index as usize + 1),
                OriginDef::Output(..) => inside,
            };
            self.open(graph, gamma, alternative);
            return self.assume(graph, inside, value);
        }
        let region = graph.scope(predicate);
        let is_one_of_two = *graph.pool().type_kind(graph.ty(predicate)) == TypeKind::Ctl(2);
        let leaves = if is_one_of_two {
            is(graph, predicate, 1 - value)?
        } else {
            let stays = is(graph, predicate, value)?;
            Insert::end(graph, region).not(stays)
        };
        let mut at = Insert::end(graph, region);
        // What an iteration after the one that leaves computes may be poison.
        let leaves = if seeded::is_active(Bug::VecPoisonExit) { leaves } else { at.freeze(leaves) };
        self.leaves.push(leaves);
        Some(())
    }

    /// Replaces a conditional by one of its alternatives.
    fn open(&mut self, graph: &mut Graph, gamma: Gamma, alternative: u32) {
        let region = gamma.regions(graph)[alternative as usize];
        let order = graph.topological(region);
        for index in 0..graph.arguments(region).len() {
            graph.divert_users(graph.arguments(region)[index], graph.input(gamma.node(), index + 1));
        }
        for node in order {
            graph.move_before(node, gamma.node());
        }
        for index in 0..graph.outputs(gamma.node()).len() {
            graph.divert_users(graph.output(gamma.node(), index), graph.result(region, index));
        }
        graph.retain_results(region, |_| false);
        graph.remove(gamma.node());
        self.opened += 1;
    }
}

/// Computes whether a predicate has a value, where the predicate is.
fn is(graph: &mut Graph, predicate: Origin, value: u32) -> Option<Origin> {
    let node: Node = match graph.def(predicate) {
        OriginDef::Output(node, _) => node,
        OriginDef::Argument(region, _) => {
            let (gamma, entry) = Gamma::entry_var_of_argument(graph, predicate)?;
            let outside = is(graph, graph.origin(entry.input), value)?;
            debug_assert_eq!(graph.region_of(gamma.node()), graph.scope(outside));
            return Some(Router::new().route(graph, outside, region));
        }
    };
    match graph.op(node) {
        Some(Op::CtlConst { value: is, .. }) => Some(Insert::before(graph, node).int(Type::I1, u64::from(is == value))),
        Some(Op::Match(_)) => Some(Choice::of(graph, node).holds(graph, node, value as usize)),
        _ => {
            let (gamma, exit) = giver(graph, predicate)?;
            let regions = gamma.regions(graph).to_vec();
            let results: Option<Vec<Origin>> =
                regions.into_iter().map(|region| is(graph, graph.result(region, exit), value)).collect();
            Some(gamma.add_exit_var(graph, &results?).output)
        }
    }
}
