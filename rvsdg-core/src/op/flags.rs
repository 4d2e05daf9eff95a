//! Flags, predicates and memory-access attributes of operations.

use crate::tbaa::AccessTag;

/// Defines a set of named bits in a byte.
macro_rules! bits {
    ($(#[$doc:meta])* $name:ident { $($(#[$flag_doc:meta])* $flag:ident = $bit:expr, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name(u8);

        impl $name {
            /// No flag.
            pub const NONE: Self = Self(0);
            $($(#[$flag_doc])* pub const $flag: Self = Self(1 << $bit);)*
            /// Every flag with its spelling in LLVM's textual IR.
            pub const NAMES: &'static [(Self, &'static str)] = &[$((Self::$flag, $text)),*];

            /// The flags of a bit pattern; unknown bits are dropped.
            pub fn from_bits(bits: u8) -> Self {
                Self(bits & (0 $(| (1 << $bit))*))
            }

            /// The bit pattern.
            pub fn bits(self) -> u8 {
                self.0
            }

            /// Whether no flag is set.
            pub fn is_empty(self) -> bool {
                self.0 == 0
            }

            /// Whether all of `other` are set.
            pub fn contains(self, other: Self) -> bool {
                self.0 & other.0 == other.0
            }

            /// Spellings of the flags set, in order.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::NAMES.iter().filter(move |(flag, _)| self.contains(*flag)).map(|(_, name)| *name)
            }
        }

        impl std::ops::BitOr for $name {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl std::ops::BitAnd for $name {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }
    };
}

bits! {
    /// Flags of [`IntBinary`](super::IntBinary); a violated one makes the result poison.
    BinaryFlags {
        /// No unsigned wrap.
        NUW = 0, "nuw";
        /// No signed wrap.
        NSW = 1, "nsw";
        /// No remainder, no bit shifted out.
        EXACT = 2, "exact";
        /// No bit set in both operands.
        DISJOINT = 3, "disjoint";
    }
}

bits! {
    /// Fast-math flags.
    FastMath {
        /// Reassociation allowed.
        REASSOC = 0, "reassoc";
        /// No NaNs, else poison.
        NNAN = 1, "nnan";
        /// No infinities, else poison.
        NINF = 2, "ninf";
        /// The sign of a zero does not matter.
        NSZ = 3, "nsz";
        /// A reciprocal may replace a division.
        ARCP = 4, "arcp";
        /// Fusing allowed.
        CONTRACT = 5, "contract";
        /// Approximate functions allowed.
        AFN = 6, "afn";
    }
}

bits! {
    /// Flags of getelementptr; a violated one makes the result poison.
    GepFlags {
        /// The result stays within the object; implies `nusw`.
        INBOUNDS = 0, "inbounds";
        /// No unsigned-signed wrap.
        NUSW = 1, "nusw";
        /// No unsigned wrap.
        NUW = 2, "nuw";
    }
}

/// Flags of a conversion: those of its kind, the others empty.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct CastFlags {
    /// The operand of `zext` or `uitofp` is not negative, else poison.
    pub nneg: bool,
    /// `nuw`, `nsw` of `trunc`.
    pub wrap: BinaryFlags,
    /// Of `fptrunc`, `fpext` and other floating-point conversions.
    pub fast: FastMath,
}

/// Defines an enumeration whose variants have a spelling.
macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$variant_doc])* $variant),* }

        impl $name {
            /// All variants in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The spelling in LLVM's textual IR.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The variant spelled `name`.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|variant| variant.name() == name)
            }
        }
    };
}
pub(crate) use spelled;

spelled! {
    /// Relations of integers and pointers.
    IntPredicate {
        /// Equal.
        Eq = "eq",
        /// Not equal.
        Ne = "ne",
        /// Unsigned greater.
        Ugt = "ugt",
        /// Unsigned greater or equal.
        Uge = "uge",
        /// Unsigned less.
        Ult = "ult",
        /// Unsigned less or equal.
        Ule = "ule",
        /// Signed greater.
        Sgt = "sgt",
        /// Signed greater or equal.
        Sge = "sge",
        /// Signed less.
        Slt = "slt",
        /// Signed less or equal.
        Sle = "sle",
    }
}

