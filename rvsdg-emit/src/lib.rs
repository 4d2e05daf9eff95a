//! Textual LLVM IR from scratch: an RVSDG module becomes a complete `.ll` file, without LLVM.
//!
//! The other way to export, in `rvsdg-llvm`, rewrites the module that was imported. A front end has no such module, and a module read
//! from RVSDG text has lost it; for these, everything that affects meaning is in the [`Module`] and is written, and so are the
//! [annotations](rvsdg_core::annotations) of a module that was built: debug information and other metadata.
//!
//! [`emit`] takes a module; [`emit_module`] also one control flow graph per body, for callers that recover control flow themselves.
//! Modules, in reading order: `module` (header, variables, signatures), `body` (blocks, phis, terminators), `inst` and `call`
//! (instructions), `constants`, `types`, `attributes`, `metadata`, `variables` (debug records). The text is for LLVM 22; where the
//! spelling differs between versions, that version's is written.
//!
//! A front end builds the graph of a function that returns the greater of two integers, and emits it:
//!
//! ```
//! use rvsdg_core::module::{BodyData, Code, Header, SymbolData, SymbolKind};
//! use rvsdg_core::op::{IntPredicate, MatchTable, Op};
//! use rvsdg_core::structural::{Gamma, Lambda};
//! use rvsdg_core::{Graph, Module, Type, TypeKind};
//!
//! let mut module = Module::new(Header { source_file: "max.c".into(), ..Header::default() });
//! let pool = module.pool.clone();
//!
//! // The body's arguments are the parameters and the states; its results the returned value and the states.
//! let mut graph = Graph::new(pool.clone());
//! let body = graph.root();
//! let [a, b, mem, io] = [Type::I32, Type::I32, Type::MEM, Type::IO].map(|ty| graph.add_argument(body, ty));
//! let greater = Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false };
//! let greater = graph.add_simple(body, greater, &[a, b], &[Type::I1]);
//! let greater = graph.output(greater, 0);
//! let choice = graph.add_simple(body, Op::Match(pool.intern_table(MatchTable::boolean(&pool, 0))), &[greater], &[Type::CTL2]);
//! let choice = graph.output(choice, 0);
//! let gamma = Gamma::add(&mut graph, body, choice, 2);
//! let (x, y) = (gamma.add_entry_var(&mut graph, a), gamma.add_entry_var(&mut graph, b));
//! let origins = [x.argument(&graph, gamma, 0), y.argument(&graph, gamma, 1)];
//! let result = gamma.add_exit_var(&mut graph, &origins).output;
//! for origin in [result, mem, io] {
//!     graph.add_result(body, origin);
//! }
//!
//! // int max(int, int), with external linkage.
//! let params = [Type::I32, Type::I32].into();
//! let ty = pool.intern_type(TypeKind::Function { result: Type::I32, params, variadic: false });
//! let max = module.add_symbol(SymbolData::new("max", ty, SymbolKind::default()));
//! let body = module.bodies.insert(BodyData { symbol: max, code: Code::Graph(graph) });
//! let root = module.omega.root();
//! let lambda = Lambda::add(&mut module.omega, root, body);
//! let address = lambda.output(&module.omega);
//! module.add_export(address);
//!
//! let text = rvsdg_emit::emit(&module)?;
//! assert_eq!(
//!     text,
//!     r#"source_filename = "max.c"
//!
//! define i32 @max(i32 %0, i32 %1) {
//! b0:
//!   %2 = icmp sgt i32 %0, %1
//!   br i1 %2, label %b3, label %b2
//!
//! b2:
//!   br label %b3
//!
//! b3:
//!   %3 = phi i32 [ %0, %b0 ], [ %1, %b2 ]
//!   ret i32 %3
//! }
//! "#
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Module`]: rvsdg_core::Module

#![forbid(unsafe_code)]

mod attributes;
mod body;
mod call;
mod constants;
mod convention;
mod emitter;
mod error;
mod funclet;
mod inst;
mod metadata;
mod module;
mod names;
mod numbers;
mod types;
mod unwind;
mod variables;

pub use error::EmitError;
pub use module::emit_module;

use std::collections::BTreeMap;

use rvsdg_cfg::cfg::Cfg;
use rvsdg_cfg::destruct::{Recovery, destruct};
use rvsdg_core::{Body, Module};

/// Writes a module as LLVM's textual IR, with as few branches as its graphs need: [`emit_module`] with control flow recovered from each
/// body, one after the other.
///
/// # Errors
/// When the module is not valid, when something has no textual form, or when a body is no graph.
///
/// ```
/// let module = rvsdg_core::text::parse_module(
///     "module \"example\"
/// @twice = function i32 (i32)
/// lambda @twice [] (v0: i32, mem0, io0) {
///   v1: i32 = add nsw v0, v0
///   yield v1, mem0, io0
/// }
/// export @twice
/// ",
/// )?;
/// let text = rvsdg_emit::emit(&module)?;
/// assert!(text.contains("define i32 @twice(i32 ") && text.contains("add nsw i32"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn emit(module: &Module) -> Result<String, EmitError> {
    let verified = module.verify().map_err(|violations| EmitError {
        place: "the module".to_owned(),
        construct: violations.to_string(),
        expected: "a valid module".to_owned(),
    })?;
    let recovered = module.lambdas().into_iter().filter_map(|lambda| {
        let graph = module.bodies[lambda.body()].graph()?;
        let contexts = lambda.context(&module.omega).len();
        Some((lambda.body(), destruct(graph, contexts, Recovery::Predicative)))
    });
    let recovered: BTreeMap<Body, Cfg> = recovered.collect();
    emit_module(verified, &|body| recovered.get(&body))
}
