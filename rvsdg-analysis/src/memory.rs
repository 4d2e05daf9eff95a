//! Memory: effects of nodes, calls and loops, objects and escape analysis, and alias analysis.
//!
//! Addresses are [value numbers](crate::numbering), so that equal ones are equal wherever they are computed. A pointer that is not
//! computed from another one is the *base* of those that `getelementptr` computes from it; locations with different bases are disjoint if
//! the bases lead into different objects, those with one base if their offsets are.

mod calls;
mod distance;
mod effects;
mod loops;
mod objects;
mod offsets;
pub mod states;
mod transfer;

pub use calls::{CallEffect, is_lifetime};
pub use distance::{base_and_distance, constant_distance, gep_distance};
pub use effects::{Effect, Location, effect, tag};
pub use loops::{LoopSummaries, LoopSummary, Writes};
pub use objects::Objects;
pub use offsets::{Position, Sizes, bits_as_integer, bits_in_memory, distance};
pub use transfer::{Transfer, bytes};
