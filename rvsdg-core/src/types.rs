//! Types: LLVM's first-class types, the predicate type `ctl(n)`, and the two states.

use cranelift_entity::entity_impl;

/// An interned type; equal types have equal ids within one [`Pool`](crate::Pool).
///
/// Those that are often needed have names; others come from a [`Pool`](crate::Pool), equal ones once:
///
/// ```
/// use rvsdg_core::{Pool, Type, TypeKind};
///
/// let pool = Pool::new();
/// assert_eq!(pool.int(32), Type::I32);
/// let lanes = TypeKind::Vector { element: Type::I32, len: 4, scalable: false };
/// let vector = pool.intern_type(lanes.clone());
/// assert_eq!(pool.intern_type(lanes), vector);
/// assert!(matches!(pool.type_kind(vector), TypeKind::Vector { len: 4, .. }));
/// assert!(Type::MEM.is_state() && !vector.is_state());
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type(u32);
entity_impl!(Type, "ty");

impl Type {
    /// The state that orders memory accesses.
    pub const MEM: Type = Type(0);
    /// The state that orders what the outside can see: external calls, volatile and ordered atomic accesses, possible
    /// non-termination, possible unwinding, and operations that may trap.
    pub const IO: Type = Type(1);
    /// `i1`
    pub const I1: Type = Type(2);
    /// `i32`
    pub const I32: Type = Type(3);
    /// `i64`
    pub const I64: Type = Type(4);
    /// `ptr` in address space 0
    pub const PTR: Type = Type(5);
    /// `void`, only as the result of a function type
    pub const VOID: Type = Type(6);
    /// `ctl(2)`, the predicate of a two-way choice
    pub const CTL2: Type = Type(7);

    /// Whether this is one of the states.
    pub fn is_state(self) -> bool {
        self == Type::MEM || self == Type::IO
    }
}

/// What a [`Type`] is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeKind {
    /// An integer of this many bits, 1 to 2²³.
    Int(u32),
    /// IEEE binary16.
    Half,
    /// The brain floating-point format.
    BFloat,
    /// IEEE binary32.
    Float,
    /// IEEE binary64.
    Double,
    /// The x87 80-bit format.
    X86Fp80,
    /// IEEE binary128.
    Fp128,
    /// A pair of doubles, PowerPC's long double.
    PpcFp128,
    /// The x86 AMX tile.
    X86Amx,
    /// A pointer into the address space.
    Ptr(u32),
    /// A vector; `len` is the minimum length of a scalable one.
    Vector {
        /// Type of each lane.
        element: Type,
        /// Number of lanes, or of lanes per `vscale`.
        len: u32,
        /// Whether the real length is a multiple of `len` known at run time only.
        scalable: bool,
    },
    /// An array.
    Array {
        /// Type of each element.
        element: Type,
        /// Number of elements.
        len: u64,
    },
    /// A literal structure.
    Struct {
        /// Types of the fields.
        elements: Box<[Type]>,
        /// Whether fields are laid out without padding.
        packed: bool,
    },
    /// A structure with a name; two with one name do not exist in one module.
    Named {
        /// The name, without the `%`.
        name: Box<str>,
        /// Types of the fields; `None` for an opaque structure.
        elements: Option<Box<[Type]>>,
        /// Whether fields are laid out without padding.
        packed: bool,
    },
    /// The type of a function.
    Function {
        /// Type of the returned value, or [`Type::VOID`].
        result: Type,
        /// Types of the fixed parameters.
        params: Box<[Type]>,
        /// Whether more arguments may follow.
        variadic: bool,
    },
    /// A target extension type.
    Target {
        /// Its name, such as `spirv.Image`.
        name: Box<str>,
        /// Type parameters.
        types: Box<[Type]>,
        /// Integer parameters.
        ints: Box<[u32]>,
    },
    /// No value.
    Void,
    /// A token: a value whose uses must not be obscured.
    Token,
    /// Metadata as a parameter of a function type; no value of a graph has it.
    Metadata,
    /// A predicate that chooses among `n` alternatives.
    Ctl(u32),
    /// See [`Type::MEM`].
    Mem,
    /// See [`Type::IO`].
    Io,
}

impl TypeKind {
    /// Whether this is a floating-point scalar.
    pub fn is_float(&self) -> bool {
        matches!(
            self,
            TypeKind::Half
                | TypeKind::BFloat
                | TypeKind::Float
                | TypeKind::Double
                | TypeKind::X86Fp80
                | TypeKind::Fp128
                | TypeKind::PpcFp128
        )
    }
}
