//! Node reduction: replaces operations by simpler ones of the same meaning, and conditionals and loops that decide
//! nothing by what is in them.
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
//! One worklist ([`driver`]) looks at every node, and again at those around each change. For a node, it tries constant
//! folding ([`fold`] on [`arith`]), then the rules for its operation in the order of their table ([`rule`], one file per
//! group in `rules`). Rules for predicates, γ and θ are in `control`. A rule returns a replacement or nothing; it never
//! deletes. What it adds is folded while it is built, with the same functions. [`known_bits`] tells rules about bits of
//! integers that are always the same.
//!
//! The laws that rules obey are in `README.md` beside them. Each row has an instance as LLVM IR from which it is proved.
//!
//! Cost: linear in the number of edges and of rules that apply; a bounded number of sweeps.
//!
//! Left out: what an operation that LLVM's `opt` would build but the exporter cannot; equality over more than a few
//! operations; integers wider than 128 bits; rounding of floats.
//!
//! Thesis B1.6, "node reductions".

pub mod arith;
pub mod cx;
pub mod driver;
pub mod fold;
pub mod known_bits;
pub mod parts;
pub mod real;
pub mod rule;

mod chains;
mod control;
mod rules;

pub use driver::Reduce;

use crate::pass::Stage;

/// The stages of the pass.
pub fn stages() -> Vec<Stage> {
    vec![Stage::Bodies(Box::new(Reduce))]
}
