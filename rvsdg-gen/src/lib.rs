//! Generators of control flow graphs and RVSDGs for tests and benchmarks.

#![forbid(unsafe_code)]

pub mod bodies;
pub mod cfgs;
pub mod edits;
pub mod entropy;
pub mod llvm;
pub mod modules;
pub mod mutate;
pub mod nearby;
pub mod predicates;
pub mod property;
pub mod rng;
pub mod runs;
pub mod shapes;
pub mod steer;
pub mod trace;
mod universe;
pub mod unstructured;
pub mod warp;
pub mod weights;
