//! Attributes of functions, parameters, results and call sites.

mod kinds;
mod payloads;

use std::fmt;

use cranelift_entity::entity_impl;

pub use self::kinds::{AttributeKind, Payload, Place};
use self::kinds::{name, string_parts};
pub use self::payloads::{Access, AllocKinds, Captures, IntRange, MemoryEffects, MemoryLocation};
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

/// One attribute.
///
/// ```
/// use rvsdg_core::attribute::{Attribute, AttributeKind};
///
/// assert_eq!(Attribute::parse("nounwind"), AttributeKind::NoUnwind.into());
/// assert_eq!(Attribute::parse("dereferenceable(8)").dereferenceable(), Some(8));
/// assert_eq!(Attribute::parse("captures(none)").to_string(), "captures(none)");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Attribute {
    /// One that is only a name: `nounwind`.
    Plain(AttributeKind),
    /// A number of bytes: `align 8`, `alignstack(16)`, `dereferenceable(8)`, `dereferenceable_or_null(8)`.
    Bytes(AttributeKind, u64),
    /// A type: `byval(T)`, `sret(T)`, `elementtype(T)`, `byref(T)`, `inalloca(T)`, `preallocated(T)`.
    Typed(AttributeKind, Type),
    /// `memory(…)`
    Memory(MemoryEffects),
    /// `captures(…)`
    Captures(Captures),
    /// `range(…)` of at most 64 bits.
    Range(IntRange),
    /// `allockind(…)`
    AllocKind(AllocKinds),
    /// A payload that no pass asks about, as it is spelled after the name: `nofpclass(nan)`, `allocsize(0)`.
    Spelled(AttributeKind, Box<str>),
    /// `"key"` or `"key"="value"`, as they are spelled between the quotes.
    String {
        /// The key.
        key: Box<str>,
        /// The value.
        value: Option<Box<str>>,
    },
    /// None that LLVM knows, or in another form.
    Other {
        /// How it is spelled, without the type.
        text: Box<str>,
        /// Its type.
        ty: Option<Type>,
    },
}

impl From<AttributeKind> for Attribute {
    fn from(kind: AttributeKind) -> Attribute {
        Attribute::Plain(kind)
    }
}

impl Attribute {
    /// An attribute as LLVM's textual IR spells it, such as `nounwind`, `align 8`, `memory(read)`, `range(i32 0, 10)` or
    /// `"frame-pointer"="all"`; for one with a type, its name alone, such as `byval`.
    pub fn new(text: &str, ty: Option<Type>) -> Attribute {
        let known = Attribute::known(text, ty);
        known.unwrap_or_else(|| Attribute::Other { text: text.into(), ty })
    }

    /// An [attribute](Attribute::new) without a type.
    pub fn parse(text: &str) -> Attribute {
        Attribute::new(text, None)
    }

    /// `"key"="value"`
    pub fn string(key: &str, value: &str) -> Attribute {
        Attribute::String { key: key.into(), value: Some(value.into()) }
    }

    fn known(text: &str, ty: Option<Type>) -> Option<Attribute> {
        if ty.is_none()
            && let Some((key, value)) = string_parts(text)
        {
            return Some(Attribute::String { key: key.into(), value: value.map(Box::from) });
        }
        let kind = AttributeKind::of(name(text))?;
        let (payload, rest) = (kind.payload(), &text[kind.name().len()..]);
        if !payload.is_spelled(rest) || ty.is_some() != (payload == Payload::Type) {
            return None;
        }
        let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let spelled = || Attribute::Spelled(kind, rest.into());
        Some(match payload {
            Payload::Type => Attribute::Typed(kind, ty?),
            _ if rest.is_empty() => Attribute::Plain(kind),
            Payload::Align => Attribute::Bytes(kind, rest.trim_start().parse().ok()?),
            Payload::Bytes => Attribute::Bytes(kind, inner?.parse().ok()?),
            Payload::Memory => Attribute::Memory(MemoryEffects::parse(inner?)?),
            Payload::Captures => Captures::parse(inner?).map_or_else(spelled, Attribute::Captures),
            Payload::Range => IntRange::parse(inner?).map_or_else(spelled, Attribute::Range),
            Payload::AllocKind => Attribute::AllocKind(AllocKinds::parse(inner?)?),
            Payload::Nothing | Payload::Positions | Payload::Unwind | Payload::FpClasses | Payload::Ranges => spelled(),
        })
    }

