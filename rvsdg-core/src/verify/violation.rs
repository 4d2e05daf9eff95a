//! What a verifier says.

use std::fmt::{self, Debug, Display};
use std::ops::Deref;

use super::Invariant;

/// An invariant that does not hold somewhere. `I` is the enumeration it is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation<I = Invariant> {
    /// Which.
    pub invariant: I,
    /// Where: the id of a node, region, origin or user with the node as the dumps print it, or a symbol. In a module,
    /// the body first.
    pub entity: String,
    /// What is wrong.
    pub message: String,
}

impl<I: Debug> Display for Violation<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({:?})", self.entity, self.message, self.invariant)
    }
}

impl<I: Debug> std::error::Error for Violation<I> {}

/// All violations of a graph or module, at least one. Its text has a line for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violations<I = Invariant>(Vec<Violation<I>>);

impl<I> Violations<I> {
    /// `found` as an error, unless it is empty.
    ///
    /// # Errors
    /// When something was found.
    pub fn check(found: Vec<Violation<I>>) -> Result<(), Violations<I>> {
        if found.is_empty() { Ok(()) } else { Err(Violations(found)) }
    }
}

impl<I> Deref for Violations<I> {
    type Target = [Violation<I>];

    fn deref(&self) -> &[Violation<I>] {
        &self.0
    }
}

impl<I> IntoIterator for Violations<I> {
    type Item = Violation<I>;
    type IntoIter = std::vec::IntoIter<Violation<I>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<I: Debug> Display for Violations<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, violation) in self.0.iter().enumerate() {
            write!(f, "{}{violation}", if number == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl<I: Debug> std::error::Error for Violations<I> {}
