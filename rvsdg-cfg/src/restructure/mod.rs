//! Restructuring (thesis B2.4).
pub mod tree;
