//! Facts about integers whenever they are not poison: [known bits](known_bits), and [unsigned minimum and maximum](bounds). LLVM's
//! `computeKnownBits` and `computeConstantRange`.

pub mod bounds;
pub mod known_bits;

mod counted;
mod repeated;

pub use bounds::Bounds;
pub use known_bits::Known;
pub(crate) use repeated::next_values;

#[cfg(test)]
mod tests;
