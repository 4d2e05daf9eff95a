//! Loop versioning: a copy of a loop for the case that its accesses are apart, chosen by a comparison of addresses before it.
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
//! Innermost loops that are counted are looked at, with loads that [memory value forwarding](crate::memory::memory_forwarding) would take out of
//! the loop or find the value of in the iteration before, if only the loop's stores were to other places. Places are apart
//! when the ranges are that all iterations together access: from the first to the last one's address, which are at known
//! distances from each other and move by a known distance in each iteration. Every iteration makes the accesses that are
//! compared, and nothing in the loop could end it early, so that comparing is all that is executed in addition.
//!
//! In the copy that is executed where all compared ranges are apart, memory values are forwarded knowing that.
//!
//! Statistics: `loops` of which there are two versions, and those of memory value forwarding.
//!
//! Running it again changes nothing of loops that have two versions.
//!
//! Cost: linear in the number of nodes; sizes of loops, accesses and comparisons are bounded.
//!
//! Left out: ranges from one pointer; nests of loops at once; accesses that only some iterations make.

use crate::memory::memory_forwarding::LoopVersions;
use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(LoopVersions))]
}
