//! Loop versioning: a copy of a loop for the case that its accesses do not overlap, chosen by address comparisons before the loop.
//!
//! ```text
//! mem1, … = theta (v3: ptr = v0, v4: ptr = v1, …) {
//!   v6: double, mem2 = load v4, mem1, align 8
//!   …
//!   mem3 = store v8, v7, mem2, align 8
//!   next …
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! v9: i1 = icmp ule ptr v10, v11
//! …
//! v12: ctl(2) = match i1 v13 [true -> 1, _ -> 0]
//! mem1, … = gamma v12 (…) {
//!   [0] … the loop as it was
//!   [1] v6: double, mem2 = load v4, mem0, align 8
//!       mem1, … = theta (…) { … }
//! }
//! ```
//!
//! Candidates are innermost counted loops with loads that [memory forwarding](crate::memory::memory_forwarding) could hoist out of
//! the loop or forward from the previous iteration, if only the loop's stores were to other locations. Locations are disjoint
//! if the ranges that all iterations together access are: from the first to the last iteration's address, which are
//! known distances apart and move by a known distance in each iteration. Every iteration makes the accesses that are
//! compared, and nothing in the loop could leave it early, so that the comparisons are the only additional code.
//!
//! Loops of so few iterations that the loads they save do not make up for the comparisons stay.
//!
//! The copy is executed if all compared ranges are disjoint; memory is forwarded in it under that assumption.
//!
//! Statistics: `loops` with two versions, and those of memory forwarding.
//!
//! Running it again does not change loops that have two versions.
//!
//! Cost: linear in the number of nodes; sizes of loops, accesses and comparisons are bounded.
//!
//! Left out: several ranges from one pointer; loop nests; accesses that only some iterations make.

use crate::memory::memory_forwarding::LoopVersions;
use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(LoopVersions))]
}
