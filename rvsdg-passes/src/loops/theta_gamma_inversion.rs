//! θ–γ inversion (loop rotation): a head-controlled loop becomes a conditional that contains a tail-controlled loop; and loop
//! unswitching: a conditional in a loop with an invariant predicate becomes one with a loop in each alternative.
//!
//! ```text
//! v2: i32 = theta (v3: i32 = v0, v4: i32 = v1) {
//!   v5: ctl(2) = match i32 v3 [0 -> 0, _ -> 1]
//!   v6: ctl(2), v7: i32 = gamma v5 (v3, v4)
//!   case 0 (v8: i32, v9: i32) {
//!     v10: ctl(2) = ctl 0 of 2
//!     yield v10, v8
//!   }
//!   case 1 (v11: i32, v12: i32) {
//!     v13: i32 = sub v11, v12
//!     v14: ctl(2) = ctl 1 of 2
//!     yield v14, v13
//!   }
//!   next v7, v4 while v6
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v5: ctl(2) = match i32 v0 [0 -> 0, _ -> 1]
//! v6: i32 = gamma v5 (v0, v1)
//! case 0 (v7: i32, v8: i32) { yield v7 }
//! case 1 (v9: i32, v10: i32) {
//!   v11: i32, v12: i32 = theta (v13: i32 = v9, v14: i32 = v10) {
//!     v15: i32 = sub v13, v14
//!     v16: ctl(2) = match i32 v15 [0 -> 0, _ -> 1]
//!     next v15, v14 while v16
//!   }
//!   yield v11
//! }
//! ```
//!
//! Loops are visited once, inner ones first, and for each two rules are tried:
//!
//! - **Inversion** (`invert`): the body ends with a γ whose predicate is that of the θ, or determines it. The operations that the γ
//!   depends on are executed before the new γ and at the end of the new loop; those that its predicate does not need come after the
//!   decision. The alternative that leaves the loop, and a copy of the operations after the γ, are executed once, after the new γ.
//!   The order of execution stays the same.
//!   If the alternative that stays in the loop may leave it too (`breaks`), the operations that the γ depends on go into a γ at the end
//!   of the new loop, and another γ after the loop executes the rest only if the loop did not break.
//! - **Unswitching** (`unswitch`): a γ directly in the body has an invariant predicate. The loop is
//!   copied into each alternative of a new γ before it. If the loop might not have reached the γ, the condition is frozen, because
//!   branching on poison would be undefined where it was not before.
//!
//! The size of copies is bounded by [`MAX_COPIED`](invert::MAX_COPIED) and [`MAX_UNSWITCHED`](unswitch::MAX_UNSWITCHED). Operations
//! that must not be duplicated are not copied.
//!
//! Statistics: `inverted`, `inverted_with_breaks`, `unswitched` loops; `copied` operations; `too_large` loops left because of the bounds.
//!
//! Running it again changes nothing, except that it may unswitch the resulting loops where a bound prevented it before.
//!
//! Cost: inversion is linear in the nodes directly in the loop's body and in its γ, which moves; unswitching in the nodes it copies.
//!
//! Left out: loops with a large computation before the decision; exit conditions with more than two
//! alternatives; conditions that are invariant only in some iterations.
//!
//! Thesis B1.7, "θ–γ inversion"; B2 calls the loops head-controlled.

pub mod invert;
pub mod unswitch;

mod breaks;

use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_core::Graph;
use rvsdg_core::graph::Duplicator;

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [θ–γ inversion](self).
pub struct Invert;

impl BodyPass for Invert {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut duplicator = Duplicator::new();
        let mut change = Change::Unchanged;
        for mut theta in loops_bottom_up(graph) {
            if let Some(inverted) = invert::invert(graph, theta, &mut duplicator, cx) {
                theta = inverted;
                change = Change::Changed;
            }
            change |= unswitch::unswitch(graph, theta, &mut duplicator, cx);
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Invert))]
}
