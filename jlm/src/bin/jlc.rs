//! `jlc`: clang with the RVSDG optimizer instead of LLVM's.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// Of this process, also of what LLVM allocates.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    jlm::jlc::run(std::env::args_os()).unwrap_or_else(|error| {
        eprintln!("jlc: error: {error:#}");
        ExitCode::FAILURE
    })
}
