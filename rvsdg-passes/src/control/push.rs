//! Node push-out: loop-invariant code motion, and hoisting out of conditionals of nodes that all alternatives have.
//!
//! ```text
//! v2: i32 = theta (v3: i32 = v0, v4: i32 = v1) {
//!   v5: i32 = mul v4, v4
//!   v6: i32 = sub v3, v5
//!   v7: ctl(2) = match i32 v6 [0 -> 0, _ -> 1]
//!   next v6, v4 while v7
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v5: i32 = mul v1, v1
//! v2: i32 = theta (v3: i32 = v0, v4: i32 = v1, v8: i32 = v5) {
//!   v6: i32 = sub v3, v8
//!   …
//! ```
//!
//! Structural nodes are visited once, inner ones first, so that a node that leaves an inner loop can leave the next one too.
//!
//! - **θ** (`loops`): nodes of the loop's body, except constants, move before the loop when their operands are invariant.
//!   A θ's body is executed at least once; so a node directly in it moves even if it may not be speculated, provided that
//!   nothing before it might not return: calls without states, loads if nothing in the loop writes, divisions
//!   that may trap if they are the loop's first effect, and whole γ and θ without states. A node that is guarded by a γ in the loop
//!   moves if it may be speculated.
//! - **γ** (`branches`): a node that all alternatives have moves before the γ, once; so do loads with which all of them start.
//!
//! The thesis moves every node without side effects out of conditionals. That executes more and keeps more registers
//! live, which it found to cost more than it gains; here a node leaves a conditional only together with a loop,
//! or when all alternatives need it. Executing short alternatives unconditionally is left to if-conversion.
//!
//! Statistics: `hoisted` nodes moved before loops, of which `speculated` were executed conditionally, and `loads` and `trapping`
//! may only move where they are certain to be executed; `common` nodes moved before conditionals; `too_deep`
//! nodes that stay because they already left [`MAX_LEVELS`](loops::MAX_LEVELS) loops.
//!
//! Running it again can find more in conditionals whose entry variables became equal because other nodes moved.
//!
//! Cost: linear in the number of edges, and for each node that moves, in the number of regions between its old and new
//! place, which a limit bounds.
//!
//! Left out: loads after stores, which need alias analysis; nodes that only some alternatives share.
//!
//! Thesis B1.7, "node push out".

pub mod loops;

mod branches;

use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_core::Graph;
use rvsdg_core::structural::{Gamma, Theta};

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [node push-out](self).
pub struct PushOut;

impl BodyPass for PushOut {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut loops = loops::Loops::new(graph, cx);
        let mut change = Change::Unchanged;
        for node in structural_bottom_up(graph) {
            if let Some(theta) = Theta::new(graph, node) {
                change |= loops.push_out(graph, theta);
            } else if let Some(gamma) = Gamma::new(graph, node) {
                change |= branches::push_out(graph, gamma, cx);
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(PushOut))]
}
