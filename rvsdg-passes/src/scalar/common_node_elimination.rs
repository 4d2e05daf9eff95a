//! Common node elimination: computes once what is computed several times in one region.
//!
//! ```text
//! v2: i32 = add v0, v1
//! v3: i32 = add v1, v0
//! v4: i32 = mul v2, v3
//! ```
//!
//! becomes, with what is left over for dead node elimination,
//!
//! ```text
//! v2: i32 = add v0, v1
//! v3: i32 = add v1, v0
//! v4: i32 = mul v2, v2
//! ```
//!
//! Nodes are *congruent* when they always compute the same value: they have the same operation, flags included, and
//! congruent inputs (in either order, where the operation commutes). Congruence passes region borders inwards and
//! outwards: arguments of a γ are congruent to their inputs, γ outputs when their results are congruent in every region,
//! and to what is outside when their results are; loop variables when they start congruent and stay so in every
//! iteration, and one that does not change to its input. So what is computed before a γ or θ is not computed again in it.
//!
//! It has three parts: context variables of λ and φ nodes with one origin ([`CommonContext`]), then every body by
//! itself ([`CommonNodes`]), and at last conditionals with one predicate become one ([`CommonConditionals`]), which saves a
//! branch and shows what their alternatives have in common. The first two have a mark and a divert phase:
//!
//! - *Mark* visits regions from the outside in, and nodes in topological order, and finds each node's leader, the first
//!   congruent one, in a hash table. For loops it starts from the assumption that all variables that start congruent
//!   stay so, and splits them when their results differ; what was derived from the assumption is then found anew, until
//!   nothing splits. Congruence found in the last round rests on no assumption that it does not confirm.
//! - *Divert* makes users of each origin users of its leader. Where the leader is in a region around, variables bring it in,
//!   through at most 32 regions; only constants stay, which are to be had everywhere. Dead node
//!   elimination removes what is left over.
//!
//! Nodes with states are left alone: states are linear, so no two nodes have the same. That covers loads, allocations and
//! calls with effects. Calls without are merged, unless they are convergent, or must be tail calls. A predicate
//! (`match`, `ctl`, or a variable of that type) is left alone so that each γ and θ keeps the one its control flow is
//! recovered from, adjacent to it (predicate continuation form, thesis B2.3.2). Two `freeze` of one value are merged: that chooses one of the values
//! that each could have had.
//!
//! Running it again can find more: conditionals that what was in others kept apart.
//!
//! Cost: a round is linear in the number of edges. One round is enough without loops, and usually with them, because the
//! assumption separates variables whose next values come from different operations; [`MAX_ROUNDS`](nodes::MAX_ROUNDS)
//! bounds it.
//!
//! Left out: congruence between alternatives of one γ (node push-out has that), of comparisons with exchanged operands,
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
