//! Induction variable simplification: loop variables to which something is added in each iteration become wide enough for
//! what they are used for, replace products with what does not change, and are compared in the simplest way.
//!
//! ```text
//! v2: i32 = theta (v3: i32 = v0, v4: i32 = v1) {
//!   v5: i64 = sext v3
//!   …
//!   v6: i32 = add nsw v3, v7
//!   v8: i1 = icmp slt v6, v4
//!   v9: ctl(2) = match i1 v8 [true -> 1, _ -> 0]
//!   next v6, v4 while v9
//! }
//! ```
//!
//! becomes, with what is left over for dead node elimination,
//!
//! ```text
//! v2: i64 = sext v0
//! v3: i64 = sext v1
//! v4: i64, v5: i64 = theta (v6: i64 = v2, v7: i64 = v3) {
//!   …
//!   v8: i64 = add nsw v6, v9
//!   v10: i1 = icmp slt v8, v7
//!   v11: ctl(2) = match i1 v10 [true -> 1, _ -> 0]
//!   next v8, v7 while v11
//! }
//! v12: i32 = trunc v4
//! ```
//!
//! Five rules, over all loops of a body:
//!
//! - **Final values** (`finals`): what a loop whose iterations can be counted leaves in its variables is computed before it, as
//!   a polynomial in that count, where nothing else of the loop is needed, so that it goes, and where it is a sum with a
//!   constant. Inner loops come first: what they add to a variable of the outer one is a step of that then.
//! - **Widening** (`widen`): a conversion to 64 bits of an induction variable, or of sums, products and shifts of it that do not
//!   wrap, becomes a variable of 64 bits, or sums, products and shifts of it. That is right when the variable does not wrap: its
//!   increment promises it (where it breaks the promise, the variable is poison, and all that is computed from it), or the
//!   loop ends before ([`rvsdg_analysis::evolution`]). Comparisons with what does not change move over; all else uses the low bits.
//!   Nothing is widened where addresses have fewer bits, nor for GPUs, whose registers do.
//! - **Webs** (`webs`): what is added to in some iterations only, or in inner loops, becomes wide with all that conditionals, choices and
//!   loops make of it, where something of it is converted: `out[n++] = x` in a loop that filters, both places in one that merges.
//! - **Strength reduction** (`strength`): in an innermost loop, a product of an induction variable and a value that does not
//!   change but is not known becomes a variable of its own, at most [`MAX_REDUCED`](strength::MAX_REDUCED) per loop. Its sums
//!   wrap where the product would, and promise nothing.
//! - **Comparisons** (`exits`): a loop whose number of iterations is known is repeated until its variable is what it is in the
//!   last one, so that counting up to it needs no relation.
//!
//! Statistics: `final_values`, `loops` that went; `widened` conversions, `variables` made wide; `reduced` products;
//! `comparisons`.
//!
//! Running it again changes nothing, where dead node elimination runs before each time: what a dead node uses, too, stays narrow.
//!
//! Cost: linear in the number of nodes, and for each conversion in the number of regions between it and its variable's loop,
//! which a limit bounds.
//!
//! Left out: final values of pointers and floating-point numbers; variables in other steps than a sum, and webs into which something else comes in a loop; products of conversions.

pub mod exits;
pub mod strength;
mod webs;
pub mod widen;

use rvsdg_analysis::order::structural_bottom_up;
use rvsdg_core::Graph;
use rvsdg_core::structural::Theta;

use crate::loops::finals;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [induction variable simplification](self).
pub struct Simplify;

impl BodyPass for Simplify {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        for node in structural_bottom_up(graph) {
            let Some(theta) = Theta::new(graph, node) else { continue };
            change |= finals::compute(graph, theta, cx);
        }
        change |= widen::widen(graph, cx);
        for node in structural_bottom_up(graph) {
            let Some(theta) = Theta::new(graph, node) else { continue };
            change |= strength::reduce(graph, theta, cx);
            change |= exits::canonicalize(graph, theta, cx);
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Simplify))]
}
