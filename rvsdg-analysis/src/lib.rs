//! Analyses of RVSDG graphs and modules, shared by passes.
//!
//! An analysis reads a [`Graph`](rvsdg_core::Graph) or a [`Module`](rvsdg_core::Module) and returns facts; it changes nothing, and it
//! knows neither passes nor threads. Answers are conservative: each function says what it returns if a fact is not known. In reading
//! order:
//!
//! - [`order`]: topological orders of regions, and of γ and θ; [`trace`]: traces values through the regions around them;
//! - [`function`]: what symbols, attributes and calls say of functions, and the effects of their bodies;
//! - [`call_graph`]: the direct calls of bodies, the call graph and its strongly connected components, and how functions are used;
//! - [`surroundings`]: what a body may know of the symbols it mentions; [`callee`]: what is known of a call; [`allocation`]: calls that
//!   allocate and free; [`library`]: promises of library functions; [`captures`]: capture tracking;
//! - [`reached`]: nodes that are certain to be executed; [`accessed`]: addresses that are dereferenced next; [`safety`]: where operations
//!   may be speculated or moved to; [`dereferenceable`]: how much memory there is at an address; [`copying`]: what may be duplicated;
//!   [`undef`]: values that are never undef; [`nonnull`]: addresses that are never null; [`alignment`]: addresses that powers of two
//!   divide; [`unwinding`]: exceptions that nothing stops;
//! - [`integers`]: known bits and bounds; [`sign`]: floating-point numbers that are never less than zero;
//!   [`conditions`]: implied conditions; [`arc`]: integer ranges; [`leads`]: which later branch each
//!   alternative of a conditional decides;
//! - [`loop_nest`]: loops and how they are nested; [`invariant`]: loop invariants; [`evolution`]: scalar evolution, that is, chains of
//!   recurrences and trip counts; [`execution`]: loops executed at compile time;
//! - [`divergence`]: divergence analysis: what differs between the threads of a group; [`address_space`]: address-space inference;
//! - [`numbering`]: value numbers across regions; [`memory`]: effects, objects, escape analysis, alias analysis, summaries of loops;
//! - [`constant_memory`]: the contents of variables that never change; [`variable_uses`]: how a module uses its own variables;
//! - [`dependence`]: affine addresses in loops, data dependences, reductions; [`target`]: vector registers and costs;
//! - [`pressure`]: the registers that loops take;
//! - [`seeded`]: seeded bugs in passes and analyses, to test the tests.
//!
//! The depth of each loop of a function:
//!
//! ```
//! use rvsdg_analysis::loop_nest::LoopNests;
//! use rvsdg_core::text::parse_module;
//!
//! let module = parse_module(
//!     "module \"example\"
//! @count = function i32 (i32)
//! lambda @count [] (v0: i32, mem0, io0) {
//!   v1: i32 = theta (v2: i32 = v0) {
//!     v3 = const i32 -1
//!     v4: i32 = add v2, v3
//!     v5: i1 = icmp ne v4, v3
//!     v6: ctl(2) = match i1 v5 [true -> 1, _ -> 0]
//!     next v4 while v6
//!   }
//!   yield v1, mem0, io0
//! }
//! export @count
//! ",
//! )?;
//! let graph = module.bodies.values().find_map(|body| body.graph()).expect("@count has a body");
//! let nests = LoopNests::of(graph);
//! let depths: Vec<u32> = nests.loops().map(|theta| nests.depth(theta)).collect();
//! assert_eq!(depths, [1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod accessed;
pub mod address_space;
pub mod alignment;
pub mod allocation;
pub mod arc;
pub mod call_graph;
pub mod callee;
pub mod captures;
pub mod conditions;
pub mod constant_memory;
pub mod copying;
pub mod dead_ends;
pub mod dependence;
pub mod dereferenceable;
pub mod divergence;
pub mod evolution;
pub mod execution;
pub mod function;
pub mod integers;
pub mod invariant;
pub mod leads;
pub mod library;
pub mod loop_nest;
pub mod memory;
mod memory_attribute;
pub mod nonnull;
pub mod numbering;
pub mod order;
mod owners;
pub mod pressure;
pub mod reached;
pub mod safety;
pub mod seeded;
pub mod sign;
pub mod surroundings;
pub mod target;
pub mod trace;
pub mod undef;
pub mod unwinding;
pub mod variable_uses;

#[cfg(test)]
mod tests;

pub use call_graph::CallGraph;
pub use surroundings::Surroundings;
pub use variable_uses::VariableUses;
