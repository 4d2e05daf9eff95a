//! Loop unrolling: full unrolling of loops with a small known trip count; partial unrolling of other innermost loops whose trip count
//! can be computed before the loop.
//!
//! ```text
//! v2: i32, v3: i32 = theta (v4: i32 = v0, v5: i32 = v1) {
//!   v6: i32 = mul v4, v5
//!   v7: i32 = add v5, v8
//!   v9: ctl(2) = match i32 v7 [3 -> 0, _ -> 1]
//!   next v6, v7 while v9
//! }
//! ```
//!
//! becomes, if v1 is the constant 1 and v8 is 1,
//!
//! ```text
//! v6: i32 = mul v0, v1
//! v7: i32 = add v1, v8
//! v10: i32 = mul v6, v7
//! v11: i32 = add v7, v8
//! ```
//!
//! Loops are visited once, inner ones first. [`rvsdg_analysis::evolution`] computes trip counts.
//!
//! - **Full** (`full`): a known number of iterations with at most [`MAX_FULL`](full::MAX_FULL) operations together
//!   ([`MAX_FULL_SMALL`](full::MAX_FULL_SMALL) in functions that are optimized for size), or at most [`MAX_LEFT`](full::MAX_LEFT) not
//!   counting those that are constant in each of them, and accesses to parts of stack objects. Conditionals that each iteration decides,
//!   loads from constants and loops that can then be executed at compile time do not count either (`simulation`). If the loop condition
//!   depends on constants only, as for a number that is halved, the trip count is found by executing it.
//! - **Conditional**: if only an upper bound of the trip count is known, at most [`MAX_CONDITIONAL`](full::MAX_CONDITIONAL), and so many
//!   iterations could be unrolled fully, each iteration becomes a conditional nested in the one before it.
//! - **Partial** (`partial`): by a power of two of at most [`MAX_FACTOR`](partial::MAX_FACTOR), such that the operations of that
//!   many iterations are at most [`MAX_PARTIAL`](partial::MAX_PARTIAL), for NVPTX other numbers. The new loop has no exit tests between
//!   the copies; it exits when the induction variable, a number or an address, reaches its value after the last full group of iterations.
//!   The remaining iterations follow: as straight-line code if their number is known, otherwise as the old loop; then each of the two
//!   loops is inside a γ. If the loop might end before its first decision, the trip count is frozen. Loops whose trip count is not known
//!   at compile time are skipped if they are unlikely to take much time (`worth`), and all loops in functions that are optimized for
//!   size.
//!
//! What is said about a loop ([hints](rvsdg_core::hints)) counts more: it stays, is unrolled fully or by a factor, a power of two, or is
//! unrolled although that does not seem to pay, each within [`MAX_ASKED`](full::MAX_ASKED) operations. Loops for remaining iterations are
//! not to be unrolled again by anyone, unless they also execute all iterations where a comparison of addresses fails.
//!
//! A loop whose trip count cannot be computed before it is left as it is. Unrolling it by four unconditionally, as in the
//! thesis's experiments, keeps the predicate between the copies and only makes the code longer, as they found.
//! For NVPTX loops are unrolled as long as their values have registers ([`pressure`](rvsdg_analysis::pressure)): threads that take more
//! leave room for fewer. Its assembler unrolls what comes of it again; not so loops for remaining iterations.
//! Operations that must not be duplicated are not copied, and loops with calls that have effects are only unrolled fully. So are those
//! with barriers and other `convergent` calls, where the trip count is known: all threads execute each copy.
//!
//! Statistics: `full`, `conditional`, `partial` loops; `remainders` old loops that were kept after new ones; `copied` operations;
//! `too_large` loops whose trip count is known.
//!
//! Running it again finds loops whose initial values are known since an outer loop was unrolled, and loops that became smaller.
//! `url<again>` only unrolls the former: innermost loops, fully, with at most [`MAX_FULL_SMALL`](full::MAX_FULL_SMALL) operations together.
//!
//! Cost: linear in what it copies.
//!
//! Left out: [versions](crate::loops::loop_versioning) of loops that are executed rarely; loops that contain loops, except for full
//! unrolling.
//!
//! Thesis B1.7, "loop unrolling".

pub mod full;
pub mod partial;

mod simulation;
pub(crate) mod worth;

use rvsdg_analysis::Surroundings;
use rvsdg_analysis::copying::{may_copy, may_unroll};
use rvsdg_analysis::divergence::Machine;
use rvsdg_analysis::evolution::{Evolution, pointer_iterations};
use rvsdg_analysis::execution::computed_iterations;
use rvsdg_analysis::loop_nest::is_innermost;
use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_analysis::seeded::{self, Bug};
use rvsdg_core::Graph;
use rvsdg_core::graph::Duplicator;
use rvsdg_core::hints::{Hint, LoopHints, LoopRole};
use rvsdg_core::layout::{DataLayout, Layouts};
use rvsdg_core::structural::Theta;

use crate::loops::trips;
use crate::pass::{BodyPass, Change, PassCx, Stage};

use worth::{Surrounding, is_small};

