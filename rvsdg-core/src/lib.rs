//! The Regionalized Value State Dependence Graph (RVSDG).
//!
//! A program is a [`Module`]: an ω graph whose nodes are functions (λ), recursive environments (φ) and data (δ), and one
//! [`Graph`] per function body, made of simple nodes, conditionals (γ) and tail-controlled loops (θ). Edges carry values
//! and states; what is not connected by an edge is not ordered. The definitions are those of the paper
//! "RVSDG: An Intermediate Representation for Optimizing Compilers", section 3.
//!
//! This crate knows nothing of LLVM, files or threads. In reading order:
//!
//! - [`types`], [`constant`], [`attribute`]: what is interned in a [`Pool`] shared by all graphs of a module;
//! - [`layout`]: sizes and offsets of types;
//! - [`op`]: the closed table of operations; [`fold`]: what they compute of constants;
//! - [`graph`]: the arena, its ids and primitive edits; [`structural`]: γ, θ, λ and φ through their variables;
//! - [`module`]: the ω level: symbols, bodies, imports and exports; [`sources`]: the numbers of original instructions;
//! - [`mod@verify`]: the invariants; [`text`]: printer and parser; [`dot`]: pictures; [`hash`]: structural hashing.

#![forbid(unsafe_code)]

pub mod attribute;
pub mod constant;
pub mod dot;
pub mod fold;
pub mod graph;
pub mod hash;
pub mod interner;
pub mod layout;
pub mod module;
pub mod op;
pub mod pool;
pub mod sources;
pub mod structural;
pub mod text;
pub mod types;
pub mod verify;

pub use constant::{Const, Constant};
pub use graph::{Graph, Motion, Node, NodeKind, Origin, OriginDef, Region, SourceId, Use, User};
pub use module::{Body, BodyData, Module, Symbol, SymbolData};
pub use op::{Effects, Op};
pub use pool::Pool;
pub use types::{Type, TypeKind};
