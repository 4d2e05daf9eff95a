//! `jlm-opt`: sends LLVM IR through the RVSDG and back.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    jlm::main_with(jlm::Registry::builtin())
}
