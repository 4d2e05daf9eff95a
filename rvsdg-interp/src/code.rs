//! Bodies as lists of instructions, which is what is run.
//!
//! A region becomes a stretch of its body's list: γ a jump to one of several stretches, θ a jump back. Values live in the
//! slots of a frame; an argument of a γ's region, and a loop variable that does not change, are the slot they come from.

use std::sync::Arc;

use rvsdg_core::attribute::IntRange;
use rvsdg_core::layout::{Layout, Scalar};
use rvsdg_core::op::{BinaryFlags, CallInfo, IntBinary, IntPredicate, RmwOp};
use rvsdg_core::tbaa::AccessTag;
use rvsdg_core::{Const, Origin, Symbol, Type};

use crate::scalar::ScalarOp;
use crate::value::Value;

/// Where a value is: a slot of the frame, or with [`CONSTANT`] one of the body's constants.
pub(crate) type Slot = u32;

/// The bit that tells constants from slots.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// How memory is read or written.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// An integer or float of at most 64 bits.
    Bits(u32),
    Pointer,
    Any(Arc<Layout>),
}

/// An index of a getelementptr and what it is multiplied with.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub index: Slot,
    pub stride: u64,
    pub bits: u32,
}

/// A sum of products of indices and sizes.
#[derive(Copy, Clone, Default, Debug)]
pub(crate) struct Offset {
    pub bytes: u64,
    /// Whether a product or a sum is not the one of the numbers, taken as signed or as unsigned ones.
    pub wraps_signed: bool,
    pub wraps_unsigned: bool,
}

impl Offset {
    /// Adds so many elements of a size.
    pub fn add(&mut self, index: i64, stride: u64) {
        let (product, multiplied) = index.overflowing_mul(stride as i64);
        let (sum, added) = (self.bytes as i64).overflowing_add(product);
        self.wraps_signed |= multiplied || added;
        let unsigned = (index as u64).checked_mul(stride).and_then(|product| self.bytes.checked_add(product));
        self.wraps_unsigned |= unsigned.is_none();
        self.bytes = sum as u64;
    }
}

/// A getelementptr.
#[derive(Clone, Debug)]
pub(crate) struct Gep {
    pub base: Slot,
    /// The sum of all constant offsets.
    pub offset: Offset,
    pub steps: Box<[Step]>,
    pub inbounds: bool,
    pub nusw: bool,
    pub nuw: bool,
    /// How many lanes, when it makes a vector.
    pub lanes: Option<u32>,
}

/// A table from integers to alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Ascending.
    pub cases: Box<[(u64, u32)]>,
    pub wide: Box<[(Value, u32)]>,
    pub default: u32,
}

/// Who is called.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// A function of the module, by its number.
    Function(u32),
    /// A function of the interpreter's own.
    Builtin(crate::builtin::Builtin),
    /// What the threads of a warp do together.
    Warp(crate::simt::WarpOp),
    /// A function that nobody defines, whose calls are recorded.
    External(Box<str>),
    /// Whatever the slot's pointer leads to.
    Indirect(Slot),
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct CallSite {
    pub callee: Callee,
    pub arguments: Box<[Slot]>,
    /// Types of the arguments.
    pub types: Box<[Type]>,
    /// What the call site says of itself.
    pub info: Arc<CallInfo>,
    /// Slots of the returned value, or [`NOWHERE`].
    pub result: Slot,
    pub result_type: Type,
    /// Of an invoke: slots of what the landing pad is given and of the predicate.
    pub unwind: Option<Unwind>,
    /// Memory passed by value: argument, layout, alignment.
    pub by_value: Box<[(u32, u64, u64)]>,
    /// Addresses that the call says are aligned: argument, alignment.
    pub aligned: Box<[(u32, u64)]>,
    /// Whether the caller may go on behind the call.
    pub no_return: bool,
    /// Whether the callee takes the caller's place.
    pub must_tail: bool,
    /// Whether the callee may not unwind.
    pub no_unwind: bool,
}

/// A choice of lanes; `u32::MAX` is poison.
#[derive(Clone, Debug)]
pub(crate) struct Shuffle {
    pub to: Slot,
    pub a: Slot,
    pub b: Slot,
    pub mask: Box<[u32]>,
    /// Lanes of an operand.
    pub len: u32,
}

/// An operation of a dialect.
#[derive(Clone, Debug)]
pub(crate) struct ExtInst {
    pub name: Box<str>,
    pub operands: Box<[Slot]>,
    /// Slots of its results with their layouts.
    pub results: Box<[(Slot, Arc<Layout>)]>,
    pub reach: crate::machine::Reach,
}

/// What an invoke needs when the callee unwinds.
#[derive(Clone, Debug)]
pub(crate) struct Unwind {
    pub pad: Slot,
    pub predicate: Slot,
    pub cleanup: bool,
    /// Operand of each clause, and whether it is a `catch`.
    pub clauses: Box<[(Slot, bool)]>,
}

/// No slot.
pub(crate) const NOWHERE: Slot = u32::MAX;

/// Instead of an instruction of a control flow graph: what an arc assigns, and what only leads there.
pub(crate) const EDGE: u32 = u32::MAX;
/// Instead of an instruction of a control flow graph: the jump at the end of a block.
pub(crate) const JUMP: u32 = u32::MAX - 1;

