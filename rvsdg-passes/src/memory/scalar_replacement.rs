//! Scalar replacement of aggregates: splits objects on the stack into the parts that are accessed as a whole.
//!
//! ```text
//! v3: ptr, mem1 = alloca { i32, ptr }, v2, mem0, align 8
//! mem2 = call void (ptr, ptr, i64, i1) @llvm.memcpy.p0.p0.i64(v3, v0, v4, v5), mem1
//! v6: ptr = getelementptr inbounds nusw { i32, ptr }, v3, v7, v2
//! v8: ptr, mem3 = load v6, mem2, align 8
//! ```
//!
//! becomes
//!
//! ```text
//! v4: ptr = getelementptr inbounds nusw nuw i8, v0, v5
//! v8: ptr, mem1 = load v4, mem0, align 8
//! ```
//!
//! - *Choices*, a stage of its own, comes first: a load from one of two objects, as through the reference that `std::min` returns, reads
//!   both and selects one value; a store to one of two objects writes both, the other one with the value that it holds (`chosen`).
//! - *Objects* are allocations of known size whose address is followed through constant offsets, into γ and θ, to plain loads
//!   and stores, to copies and fills of known length (`llvm.memcpy`, `llvm.memmove`, `llvm.memset`) and to lifetime markers
//!   (`objects`). An object with any other use stays as it is.
//! - *Pieces* are cut where accesses begin and end, including those of objects that are copied from or to it. A pointer or a float is
//!   never cut; an integer, vector or aggregate is, if that gives few parts. Neighbours that a copy can only copy as bytes stay
//!   one piece. A piece that is never read needs no code (`pieces`).
//! - *Rewrite* makes an allocation for each piece. An access of a whole piece gets its address; one of several pieces becomes one of
//!   each, combined by shifts, lanes or elements. A copy becomes loads and stores of the pieces' types if that is equivalent to
//!   the copy; where it could copy bytes of another type, or partly poison bytes, from outside to outside, a shorter copy stays
//!   (`rewrite`).
//! - *Promote*, a stage of its own, turns objects that are only loaded and stored as a whole into values (`promote`).
//!
//! Objects that are copied to each other are replaced together or not at all. They stay if more copies and fills would be
//! left than there were.
//!
//! Statistics: `chosen_loads` that read both objects, `chosen_stores` that write both, `objects` that were split, `accesses` that were
//! rewritten, `promoted` objects.
//!
//! Cost: linear in the number of edges, and for promotion in the depth at which each object is accessed; objects of many pieces
//! stay as they are.
//!
//! Left out: objects whose address is passed to a call; pointers that come from a γ, or from a `select` with other uses than loads and
//! stores; indices that are not constants.

mod chosen;
mod cuts;
mod objects;
mod pieces;
mod promote;
mod rewrite;
mod sets;
mod uses;
mod values;

pub use chosen::Choices;
pub use promote::Promotion;

use rvsdg_core::Graph;

use crate::pass::{BodyPass, Change, PassCx, Stage};

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![
        Stage::Bodies(Box::new(Choices)),
        Stage::Bodies(Box::new(ScalarReplacement)),
        Stage::Bodies(Box::new(Promotion)),
    ]
}

/// The second stage of the pass for one body: splits objects into pieces.
pub struct ScalarReplacement;

impl BodyPass for ScalarReplacement {
    fn run(&self, graph: &mut Graph, cx: &PassCx) -> Change {
        let Some(objects) = objects::find(graph, cx) else { return Change::Unchanged };
        let Some(plan) = pieces::plan(graph, &objects, cx) else { return Change::Unchanged };
        rewrite::run(graph, &objects, &plan, cx);
        Change::Changed
    }

    fn wants_surroundings(&self) -> bool {
        true
    }
}
