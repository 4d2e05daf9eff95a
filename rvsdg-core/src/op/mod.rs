//! The closed table of operations: LLVM's value operations with their flags, predicates, and one row for dialects.
//!
//! [`Op`] is the operation of a simple node; [`OpCode`] is an operation's row in the table, one per mnemonic, with its arity, effects and
//! algebraic properties ([`OpInfo`]). Result types are those of the node's outputs. Parser, printer, verifier, folder and the translation
//! from and to LLVM match on `Op` without a catch-all, so that a new operation does not compile until each of its meanings is decided.

mod flags;
mod payload;
mod table;

pub use flags::{
    AtomicOrdering, BinaryFlags, CastFlags, FastMath, FloatPredicate, GepFlags, IntPredicate, MemAccess, RmwOp,
    SyncScope,
};
pub use payload::{
    Bundle, Call, CallExits, CallInfo, Clause, Ext, ExtHooks, ExtOp, Funclet, Indices, InlineAsm, LandingPad,
    MatchTable, MatchTableId, MetadataArgument, TailKind,
};
pub use table::{Arity, OpCode, OpInfo};

use crate::{Const, Pool, Type};

/// Which states an operation takes and produces, in the order `mem`, `io`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effects {
    /// Takes and produces the memory state.
    pub mem: bool,
    /// Takes and produces the io state.
    pub io: bool,
}

impl Effects {
    /// No state.
    pub const NONE: Effects = Effects { mem: false, io: false };
    /// Memory only.
    pub const MEM: Effects = Effects { mem: true, io: false };
    /// Io only.
    pub const IO: Effects = Effects { mem: false, io: true };
    /// Both states.
    pub const ALL: Effects = Effects { mem: true, io: true };

    /// The types of the states, in order.
    pub fn types(self) -> impl Iterator<Item = Type> {
        self.mem.then_some(Type::MEM).into_iter().chain(self.io.then_some(Type::IO))
    }

    /// The number of states.
    pub fn count(self) -> usize {
        usize::from(self.mem) + usize::from(self.io)
    }
}

/// The integer operations of two operands of one type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum IntBinary {
    /// Sum; wraps.
    Add,
    /// Difference; wraps.
    Sub,
    /// Product; wraps.
    Mul,
    /// Unsigned quotient; undefined for a zero divisor.
    UDiv,
    /// Signed quotient; undefined for a zero divisor and on overflow.
    SDiv,
    /// Unsigned remainder; undefined for a zero divisor.
    URem,
    /// Signed remainder; undefined for a zero divisor and on overflow.
    SRem,
    /// Shift left; poison when the amount is not less than the width.
    Shl,
    /// Logical shift right; poison when the amount is not less than the width.
    LShr,
    /// Arithmetic shift right; poison when the amount is not less than the width.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// The floating-point operations of two operands of one type.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatBinary {
    /// Sum.
    FAdd,
    /// Difference.
    FSub,
    /// Product.
    FMul,
    /// Quotient.
    FDiv,
    /// Remainder with the dividend's sign, as C's `fmod`.
    FRem,
}

/// The conversions; source and result type are those of the node's input and output.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum CastOp {
    /// Keep the low bits of an integer.
    Trunc,
    /// Widen an integer with zeros.
    ZExt,
    /// Widen an integer with its sign.
    SExt,
    /// Round a float to a narrower format.
    FPTrunc,
    /// Widen a float.
    FPExt,
    /// Float to unsigned integer, towards zero; poison out of range.
    FPToUI,
    /// Float to signed integer, towards zero; poison out of range.
    FPToSI,
    /// Unsigned integer to float.
    UIToFP,
    /// Signed integer to float.
    SIToFP,
    /// The integer representation of a pointer; captures its provenance.
    PtrToInt,
    /// The address of a pointer as an integer; does not capture its provenance.
    PtrToAddr,
    /// A pointer from an integer.
    IntToPtr,
    /// Reinterpret the bits as a type of the same size.
    BitCast,
    /// Convert between address spaces.
    AddrSpaceCast,
}

/// A conversion of an integer to another width, as classified by [`CastOp::resize`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Resize {
    /// [`CastOp::Trunc`].
    Trunc,
    /// [`CastOp::ZExt`].
    ZExt,
    /// [`CastOp::SExt`].
    SExt,
}