/// An instruction. The destination comes first.
#[derive(Clone, Debug)]
pub(crate) enum Inst {
    Copy(Slot, Slot),
    /// All sources are read before any destination is written.
    Copies(Box<[(Slot, Slot)]>),
    Int {
        to: Slot,
        a: Slot,
        b: Slot,
        op: IntBinary,
        flags: BinaryFlags,
        bits: u8,
    },
    Compare {
        to: Slot,
        a: Slot,
        b: Slot,
        predicate: IntPredicate,
        same_sign: bool,
        bits: u8,
    },
    Scalar {
        to: Slot,
        op: Box<ScalarOp>,
        operands: [Slot; 3],
        count: u8,
    },
    /// A vector operation.
    Lanes {
        to: Slot,
        op: Box<ScalarOp>,
        operands: [Slot; 3],
        count: u8,
        len: u32,
    },
    /// A reinterpretation of vectors with lanes of different widths.
    Recast {
        to: Slot,
        from: Slot,
        lanes: Box<[(Scalar, u32, bool); 2]>,
    },
    Select {
        to: Slot,
        condition: Slot,
        yes: Slot,
        no: Slot,
    },
    Freeze {
        to: Slot,
        from: Slot,
        layout: Arc<Layout>,
    },
    /// Makes poison of a null pointer.
    NonNull(Slot),
    /// Makes poison of integers that are not among some.
    InRange(Slot, IntRange),
    Constant {
        to: Slot,
        constant: Const,
        holes: Box<[Slot]>,
    },
    ExtractElement {
        to: Slot,
        vector: Slot,
        index: Slot,
    },
    InsertElement {
        to: Slot,
        vector: Slot,
        element: Slot,
        index: Slot,
        len: u32,
    },
    Shuffle(Box<Shuffle>),
    Extract {
        to: Slot,
        from: Slot,
        path: Box<[u32]>,
    },
    /// The path gives index and number of elements of each level.
    Insert {
        to: Slot,
        from: Slot,
        element: Slot,
        path: Box<[(u32, u32)]>,
    },
    Gep {
        to: Slot,
        gep: Box<Gep>,
    },
    Alloca {
        to: Slot,
        count: Slot,
        size: u64,
        align_log2: u8,
    },
    Load {
        to: Slot,
        pointer: Slot,
        access: Access,
        align_log2: u8,
        /// Whether other threads may access the same at the same time: atomic or volatile.
        together: bool,
    },
    Store {
        value: Slot,
        pointer: Slot,
        access: Access,
        align_log2: u8,
        /// Whether other threads may access the same at the same time: atomic or volatile.
        together: bool,
    },
    /// Says of which type the memory is that a store wrote, or demands of which type it is that a load will read.
    Tag {
        pointer: Slot,
        bytes: u64,
        tag: AccessTag,
        write: bool,
    },
    CmpXchg {
        to: Slot,
        operands: [Slot; 3],
        layout: Arc<Layout>,
        align_log2: u8,
    },
    Rmw {
        to: Slot,
        pointer: Slot,
        operand: Slot,
        op: RmwOp,
        layout: Arc<Layout>,
        align_log2: u8,
    },
    Nothing,
    Match {
        to: Slot,
        value: Slot,
        table: Box<Table>,
    },
    /// A match of an `i1`: the alternatives of false and true.
    MatchBit {
        to: Slot,
        value: Slot,
        alternatives: [u32; 2],
    },
    IndirectBr {
        to: Slot,
        address: Slot,
        blocks: Box<[u32]>,
    },
    Jump(u32),
    /// To one of two places by an `i1`.
    Branch {
        condition: Slot,
        places: [u32; 2],
    },
    /// To the place of the alternative.
    Switch {
        predicate: Slot,
        places: Box<[u32]>,
    },
    /// Back to a place when the predicate is 1.
    Repeat {
        predicate: Slot,
        place: u32,
    },
    Call(Box<CallSite>),
    Return(Slot),
    Resume(Slot),
    VaArg {
        to: Slot,
        list: Slot,
        ty: Type,
        layout: Arc<Layout>,
    },
    Unreachable,
    /// A volatile access that is recorded.
    Record(Box<(&'static str, Box<[Slot]>)>),
    /// An operation of a dialect that is recorded.
    Ext(Box<ExtInst>),
    Unsupported(Box<str>),
}

/// A body that can be run.
#[derive(Debug)]
pub(crate) struct Code {
    pub symbol: Symbol,
    pub name: Box<str>,
    pub insts: Vec<Inst>,
    /// By instruction: the node it is of.
    pub nodes: Vec<u32>,
    pub constants: Vec<Value>,
    /// Slots of a frame.
    pub slots: u32,
    /// Slots of the parameters, in order.
    pub params: Box<[Slot]>,
    pub param_types: Box<[Type]>,
    pub result: Type,
    pub variadic: bool,
    pub no_return: bool,
    pub no_unwind: bool,
    /// Whether the result is `noundef`.
    pub defined_result: bool,
    /// Parameters that are `noundef`.
    pub defined: Box<[u32]>,
    /// Parameters that the callee has a copy of: position, bytes, alignment.
    pub by_value: Box<[(u32, u64, u64)]>,
    /// Of a control flow graph: where its blocks begin, in order, with their numbers.
    pub blocks: Box<[(u32, u32)]>,
    /// Of a graph that is watched: origins with their slots, after the instructions that define them.
    pub watched: Box<[(u32, Origin, Slot)]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_small() {
        assert!(size_of::<Inst>() <= 32, "{}", size_of::<Inst>());
    }
}
