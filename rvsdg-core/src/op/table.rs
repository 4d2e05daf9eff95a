//! The table of operations: one row per mnemonic.

use super::{CastOp, FloatBinary, Funclet, IntBinary, Op};

/// How many value inputs an operation has, states not counted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Arity {
    /// Exactly this many.
    Exactly(u8),
    /// At least this many; the payload or the types determine the number.
    AtLeast(u8),
}

/// A row of the table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OpInfo {
    /// The name in the text format; for LLVM's operations the name in textual IR.
    pub mnemonic: &'static str,
    /// Value inputs.
    pub arity: Arity,
    /// Whether inputs 0 and 1 may be exchanged.
    pub commutative: bool,
    /// Whether it may be executed where it was not before; for `call` and `ext` the payload decides.
    pub speculatable: bool,
    /// What it computes, in one line.
    pub meaning: &'static str,
}

/// `yes`/`no` columns of the table as booleans.
macro_rules! column {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

macro_rules! operations {
    ($($code:ident $mnemonic:literal $arity:ident($count:literal) commutes: $commutes:ident speculates: $speculates:ident $meaning:literal;)*) => {
        /// The mnemonic of an operation, without its payload.
        #[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum OpCode { $(#[doc = $meaning] $code),* }

        impl OpCode {
            /// All rows in order.
            pub const ALL: &'static [OpCode] = &[$(OpCode::$code),*];

            /// The row.
            pub fn info(self) -> &'static OpInfo {
                match self {
                    $(OpCode::$code => &OpInfo {
                        mnemonic: $mnemonic,
                        arity: Arity::$arity($count),
                        commutative: column!($commutes),
                        speculatable: column!($speculates),
                        meaning: $meaning,
                    }),*
                }
            }

            /// The row of a mnemonic.
            pub fn from_mnemonic(mnemonic: &str) -> Option<OpCode> {
                match mnemonic {
                    $($mnemonic => Some(OpCode::$code),)*
                    _ => None,
                }
            }
        }
    };
}

