//! Reference semantics: evaluates a module of the RVSDG.
//!
//! A [`Machine`] holds a verified module with its memory, and runs its functions. A run ends with an [`Outcome`]: a value,
//! the program's own end, or, where the program does what is not defined, the operation and the [`Rule`] it violates. Runs
//! are deterministic. [`check::refines`] compares two of them: where the source of a transformation is undefined or poison,
//! anything goes.
//!
//! - [`value`]: what an origin holds; pointers know the object they are derived from.
//! - [`outcome`]: how runs end.
//! - [`machine`]: the machine itself.
//! - [`mod@observe`]: running one function and what can be seen of that; [`check`]: comparing two runs.

#![forbid(unsafe_code)]

mod builtin;
pub mod check;
mod code;
mod constants;
pub mod machine;
mod memory;
pub mod observe;
pub mod outcome;
mod scalar;
mod translate;
pub mod value;

pub use check::{Verdict, limits, refines};
pub use machine::{Config, Machine, Unknown};
pub use observe::{Argument, Buffer, Location, Observed, observe};
pub use outcome::{Outcome, Place, Rule};
pub use value::{Pointer, Value};
