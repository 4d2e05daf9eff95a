//! What `jlm-opt` and `jlc` are made of.
//!
//! - [`jlc`]: the compiler driver, clang with the optimizer in it; all else is `jlm-opt`'s:
//! - [`arguments`]: the command line, with the habits of LLVM's `opt`;
//! - [`files`]: reading inputs, and writing outputs so that none is ever left half-written;
//! - [`driver`]: from LLVM IR or RVSDG text through passes to LLVM IR, RVSDG text or a picture;
//! - [`reduce`]: shrinks an input as long as a test finds it interesting;
//! - [`run`]: executing a module instead of writing it;
//! - [`watch`]: what is printed while passes run; [`remarks`]: what passes say about code, as LLVM's tools say it;
//! - [`view`]: functions after each pass, as data and as a page;
//! - [`statistics`]: what `-stats` and `-time-passes` print; [`usage`]: what the process uses of the machine.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod driver;
pub mod files;
pub mod jlc;
pub mod reduce;
pub mod remarks;
pub mod run;
pub mod statistics;
pub mod usage;
pub mod view;
pub mod watch;