    /// Which one of LLVM's it is; `None` for strings, and for others.
    pub fn kind(&self) -> Option<AttributeKind> {
        Some(match *self {
            Attribute::Plain(kind)
            | Attribute::Bytes(kind, _)
            | Attribute::Typed(kind, _)
            | Attribute::Spelled(kind, _) => kind,
            Attribute::Memory(_) => AttributeKind::Memory,
            Attribute::Captures(_) => AttributeKind::Captures,
            Attribute::Range(_) => AttributeKind::Range,
            Attribute::AllocKind(_) => AttributeKind::AllocKind,
            Attribute::String { .. } | Attribute::Other { .. } => return None,
        })
    }

    /// Whether it is one of LLVM's, with any payload.
    pub fn is(&self, kind: AttributeKind) -> bool {
        self.kind() == Some(kind)
    }

    /// The type.
    pub fn ty(&self) -> Option<Type> {
        match *self {
            Attribute::Typed(_, ty) => Some(ty),
            Attribute::Other { ty, .. } => ty,
            _ => None,
        }
    }

    /// The key of a string.
    pub fn key(&self) -> Option<&str> {
        match self {
            Attribute::String { key, .. } => Some(key),
            _ => None,
        }
    }

    /// The logarithm of the number of bytes that `align` says.
    ///
    /// ```
    /// use rvsdg_core::attribute::Attribute;
    ///
    /// let of = |text: &str| Attribute::parse(text).align_log2();
    /// assert_eq!([of("align 16"), of("align 1"), of("align 12"), of("nonnull")], [Some(4), Some(0), None, None]);
    /// ```
    pub fn align_log2(&self) -> Option<u8> {
        match *self {
            Attribute::Bytes(AttributeKind::Align, bytes) => Some(bytes.trailing_zeros() as u8),
            _ => None,
        }
    }

    /// The number of bytes that `dereferenceable` says.
    ///
    /// ```
    /// use rvsdg_core::attribute::Attribute;
    ///
    /// let of = |text: &str| Attribute::parse(text).dereferenceable();
    /// assert_eq!([of("dereferenceable(8)"), of("dereferenceable_or_null(8)"), of("nonnull")], [Some(8), None, None]);
    /// ```
    pub fn dereferenceable(&self) -> Option<u64> {
        match *self {
            Attribute::Bytes(AttributeKind::Dereferenceable, bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// The spelling in LLVM's textual IR, without the type.
impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attribute::Plain(kind) | Attribute::Typed(kind, _) => f.write_str(kind.name()),
            Attribute::Bytes(AttributeKind::Align, bytes) => write!(f, "align {bytes}"),
            Attribute::Bytes(kind, bytes) => write!(f, "{}({bytes})", kind.name()),
            Attribute::Memory(effects) => write!(f, "memory({effects})"),
            Attribute::Captures(captures) => write!(f, "captures({captures})"),
            Attribute::Range(range) => write!(f, "range({range})"),
            Attribute::AllocKind(kinds) => write!(f, "allockind({kinds})"),
            Attribute::Spelled(kind, rest) => write!(f, "{}{rest}", kind.name()),
            Attribute::String { key, value: None } => write!(f, "\"{key}\""),
            Attribute::String { key, value: Some(value) } => write!(f, "\"{key}\"=\"{value}\""),
            Attribute::Other { text, .. } => f.write_str(text),
        }
    }
}

/// The attributes at one function or call.
///
/// ```
/// use rvsdg_core::Pool;
/// use rvsdg_core::attribute::{AttributeKind, AttributeList};
///
/// let list = AttributeList { function: [AttributeKind::NoUnwind.into()].into(), ..AttributeList::default() };
/// assert!(list.function_has(AttributeKind::NoUnwind));
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
    /// What `range` says of the result: other integers, also as elements of a vector, are poison. `None` for more than 64 bits.
    ///
    /// ```
    /// use rvsdg_core::attribute::{Attribute, AttributeList, IntRange};
    ///
    /// let list = AttributeList { result: [Attribute::parse("range(i8 -2, 3)")].into(), ..AttributeList::default() };
    /// assert_eq!(list.result_range(), Some(IntRange { bits: 8, first: 254, count: 5 }));
    /// assert!([254, 0, 2].into_iter().all(|value| list.result_range().unwrap().contains(value)));
    /// assert!(![253, 3].into_iter().any(|value| list.result_range().unwrap().contains(value)));
    /// ```
    pub fn result_range(&self) -> Option<IntRange> {
        self.result.iter().find_map(|attribute| match *attribute {
            Attribute::Range(range) => Some(range),
            _ => None,
        })
    }

