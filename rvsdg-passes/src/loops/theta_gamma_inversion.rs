//! θ–γ inversion: a loop that decides first whether to go on becomes a conditional with a loop that decides last; and a
//! conditional in a loop that always decides the same becomes one with a loop in each alternative.
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
//! - **Inversion** (`invert`): the body ends with a γ whose predicate also is that of the θ, or decides it. What the γ depends on
//!   is executed before the new γ and at the end of the new loop, but for operations that the predicate does not need, which come when it has
//!   decided; the alternative that leaves the loop, and what follows the
//!   γ, once behind it. The sequence of what is executed is the same.
//!   Where that alternative may leave the loop, too (`breaks`), what the γ depends on comes in a γ at the end of the new loop, and another one
//!   behind it executes what follows only where the loop came to its end.
//! - **Unswitching** (`unswitch`): a γ directly in the body has a predicate that does not change in the loop. The loop is
//!   copied into each alternative of a new γ before it. Where the loop might not have come to the γ, the condition is frozen:
//!   a poison one would decide nothing if nothing depends on it.
//!
//! What is copied is bounded by [`MAX_COPIED`](invert::MAX_COPIED) and [`MAX_UNSWITCHED`](unswitch::MAX_UNSWITCHED). What
//! may not stand in several places is not copied.
//!
//! Statistics: `inverted`, `inverted_with_breaks`, `unswitched` loops; `copied` operations; `too_large` loops left because of the bounds.
//!
//! Running it again changes nothing, but where a bound kept it from unswitching a loop that is in two halves now.
//!
//! Cost: inversion is linear in what is directly in the loop's body and its γ, which moves; unswitching in what it copies.
//!
//! Left out: loops that start with what is more than what it decides about; conditions with more than two
//! alternatives that decide about repetition; conditions invariant only in some iterations.
//!
//! Thesis B1.7, "θ–γ inversion"; B2 calls the loops head-controlled.

pub mod invert;
pub mod unswitch;

mod breaks;

use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_core::Graph;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::structural::Theta;

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [θ–γ inversion](self).
pub struct Invert;

impl BodyPass for Invert {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut duplicator = Duplicator::new();
        let mut change = Change::Unchanged;
        for node in structural_bottom_up(graph) {
            let Some(mut theta) = Theta::new(graph, node) else { continue };
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
