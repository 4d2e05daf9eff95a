//! Control flow graphs: restructuring, RVSDG construction, structured and predicative recovery.
//!
//! A branch becomes a γ, and the γ becomes a branch again:
//!
//! ```
//! use std::sync::Arc;
//!
//! use rvsdg_cfg::cfg::Cfg;
//! use rvsdg_cfg::construct::build;
//! use rvsdg_cfg::destruct::{Recovery, destruct};
//! use rvsdg_cfg::restructure::Options;
//! use rvsdg_core::op::{MatchTable, Op};
//! use rvsdg_core::{NodeKind, Pool, Type};
//!
//! let pool = Arc::new(Pool::default());
//! let mut cfg = Cfg::new(pool.clone());
//! let (condition, x, y) = (cfg.add_param(Type::I1), cfg.add_param(Type::I32), cfg.add_param(Type::I32));
//! let (entry, then, otherwise, exit) = (cfg.entry(), cfg.add_block(), cfg.add_block(), cfg.exit());
//! cfg.add_block_param(exit, Type::I32, None);
//! let table = MatchTable { cases: [(pool.int_const(Type::I1, 1), 0)].into(), default: 1, alternatives: 2 };
//! let choice = cfg.add_detached(Op::Match(pool.intern_table(table)), &[condition], &[Type::CTL2]);
//! cfg.terminator_mut(entry).predicate = choice.into();
//! cfg.add_arc(entry, then, &[]);
//! cfg.add_arc(entry, otherwise, &[]);
//! cfg.add_arc(then, exit, &[x]);
//! cfg.add_arc(otherwise, exit, &[y]);
//!
//! let graph = build(&cfg.verify()?, &Options::default());
//! assert!(graph.nodes(graph.root()).any(|node| graph.kind(node) == NodeKind::Gamma));
//! let recovered = destruct(&graph, 0, Recovery::Predicative);
//! assert_eq!(recovered.terminator(recovered.entry()).arcs.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod cfg;
pub mod classify;
pub mod compare;
pub mod construct;
pub mod destruct;
pub mod dominators;
pub mod restructure;
pub mod shape;
pub mod verify;
pub mod visit;
