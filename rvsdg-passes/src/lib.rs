//! Optimization passes over the RVSDG, and what runs them.
//!
//! A pass is immutable configuration: it edits a graph, says whether it changed anything, and counts what it did. It
//! cannot fail, and it neither prints nor reads anything else. Everything around it is the [`Manager`]'s: order,
//! threads, verification, time, counters, fuel and dumps. In reading order:
//!
//! - [`pass`]: what a pass is; [`registry`]: the one table of all passes;
//! - [`pipeline`]: the text that says which passes run, such as `dne,cne,dne`;
//! - [`manager`]: runs a pipeline over a module, bodies in [`parallel`], within [`limits`]; [`observer`]: who watches;
//!   [`progress`]: how far it is; [`remark`]: what passes say; [`report`]: what came of it;
//! - one module per pass, called as the pass is in a pipeline: over values ([`scalar`]), conditionals ([`control`]), memory ([`memory`]), loops
//!   ([`loops`]), functions and calls ([`module`]).
//!
//! A function that adds zero, through the pipeline of the level O2:
//!
//! ```
//! use rvsdg_core::text::{parse_module, print_module};
//! use rvsdg_passes::{Manager, Pipeline};
//!
//! let mut module = parse_module(
//!     "module \"example\"
//! @same = function i32 (i32)
//! lambda @same [] (v0: i32, mem0, io0) {
//!   v1 = const i32 0
//!   v2: i32 = add v0, v1
//!   yield v2, mem0, io0
//! }
//! export @same
//! ",
//! )?;
//! let report = Manager::default().run(&mut module, &Pipeline::parse("default<O2>")?)?;
//! assert!(report.declined().is_none());
//! assert!(!print_module(&module).contains("add"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod control;
pub mod limits;
pub mod loops;
pub mod manager;
pub mod memory;
pub mod module;
pub mod observer;
pub mod parallel;
pub mod pass;
pub mod pipeline;
pub mod progress;
pub mod registry;
pub mod remark;
pub mod report;
pub mod scalar;
pub mod usage;

mod invoke;
mod lanes;

pub use limits::{BisectLimit, Budget};
pub use manager::{BrokenPass, Manager};
pub use observer::{Execution, Observer};
pub use parallel::Threads;
pub use pass::{BodyPass, BottomUpPass, BottomUpRun, Change, LastEnd, ModulePass, PassCx, Stage, Step};
pub use pipeline::{Pipeline, PipelineError, PlannedPass};
pub use registry::{Entry, Registry};
pub use remark::{Remark, RemarkKind};
pub use report::{PassReport, Report, SlowFunction};
pub use usage::{Meter, Usage};
