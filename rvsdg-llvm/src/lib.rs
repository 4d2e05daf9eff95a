//! Import and export of LLVM IR: the only crate that links LLVM.
//!
//! - [`module_io`]: modules from bytes and back, with diagnostics;
//! - [`mod@import`]: an LLVM module as a [`Module`](rvsdg_core::Module) and one control flow graph per body;
//! - [`export`]: recovered control flow graphs back into the LLVM module they were read from;
//! - [`optimize()`]: all of it, with passes in between, in one call; [`Optimizer`]: the same, step by step;
//! - [`LlvmModule::generate`], [`Jit`]: object files, assembly, and JIT compilation;
//! - [`LlvmPasses`]: runs LLVM's own passes on a module.
//!
//! The LLVM module stays the carrier of everything that is not code: globals, types, named metadata and function shells are not rebuilt.
//! Only bodies are replaced, and original instructions move into their new place with everything attached to them: metadata, debug
//! locations and records, names.
//!
//! `shim/*.cpp` does in bulk what LLVM's C API lacks or does slowly. It gives every LLVM object a dense number and answers with streams
//! of words; `carrier` is its safe interface, and no other module holds a pointer to an LLVM object.
//!
//! ```
//! use rvsdg_cfg::destruct::{Recovery, destruct};
//! use rvsdg_cfg::{construct, restructure};
//! use rvsdg_core::module::Code;
//! use rvsdg_llvm::{Format, LlvmModule, import};
//!
//! let source = b"define i32 @twice(i32 %x) {\n  %y = shl i32 %x, 1\n  ret i32 %y\n}\n";
//! let (llvm, _) = LlvmModule::parse(source, "twice.ll")?;
//! let mut import = import(llvm);
//! for (body, cfg) in &import.cfgs {
//!     let graph = construct::build(&cfg.verify()?, &restructure::Options::default());
//!     import.module.bodies[*body].code = Code::Graph(graph);
//! }
//! let module = &import.module;
//! let contexts = |body| import.cfgs.iter().find(|(read, _)| *read == body).map_or(0, |(_, cfg)| cfg.contexts().len());
//! let mut llvm = import.host.export(module.verify()?, |body| {
//!     Some(destruct(module.bodies[body].graph()?, contexts(body), Recovery::Predicative))
//! })?;
//! llvm.verify()?;
//! assert!(String::from_utf8(llvm.write(Format::Text))?.contains("%y = shl i32 %x, 1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carrier;
mod codegen;
mod create;
pub mod export;
mod ffi;
pub mod import;
mod llvm_passes;
mod location;
pub mod module_io;
mod opcode;
mod optimize;
mod stream;
mod threads;

pub use inkwell;

pub use codegen::{CodeForm, CodegenError, CodegenOptions, Jit, host_triple};
pub use export::ExportError;
pub use import::{Host, Import, import, import_each};
pub use llvm_passes::{
    LlvmOption, LlvmPasses, LlvmRefusal, LlvmReport, begin_time_trace, end_time_trace, llvm_option, llvm_option_names,
    register_target_options, set_llvm_options,
};
pub use location::Location;
pub use module_io::{
    Diagnostic, Error, Format, LlvmModule, ParseOptions, SendModule, Severity, WriteOptions, llvm_version,
};
pub use optimize::{
    Constructed, Construction, OptimizeError, OptimizeOptions, Optimized, Optimizer, Recovered, optimize,
    optimize_in_place, optimize_module,
};
pub use threads::ThreadsError;
