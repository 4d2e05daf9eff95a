//! Attributes of functions, parameters, results and call sites.

pub mod kinds;

use cranelift_entity::entity_impl;

use crate::Type;
use crate::fold::arith::mask;

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

impl Attribute {
    /// The logarithm of the number of bytes that `align` says, if it is a power of two.
    ///
    /// ```
    /// use rvsdg_core::attribute::Attribute;
    ///
    /// let of = |text: &str| Attribute { text: text.into(), ty: None }.align_log2();
    /// assert_eq!([of("align 16"), of("align 1"), of("align 12"), of("nonnull")], [Some(4), Some(0), None, None]);
    /// ```
    pub fn align_log2(&self) -> Option<u8> {
        let bytes: u64 = self.text.strip_prefix("align ")?.parse().ok()?;
        bytes.is_power_of_two().then(|| bytes.trailing_zeros() as u8)
    }

    /// The number of bytes that `dereferenceable` says.
    ///
    /// ```
    /// use rvsdg_core::attribute::Attribute;
    ///
    /// let of = |text: &str| Attribute { text: text.into(), ty: None }.dereferenceable();
    /// assert_eq!([of("dereferenceable(8)"), of("dereferenceable_or_null(8)"), of("nonnull")], [Some(8), None, None]);
    /// ```
    pub fn dereferenceable(&self) -> Option<u64> {
        self.text.strip_prefix("dereferenceable(")?.strip_suffix(')')?.parse().ok()
    }
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

/// Some integers of a width, one after the other; zero follows the greatest.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct IntRange {
    /// The width, at most 64.
    pub bits: u32,
    /// The first integer.
    pub first: u64,
    /// How many there are.
    pub count: u64,
}

impl IntRange {
    /// Whether an integer is one of them.
    pub fn contains(self, value: u64) -> bool {
        (value.wrapping_sub(self.first) & mask(self.bits) as u64) < self.count
    }
}

impl AttributeList {
    /// What `range` says of the result: other integers, also as elements of a vector, are poison. `None` for more than 64 bits.
    ///
    /// ```
    /// use rvsdg_core::attribute::{Attribute, AttributeList, IntRange};
    ///
    /// let range = Attribute { text: "range(i8 -2, 3)".into(), ty: None };
    /// let list = AttributeList { result: [range].into(), ..AttributeList::default() };
    /// assert_eq!(list.result_range(), Some(IntRange { bits: 8, first: 254, count: 5 }));
    /// assert!([254, 0, 2].into_iter().all(|value| list.result_range().unwrap().contains(value)));
    /// assert!(![253, 3].into_iter().any(|value| list.result_range().unwrap().contains(value)));
    /// ```
    pub fn result_range(&self) -> Option<IntRange> {
        let text =
            self.result.iter().find_map(|attribute| attribute.text.strip_prefix("range(i")?.strip_suffix(')'))?;
        let (bits, numbers) = text.split_once(' ')?;
        let (first, end) = numbers.split_once(", ")?;
        let bits: u32 = bits.parse().ok().filter(|bits| *bits <= 64)?;
        let number = |text: &str| text.parse::<i64>().ok().map(|number| number as u64 & mask(bits) as u64);
        let (first, end) = (number(first)?, number(end)?);
        let count = end.wrapping_sub(first) & mask(bits) as u64;
        (count > 0).then_some(IntRange { bits, first, count })
    }

    /// Whether the function has the attribute spelled `text`.
    pub fn function_has(&self, text: &str) -> bool {
        self.function.iter().any(|attribute| &*attribute.text == text)
    }
}
