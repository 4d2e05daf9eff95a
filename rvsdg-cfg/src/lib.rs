//! Control flow graphs: restructuring, RVSDG construction, structured and predicative recovery.

#![forbid(unsafe_code)]

pub mod cfg;
pub mod classify;
pub mod compare;
pub mod construct;
pub mod destruct;
mod dominators;
pub mod restructure;
pub mod shape;
pub mod verify;
pub mod visit;
