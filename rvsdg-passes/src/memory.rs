//! Passes over what memory holds.

pub mod address_spaces;
pub mod allocation_removal;
pub mod memory_forwarding;
pub mod scalar_replacement;
pub mod superword;
