//! Interned payloads of operations.

use cranelift_entity::entity_impl;

use super::flags::spelled;
use super::{Effects, FastMath};
use crate::attribute::Attributes;
use crate::fold::Int;
use crate::{Const, Graph, Node, Pool, Type};

/// An interned list of indices or of shuffle lanes.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Indices(u32);
entity_impl!(Indices, "indices");

/// An interned [`MatchTable`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchTableId(u32);
entity_impl!(MatchTableId, "match");

/// An interned [`CallInfo`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call(u32);
entity_impl!(Call, "call");

/// An interned [`ExtOp`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ext(u32);
entity_impl!(Ext, "ext");

/// How an integer chooses an alternative: LLVM's `br` and `switch`.
///
/// A `br i1 %c, label %T, label %F` has the one case `true → T's alternative` and `F`'s alternative as default.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MatchTable {
    /// Integer constants of the operand's type, distinct, with the alternative each chooses, in source order.
    pub cases: Box<[(Const, u32)]>,
    /// The alternative of every other value.
    pub default: u32,
    /// The number of alternatives, at least one more than any named.
    pub alternatives: u32,
}

impl MatchTable {
    /// The table for a truth value: one of two alternatives if it is true, otherwise the other.
    pub fn boolean(pool: &Pool, holds: u32) -> MatchTable {
        debug_assert!(holds < 2, "there are two alternatives");
        MatchTable { cases: [(pool.int_const(Type::I1, 1), holds)].into(), default: 1 - holds, alternatives: 2 }
    }

    /// The alternative that an integer of the operand's width chooses.
    pub fn alternative(&self, pool: &Pool, value: Int) -> u32 {
        let value = value.to_const(pool);
        self.cases.iter().find(|&&(case, _)| case == value).map_or(self.default, |&(_, alternative)| alternative)
    }
}

spelled! {
    /// Whether a call is a tail call.
    TailKind {
        /// Nothing is known.
        None = "",
        /// The callee does not use the caller's stack.
        Tail = "tail",
        /// Must be a tail call.
        MustTail = "musttail",
        /// Must not be made a tail call.
        NoTail = "notail",
        /// Not a tail call, but the function returns the result directly after it, as after `llvm.experimental.deoptimize`.
        Returned = "returned",
    }
}

impl TailKind {
    /// Whether the function ends with the call, and returns its result.
    pub fn ends_function(self) -> bool {
        match self {
            TailKind::MustTail | TailKind::Returned => true,
            TailKind::None | TailKind::Tail | TailKind::NoTail => false,
        }
    }
}

/// Inline assembly as the callee of a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineAsm {
    /// The template, as bytes.
    pub template: Box<[u8]>,
    /// The constraint string.
    pub constraints: Box<str>,
    /// `sideeffect`
    pub side_effect: bool,
    /// `alignstack`
    pub align_stack: bool,
    /// `inteldialect`
    pub intel: bool,
    /// `unwind`
    pub can_unwind: bool,
}

/// An operand bundle: its tag and how many operands it has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bundle {
    /// The tag.
    pub tag: Box<str>,
    /// How many of the call's inputs belong to it.
    pub operands: u32,
}

/// An argument that is metadata and so not an input of the node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct MetadataArgument {
    /// The position among all arguments.
    pub position: u32,
    /// The metadata as text if it is self-contained (`!"round.dynamic"`), and then part of the meaning; `None` for metadata that only
    /// annotates.
    pub text: Option<Box<str>>,
}

/// A clause of a landing pad; its operand is an input of the `invoke`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Clause {
    /// Exceptions of one type are caught; the operand is that type's description.
    Catch,
    /// All exceptions but those of some types are caught; the operand is an array of their descriptions.
    Filter,
}

/// What a function that unwinds into an `invoke` finds there (LangRef, `landingpad`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LandingPad {
    /// Whether it is entered for every exception.
    pub cleanup: bool,
    /// What it catches, in order.
    pub clauses: Box<[Clause]>,
}

/// The exits of a call.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CallExits {
    /// Behind it: a `call`.
    Return,
    /// Alternative 0 for normal return, 1 if it unwinds: an `invoke`.
    Unwind(LandingPad),
    /// Alternative 0 for normal return, 1 if it unwinds to a funclet's pad: an `invoke`.
    UnwindToFunclet,
    /// The alternative of each destination, the default's first: a `callbr`.
    Labels(Box<[u32]>),
}

impl CallExits {
    /// How many inputs are operands of clauses.
    pub fn clauses(&self) -> usize {
        match self {
            CallExits::Unwind(pad) => pad.clauses.len(),
            CallExits::Return | CallExits::UnwindToFunclet | CallExits::Labels(_) => 0,
        }
    }
}

