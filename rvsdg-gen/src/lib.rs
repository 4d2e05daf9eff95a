//! Generators of control flow graphs and RVSDGs for tests and benchmarks.
//!
//! - [`cfgs`], [`shapes`], [`unstructured`]: control flow graphs; [`predicates`]: graphs with arbitrary predicates;
//! - [`bodies`], [`modules`]: graphs and whole modules; [`llvm`]: LLVM IR; [`nests`]: loops whose trip counts differ among threads;
//!   [`nearby`]: small variations of a module;
//!   [`expressions`]: operations that rules of reduction are about;
//! - [`mod@trace`]: the observable behaviour of a control flow graph; [`runs`]: the observable behaviour of a module, before and after
//!   passes; [`recovered`]: a hash of recovered control flow;
//! - [`entropy`], [`rng`], [`steer`], [`weights`]: sources of random choices; [`property`]: cases of properties.
//!
//! The runs of a module, and that adding zero does not change them:
//!
//! ```
//! use rvsdg_core::text::parse_module;
//! use rvsdg_gen::runs::{Effort, runs_with};
//!
//! let module = |result: &str| {
//!     parse_module(&format!(
//!         "module \"example\"
//! @same = function i32 (i32)
//! lambda @same [] (v0: i32, mem0, io0) {{
//!   v1 = const i32 0
//!   v2: i32 = add v0, v1
//!   yield {result}, mem0, io0
//! }}
//! export @same
//! "
//!     ))
//! };
//! let runs = runs_with(&module("v2")?, Effort::THOROUGH);
//! assert!(runs.keep(&module("v0")?).is_ok_and(|tally| tally.same > 0));
//! assert!(runs.keep(&module("v1")?).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod accesses;
pub mod bodies;
pub mod cfgs;
pub mod edits;
pub mod entropy;
pub mod expressions;
pub mod llvm;
pub mod modules;
pub mod mutate;
pub mod nearby;
pub mod nests;
pub mod predicates;
pub mod property;
pub mod recovered;
pub mod rng;
pub mod runs;
pub mod shapes;
pub mod steer;
pub mod trace;
mod universe;
pub mod unstructured;
pub mod warp;
pub mod weights;
