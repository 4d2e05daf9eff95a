//! Ways out of a loop that are never taken, because undefined behaviour follows:
//!
//! ```text
//! v1: ctl(2), io1 = theta (v2: ctl(2) = v0, io2 = io0) {
//!   v3: ctl(2), v4: ctl(2) = gamma v5 () {
//!     case 0: yield ctl 0, ctl 0   case 1: …
//!   }
//!   next v3, io2 while v4
//! }
//! gamma v1 (io1) { case 0 (io3): io4 = unreachable io3 …   case 1: B }
//! ```
//!
//! Alternative 0 of the loop's body leaves the loop, and leads where the program is undefined, so it goes. This is the range of an
//! iterator whose counter must not overflow, for instance.
//!
//! All that control passes on the way must be certain to return.

use rvsdg_analysis::conditions::REPEAT;
use rvsdg_analysis::leads;
use rvsdg_analysis::reached::surely_returns;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_analysis::surroundings::Surroundings;
use rvsdg_core::structural::{Gamma, Theta};
use rvsdg_core::{Graph, Node, Origin, OriginDef, Region, Type};
use smallvec::SmallVec;

use super::driver::Driver;
use super::unreachable::{is_branch, is_unreachable, keep};
use crate::pass::PassCx;

/// How many nested conditionals and loops are visited for one conditional.
const MAX_NESTED: usize = 16;

/// How many nodes that surely return may follow one another.
const MAX_PASSED: usize = 32;

/// A conditional and those of its alternatives that are kept.
type Kept = (Gamma, SmallVec<[usize; 4]>);

/// If a loop returns the predicate of a γ, removes the alternatives of the loop's body that lead to an unreachable alternative of the γ.
pub(super) fn prune(driver: &mut Driver, graph: &mut Graph, gamma: Gamma, cx: &PassCx) {
    let surroundings = cx.surroundings();
    let mut ways = Ways { graph, surroundings, visited: 0, found: Vec::new() };
    if ways.theta_before(gamma).is_some() {
        let never: SmallVec<[bool; 4]> =
            gamma.regions(graph).iter().map(|&region| is_unreachable(graph, surroundings, region)).collect();
        ways.before(gamma, &never, io_of(graph, gamma.node()));
    }
    for (gamma, kept) in ways.found {
        keep(driver, graph, gamma, kept, "theta-unreachable-exit", cx);
    }
}

/// The ways to unreachable alternatives.
struct Ways<'g> {
    graph: &'g Graph,
    surroundings: Option<&'g Surroundings>,
    visited: usize,
    /// Inner ones first.
    found: Vec<Kept>,
}

impl Ways<'_> {
    /// The loop that returns the predicate of a γ, and the index of that output.
    fn theta_before(&self, gamma: Gamma) -> Option<(Theta, usize)> {
        let OriginDef::Output(node, index) = self.graph.def(self.graph.origin(gamma.predicate(self.graph))) else {
            return None;
        };
        Some((Theta::new(self.graph, node)?, index as usize))
    }

    /// Finds the alternatives in the loop that returns the predicate of a γ which lead to alternatives that are never chosen. `state` is the io
    /// state at the γ, or a later one in its region.
    fn before(&mut self, gamma: Gamma, never: &[bool], state: Option<Origin>) {
        let Some((theta, index)) = self.theta_before(gamma) else { return };
        if !self.follows(state, theta.node()) {
            return;
        }
        let repeat = self.graph.origin(theta.predicate(self.graph));
        let selector = self.graph.origin(theta.loop_var(self.graph, index).post);
        self.within(theta.body(self.graph), repeat, selector, never);
    }

    /// Finds the alternatives that leave a loop and choose, after it, what is never chosen. The predicates are results of the region. Returns
    /// whether the region itself is such an alternative.
    fn within(&mut self, region: Region, repeat: Origin, selector: Origin, never: &[bool]) -> bool {
        let graph = self.graph;
        let state =
            graph.results(region).iter().map(|&result| graph.origin(result)).find(|&origin| is_io(graph, origin));
        let known = [repeat, selector].map(|predicate| leads::constant(graph, predicate));
        if let [Some(repeat), Some(selector)] = known {
            let is_left = repeat != REPEAT || seeded::is_active(Bug::RedRepeatIsExit);
            return is_left && never[selector as usize] && self.is_entered_only(state);
        }
        // The conditional that decides what is not known.
        let node = match known {
            [None, Some(_)] => graph.producer(repeat),
            [Some(_), None] => graph.producer(selector),
            [..] => graph.producer(repeat).filter(|&node| graph.producer(selector) == Some(node)),
        };
        let Some(node) = node.filter(|&node| self.follows(state, node)) else { return false };
        let Some(gamma) = Gamma::new(graph, node) else { return false };
        self.visited += 1;
        if self.visited > MAX_NESTED {
            return false;
        }
        let is_never = |&region: &Region| {
            let [repeat, selector] = [repeat, selector].map(|predicate| match graph.def(predicate) {
                OriginDef::Output(decided, index) if decided == node => graph.result(region, index as usize),
                OriginDef::Output(..) | OriginDef::Argument(..) => predicate,
            });
            self.within(region, repeat, selector, never)
        };
        let never: SmallVec<[bool; 4]> = gamma.regions(graph).iter().map(is_never).collect();
        let kept: SmallVec<[usize; 4]> = (0..never.len()).filter(|&index| !never[index]).collect();
        let at = io_of(graph, node).or(state);
        if kept.is_empty() {
            return self.is_entered_only(at);
        }
        if kept.len() < never.len() && !is_branch(graph, graph.origin(gamma.predicate(graph))) {
            self.before(gamma, &never, at);
            self.found.push((gamma, kept));
        }
        false
    }

    /// Whether control gets to an io state whenever it has passed a node of the same region.
    fn follows(&self, state: Option<Origin>, node: Node) -> bool {
        let last = state.map(|state| self.before_returning(state));
        last.is_none_or(|last| match self.graph.def(last) {
            OriginDef::Argument(..) => true,
            // What gives a node its inputs is before it.
            OriginDef::Output(passed, _) => {
                passed == node
                    || self.graph.input_origins(node).any(|origin| self.graph.producer(origin) == Some(passed))
            }
        })
    }

    /// Whether control gets to an io state whenever its region is entered.
    fn is_entered_only(&self, state: Option<Origin>) -> bool {
        let first = state.map(|state| self.before_returning(state));
        first.is_none_or(|first| matches!(self.graph.def(first), OriginDef::Argument(..)))
    }

    /// The io state before nodes that are certain to return.
    fn before_returning(&self, mut state: Origin) -> Origin {
        for _ in 0..MAX_PASSED {
            match self.graph.def(state) {
                OriginDef::Output(node, _) if surely_returns(self.graph, self.surroundings, node) => {
                    match io_of(self.graph, node) {
                        Some(before) => state = before,
                        None => return state,
                    }
                }
                OriginDef::Argument(..) | OriginDef::Output(..) => return state,
            }
        }
        state
    }
}

fn is_io(graph: &Graph, origin: Origin) -> bool {
    graph.ty(origin) == Type::IO
}

/// The io state that a node takes.
fn io_of(graph: &Graph, node: Node) -> Option<Origin> {
    graph.input_origins(node).find(|&origin| is_io(graph, origin))
}