spelled! {
    /// Relations of floats; `o…` is false and `u…` true when an operand is NaN.
    FloatPredicate {
        /// Never.
        False = "false",
        /// Ordered and equal.
        Oeq = "oeq",
        /// Ordered and greater.
        Ogt = "ogt",
        /// Ordered and greater or equal.
        Oge = "oge",
        /// Ordered and less.
        Olt = "olt",
        /// Ordered and less or equal.
        Ole = "ole",
        /// Ordered and not equal.
        One = "one",
        /// Neither is NaN.
        Ord = "ord",
        /// Either is NaN.
        Uno = "uno",
        /// Unordered or equal.
        Ueq = "ueq",
        /// Unordered or greater.
        Ugt = "ugt",
        /// Unordered or greater or equal.
        Uge = "uge",
        /// Unordered or less.
        Ult = "ult",
        /// Unordered or less or equal.
        Ule = "ule",
        /// Unordered or not equal.
        Une = "une",
        /// Always.
        True = "true",
    }
}

spelled! {
    /// Orderings of atomic accesses, LangRef "Atomic Memory Ordering Constraints".
    AtomicOrdering {
        /// Not atomic.
        NotAtomic = "not_atomic",
        /// Unordered.
        Unordered = "unordered",
        /// Monotonic.
        Monotonic = "monotonic",
        /// Acquire.
        Acquire = "acquire",
        /// Release.
        Release = "release",
        /// Acquire and release.
        AcquireRelease = "acq_rel",
        /// Sequentially consistent.
        SequentiallyConsistent = "seq_cst",
    }
}

spelled! {
    /// How `atomicrmw` updates memory.
    RmwOp {
        /// Exchange.
        Xchg = "xchg",
        /// Add.
        Add = "add",
        /// Subtract.
        Sub = "sub",
        /// And.
        And = "and",
        /// Not and.
        Nand = "nand",
        /// Or.
        Or = "or",
        /// Exclusive or.
        Xor = "xor",
        /// Signed maximum.
        Max = "max",
        /// Signed minimum.
        Min = "min",
        /// Unsigned maximum.
        UMax = "umax",
        /// Unsigned minimum.
        UMin = "umin",
        /// Floating-point add.
        FAdd = "fadd",
        /// Floating-point subtract.
        FSub = "fsub",
        /// `maxnum`
        FMax = "fmax",
        /// `minnum`
        FMin = "fmin",
        /// `maximum`
        FMaximum = "fmaximum",
        /// `minimum`
        FMinimum = "fminimum",
        /// Increment, wrapping to zero at the operand.
        UIncWrap = "uinc_wrap",
        /// Decrement, wrapping to the operand at zero.
        UDecWrap = "udec_wrap",
        /// Subtract when no unsigned overflow occurs.
        USubCond = "usub_cond",
        /// Subtract, clamped at zero.
        USubSat = "usub_sat",
    }
}

/// A synchronization scope: an index into [`Pool::scope_name`](crate::Pool::scope_name).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SyncScope(pub u16);

impl SyncScope {
    /// All threads; not spelled in textual IR.
    pub const SYSTEM: SyncScope = SyncScope(0);
    /// This thread and its signal handlers.
    pub const SINGLE_THREAD: SyncScope = SyncScope(1);
}

/// How memory is accessed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct MemAccess {
    /// Logarithm of the alignment in bytes.
    pub align_log2: u8,
    /// Neither removed nor duplicated nor reordered with other volatile accesses.
    pub volatile: bool,
    /// `NotAtomic` for plain accesses.
    pub ordering: AtomicOrdering,
    /// Of atomic accesses.
    pub scope: SyncScope,
    /// The type-based tag (`tbaa`) of loads and stores.
    pub tag: Option<AccessTag>,
    /// A load yields poison instead of a null pointer (LangRef, "`nonnull` Metadata").
    pub nonnull: bool,
}

impl MemAccess {
    /// A plain access.
    pub fn plain(align_log2: u8) -> Self {
        MemAccess {
            align_log2,
            volatile: false,
            ordering: AtomicOrdering::NotAtomic,
            scope: SyncScope::SYSTEM,
            tag: None,
            nonnull: false,
        }
    }

    /// Whether the access is neither volatile nor atomic.
    pub fn is_plain(self) -> bool {
        !self.volatile && self.ordering == AtomicOrdering::NotAtomic
    }

    /// Whether the outside can see the access's place among others: volatile, or atomic stronger than unordered.
    pub fn is_ordered(self) -> bool {
        self.volatile || !matches!(self.ordering, AtomicOrdering::NotAtomic | AtomicOrdering::Unordered)
    }
}
