//! Node reduction: constant folding and algebraic simplification of operations, and replacement of conditionals and loops whose
//! predicate is known by their contents.
//!
//! ```text
//! v1: i32 = const i32 0
//! v2: i32 = add v0, v1
//! v3: i32 = mul v2, v2
//! ```
//!
//! becomes
//!
//! ```text
//! v3: i32 = mul v0, v0
//! ```
//!
//! One worklist ([`driver`]) visits every node, and again the nodes around each change. For a node, it tries constant
//! folding ([`rvsdg_core::fold`]), then the rules for its operation in the order of their table ([`rule`], one file per
//! group in `rules`). Rules for predicates, γ and θ are in `control`. A rule returns a replacement or nothing; it never
//! deletes. New operations are folded while they are built, with the same functions. [`rvsdg_analysis::integers`] provides known
//! bits and ranges of integers, also in loops. Alternatives of a γ whose end is unreachable are never chosen (`unreachable`),
//! nor are those by which a loop would be left to get there (`exits`), and a result of an alternative that is not used after that
//! alternative was taken is poison (`unneeded`). Alternatives that do the same become one (`alike`). Sums that advance a loop's counter
//! where a conditional does not leave the loop move before it (`advance`). Loops whose variables start as constants are executed ([`rvsdg_analysis::execution`]).
//! Invokes whose exceptions are only resumed become calls ([`rvsdg_analysis::unwinding`]). Loads and stores of vectors get the alignment
//! that their address is known to have ([`rvsdg_analysis::alignment`]).
//!
//! The laws that rules obey are in `README.md` beside them. Each row has an instance as LLVM IR, which can be proved.
//!
//! Cost: linear in the number of edges and of rules that apply; a bounded number of sweeps.
//!
//! Left out: replacements that would introduce calls of intrinsics; equality over more than a few operations; integers wider than
//! 128 bits; subnormal numbers; sizes that depend on the data layout, except
//! in distances between addresses; metadata of loads (`!range`), which is not in the graph.
//!
//! Thesis B1.6, "node reductions".

pub mod cx;
pub mod driver;
pub mod rule;

mod advance;
mod aligned;
mod alike;
mod chains;
mod control;
mod exits;
mod fields;
mod idle;
mod implied;
mod rules;
mod spread;
mod unneeded;
mod unreachable;

pub use driver::Reduce;

use std::sync::Arc;

use self::rule::Rules;
use crate::pass::Stage;

/// The stages of the pass with a table of rules.
pub fn stages(rules: Arc<Rules>) -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Reduce { rules }))]
}