    /// Whether the function has an attribute, with any payload.
    pub fn function_has(&self, kind: AttributeKind) -> bool {
        has(&self.function, kind)
    }

    /// Whether the result has an attribute, with any payload.
    pub fn result_has(&self, kind: AttributeKind) -> bool {
        has(&self.result, kind)
    }

    /// Whether a parameter has an attribute, with any payload.
    pub fn param_has(&self, param: usize, kind: AttributeKind) -> bool {
        has(self.param(param), kind)
    }

    /// Whether any parameter has an attribute of one of some kinds.
    pub fn params_have(&self, kinds: &[AttributeKind]) -> bool {
        self.params.iter().any(|list| has_any(list, kinds))
    }

    /// Whether each parameter is, throughout the callee, the value that the call passes: none is the callee's [own](AttributeKind::OWN),
    /// and none is `byref`, where the target's conventions decide at which address the callee finds the object.
    ///
    /// ```
    /// use rvsdg_core::Type;
    /// use rvsdg_core::attribute::{Attribute, AttributeList};
    ///
    /// let of = |text, ty| AttributeList { params: [[Attribute::new(text, ty)].into()].into(), ..AttributeList::default() };
    /// assert!(of("noalias", None).params_are_arguments());
    /// assert!(of("sret", Some(Type::I64)).params_are_arguments());
    /// assert!(!of("byval", Some(Type::I64)).params_are_arguments());
    /// assert!(!of("byref", Some(Type::I64)).params_are_arguments());
    /// ```
    pub fn params_are_arguments(&self) -> bool {
        !self.params_have(AttributeKind::OWN) && !self.params_have(&[AttributeKind::ByRef])
    }

    /// The attributes of a parameter.
    pub fn param(&self, param: usize) -> &[Attribute] {
        self.params.get(param).map_or(&[], |list| list)
    }

    /// The value of a string attribute of the function, empty if it has only a key.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.function.iter().find_map(|attribute| match attribute {
            Attribute::String { key: own, value } if **own == *key => Some(value.as_deref().unwrap_or_default()),
            _ => None,
        })
    }

    /// What `memory` says of the function.
    pub fn memory(&self) -> Option<&MemoryEffects> {
        self.function.iter().find_map(|attribute| match attribute {
            Attribute::Memory(effects) => Some(effects),
            _ => None,
        })
    }
}

/// Whether one of some attributes is of one of some kinds.
pub fn has_any(list: &[Attribute], kinds: &[AttributeKind]) -> bool {
    list.iter().any(|attribute| attribute.kind().is_some_and(|kind| kinds.contains(&kind)))
}

/// Whether one of some attributes is of a kind.
pub fn has(list: &[Attribute], kind: AttributeKind) -> bool {
    list.iter().any(|attribute| attribute.is(kind))
}
