//! Generators of control flow graphs and RVSDGs for tests and benchmarks.

#![forbid(unsafe_code)]

pub mod cfgs;
pub mod rng;
pub mod shapes;
pub mod trace;
