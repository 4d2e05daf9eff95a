//! Data dependence in innermost loops: which iterations touch the same memory, and what the variables of a loop carry from each
//! iteration to the next.
//!
//! An access of a loop whose body is executed from end to end is at `base + offset + stride · k` in iteration k, counted from 0
//! ([`Affine`]). Two accesses that start at the same pointer overlap at the distances between iterations that a test computes
//! exactly where both move by the same number of bytes (the *strong SIV* test), and not at all where no multiple of the greatest
//! common divisor of their strides brings them together (the *GCD* test): Goff, Kennedy and Tseng, "Practical dependence
//! testing" (PLDI 1991). Accesses from different pointers are apart when the pointers lead into different objects. Else nothing
//! is known, and they are apart where the ranges that all iterations together touch are, which can be compared before the loop.
//!
//! Addresses are compared as integers modulo two to the 64. That they do not wrap around follows from all iterations accessing
//! one object with one step: an object is smaller than half the address space (LangRef, "Allocated Objects"), so that no step
//! smaller than that passes over what is not part of it.
//!
//! Left out: nests, whose distances are vectors; accesses that only some iterations make; subscripts that are not affine;
//! indices narrower than addresses, which widening induction variables makes as wide.

mod accesses;
mod affine;
mod carried;
mod distance;
mod interleaved;
mod lockstep;
mod steps;

#[cfg(test)]
mod tests;

pub use accesses::{Access, Accesses, Obstacle};
pub use affine::{Addresses, Affine, Pattern};
pub use carried::{Carried, Reduction, ReductionKind, carried, first_order};
pub use distance::{Dependence, Move, distances, hindering_gaps, in_sequence, meets};
pub use interleaved::{Group, groups};
pub use lockstep::{InnerLoop, MAX_BLOCK, Meeting, Nest, NestAccess, Parting};
pub use steps::Steps;
