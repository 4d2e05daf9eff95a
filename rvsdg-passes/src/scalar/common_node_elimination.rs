//! Common node elimination (global value numbering): computes equal values once.
//!
//! ```text
//! v2: i32 = add v0, v1
//! v3: i32 = add v1, v0
//! v4: i32 = mul v2, v3
//! ```
//!
//! becomes, leaving the rest to dead node elimination,
//!
//! ```text
//! v2: i32 = add v0, v1
//! v3: i32 = add v1, v0
//! v4: i32 = mul v2, v2
//! ```
//!
//! Nodes are *congruent* if they always compute the same value: they have the same operation, flags included, and
//! congruent inputs (in either order, if the operation commutes). Congruence crosses region borders inwards and
//! outwards: arguments of a γ are congruent to their inputs; γ outputs to each other if their results are congruent in every region,
//! and to an outer value if all their results are; loop variables if they start congruent and stay so in every
//! iteration, and an invariant one to its input. So a value that is available before a γ or θ is not computed again inside.
//!
//! It has three parts: context variables of λ and φ nodes with one origin ([`CommonContext`]), then every body by
//! itself ([`CommonNodes`]), and finally conditionals with the same predicate are merged ([`CommonConditionals`]), which saves a
//! branch and exposes what their alternatives have in common. The first two have a mark and a divert phase:
//!
//! - *Mark* visits regions from the outside in, and nodes in topological order, and finds each node's leader, the first
//!   congruent node, in a hash table. For loops it assumes optimistically that all variables that start congruent
//!   stay so, and splits them when their results differ; what was derived from the assumption is then derived again, until
//!   nothing splits. Congruence found in the last round rests on no assumption that the round does not confirm.
//! - *Divert* makes users of each origin users of its leader. If the leader is in an enclosing region, it is routed in through
//!   variables, through at most 32 regions; constants are not routed, because they are available everywhere. Dead node
//!   elimination removes the rest.
//!
//! Nodes with states are left alone: states are linear, so no two nodes have the same. That covers loads, allocations and
//! calls with effects. Calls without effects are merged, unless they are convergent or must be tail calls. Predicates
//! (`match`, `ctl`, or a variable of that type) are left alone so that each γ and θ keeps the definition its control flow is
//! recovered from, adjacent to it (predicate continuation form, thesis B2.3.2). Two `freeze` of one value are merged: the result is
//! one of the values that each could have had.
//!
//! Running it again can find more: conditionals that were kept apart by nodes in others.
//!
//! Cost: a round is linear in the number of edges. One round is enough without loops, and usually with them, because the
//! assumption separates variables whose next values come from different operations; [`MAX_ROUNDS`](nodes::MAX_ROUNDS)
//! bounds it.
//!
//! Left out: congruence between alternatives of one γ (see node push-out), of comparisons with exchanged operands,
//! of operations that differ in flags.
//!
//! Thesis B1.6.2, algorithm VI; the order of optimism and splitting is that of Alpern, Wegman and Zadeck's "Detecting
//! equality of variables in programs" (POPL 1988).

mod conditionals;
mod context;
mod divert;
pub mod nodes;
mod partition;

pub use conditionals::CommonConditionals;
pub use context::CommonContext;
pub use nodes::CommonNodes;

use rvsdg_core::Graph;

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stage for one body: [`CommonNodes`], then [`CommonConditionals`].
struct CommonBodies;

impl BodyPass for CommonBodies {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let mut change = CommonNodes.run(graph, cx);
        change |= CommonConditionals.run(graph, cx);
        change
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Module(Box::new(CommonContext)), Stage::Bodies(Box::new(CommonBodies))]
}
