//! Analyses of RVSDG graphs and modules: what several passes need to know before they change anything.
//!
//! An analysis reads a [`Graph`](rvsdg_core::Graph) or a [`Module`](rvsdg_core::Module) and says what it found; it changes
//! nothing, and it knows neither passes nor threads. What is not known for sure is answered with what is safe to assume, and
//! each question says what that is. In reading order:
//!
//! - [`order`]: topological orders of regions, and of γ and θ; [`trace`]: what a value is in the regions around;
//! - [`function`]: what symbols, attributes and calls say of functions, and the effects of their bodies;
//! - [`call_graph`]: the direct calls of bodies, the call graph and its strongly connected components, and how functions are
//!   used;
//! - [`surroundings`]: what a body may know of the symbols it mentions; [`callee`]: what that says of a call;
//! - [`safety`]: where operations may be executed speculatively, or moved to; [`copying`]: what may be duplicated; [`undef`]:
//!   which values are surely not undef;
//! - [`loop_nest`]: loops and how they are nested; [`invariant`]: loop-invariant values; [`evolution`]: scalar evolution, that is chains of recurrences and trip counts;
//! - [`numbering`]: value numbers across regions; [`memory`]: effects, objects and escape, alias analysis, summaries of loops;
//! - [`seeded`]: deliberate faults in passes and analyses, for a test of the tests.

#![forbid(unsafe_code)]

pub mod call_graph;
pub mod callee;
pub mod copying;
pub mod evolution;
pub mod function;
pub mod invariant;
pub mod loop_nest;
pub mod memory;
pub mod numbering;
pub mod order;
pub mod safety;
pub mod seeded;
pub mod surroundings;
pub mod trace;
pub mod undef;

pub use call_graph::CallGraph;
pub use surroundings::Surroundings;
