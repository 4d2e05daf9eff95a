//! LLVM IR in and out.

mod carrier;
pub mod export;
mod ffi;
#[cfg(test)]
mod identity;
pub mod import;
pub mod module_io;
mod opcode;
mod stream;

pub use export::ExportError;
pub use import::{Host, Import, import};
pub use module_io::{Diagnostic, Error, Format, LlvmModule, Severity};