operations! {
    Const          "const"          AtLeast(0) commutes: no  speculates: yes "A constant.";
    CtlConst       "ctl"            Exactly(0) commutes: no  speculates: yes "A predicate known to choose one alternative.";
    Match          "match"          Exactly(1) commutes: no  speculates: no  "The alternative that an integer chooses; undefined behaviour for poison, as for a branch.";
    Add            "add"            Exactly(2) commutes: yes speculates: yes "Sum of integers.";
    Sub            "sub"            Exactly(2) commutes: no  speculates: yes "Difference of integers.";
    Mul            "mul"            Exactly(2) commutes: yes speculates: yes "Product of integers.";
    UDiv           "udiv"           Exactly(2) commutes: no  speculates: no  "Unsigned quotient; undefined for a zero divisor.";
    SDiv           "sdiv"           Exactly(2) commutes: no  speculates: no  "Signed quotient; undefined for a zero divisor and on overflow.";
    URem           "urem"           Exactly(2) commutes: no  speculates: no  "Unsigned remainder; undefined for a zero divisor.";
    SRem           "srem"           Exactly(2) commutes: no  speculates: no  "Signed remainder; undefined for a zero divisor and on overflow.";
    Shl            "shl"            Exactly(2) commutes: no  speculates: yes "Shift left.";
    LShr           "lshr"           Exactly(2) commutes: no  speculates: yes "Logical shift right.";
    AShr           "ashr"           Exactly(2) commutes: no  speculates: yes "Arithmetic shift right.";
    And            "and"            Exactly(2) commutes: yes speculates: yes "Bitwise and.";
    Or             "or"             Exactly(2) commutes: yes speculates: yes "Bitwise or.";
    Xor            "xor"            Exactly(2) commutes: yes speculates: yes "Bitwise exclusive or.";
    FAdd           "fadd"           Exactly(2) commutes: yes speculates: yes "Sum of floats.";
    FSub           "fsub"           Exactly(2) commutes: no  speculates: yes "Difference of floats.";
    FMul           "fmul"           Exactly(2) commutes: yes speculates: yes "Product of floats.";
    FDiv           "fdiv"           Exactly(2) commutes: no  speculates: yes "Quotient of floats.";
    FRem           "frem"           Exactly(2) commutes: no  speculates: yes "Remainder of floats.";
    FNeg           "fneg"           Exactly(1) commutes: no  speculates: yes "A float with its sign flipped.";
    ICmp           "icmp"           Exactly(2) commutes: no  speculates: yes "A comparison of integers or pointers.";
    FCmp           "fcmp"           Exactly(2) commutes: no  speculates: yes "A comparison of floats.";
    Trunc          "trunc"          Exactly(1) commutes: no  speculates: yes "The low bits of an integer.";
    ZExt           "zext"           Exactly(1) commutes: no  speculates: yes "Zero extension of an integer.";
    SExt           "sext"           Exactly(1) commutes: no  speculates: yes "Sign extension of an integer.";
    FPTrunc        "fptrunc"        Exactly(1) commutes: no  speculates: yes "A float rounded to a narrower format.";
    FPExt          "fpext"          Exactly(1) commutes: no  speculates: yes "A float in a wider format.";
    FPToUI         "fptoui"         Exactly(1) commutes: no  speculates: yes "A float as an unsigned integer.";
    FPToSI         "fptosi"         Exactly(1) commutes: no  speculates: yes "A float as a signed integer.";
    UIToFP         "uitofp"         Exactly(1) commutes: no  speculates: yes "An unsigned integer as a float.";
    SIToFP         "sitofp"         Exactly(1) commutes: no  speculates: yes "A signed integer as a float.";
    PtrToInt       "ptrtoint"       Exactly(1) commutes: no  speculates: yes "A pointer as an integer.";
    PtrToAddr      "ptrtoaddr"      Exactly(1) commutes: no  speculates: yes "The address of a pointer.";
    IntToPtr       "inttoptr"       Exactly(1) commutes: no  speculates: yes "An integer as a pointer.";
    BitCast        "bitcast"        Exactly(1) commutes: no  speculates: yes "The same bits as another type.";
    AddrSpaceCast  "addrspacecast"  Exactly(1) commutes: no  speculates: yes "A pointer in another address space.";
    Select         "select"         Exactly(3) commutes: no  speculates: yes "One of two values.";
    Freeze         "freeze"         Exactly(1) commutes: no  speculates: yes "A fixed value instead of undef or poison.";
    ExtractElement "extractelement" Exactly(2) commutes: no  speculates: yes "A lane of a vector.";
    InsertElement  "insertelement"  Exactly(3) commutes: no  speculates: yes "A vector with one lane replaced.";
    ShuffleVector  "shufflevector"  Exactly(2) commutes: no  speculates: yes "Selected lanes of two vectors.";
    ExtractValue   "extractvalue"   Exactly(1) commutes: no  speculates: yes "An element of an aggregate.";
    InsertValue    "insertvalue"    Exactly(2) commutes: no  speculates: yes "An aggregate with one element replaced.";
    Gep            "getelementptr"  AtLeast(1) commutes: no  speculates: yes "The address of an element.";
    Alloca         "alloca"         Exactly(1) commutes: no  speculates: no  "The address of new memory on the stack.";
    Load           "load"           Exactly(1) commutes: no  speculates: no  "Reads a value from memory.";
    Store          "store"          Exactly(2) commutes: no  speculates: no  "Writes a value to memory.";
    CmpXchg        "cmpxchg"        Exactly(3) commutes: no  speculates: no  "Atomic compare and exchange.";
    AtomicRmw      "atomicrmw"      Exactly(2) commutes: no  speculates: no  "Atomic read, modify and write.";
    Fence          "fence"          Exactly(0) commutes: no  speculates: no  "Orders atomic accesses.";
    Call           "call"           AtLeast(0) commutes: no  speculates: no  "A function's result.";
    Invoke         "invoke"         AtLeast(0) commutes: no  speculates: no  "A function's result, or an exception.";
    CallBr         "callbr"         AtLeast(0) commutes: no  speculates: no  "Assembly that may jump to labels.";
    IndirectBr     "indirectbr"     Exactly(1) commutes: no  speculates: no  "The block with a given address.";
    Resume         "resume"         Exactly(1) commutes: no  speculates: no  "Unwinds out of the function.";
    CatchSwitch    "catchswitch"    Exactly(1) commutes: no  speculates: no  "Selects the handler of an exception, or continues unwinding.";
    CatchPad       "catchpad"       AtLeast(1) commutes: no  speculates: no  "Enters a handler.";
    CleanupPad     "cleanuppad"     AtLeast(1) commutes: no  speculates: no  "Enters a cleanup.";
    CatchRet       "catchret"       Exactly(1) commutes: no  speculates: no  "Leaves a handler; the exception is over.";
    CleanupRet     "cleanupret"     Exactly(1) commutes: no  speculates: no  "Leaves a cleanup; unwinding continues.";
    VaArg          "va_arg"         Exactly(1) commutes: no  speculates: no  "The next variadic argument.";
    Unreachable    "unreachable"    Exactly(0) commutes: no  speculates: no  "Control flow never gets here.";
    Ext            "ext"            AtLeast(0) commutes: no  speculates: no  "An operation of a dialect.";
}

