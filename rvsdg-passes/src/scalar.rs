//! Passes over values: each operation on its own, or among its like.

pub mod common_node_elimination;
pub mod dead_node_elimination;
pub mod node_reduction;
