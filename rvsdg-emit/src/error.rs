//! What can go wrong.

/// A module cannot be written as textual IR. Nothing was written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: cannot emit {construct}; expected {expected}")]
pub struct EmitError {
    /// The function or other symbol, as `@name`; `the module` for mistakes outside of them.
    pub place: String,
    /// The construct that has no textual form.
    pub construct: String,
    /// What would have one.
    pub expected: String,
}

pub(crate) type Result<T = ()> = std::result::Result<T, EmitError>;
