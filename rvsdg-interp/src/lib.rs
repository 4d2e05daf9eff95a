//! Reference semantics: evaluates a module of the RVSDG.
//!
//! A [`Machine`] holds a verified module with its memory, and runs its functions. A run ends with an [`Outcome`]: a value, the program's
//! own exit, or, for undefined behaviour, the operation and the [`Rule`] it violates. Runs are deterministic. [`check::refines`] compares
//! two of them: where the source of a transformation is undefined or poison, anything is allowed.
//!
//! - [`value`]: the values of origins; pointers know the object they are derived from.
//! - [`outcome`]: how runs end.
//! - [`machine`]: the machine itself.
//! - [`mod@observe`]: runs one function and records its observable behaviour; [`check`]: compares two runs.
//! - [`simt`]: a kernel on a machine that executes threads in warps.
//!
//! A division, by two and by zero:
//!
//! ```
//! use rvsdg_core::text::parse_module;
//! use rvsdg_interp::{Config, Machine, Outcome, Value};
//!
//! let module = parse_module(
//!     "module \"example\"
//! @half = function i32 (i32, i32)
//! lambda @half [] (v0: i32, v1: i32, mem0, io0) {
//!   v2: i32, io1 = udiv v0, v1, io0
//!   yield v2, mem0, io1
//! }
//! export @half
//! ",
//! )?;
//! let (stdout, stderr) = (Box::new(std::io::stdout()), Box::new(std::io::stderr()));
//! let machine = Machine::new(module.verify()?, Config::default(), stdout, stderr);
//! let mut machine = machine.map_err(|outcome| outcome.to_string())?;
//! let number = |bits| Value::from_bits(32, bits);
//! assert_eq!(machine.call("half", &[number(14), number(2)]).to_string(), "returned 7");
//! // Undefined behaviour is an outcome, too.
//! assert!(matches!(machine.call("half", &[number(14), number(0)]), Outcome::Undefined { .. }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub mod simt;
mod translate;
pub mod value;

pub use check::{Verdict, limits, refines};
pub use machine::{Config, Machine, Unknown};
pub use observe::{Argument, Buffer, Location, Observed, observe};
pub use outcome::{Outcome, Place, Rule};
pub use value::{Pointer, Value};
