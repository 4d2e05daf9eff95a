//! The Regionalized Value State Dependence Graph (RVSDG).
//!
//! A program is a [`Module`]: an ω graph whose nodes are functions (λ), recursive environments (φ) and data (δ), and one [`Graph`] per
//! function body, made of simple nodes, conditionals (γ) and tail-controlled loops (θ). Edges carry values and states; operations that no
//! path of edges connects are not ordered. The definitions are those of the paper "RVSDG: An Intermediate Representation for Optimizing
//! Compilers", section 3.
//!
//! This crate knows nothing of LLVM, files or threads. In reading order:
//!
//! - [`types`], [`constant`], [`attribute`]: data interned in a [`Pool`] that all graphs of a module share;
//! - [`layout`]: sizes and offsets of types;
//! - [`op`]: the closed table of operations; [`fold`]: constant folding;
//! - [`graph`]: the arena, its ids and primitive edits; [`structural`]: γ, θ, λ and φ through their variables;
//! - [`build`]: adds operations, folding as it does, and routes values into regions;
//! - [`module`]: the ω level: symbols, bodies, imports and exports; [`sources`]: the numbers of original instructions; [`annotations`]:
//!   their debug information and other metadata;
//! - [`mod@verify`]: the invariants; [`text`]: printer and parser; [`dot`]: pictures; [`hash`]: structural hashing.
//!
//! A function that adds a number to itself, built and printed:
//!
//! ```
//! use std::sync::Arc;
//!
//! use rvsdg_core::op::{BinaryFlags, IntBinary, Op};
//! use rvsdg_core::{Graph, Pool, Type, text};
//!
//! let mut graph = Graph::new(Arc::new(Pool::default()));
//! let body = graph.root();
//! let [number, mem, io] = [Type::I32, Type::MEM, Type::IO].map(|ty| graph.add_argument(body, ty));
//! let add = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };
//! let sum = graph.add_simple(body, add, &[number, number], &[Type::I32]);
//! let sum = graph.output(sum, 0);
//! for origin in [sum, mem, io] {
//!     graph.add_result(body, origin);
//! }
//! let expected = "graph (v0: i32, mem0, io0) {
//!   v1: i32 = add nsw v0, v0
//!   yield v1, mem0, io0
//! }
//! ";
//! assert_eq!(text::print_graph(&graph), expected);
//! ```

#![forbid(unsafe_code)]

pub mod annotations;
pub mod attribute;
pub mod build;
pub mod constant;
pub mod dot;
pub mod fold;
pub mod graph;
pub mod hash;
pub mod hints;
pub mod interner;
pub mod layout;
pub mod module;
pub mod op;
pub mod pool;
pub mod sources;
pub mod structural;
pub mod tbaa;
pub mod text;
pub mod types;
pub mod verify;

pub use constant::{Const, Constant};
pub use graph::{Epoch, Graph, Motion, Node, NodeKind, Origin, OriginDef, Region, SourceId, Use, User};
pub use module::{Body, BodyData, Module, Symbol, SymbolData};
pub use op::{Effects, Op};
pub use pool::Pool;
pub use types::{Type, TypeKind};
