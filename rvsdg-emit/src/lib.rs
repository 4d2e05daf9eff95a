//! LLVM's textual IR from scratch: an RVSDG module becomes a complete `.ll` file, and nothing here needs LLVM.
//!
//! The other way to export, in `rvsdg-llvm`, rewrites the module that was imported. A front end has no such module, and
//! a module read from RVSDG text has lost it; for these, everything that affects meaning is in the [`Module`] and comes
//! out of it. Metadata that only annotates and debug information do not.
//!
//! [`emit_module`] takes the module and one control flow graph per body, which `rvsdg-cfg` recovers from the body's
//! graph. Parts of the text, in reading order: `module` (header, variables, signatures), `body` (blocks, phis,
//! terminators), `inst` and `call` (instructions), `constants`, `types`, `attributes`.
//! Text LLVM 22 reads; where its spelling differs between versions, that version's is written.
//!
//! A front end builds the graph of a function that returns the greater of two integers, and gets its text:
//!
//! ```
//! use rvsdg_cfg::destruct::{Recovery, destruct};
//! use rvsdg_core::attribute::AttributeList;
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
//! let table = MatchTable { cases: [(pool.int_const(Type::I1, 1), 0)].into(), default: 1, alternatives: 2 };
//! let choice = graph.add_simple(body, Op::Match(pool.intern_table(table)), &[greater], &[Type::CTL2]);
//! let choice = graph.output(choice, 0);
//! let gamma = Gamma::add(&mut graph, body, choice, 2);
//! let (x, y) = (gamma.add_entry_var(&mut graph, a), gamma.add_entry_var(&mut graph, b));
//! let origins = [x.argument(&graph, gamma, 0), y.argument(&graph, gamma, 1)];
//! let result = gamma.add_exit_var(&mut graph, &origins).output;
//! for origin in [result, mem, io] {
//!     graph.add_result(body, origin);
//! }
//!
//! // int max(int, int), which others can see.
//! let max = module.add_symbol(SymbolData {
//!     name: "max".into(),
//!     value_type: pool.intern_type(TypeKind::Function {
//!         result: Type::I32,
//!         params: [Type::I32, Type::I32].into(),
//!         variadic: false,
//!     }),
//!     address_space: 0,
//!     linkage: "",
//!     visibility: "",
//!     dll_storage: "",
//!     thread_local: "",
//!     unnamed_addr: "",
//!     dso_local: false,
//!     section: None,
//!     partition: None,
//!     comdat: None,
//!     align: None,
//!     kind: SymbolKind::Function {
//!         convention: 0,
//!         attributes: pool.intern_attributes(AttributeList::default()),
//!         gc: None,
//!         personality: None,
//!         prefix: None,
//!         prologue: None,
//!     },
//! });
//! let cfg = destruct(&graph, 0, Recovery::Predicative);
//! let body = module.bodies.insert(BodyData { symbol: max, code: Code::Graph(graph) });
//! let root = module.omega.root();
//! let lambda = Lambda::add(&mut module.omega, root, body);
//! let address = lambda.output(&module.omega);
//! module.add_export(address);
//!
//! let text = rvsdg_emit::emit_module(module.verify()?, &|_| Some(&cfg))?;
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
mod module;
mod names;
mod numbers;
mod types;
mod unwind;

pub use error::EmitError;
pub use module::emit_module;