impl CastOp {
    /// What the conversion does to the width of an integer; `None` for conversions that are not from integers to integers, bit casts
    /// among them.
    pub fn resize(self) -> Option<Resize> {
        match self {
            CastOp::Trunc => Some(Resize::Trunc),
            CastOp::ZExt => Some(Resize::ZExt),
            CastOp::SExt => Some(Resize::SExt),
            CastOp::FPTrunc
            | CastOp::FPExt
            | CastOp::FPToUI
            | CastOp::FPToSI
            | CastOp::UIToFP
            | CastOp::SIToFP
            | CastOp::PtrToInt
            | CastOp::PtrToAddr
            | CastOp::IntToPtr
            | CastOp::BitCast
            | CastOp::AddrSpaceCast => None,
        }
    }
}

/// The alternative of an invoke's predicate, and the arc of its block, for a callee that returns.
pub const RETURNS: u32 = 0;

/// The alternative of an invoke's predicate, and the arc of its block, for a callee that unwinds.
pub const UNWINDS: u32 = 1;

/// What a simple node computes. `Copy`, at most 16 bytes; wide payloads are interned in the [`Pool`].
///
/// Value inputs come first, in the order each variant names; then the states of [`Op::effects`].
///
/// ```
/// use rvsdg_core::Op;
/// use rvsdg_core::op::{BinaryFlags, IntBinary};
///
/// let sum = Op::IntBinary { op: IntBinary::Add, flags: BinaryFlags::NSW };
/// let product = Op::IntBinary { op: IntBinary::Mul, flags: BinaryFlags::NONE };
/// assert_ne!(sum, product);
/// assert!(!sum.is_branch());
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A constant; one `ptr` input per hole in it.
    Const(Const),
    /// A predicate known to be `value`, one of `of` alternatives.
    CtlConst {
        /// The alternative chosen.
        value: u32,
        /// The number of alternatives.
        of: u32,
    },
    /// An integer or vector of integers to a predicate.
    Match(MatchTableId),
    /// `lhs, rhs`; both of the result's type, an integer or a vector of integers.
    IntBinary {
        /// Which.
        op: IntBinary,
        /// nuw, nsw, exact, disjoint.
        flags: BinaryFlags,
    },
    /// `lhs, rhs`; both of the result's type, a float or a vector of floats.
    FloatBinary {
        /// Which.
        op: FloatBinary,
        /// Fast-math flags.
        flags: FastMath,
    },
    /// Negation of a float: flips the sign bit.
    FNeg(FastMath),
    /// `lhs, rhs` integers, pointers or vectors of such; result `i1` or a vector of `i1`.
    ICmp {
        /// The relation.
        predicate: IntPredicate,
        /// Both operands have the same sign, else poison.
        same_sign: bool,
    },
    /// `lhs, rhs` floats or vectors of floats; result `i1` or a vector of `i1`.
    FCmp {
        /// The relation.
        predicate: FloatPredicate,
        /// Fast-math flags.
        flags: FastMath,
    },
    /// A conversion of its one input.
    Cast {
        /// Which.
        op: CastOp,
        /// nuw, nsw, nneg, fast-math.
        flags: CastFlags,
    },
    /// `condition, then, else`; the condition is `i1` or a vector of `i1`.
    Select(FastMath),
    /// Any fixed value when the input is undef or poison, else the input.
    Freeze,
    /// `vector, index`
    ExtractElement,
    /// `vector, element, index`
    InsertElement,
    /// `first, second` and the mask: lane numbers into their concatenation, `u32::MAX` for poison.
    ShuffleVector(Indices),
    /// `aggregate` and constant indices.
    ExtractValue(Indices),
    /// `aggregate, element` and constant indices.
    InsertValue(Indices),
    /// `pointer, index…` of the element type.
    Gep {
        /// Source element type.
        source: Type,
        /// inbounds, nusw, nuw.
        flags: GepFlags,
    },
    /// `count`; the address of that many new elements on the stack.
    Alloca {
        /// Element type.
        ty: Type,
        /// Logarithm of the alignment in bytes.
        align_log2: u8,
        /// `inalloca`
        in_alloca: bool,
        /// `swifterror`
        swift_error: bool,
    },
    /// `pointer`; the value read.
    Load(MemAccess),
    /// `value, pointer`; no result.
    Store(MemAccess),
    /// `pointer, compare, new`; result `{ value, i1 }`.
    CmpXchg {
        /// Alignment, volatility, success ordering and scope.
        access: MemAccess,
        /// Ordering when the comparison fails.
        failure: AtomicOrdering,
        /// May fail spuriously.
        weak: bool,
    },
    /// `pointer, operand`; the value before.
    AtomicRmw {
        /// How memory is updated.
        op: RmwOp,
        /// Alignment, volatility, ordering and scope.
        access: MemAccess,
    },
    /// No value; orders atomics around it.
    Fence {
        /// The ordering.
        ordering: AtomicOrdering,
        /// The scope.
        scope: SyncScope,
    },
    /// `callee, argument…, bundle operand…` (no callee for inline assembly); the returned value, if any.
    Call(Call),
    /// A call that may unwind into the function, with the operands of its clauses after those of the call; returns the value, if any, the
    /// landing pad's value, and a predicate: [`RETURNS`] or [`UNWINDS`]. Where it unwinds the returned value is poison, and where it
    /// returns the landing pad's value is.
    Invoke(Call),
    /// Assembly that may jump to labels; returns the value, if any, and a predicate that selects the destination.
    CallBr(Call),
    /// `address`; a predicate that selects the block of the original function with that address; the payload has the number of the block
    /// for each alternative, as in [`Constant::BlockAddress`](crate::Constant::BlockAddress).
    IndirectBr(Indices),
    /// `exception`; unwinds out of the function. Everything after it is dead.
    Resume,
    /// Entering and leaving a funclet: a handler or cleanup of Windows and WebAssembly exceptions.
    Funclet(Funclet),
    /// `list`; the next variadic argument.
    VaArg,
    /// No value; control flow never gets here. Everything after it is dead.
    Unreachable,
    /// An operation of a dialect, with declared signature and effects.
    Ext(Ext),
}

