//! Passes over loops.

pub mod index_set_splitting;
pub mod induction_variables;
pub mod loop_idioms;
pub mod loop_merging;
pub mod loop_versioning;
pub mod peel;
pub mod step_versioning;
pub mod theta_gamma_inversion;
pub mod unroll;
pub mod unroll_and_jam;
pub mod vectorize;

pub(crate) mod copies;
pub(crate) mod finals;
pub(crate) mod ranges;
pub(crate) mod remainder;
pub(crate) mod trips;