/// The row of an operation.
pub(super) fn code(op: Op) -> OpCode {
    match op {
        Op::Const(_) => OpCode::Const,
        Op::CtlConst { .. } => OpCode::CtlConst,
        Op::Match(_) => OpCode::Match,
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add => OpCode::Add,
            IntBinary::Sub => OpCode::Sub,
            IntBinary::Mul => OpCode::Mul,
            IntBinary::UDiv => OpCode::UDiv,
            IntBinary::SDiv => OpCode::SDiv,
            IntBinary::URem => OpCode::URem,
            IntBinary::SRem => OpCode::SRem,
            IntBinary::Shl => OpCode::Shl,
            IntBinary::LShr => OpCode::LShr,
            IntBinary::AShr => OpCode::AShr,
            IntBinary::And => OpCode::And,
            IntBinary::Or => OpCode::Or,
            IntBinary::Xor => OpCode::Xor,
        },
        Op::FloatBinary { op, .. } => match op {
            FloatBinary::FAdd => OpCode::FAdd,
            FloatBinary::FSub => OpCode::FSub,
            FloatBinary::FMul => OpCode::FMul,
            FloatBinary::FDiv => OpCode::FDiv,
            FloatBinary::FRem => OpCode::FRem,
        },
        Op::FNeg(_) => OpCode::FNeg,
        Op::ICmp { .. } => OpCode::ICmp,
        Op::FCmp { .. } => OpCode::FCmp,
        Op::Cast { op, .. } => match op {
            CastOp::Trunc => OpCode::Trunc,
            CastOp::ZExt => OpCode::ZExt,
            CastOp::SExt => OpCode::SExt,
            CastOp::FPTrunc => OpCode::FPTrunc,
            CastOp::FPExt => OpCode::FPExt,
            CastOp::FPToUI => OpCode::FPToUI,
            CastOp::FPToSI => OpCode::FPToSI,
            CastOp::UIToFP => OpCode::UIToFP,
            CastOp::SIToFP => OpCode::SIToFP,
            CastOp::PtrToInt => OpCode::PtrToInt,
            CastOp::PtrToAddr => OpCode::PtrToAddr,
            CastOp::IntToPtr => OpCode::IntToPtr,
            CastOp::BitCast => OpCode::BitCast,
            CastOp::AddrSpaceCast => OpCode::AddrSpaceCast,
        },
        Op::Select(_) => OpCode::Select,
        Op::Freeze => OpCode::Freeze,
        Op::ExtractElement => OpCode::ExtractElement,
        Op::InsertElement => OpCode::InsertElement,
        Op::ShuffleVector(_) => OpCode::ShuffleVector,
        Op::ExtractValue(_) => OpCode::ExtractValue,
        Op::InsertValue(_) => OpCode::InsertValue,
        Op::Gep { .. } => OpCode::Gep,
        Op::Alloca { .. } => OpCode::Alloca,
        Op::Load(_) => OpCode::Load,
        Op::Store(_) => OpCode::Store,
        Op::CmpXchg { .. } => OpCode::CmpXchg,
        Op::AtomicRmw { .. } => OpCode::AtomicRmw,
        Op::Fence { .. } => OpCode::Fence,
        Op::Call(_) => OpCode::Call,
        Op::Invoke(_) => OpCode::Invoke,
        Op::CallBr(_) => OpCode::CallBr,
        Op::IndirectBr(_) => OpCode::IndirectBr,
        Op::Resume => OpCode::Resume,
        Op::Funclet(funclet) => match funclet {
            Funclet::CatchSwitch { .. } => OpCode::CatchSwitch,
            Funclet::CatchPad(_) => OpCode::CatchPad,
            Funclet::CleanupPad(_) => OpCode::CleanupPad,
            Funclet::CatchRet => OpCode::CatchRet,
            Funclet::CleanupRet { .. } => OpCode::CleanupRet,
        },
        Op::VaArg => OpCode::VaArg,
        Op::Unreachable => OpCode::Unreachable,
        Op::Ext(_) => OpCode::Ext,
    }
}
