//! Measurements of the optimizer, and the report about them that `cargo bench` writes.
//!
//! In reading order: what is compared ([`configs`]) on what ([`kernels`]), how a program comes from it ([`build`]), at which size
//! it is timed ([`sizes`]), how ([`timing`]) and beside what ([`compare`]), how whole programs fare ([`programs`]), what is kept of a run
//! ([`results`]), and the whole of it ([`run`]). Small programs in three languages have a measurement of their own ([`speed`]), small loops
//! another ([`loops`]), and
//! kernels for GPUs three more: how threads that part are brought together ([`gpu`]), code of public kernels ([`opencl`]), and how long all
//! of them take where there is a GPU ([`gpu_times`]).

#![deny(unsafe_code)]

use std::time::{Duration, Instant};

pub mod build;
pub mod cli;
pub mod compare;
pub mod configs;
pub mod gpu;
pub mod gpu_times;
pub mod kernels;
pub mod loops;
pub mod machine;
pub mod opencl;
pub mod process;
pub mod programs;
pub mod report;
pub mod results;
pub mod run;
pub mod sizes;
pub mod speed;
pub mod statistics;
pub mod timing;

pub use statistics::median;

/// How long `work` takes once, and what it gives.
pub fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = std::hint::black_box(work());
    (start.elapsed(), result)
}
