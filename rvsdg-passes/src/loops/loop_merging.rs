//! Loop merging: a loop whose iterations repeat an inner loop differently often for the threads of a group becomes one loop with it.
//!
//! ```text
//! do { A; do { B } while (p); C } while (q);
//! ```
//!
//! becomes
//!
//! ```text
//! inside = false;
//! do {
//!   if (!inside) { A; }
//!   B;
//!   if (p) { inside = true; } else { C; inside = false; }
//! } while (inside || q);
//! ```
//!
//! On machines that execute threads in groups, the threads that have left the inner loop wait for the one that repeats it most often, and
//! they do so in each iteration of the outer loop. In the merged loop they go on with their next iteration of the outer loop while others
//! are still inside. Each thread does what it did, in the same order.
//!
//! The inner loop may stand in one alternative of a conditional, as [inversion](super::theta_gamma_inversion) leaves a loop that
//! may not be entered:
//!
//! ```text
//! do { A; if (g) { P; do { B } while (p); } else { S; } C } while (q);
//! ```
//!
//! Then `A`, the conditional, `P` and `S` are executed outside, and tell whether `B` is to be.
//!
//! 1. **Which nests** (`nest`): the machine is a GPU, threads diverge at the inner loop's predicate, and it is the only loop directly in
//!    the outer one. Nothing in the nest is convergent: other threads are at the same place afterwards. What is executed around the
//!    inner loop has at most [`MAX_AROUND`] operations, and at most [`AROUND_PER_INNER`] for each of the inner loop's: where threads
//!    are out of step, it is executed for some of them in nearly each iteration of the merged loop.
//! 2. **Rewriting** (`merge`): nodes move, none is copied but constants. Variables of the inner loop, and what is known before it and
//!    needed in or after it, become variables of the merged loop; those that are not live outside of the inner loop are poison there.
//!
//! Inner nests first, so that three loops may become one.
//!
//! It is in no default pipeline: trip counts that hardly differ do not make up for the parts of the outer loop that are executed by
//! some threads at a time. [Structurization](crate::control::structurize) has to follow, so that all threads go on together with `B` and
//! with the next iteration; unrolling of the inner loop before it leaves two loops, which are not merged.
//!
//! What is [said](rvsdg_core::hints) of either loop is not true of the merged one: how far it is to be unrolled or vectorized (such nests
//! stay, and those that nothing may transform), and that it makes progress. The merged loop is not to be unrolled.
//!
//! Statistics: `loops_merged`; `declined_…` nests.
//!
//! Running it again does not change anything.
//!
//! Cost: linear in the size of the body for each merged nest.
//!
//! Left out: several loops in one; code after the inner loop in its alternative; inner loops deeper in conditionals; choosing nests by
//! how much trip counts differ, which a profile would tell.
//!
//! Han and Abdelrahman, "Reducing divergence in GPGPU programs with loop merging" (GPGPU 2013); thesis C1.7.

mod merge;
mod nest;

use rvsdg_analysis::divergence::Divergence;
use rvsdg_analysis::order::loops_bottom_up;
use rvsdg_core::structural::Theta;
use rvsdg_core::{Graph, Node, Op};

use crate::loops::vectorize::plan::source;
use crate::pass::{BodyPass, Change, PassCx, Stage};
use crate::remark::{Remark, RemarkKind};

use nest::{Decline, Nest};

/// How many operations may be around the inner loop. A group executes them for few threads at a time once these are out of step, so a long
/// way around the inner loop is better walked together.
pub const MAX_AROUND: usize = 64;

/// How many operations may be around the inner loop for each operation in it. With all threads out of step, an iteration of the merged
/// loop is by this factor longer; trip counts whose greatest is more than as many times the mean make up for it.
pub const AROUND_PER_INNER: usize = 2;

/// The stage of [loop merging](self).
pub struct LoopMerging;

impl BodyPass for LoopMerging {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(surroundings) = cx.surroundings() else { return Change::Unchanged };
        let Some(mut divergence) = Divergence::of(graph, surroundings) else { return Change::Unchanged };
        let mut change = Change::Unchanged;
        for outer in loops_bottom_up(graph) {
            match Nest::of(graph, outer, &divergence, surroundings) {
                None => {}
                Some(Err(reason)) => decline(graph, outer, reason, cx),
                Some(Ok(nest)) => {
                    if !cx.allows_rewrite("merge", graph, outer.node()) {
                        continue;
                    }
                    merged(graph, outer, cx);
                    merge::merge(graph, nest);
                    // The loop around it sees new values.
                    divergence = Divergence::of(graph, surroundings).expect("the machine is the same");
                    change = Change::Changed;
                }
            }
        }
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// Reports and counts a nest that becomes one loop.
fn merged(graph: &Graph, outer: Theta, cx: &PassCx) {
    cx.count("loops_merged", 1);
    cx.remark(|| {
        Remark::new(RemarkKind::Passed, "LoopsMerged").at(source(graph, outer)).words("merged loop with the loop in it")
    });
}

/// Reports and counts why a nest stays.
fn decline(graph: &Graph, outer: Theta, reason: Decline, cx: &PassCx) {
    let (counter, name, words) = match reason {
        Decline::Shape => {
            ("declined_shape", "Shape", "not just one loop is in it, or that one is deep in conditionals")
        }
        Decline::After => ("declined_after", "CodeAfter", "the conditional around the loop in it does more after that"),
        Decline::Uniform => ("declined_uniform", "Uniform", "the threads of a group leave the loop in it together"),
        Decline::Convergent => ("declined_convergent", "Convergent", "what threads do together is in it"),
        Decline::Said => ("declined_said", "Said", "it is said how it, or the loop in it, is to be transformed"),
        Decline::Fixed => ("declined_fixed", "Fixed", "something in it must stay in its place"),
        Decline::States => ("declined_states", "States", "the order of its effects does not go through the loop in it"),
        Decline::Cost => ("declined_cost", "NotBeneficial", "too much is around the loop in it"),
    };
    cx.count(counter, 1);
    cx.remark(|| {
        Remark::new(RemarkKind::Missed, name)
            .at(source(graph, outer))
            .words("loop not merged with the loop in it: ")
            .words(words)
    });
}

/// Whether a node is a constant.
fn is_constant(graph: &Graph, node: Node) -> bool {
    matches!(graph.op(node), Some(Op::Const(_) | Op::CtlConst { .. }))
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(LoopMerging))]
}
