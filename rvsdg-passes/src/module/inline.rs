//! Inlining: replaces a call by the body of its callee.
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
//! and dead node elimination removes functions that are no longer called.
//!
//! Functions are visited bottom-up on the call graph, in parallel where it allows:
//!
//! 1. *Plan*: decides for each call of a function of this module whether to inline it. It is inlined if it is marked `alwaysinline`, or
//!    clang made the function from an OpenCL kernel's body; if it is the only use of a function that is not visible outside (the paper's
//!    rule) and not cold; or if the cost of the callee, less what known arguments save, is within a threshold, which is higher for calls
//!    in nested loops, on GPUs for those in any, and for few calls that pass a function which the callee calls. [`Decline`] lists the
//!    obstacles.
//! 2. *Commit*: adds context variables, attributes and numbers of copied instructions, in module order.
//! 3. *Splice*: copies the callee's graph before the call; for an `invoke`, a version of it in which its own calls are
//!    invokes (`unwind`). A state that the call did not take bypasses the copy at the call's position; allocations move to
//!    the start of the caller. The caller's nodes are renumbered, so that the copied nodes take the call's position.
//! 4. *Simplify*: runs the nested pipeline on functions that have changed, before their cost for their callers is computed.
//!    Their calls are then considered again, a bounded number of times: calls that came with a callee, calls with newly known
//!    arguments, and calls of pointers that have become known.
//!
//! Functions that are each called once form trees, in which every body is copied once, directly to the root (`tree`). The body
//! of a function whose only call was inlined becomes empty. The bodies of such a tree are simplified at its root only.
//!
//! Functions that call each other are visited one after the other too ([`BottomUp`](rvsdg_analysis::call_graph::BottomUp)): small
//! ones, and those that are called once, are inlined into the others; calls of the large ones stay. A function that calls itself, which
//! one of them does in the end, is not inlined. Calls that came with a callee are not followed around a cycle.
//!
//! Cost: linear in the size of the result, except for stateless calls of callees with states, whose position
//! in their region is searched for.
//!
//! Left out: callees that unwind out of assembly, or with values of another type than the `invoke` takes; promises of parameter and
//! result attributes; `noalias` parameters as alias scopes; lifetimes of
//! allocations; functions that only mention each other have no order, so a pointer to one that is visited later is not inlined.
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

/// What is inlined besides functions that are called once.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// A callee that costs more than this is not inlined, in LLVM's unit (an operation is 5, a call 25 and more); `None` to inline only
    /// functions that are called once or marked `alwaysinline`.
    pub threshold: Option<u32>,
    /// What a callee may cost if the call is in nested loops, where that is more.
    pub hot: u32,
}

impl Default for Options {
    /// LLVM's threshold at `-O2`.
    fn default() -> Self {
        Options { threshold: Some(225), hot: 0 }
    }
}

impl Options {
    /// Reads `once`, or `threshold=<number>`, which `;hot=<number>` may follow.
    ///
    /// # Errors
    /// If the text is none of these.
    pub fn parse(text: &str) -> Result<Options, String> {
        let number = |text: Option<&str>| text?.parse().ok().filter(|&number: &u32| number <= 1_000_000);
        let (threshold, hot) = match text.split_once(';') {
            Some((threshold, hot)) => (threshold, number(hot.strip_prefix("hot="))),
            None if text == "once" => return Ok(Options { threshold: None, hot: 0 }),
            None => (text, Some(0)),
        };
        match (number(threshold.strip_prefix("threshold=")), hot) {
            (Some(threshold), Some(hot)) => Ok(Options { threshold: Some(threshold), hot }),
            _ => Err(format!(
                "expected 'once', or 'threshold=' and a number up to 1000000, then perhaps ';hot=' and another, found '{text}'"
            )),
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
/// If the text is not [valid options](Options::parse).
pub fn stages_with(options: &str) -> Result<Vec<Stage>, String> {
    Ok(vec![Stage::BottomUp(Box::new(Inline { options: Options::parse(options)? }))])
}
