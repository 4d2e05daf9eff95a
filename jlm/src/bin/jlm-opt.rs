//! `jlm-opt`: sends LLVM IR through the RVSDG and back.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// Of this process, also of what LLVM allocates.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    jlm::main_with(jlm::Registry::builtin())
}
