//! Passes over what memory holds.

pub mod allocation_removal;
pub mod memory_forwarding;
pub mod scalar_replacement;
pub mod superword;
