//! Attributes of functions, parameters, results and call sites.

pub mod kinds;

use cranelift_entity::entity_impl;

use crate::Type;

/// An interned [`AttributeList`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attributes(u32);
entity_impl!(Attributes, "attrs");

impl Attributes {
    /// The list without any attribute, in every pool.
    pub const NONE: Attributes = Attributes(0);
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes::NONE
    }
}

/// One attribute in the spelling of LLVM's textual IR.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Attribute {
    /// The attribute as written, such as `nounwind`, `align 8`, `memory(read)`, `range(i32 0, 10)` or
    /// `"frame-pointer"="all"`; for an attribute with a type, its name alone, such as `byval`.
    pub text: Box<str>,
    /// The type of `byval`, `sret`, `elementtype`, `byref`, `inalloca` and `preallocated`.
    pub ty: Option<Type>,
}

/// The attributes at one function or call.
///
/// ```
/// use rvsdg_core::Pool;
/// use rvsdg_core::attribute::{Attribute, AttributeList};
///
/// let pure = Attribute { text: "memory(none)".into(), ty: None };
/// let list = AttributeList { function: [pure].into(), ..AttributeList::default() };
/// assert!(list.function_has("memory(none)"));
/// let pool = Pool::new();
/// let attributes = pool.intern_attributes(list);
/// assert!(pool.attributes(attributes).params.is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct AttributeList {
    /// Of the function itself.
    pub function: Box<[Attribute]>,
    /// Of its result.
    pub result: Box<[Attribute]>,
    /// Of each parameter; trailing parameters without any may be left out.
    pub params: Box<[Box<[Attribute]>]>,
}

impl AttributeList {
    /// Whether the function has the attribute spelled `text`.
    pub fn function_has(&self, text: &str) -> bool {
        self.function.iter().any(|attribute| &*attribute.text == text)
    }
}
