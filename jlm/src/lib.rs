//! What `jlm-opt` and `jlc` are made of.
//!
//! - [`jlc`]: the compiler driver, clang with the optimizer in it; all else is `jlm-opt`'s:
//! - [`arguments`]: the command line, with the habits of LLVM's `opt`;
//! - [`files`]: reading inputs, and writing outputs so that none is ever left half-written;
//! - [`driver`]: from LLVM IR or RVSDG text through passes to LLVM IR, RVSDG text or a picture;
//! - [`plan`]: pipelines of our passes and LLVM's;
//! - [`reduce`]: shrinks an input as long as a test finds it interesting;
//! - [`progress`]: progress of long work on a terminal; [`trace`]: the timeline of `-time-trace`;
//! - [`run`]: executing a module instead of writing it;
//! - [`watch`]: output while passes run; [`remarks`]: optimization remarks in LLVM's formats;
//! - [`view`]: functions after each pass, as data and as a page;
//! - [`statistics`]: the output of `-stats` and `-time-passes`; [`usage`]: time and memory of the process.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod driver;
pub mod files;
pub mod jlc;
pub mod plan;
pub mod progress;
pub mod reduce;
pub mod remarks;
pub mod run;
pub mod statistics;
pub mod trace;
pub mod usage;
pub mod view;
pub mod watch;

use std::process::ExitCode;

use clap::Parser;
pub use rvsdg_passes::Registry;

use crate::arguments::Arguments;
use crate::reduce::ReduceArguments;

/// `jlm-opt` with the passes of a registry: all that it does with passes it does with those, too.
///
/// It is what the `main` of a program is that adds a pass:
///
/// ```no_run
/// use rvsdg_passes::{Entry, Registry};
///
/// fn main() -> std::process::ExitCode {
///     let nothing = Entry::new("nothing", "Does nothing.", Vec::new);
///     jlm::main_with(&Registry::builtin().with(nothing))
/// }
/// ```
pub fn main_with(registry: &Registry) -> ExitCode {
    rvsdg_llvm::module_io::exit_on_fatal_error();
    rvsdg_llvm::module_io::return_large_blocks();
    std::panic::set_hook(Box::new(|panic| eprintln!("jlm-opt: internal error, which is a bug: {panic}")));
    let mut words = std::env::args_os();
    let done = if std::env::args_os().nth(1).is_some_and(|word| word == "reduce") {
        words.next();
        ReduceArguments::try_parse_from(words).map(|arguments| reduce::run(&arguments).map(|()| 0))
    } else {
        Arguments::from_command_line(words, registry).map(|arguments| driver::run(&arguments, registry))
    };
    match done {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(error)) => {
            eprintln!("jlm-opt: error: {error}");
            ExitCode::FAILURE
        }
        Err(message) => {
            // If standard output or error is closed, nobody can be told.
            let _ = message.print();
            if message.use_stderr() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}
