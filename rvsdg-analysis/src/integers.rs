//! What is known of integers wherever they are not poison: [bits](known_bits), and the [least and the greatest value](bounds). LLVM's
//! `computeKnownBits` and `computeConstantRange`.

pub mod bounds;
pub mod known_bits;

mod counted;
mod repeated;

pub use bounds::Bounds;
pub use known_bits::Known;

#[cfg(test)]
mod tests;
