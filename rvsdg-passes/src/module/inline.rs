//! Inlining: the body of a function stands in the place of a call to it.
//!
//! ```text
//! lambda @twice [] (v0: i32, mem0, io0) {
//!   v1: i32 = add v0, v0
//!   yield v1, mem0, io0
//! }
//!
//! lambda @f [@twice] (v0: i32, mem0, io0) {
//!   v1: i32, mem1, io1 = call i32 (i32) @twice(v0), mem0, io0
//!   yield v1, mem1, io1
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! lambda @f [@twice] (v0: i32, mem0, io0) {
//!   v1: i32 = add v0, v0
//!   yield v1, mem0, io0
//! }
//! ```
//!
//! and dead node elimination removes what nobody calls any more.
//!
//! Functions are handled from the leaves of the call graph up, in parallel where the call graph allows:
//!
//! 1. *Plan*: for each call of a function of this module, whether it is inlined. It is when it is marked `alwaysinline`, or clang made it of
//!    an OpenCL kernel's body; when it is the only use of a function that nobody else sees (the paper's rule) and not a cold one; and when the callee costs no more than a
//!    threshold, where known arguments make it cheaper. [`Decline`] lists what forbids it.
//! 2. *Commit*: context variables, attributes and the numbers of copied instructions, in module order.
//! 3. *Splice*: the callee's graph is copied in front of the call; for an `invoke` it is one then whose own calls are
//!    invokes (`unwind`). A state that the call did not take passes through it at the call's place; allocations are made at
//!    the start of the caller. The caller's nodes are numbered anew, so that what was inlined stands where the call stood.
//!
//! 4. *Simplify*: what is nested in the pass is run on functions that have changed, and only then is it found out what they cost their
//!    callers. Their calls are looked at again, a few times at most: those that came along with a callee, those that pass what is
//!    known now, and calls of pointers that have become known.
//!
//! Functions that are each called once make trees, in each of which every body is copied once, to the root (`tree`). The body
//! of a function whose only call was inlined does nothing from then on. What is in such a tree is simplified at its root only.
//!
//! Functions that call each other are handled one after the other, too ([`BottomUp`](rvsdg_analysis::call_graph::BottomUp)): the small
//! ones, and those that are called once, go into the others; calls of the large ones stay. A function that calls itself, as one of them
//! does in the end, is not inlined. What came along with a callee is not followed round a cycle.
//!
//! Cost: linear in the size of what comes out, but for calls that take no state and whose callee does, which are searched
//! for their place in their region.
//!
//! Left out: callees that unwind out of assembly, or with values of another type than the `invoke` takes; what attributes of parameters and results promise; `noalias` parameters as alias scopes; lifetimes of
//! allocations; functions that only mention each other are in no order, so that a pointer to one whose turn comes later is not inlined.
//!
//! Thesis B1.6.

mod attributes;
mod by_value;
mod decline;
mod pass;
mod plan;
mod routes;
mod specialize;
mod splice;
mod summary;
mod tree;
mod unwind;

pub use decline::Decline;
pub use pass::Inline;
pub(crate) use splice::allocate;

use crate::pass::Stage;

/// What is inlined beside functions that are called once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// A callee that costs more than this is not inlined, in LLVM's unit (an operation is 5, a call 25 and more); `None` to
    /// inline only what is called once or marked `alwaysinline`.
    pub threshold: Option<u32>,
}

impl Default for Options {
    /// LLVM's threshold at `-O2`.
    fn default() -> Self {
        Options { threshold: Some(225) }
    }
}

impl Options {
    /// Reads `threshold=<number>` or `once`.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn parse(text: &str) -> Result<Options, String> {
        if text == "once" {
            return Ok(Options { threshold: None });
        }
        let number = text.strip_prefix("threshold=").and_then(|number| number.parse().ok());
        match number {
            Some(threshold) if threshold <= 1_000_000 => Ok(Options { threshold: Some(threshold) }),
            _ => Err(format!("expected 'once' or 'threshold=' and a number up to 1000000, found '{text}'")),
        }
    }
}

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::BottomUp(Box::new(Inline { options: Options::default() }))]
}

/// The stages of the pass with options.
///
/// # Errors
/// When the text is not [what options look like](Options::parse).
pub fn stages_with(options: &str) -> Result<Vec<Stage>, String> {
    Ok(vec![Stage::BottomUp(Box::new(Inline { options: Options::parse(options)? }))])
}
