//! Induction variable simplification: widens induction variables to the width of their uses, replaces products by sums (strength
//! reduction), simplifies exit tests, and computes final values before the loop.
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
//! becomes, leaving the rest to dead node elimination,
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
//! Seven rules, over all loops of a body:
//!
//! - **Combined exit tests** (`combined`): a loop that continues while two comparisons of one counter hold continues while the counter is
//!   less than the smaller one of the two bounds, which is computed before it.
//! - **Final values** (`finals`): the values of variables after a loop with a computable trip count are computed before it, as
//!   polynomials in that count: if nothing else of the loop is needed, so that the loop is removed, or if the value is a sum with a
//!   constant. Inner loops come first: what they add to a variable of the outer loop is then a step of that variable.
//! - **Widening** (`widen`): a conversion to 64 bits of an induction variable, or of sums, products and shifts of it that do not
//!   wrap, becomes a 64-bit variable, or 64-bit sums, products and shifts. This is correct if the variable does not wrap: because its
//!   increment promises so (where it wraps, the variable is poison, and so is everything computed from it), or because the
//!   loop ends before ([`rvsdg_analysis::evolution`]). Comparisons with invariants are widened too; all other uses take the low bits.
//!   Nothing is widened beyond the width of addresses, or for GPUs, where a wide value takes two registers.
//! - **Webs** (`webs`): a variable that is incremented in only some iterations, or in inner loops, is widened together with everything
//!   that conditionals, selects and loops make of it, if some of these values are converted: `out[n++] = x` in a filtering loop, both
//!   positions in a merging loop.
//! - **Strength reduction** (`strength`): in an innermost loop, a product of an induction variable and an invariant that is not
//!   constant becomes a variable of its own, at most [`MAX_REDUCED`](strength::MAX_REDUCED) per loop. Its sums
//!   wrap where the product would, and have no `nuw` or `nsw`.
//! - **Merged variables** (`merged`): in an innermost loop, an address that moves on by an element in each iteration is computed from a counter
//!   that is needed anyway, and what it is compared with becomes a number of iterations: iterators that count, as `position` and `enumerate`.
//! - **Linear exit tests** (`exits`): a loop whose trip count is known continues until its variable equals its value in the
//!   last iteration, so that the exit test is an (in)equality. With `<exits>`, the pass does only this, and also for bounds that are not
//!   known, in loops with several exits too: where a counter that moves by one is not beyond its bound when the loop begins.
//!
//! Statistics: `final_values`, `loops` that were removed; `widened` conversions, `variables` made wide; `reduced` products;
//! `comparisons` with final values; bounds that are `approached`; `combined` exit tests; `merged` addresses.
//!
//! Running it again changes nothing, if dead node elimination runs before each time: a value with dead users may stay narrow.
//!
//! Cost: linear in the number of nodes, and for each conversion, in the number of regions between it and its variable's loop,
//! which a limit bounds.
//!
//! Left out: final values of pointers and floating-point numbers; variables whose update is not a sum, and webs that receive other
//! values in a loop; products of conversions.

mod combined;
pub mod exits;
mod merged;
pub mod strength;
mod webs;
pub mod widen;

use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_core::Graph;

use crate::loops::finals;
use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage of [induction variable simplification](self).
pub struct Simplify;

impl BodyPass for Simplify {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        for theta in loops_bottom_up(graph) {
            change |= combined::combine(graph, theta, cx);
            change |= finals::compute(graph, theta, cx);
        }
        change |= widen::widen(graph, cx);
        for theta in loops_bottom_up(graph) {
            change |= strength::reduce(graph, theta, cx);
            change |= merged::merge(graph, theta, cx);
            change |= exits::canonicalize(graph, theta, cx);
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stage that only makes exit tests linear.
struct Exits;

impl BodyPass for Exits {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = Change::Unchanged;
        for theta in loops_bottom_up(graph) {
            change |= exits::canonicalize(graph, theta, cx);
            change |= exits::meet(graph, theta, cx);
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass with an option.
///
/// # Errors
/// If there is no such option.
pub fn stages_with(option: &str) -> Result<Vec<Stage>, String> {
    match option {
        "exits" => Ok(vec![Stage::Bodies(Box::new(Exits))]),
        _ => Err(format!("expected 'exits', found '{option}'")),
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Simplify))]
}
