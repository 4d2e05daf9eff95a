//! Early exits: no lane does anything unless all lanes stay in the loop.
//!
//! ```text
//! theta {
//!   …                                  ; what decides whether an iteration leaves, and counting
//!   gamma (any of the lanes leaves) {
//!   case 0: …; another iteration?      ; everything else
//!   case 1: ctl 0
//!   }
//! } while …
//! ```
//!
//! The old loop starts where the new one was left, with the iterations of the lanes of which one left.

use rustc_hash::FxHashSet;
use rvsdg_core::build::{Insert, Router};
use rvsdg_core::op::{CastOp, GepFlags, IntBinary, IntPredicate, MatchTable};
use rvsdg_core::structural::LoopVar;
use rvsdg_core::{Node, Origin, Region, Type};

use super::super::plan::Role;
use super::Emission;
use crate::lanes::build;

/// All lanes stay in the loop, or one does not.
const STAYS: usize = 0;
const LEAVES: usize = 1;

/// What is known before lanes may leave.
pub(super) struct Exit {
    /// The predicate.
    way: Origin,
    /// The nodes that are executed before it.
    before: FxHashSet<Node>,
    /// Memory before it.
    memory: Option<Origin>,
    /// The variables that count and thus change however it is decided.
    counting: FxHashSet<usize>,
}

impl Emission<'_, '_> {
    /// No earlier iteration left the loop.
    pub(super) fn never_left(&mut self, leaves: Origin) {
        let (no, lanes) = (self.graph.pool().int_const(Type::I1, 0), self.lanes);
        let none = build::splat_const(&mut self.inside(), no, lanes);
        self.wide.insert(leaves, vec![none; self.plan.parts]);
    }

    /// Decides whether a lane leaves the loop.
    pub(super) fn decide(&mut self, leaves: LoopVar) -> Exit {
        let parts = self.lanes_of(self.graph.origin(leaves.post));
        let bits = self.graph.pool().int(self.lanes);
        let mut at = Insert::end(self.graph, self.body);
        let any = parts.into_iter().reduce(|a, b| at.binary(IntBinary::Or, a, b)).expect("there is a part");
        let any = at.cast(CastOp::BitCast, any, bits);
        let start = Insert::before(self.graph, self.new.node()).int(bits, 0);
        let left = self.new.add_loop_var(self.graph, start);
        self.graph.divert(left.post, any);
        self.left = Some(left);
        let mut at = Insert::end(self.graph, self.body);
        let none = at.graph().pool().int_const(bits, 0);
        let (stays, leaves) = (STAYS as u32, LEAVES as u32);
        let table = MatchTable { cases: Box::new([(none, stays)]), default: leaves, alternatives: 2 };
        let way = at.choose(table, any);
        let before = self.graph.nodes(self.body).collect();
        let changing = self.new.loop_vars(self.graph).filter(|variable| !variable.is_invariant(self.graph));
        let counting = changing.map(|variable| variable.index).collect();
        Exit { way, before, memory: self.memory, counting }
    }

    /// Moves everything after the decision into the alternative in which all lanes stay. If one leaves, the variables that change there are
    /// what they were, and the loop ends.
    pub(super) fn leave(&mut self, exit: Exit) {
        let (body, new, graph) = (self.body, self.new, &mut *self.graph);
        let rest = graph.topological(body).into_iter().filter(|node| !exit.before.contains(node));
        let rest: Vec<Node> = rest.collect();
        let ways = Insert::end(graph, body).gamma(exit.way, 2);
        let regions: [Region; 2] = [STAYS, LEAVES].map(|way| ways.regions(graph)[way]);
        let mut router = Router::new();
        for node in rest {
            for index in 0..graph.inputs(node).len() {
                let inside = router.route(graph, graph.input(node, index), regions[STAYS]);
                graph.divert(graph.inputs(node)[index], inside);
            }
            graph.move_to(node, regions[STAYS]);
        }
        let mut either = |graph: &mut _, values: [Origin; 2]| {
            let mut regions = regions.iter();
            let values = values.map(|value| router.route(graph, value, *regions.next().expect("there are two")));
            ways.add_exit_var(graph, &values).output
        };
        let variables: Vec<LoopVar> =
            new.loop_vars(graph).filter(|variable| !exit.counting.contains(&variable.index)).collect();
        for variable in variables {
            let next = graph.origin(variable.post);
            let before = match exit.memory {
                Some(memory) if graph.ty(next).is_state() => memory,
                _ => variable.pre,
            };
            if next != before {
                let next = either(graph, [next, before]);
                graph.divert(variable.post, next);
            }
        }
        let ends = Insert::end(graph, regions[LEAVES]).predicate(0, 2);
        let again = graph.origin(new.predicate(graph));
        let again = router.route(graph, again, regions[STAYS]);
        let again = ways.add_exit_var(graph, &[again, ends]).output;
        graph.divert(new.predicate(graph), again);
    }

    /// The final value of a variable that counts iterations: those of lanes of which one left were not executed.
    pub(super) fn unless_left(&mut self, value: Origin, role: &Role) -> Origin {
        let Some(left) = self.left else { return value };
        let times = self.step();
        let mut at = Insert::end(self.graph, self.runs);
        let before = match role {
            Role::Induction { step, .. } => {
                let by = step.mul(step.with(times.into()));
                let by = by.to_const(at.graph().pool());
                let by = at.constant(by);
                at.binary(IntBinary::Sub, value, by)
            }
            Role::Pointer(step) => at.advance(value, -(step * times as i64), GepFlags::NONE),
            _ => return value,
        };
        let none = at.int(at.ty(left.output), 0);
        let is_left = at.compare(IntPredicate::Ne, left.output, none);
        at.select(is_left, before, value)
    }
}