impl Op {
    /// The operation's row in the table.
    pub fn code(self) -> OpCode {
        table::code(self)
    }

    /// The states the operation takes and produces.
    ///
    /// Division and remainder are pure here; where their divisor may trap, the node carries an extra `io` state
    /// ([`Op::may_carry_io`]).
    pub fn effects(self, pool: &Pool) -> Effects {
        match self {
            Op::Load(access) | Op::Store(access) => Effects { mem: true, io: access.is_ordered() },
            Op::Call(call) | Op::Invoke(call) | Op::CallBr(call) => pool.call(call).effects,
            Op::Ext(ext) => pool.ext(ext).effects,
            Op::Alloca { .. } => Effects::MEM,
            Op::CmpXchg { .. } | Op::AtomicRmw { .. } | Op::Fence { .. } | Op::VaArg => Effects::ALL,
            Op::Unreachable => Effects::IO,
            Op::Resume | Op::Funclet(_) => Effects::ALL,
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::IntBinary { .. }
            | Op::FloatBinary { .. }
            | Op::FNeg(_)
            | Op::ICmp { .. }
            | Op::FCmp { .. }
            | Op::Cast { .. }
            | Op::Select(_)
            | Op::Freeze
            | Op::ExtractElement
            | Op::InsertElement
            | Op::ShuffleVector(_)
            | Op::ExtractValue(_)
            | Op::InsertValue(_)
            | Op::IndirectBr(_)
            | Op::Gep { .. } => Effects::NONE,
        }
    }

    /// Whether a node of this operation may carry an `io` state beyond [`Op::effects`]: it may trap, so it stays after what might not
    /// return.
    pub fn may_carry_io(self) -> bool {
        matches!(self, Op::IntBinary { op: IntBinary::UDiv | IntBinary::SDiv | IntBinary::URem | IntBinary::SRem, .. })
    }

    /// Whether the operation is a branch itself, executed at its position: its last value is a predicate.
    pub fn is_branch(self) -> bool {
        match self {
            Op::Invoke(_) | Op::CallBr(_) | Op::IndirectBr(_) => true,
            Op::Funclet(funclet) => funclet.is_branch(),
            _ => false,
        }
    }

    /// A load or store without type-based tag and promises about its value, any other operation unchanged: for comparing accesses of
    /// which one replaces several.
    pub fn untagged(self) -> Op {
        match self {
            Op::Load(access) => Op::Load(MemAccess { tag: None, nonnull: false, ..access }),
            Op::Store(access) => Op::Store(MemAccess { tag: None, nonnull: false, ..access }),
            op => op,
        }
    }

    /// Whether the function ends at the operation: everything after it is dead.
    pub fn is_end(self) -> bool {
        matches!(self, Op::Unreachable | Op::Resume | Op::Funclet(Funclet::CleanupRet { to_caller: true }))
    }

    /// Whether executing the operation where it was not executed before cannot be observed: it has no effect and is
    /// defined (possibly poison) for all inputs.
    pub fn is_speculatable(self, pool: &Pool) -> bool {
        match self {
            Op::Call(call) => pool.call(call).speculatable,
            Op::Ext(ext) => pool.ext(ext).speculatable,
            _ => self.code().info().speculatable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn op_is_small() {
        assert!(size_of::<Op>() <= 16, "{}", size_of::<Op>());
    }
}
