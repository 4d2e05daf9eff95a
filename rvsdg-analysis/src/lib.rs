//! Analyses of RVSDG graphs and modules: what several passes need to know before they change anything.
//!
//! An analysis reads a [`Graph`](rvsdg_core::Graph) or a [`Module`](rvsdg_core::Module) and says what it found; it changes
//! nothing, and it knows neither passes nor threads. What is not known for sure is answered with what is safe to assume, and
//! each question says what that is. In reading order:
//!
//! - [`order`]: topological orders of regions, and of γ and θ;
//! - [`function`]: what symbols, attributes and calls say of functions;
//! - [`call_graph`]: the direct calls of bodies, the call graph and its strongly connected components, and how functions are
//!   used.

#![forbid(unsafe_code)]

pub mod call_graph;
pub mod function;
pub mod order;

pub use call_graph::CallGraph;
