//! What can be wrong with the use of a builder.

use std::panic::Location;

/// A builder was used wrongly. Nothing is made of the function then.
///
/// ```
/// use rvsdg_build::ModuleBuilder;
/// use rvsdg_core::Type;
///
/// let mut module = ModuleBuilder::new("a.toy");
/// let f = module.function("f", &[Type::I32], Type::VOID);
/// let mut body = module.body(f);
/// body.return_(body.param(0));
/// let error = module.define(body).unwrap_err();
/// assert_eq!(error.place, "@f");
/// assert!(error.at.file().ends_with(".rs"));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[error("{at}: {place}: {construct}; expected {expected}")]
pub struct BuildError {
    /// The call of the builder's method that was wrong.
    pub at: &'static Location<'static>,
    /// The function or other symbol, as `@name`; `the module` for mistakes outside of them.
    pub place: String,
    /// What was wrong.
    pub construct: String,
    /// What would have been right.
    pub expected: String,
}
