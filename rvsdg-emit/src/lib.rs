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
//! A function that returns the greater of two integers:
//!
//! ```
//! use rvsdg_cfg::cfg::Cfg;
//! use rvsdg_core::attribute::AttributeList;
//! use rvsdg_core::module::{BodyData, Code, Header, SymbolData, SymbolKind};
//! use rvsdg_core::op::{IntPredicate, MatchTable, Op};
//! use rvsdg_core::structural::Lambda;
//! use rvsdg_core::{Graph, Module, Type, TypeKind};
//!
//! let mut module = Module::new(Header { source_file: "max.c".into(), ..Header::default() });
//! let pool = module.pool.clone();
//!
//! // int max(int, int)
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
//! let code = Code::Graph(Graph::new(pool.clone()));
//! let body = module.bodies.insert(BodyData { symbol: max, code });
//! let root = module.omega.root();
//! let lambda = Lambda::add(&mut module.omega, root, body);
//! let address = lambda.output(&module.omega);
//! module.add_export(address);
//!
//! // if (a > b) goto join(a) else goto join(b); join(x): return x
//! let mut cfg = Cfg::new(pool.clone());
//! let (a, b) = (cfg.add_param(Type::I32), cfg.add_param(Type::I32));
//! let (entry, exit) = (cfg.entry(), cfg.exit());
//! let greater = Op::ICmp { predicate: IntPredicate::Sgt, same_sign: false };
//! let greater = cfg.add_inst(entry, greater, &[a, b], &[Type::I1]);
//! let greater = cfg.results(greater)[0];
//! let table = MatchTable { cases: [(pool.int_const(Type::I1, 1), 0)].into(), default: 1, alternatives: 2 };
//! let choice = cfg.add_detached(Op::Match(pool.intern_table(table)), &[greater], &[]);
//! cfg.terminator_mut(entry).predicate = choice.into();
//! let (then, otherwise, join) = (cfg.add_block(), cfg.add_block(), cfg.add_block());
//! cfg.add_arc(entry, then, &[]);
//! cfg.add_arc(entry, otherwise, &[]);
//! let x = cfg.add_block_param(join, Type::I32, None);
//! cfg.add_arc(then, join, &[a]);
//! cfg.add_arc(otherwise, join, &[b]);
//! cfg.add_block_param(exit, Type::I32, None);
//! cfg.add_arc(join, exit, &[x]);
//!
//! let text = rvsdg_emit::emit_module(&module, &|_| Some(&cfg))?;
//! assert_eq!(
//!     text,
//!     r#"source_filename = "max.c"
//!
//! define i32 @max(i32 %0, i32 %1) {
//! b0:
//!   %2 = icmp sgt i32 %0, %1
//!   br i1 %2, label %b2, label %b3
//!
//! b2:
//!   br label %b4
//!
//! b3:
//!   br label %b4
//!
//! b4:
//!   %3 = phi i32 [ %0, %b2 ], [ %1, %b3 ]
//!   ret i32 %3
//! }
//! "#
//! );
//! # Ok::<(), rvsdg_emit::EmitError>(())
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
mod inst;
mod module;
mod names;
mod numbers;
mod types;

pub use error::EmitError;
pub use module::emit_module;
