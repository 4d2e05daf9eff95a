//! LLVM IR in and out.
