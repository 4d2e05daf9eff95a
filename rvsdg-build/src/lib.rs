//! A builder of RVSDG modules for front ends.
//!
//! [`ModuleBuilder`] declares functions, imports, strings and variables, and defines functions by their bodies; a body is built with a
//! [`FunctionBuilder`], from operations, variables and structured control flow. The result is a valid [`Module`](rvsdg_core::Module) for
//! passes, interpreter and emitters. Nothing here needs LLVM.
//!
//! ```
//! use rvsdg_build::ModuleBuilder;
//! use rvsdg_core::Type;
//!
//! // int main(void) { return puts("hello") < 0; }
//! let mut module = ModuleBuilder::new("hello.c");
//! let puts = module.import("puts", &[Type::PTR], Type::I32);
//! let hello = module.string("hello");
//! let main = module.function("main", &[], Type::I32);
//!
//! let mut f = module.body(main);
//! let text = f.address(hello);
//! let written = f.call(puts, &[text]);
//! let zero = f.int(Type::I32, 0);
//! let failed = f.slt(written, zero);
//! let status = f.zext(failed, Type::I32);
//! f.return_(status);
//! module.define(f)?;
//!
//! let module = module.finish()?;
//! assert_eq!(module.order.len(), 3);
//! # Ok::<(), rvsdg_build::BuildError>(())
//! ```
//!
//! # How it works
//!
//! A [`FunctionBuilder`] records blocks, and reads of variables by block. When the body is defined, reads become values in SSA form
//! (Braun et al., CC 2013), blocks become a [`Cfg`](rvsdg_cfg::cfg::Cfg), and that becomes the graph of the function by
//! [`rvsdg_cfg::construct`]. There is one mechanism for `if_` and for labels, so that `return_` in the middle of a loop needs no special
//! treatment, at the cost of building twice. Structured control flow could also become γ and θ nodes at once; but then each jump would
//! need predicates that restructuring finds anyway.
//!
//! Constructs are opened and closed by calls instead of taking closures, because the closures of a code generator would each borrow its
//! tables; and operations return values instead of `Result`s, because a mistake here is a bug in the front end: the first one is
//! recorded, with its place in the front end's source, and [`ModuleBuilder::define`] reports it. Time and memory are near-linear in what
//! is built.

#![forbid(unsafe_code)]

mod control;
mod debug;
mod error;
mod function;
mod lower;
mod module;
mod notes;
mod ops;
mod ssa;

pub use control::{Label, Loop};
pub use error::BuildError;
pub use function::{FunctionBuilder, Value, Variable};
pub use module::{Address, Function, Global, Initializer, ModuleBuilder};
