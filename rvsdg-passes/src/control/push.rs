//! Node push-out: moves nodes out of loops whose operands do not change there, and out of conditionals all of whose
//! alternatives compute the same.
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
//! Structural nodes are visited once, inner ones first, so that what leaves an inner loop can leave the next.
//!
//! - **θ** (`loops`): what is in the loop's body, but for constants, moves before the loop when its operands are invariant.
//!   A loop's body is executed at least once; so what is directly in it moves even where it may not be speculated, if
//!   nothing that might not return comes before: calls without states, loads when nothing in the loop writes, divisions
//!   that may trap when they are the loop's first effect, and whole γ and θ without states. What a γ in the loop guards
//!   moves if it can be speculated.
//! - **γ** (`branches`): a node that all alternatives have moves before the γ, once; so do loads that all start with.
//!
//! The thesis moves every node without side effects out of conditionals. That executes more and keeps more registers in
//! use, which it found to cost more than it gains; here a node leaves a conditional only when it leaves a loop with it,
//! or when all alternatives need it. If-conversion is where short alternatives are executed unconditionally.
//!
//! Statistics: `hoisted` nodes moved before loops, of which `speculated` were executed conditionally, `loads` and `trapping`
//! those that may only move where they are certain to be executed; `common` nodes moved before conditionals; `too_deep`
//! nodes that stay because they left [`MAX_LEVELS`](loops::MAX_LEVELS) loops already.
//!
//! Running it again can find more in conditionals whose entry variables became equal by what was moved around them.
//!
//! Cost: linear in the number of edges, and for each node that moves in the number of regions between its old and new
//! place, which a limit bounds.
//!
//! Left out: loads behind stores, which need to know what they alias; nodes that only some alternatives share.
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