/// The stage of [loop unrolling](self).
#[derive(Copy, Clone, Default, Debug)]
pub struct Unroll {
    /// Whether only innermost loops are unrolled, and only fully, if they are short: their trip counts became known when loops around them
    /// were unrolled.
    pub is_again: bool,
}

impl BodyPass for Unroll {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut duplicator = Duplicator::new();
        let mut change = Change::Unchanged;
        let loops = loops_bottom_up(graph);
        if loops.is_empty() {
            return change;
        }
        let (body, is_small) = (Surrounding::of(graph, cx), is_small(graph, cx));
        let usual = if is_small || self.is_again { full::MAX_FULL_SMALL } else { full::MAX_FULL };
        let machine = cx.surroundings().and_then(|surroundings| Machine::of_triple(surroundings.triple()));
        for theta in loops {
            let node = theta.node();
            if self.is_again && !is_innermost(graph, theta) {
                continue;
            }
            let LoopHints { unroll: hint, role, .. } = graph.loop_hints(node);
            let is_asked_for = hint != Hint::Unsaid;
            let mut evolution = Evolution::of(graph, theta);
            let data = cx.surroundings().and_then(Surroundings::data_layout);
            let repetitions = evolution.repetitions(graph, data);
            let known = repetitions.as_ref().and_then(|repetitions| repetitions.known_iterations(graph, theta));
            let all = known.or_else(|| other_iterations(graph, theta, data));
            let fits = |&iterations: &u128| {
                full::fits(graph, theta, iterations, usual)
                    || !self.is_again && full::fits_if_known(graph, cx.surroundings(), theta, iterations)
                    || full::is_asked_for(graph, theta, iterations, hint)
            };
            // A loop with one iteration is none, whatever is said about it.
            if hint == Hint::Never && all != Some(1) {
                continue;
            }
            if let Some(iterations) = all.filter(fits) {
                if may_unroll(graph, cx.surroundings(), theta) {
                    change |= copy_all(graph, cx, theta, "full", |graph| {
                        full::unroll(graph, theta, iterations, &mut duplicator)
                    });
                }
                continue;
            }
            if self.is_again || !is_asked_for && is_small || matches!(role, LoopRole::Remainder | LoopRole::Fallback) {
                continue;
            }
            let at_most = known.or_else(|| evolution.iterations_at_most(graph, data));
            if let Some(iterations) = at_most.filter(|&most| most <= full::MAX_CONDITIONAL)
                && known.is_none()
                && full::fits(graph, theta, iterations, usual)
            {
                if may_copy(graph, cx.surroundings(), node) || seeded::is_active(Bug::UrlConvergent) {
                    change |= copy_all(graph, cx, theta, "conditional", |graph| {
                        full::unroll_conditional(graph, theta, iterations, &mut duplicator)
                    });
                }
                continue;
            }
            let Some(repetitions) = repetitions else { continue };
            let Some(factor) = partial::factor(graph, theta, at_most, hint, machine) else {
                cx.count("too_large", 1);
                continue;
            };
            if !repetitions.is_exact(known)
                || known.is_none() && !is_asked_for && !body.is_hot(graph, theta)
                || !may_copy(graph, cx.surroundings(), node)
                || !cx.rewrite("partial", graph, node)
            {
                continue;
            }
            let unrolled = partial::Unrolling { theta, factor, repetitions: &repetitions };
            match known {
                Some(iterations) => unrolled.known(graph, &evolution, iterations, &mut duplicator),
                None => {
                    if trips::settle_start(graph, theta, &repetitions, cx) {
                        evolution = Evolution::of(graph, theta);
                    }
                    unrolled.unknown(graph, &evolution, &mut duplicator);
                    cx.count("remainders", 1);
                }
            }
            cx.count("partial", 1);
            change = Change::Changed;
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Replaces a loop by copies of its body. `unroll` does it, and returns how many operations it copied.
fn copy_all(
    graph: &mut Graph,
    cx: &PassCx,
    theta: Theta,
    kind: &'static str,
    unroll: impl FnOnce(&mut Graph) -> u64,
) -> Change {
    if !cx.rewrite(kind, graph, theta.node()) {
        return Change::Unchanged;
    }
    let copied = unroll(graph);
    cx.count(kind, 1);
    cx.count("copied", copied);
    Change::Changed
}

/// The trip count of a loop without a counter.
fn other_iterations(graph: &Graph, theta: Theta, data: Option<&DataLayout>) -> Option<u128> {
    let of_pointers = || pointer_iterations(graph, theta, &mut Layouts::new(data?.clone()));
    of_pointers().or_else(|| computed_iterations(graph, theta)).map(u128::from)
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Unroll::default()))]
}

/// The stages of the pass with an option as written, `again`.
///
/// # Errors
/// If there is no such option.
pub fn stages_with(option: &str) -> Result<Vec<Stage>, String> {
    match option {
        "again" => Ok(vec![Stage::Bodies(Box::new(Unroll { is_again: true }))]),
        _ => Err(format!("expected 'again', found '{option}'")),
    }
}
