//! Data dependence in innermost loops: which iterations touch the same memory, and which values are loop-carried.
//!
//! An access of a loop whose body is executed from end to end is at `base + offset + stride · k` in iteration k, counted from 0
//! ([`Affine`]). For two accesses that start at the same pointer, the distances between iterations at which they overlap are computed
//! exactly if both move by the same number of bytes (the *strong SIV* test), and they never overlap if no multiple of the greatest common
//! divisor of their strides brings them together (the *GCD* test): Goff, Kennedy and Tseng, "Practical dependence testing" (PLDI 1991).
//! Accesses from different pointers are disjoint if the pointers lead into different objects. Otherwise nothing is known, and they are
//! disjoint if the ranges that all iterations together touch are, which can be compared before the loop.
//!
//! Addresses are compared as integers modulo 2^64. They do not wrap around because all iterations access one object with one step: an
//! object is smaller than half the address space (LangRef, "Allocated Objects"), so that a smaller step cannot pass over memory outside
//! it.
//!
//! Left out: nests, whose distances are vectors; accesses that only some iterations make; subscripts that are not affine; indices
//! narrower than addresses, which widening of induction variables avoids.

mod accesses;
pub(crate) mod affine;
mod carried;
mod distance;
mod earlier;
mod interleaved;
mod lockstep;
mod steps;

#[cfg(test)]
mod tests;

pub use accesses::{Access, Accesses, Obstacle};
pub use affine::{Addresses, Affine, Pattern};
pub use carried::{Carried, Reduction, ReductionKind, carried, first_order};
pub use distance::{Dependence, Move, distances, hindering_gaps, in_sequence, meets};
pub use earlier::{Earlier, earlier};
pub use interleaved::{Group, groups};
pub use lockstep::{InnerLoop, MAX_BLOCK, Meeting, Nest, NestAccess, Parting};
pub use steps::Steps;
