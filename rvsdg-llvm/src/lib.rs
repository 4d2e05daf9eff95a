//! LLVM IR in and out.

mod carrier;
mod ffi;
#[cfg(test)]
mod identity;
pub mod import;
pub mod module_io;
mod opcode;
mod stream;
