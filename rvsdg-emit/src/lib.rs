//! LLVM's textual IR from scratch: an RVSDG module becomes a complete `.ll` file, and nothing here needs LLVM.

#![forbid(unsafe_code)]

mod attributes;
mod body;
mod call;
mod constants;
mod convention;
mod emitter;
mod error;
mod inst;
mod module;
mod names;
mod numbers;
mod types;

pub use error::EmitError;
pub use module::emit_module;
