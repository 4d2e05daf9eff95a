//! What can be wrong with the use of a builder.

use std::panic::Location;

/// A builder was used wrongly. Nothing is made of the function then.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{at}: {place}: {construct}; expected {expected}")]
pub struct BuildError {
    /// The call of the builder's method that was wrong.
    pub at: &'static Location<'static>,
    /// The function or other symbol, as `@name`; `the module` for what belongs to none.
    pub place: String,
    /// What was wrong.
    pub construct: String,
    /// What would have been right.
    pub expected: String,
}
