//! `jlc`: clang with the RVSDG optimizer instead of LLVM's.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    jlm::jlc::run(std::env::args_os()).unwrap_or_else(|error| {
        eprintln!("jlc: error: {error:#}");
        ExitCode::FAILURE
    })
}