/// An operation on a funclet, the LangRef's name for handlers and cleanups that are functions of their own to the target.
///
/// A token of LLVM's names the pad that makes it, always the same one. So here it is no output but the constant
/// [`Constant::Funclet`](crate::Constant::Funclet) with the pad's number: it is known everywhere, and nothing merges it.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Funclet {
    /// `outer funclet`; a predicate that selects the handler. With `unwinds`, the last alternative is taken if no handler is; without,
    /// the function is left then.
    CatchSwitch {
        /// The number of its token.
        number: u32,
        /// Whether the last alternative is none of its handlers.
        unwinds: bool,
    },
    /// `catchswitch, argument…`; enters the handler whose token has the number.
    CatchPad(u32),
    /// `outer funclet, argument…`; enters the cleanup whose token has the number.
    CleanupPad(u32),
    /// `catchpad`; a predicate of one alternative, since it is a jump.
    CatchRet,
    /// `cleanuppad`; leaves the function, or returns a predicate with one alternative, at which unwinding continues.
    CleanupRet {
        /// Whether it leaves the function.
        to_caller: bool,
    },
}

impl Funclet {
    /// Whether it is a branch: [`Op::is_branch`](super::Op::is_branch).
    pub fn is_branch(self) -> bool {
        matches!(self, Funclet::CatchSwitch { .. } | Funclet::CatchRet | Funclet::CleanupRet { to_caller: false })
    }

    /// The number of the token that it makes.
    pub fn number(self) -> Option<u32> {
        match self {
            Funclet::CatchSwitch { number, .. } | Funclet::CatchPad(number) | Funclet::CleanupPad(number) => {
                Some(number)
            }
            Funclet::CatchRet | Funclet::CleanupRet { .. } => None,
        }
    }
}

/// Everything about a call but its operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallInfo {
    /// The type of the function called.
    pub function_type: Type,
    /// LLVM's number of the calling convention; 0 is C.
    pub convention: u32,
    /// Attributes of the call site.
    pub attributes: Attributes,
    /// Tail-call marker.
    pub tail: TailKind,
    /// Fast-math flags of a call that returns floats.
    pub fast: FastMath,
    /// Operand bundles in order.
    pub bundles: Box<[Bundle]>,
    /// Metadata arguments by position.
    pub metadata: Box<[MetadataArgument]>,
    /// The callee, when it is assembly; the node then has no callee input.
    pub assembly: Option<Box<InlineAsm>>,
    /// The states the call takes, from the attributes of call and callee.
    pub effects: Effects,
    /// Whether the call may be executed where it was not before.
    pub speculatable: bool,
    /// The exits.
    pub exits: CallExits,
}

impl CallInfo {
    /// A call of a C function that may do anything and returns.
    ///
    /// ```
    /// use rvsdg_core::op::{CallInfo, TailKind};
    /// use rvsdg_core::{Effects, Pool, Type, TypeKind};
    ///
    /// let pool = Pool::new();
    /// let ty = pool.intern_type(TypeKind::Function { result: Type::I32, params: [Type::PTR].into(), variadic: true });
    /// let pure = CallInfo { effects: Effects::NONE, tail: TailKind::Tail, ..CallInfo::new(ty) };
    /// assert!(pure.bundles.is_empty());
    /// ```
    pub fn new(function_type: Type) -> CallInfo {
        CallInfo {
            function_type,
            convention: 0,
            attributes: Attributes::NONE,
            tail: TailKind::None,
            fast: FastMath::NONE,
            bundles: Box::default(),
            metadata: Box::default(),
            assembly: None,
            effects: Effects::ALL,
            speculatable: false,
            exits: CallExits::Return,
        }
    }
}

/// What a dialect registers about one of its operations, beyond what each use spells out; see [`Pool::set_ext_hooks`].
#[derive(Copy, Clone, Debug)]
pub struct ExtHooks {
    /// The mnemonic, with its dialect.
    pub name: &'static str,
    /// Whether the operation of a node is right, beyond its signature: `Err` says what was expected.
    pub verify: fn(&Graph, Node) -> Result<(), String>,
    /// How many simple operations it will be, when it is executed and as code.
    pub cost: fn(&Graph, Node) -> u32,
}

impl ExtHooks {
    /// An operation without requirements that costs as much as one operation.
    pub const fn new(name: &'static str) -> ExtHooks {
        ExtHooks { name, verify: |_, _| Ok(()), cost: |_, _| 1 }
    }
}

/// An operation of a dialect.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ExtOp {
    /// The mnemonic, with its dialect: `gpu.barrier`.
    pub name: Box<str>,
    /// Types of the value inputs.
    pub inputs: Box<[Type]>,
    /// Types of the value outputs.
    pub outputs: Box<[Type]>,
    /// The states it takes and produces.
    pub effects: Effects,
    /// Whether it may be executed where it was not before.
    pub speculatable: bool,
    /// Whether inputs 0 and 1 may be exchanged.
    pub commutative: bool,
}
