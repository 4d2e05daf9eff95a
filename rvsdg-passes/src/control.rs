//! Passes over conditionals and what is moved into and out of them.

pub mod if_conversion;
pub mod invariant_value_redirection;
pub mod pull;
pub mod push;
pub mod structurize;

pub(crate) mod hoisting;
