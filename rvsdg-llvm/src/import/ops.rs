//! LLVM's opcodes, flags and predicates as operations.

use rvsdg_core::op::{
    AtomicOrdering, BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, GepFlags, IntBinary,
    IntPredicate, MemAccess, Op, RmwOp, SyncScope,
};
use rvsdg_core::{Pool, Type};

use crate::opcode;

/// LLVM's number of `icmp eq`; the other integer predicates follow.
const FIRST_INT_PREDICATE: u32 = 32;

/// An operation without effects, as instruction or constant expression. `source` is a getelementptr's element type;
/// `extra` are a comparison's predicate, indices, or a shuffle's lanes.
pub(crate) fn pure(code: u32, flags: u32, source: Option<Type>, extra: &[u32], pool: &Pool) -> Option<Op> {
    let bits = flags as u8;
    let fast = FastMath::from_bits(bits);
    let int = |op: IntBinary| {
        let flags = match op {
            IntBinary::Add | IntBinary::Sub | IntBinary::Mul | IntBinary::Shl => BinaryFlags::from_bits(bits & 3),
            IntBinary::UDiv | IntBinary::SDiv | IntBinary::LShr | IntBinary::AShr if bits & 1 != 0 => {
                BinaryFlags::EXACT
            }
            IntBinary::Or if bits & 1 != 0 => BinaryFlags::DISJOINT,
            _ => BinaryFlags::NONE,
        };
        Op::IntBinary { op, flags }
    };
    let float = |op| Op::FloatBinary { op, flags: fast };
    let cast = |op: CastOp| {
        let flags = match op {
            CastOp::Trunc => CastFlags { wrap: BinaryFlags::from_bits(bits & 3), ..CastFlags::default() },
            CastOp::ZExt | CastOp::UIToFP => CastFlags { nneg: bits & 1 != 0, ..CastFlags::default() },
            CastOp::FPTrunc | CastOp::FPExt => CastFlags { fast, ..CastFlags::default() },
            _ => CastFlags::default(),
        };
        Op::Cast { op, flags }
    };
    Some(match code {
        opcode::FNEG => Op::FNeg(fast),
        opcode::ADD => int(IntBinary::Add),
        opcode::SUB => int(IntBinary::Sub),
        opcode::MUL => int(IntBinary::Mul),
        opcode::UDIV => int(IntBinary::UDiv),
        opcode::SDIV => int(IntBinary::SDiv),
        opcode::UREM => int(IntBinary::URem),
        opcode::SREM => int(IntBinary::SRem),
        opcode::SHL => int(IntBinary::Shl),
        opcode::LSHR => int(IntBinary::LShr),
        opcode::ASHR => int(IntBinary::AShr),
        opcode::AND => int(IntBinary::And),
        opcode::OR => int(IntBinary::Or),
        opcode::XOR => int(IntBinary::Xor),
        opcode::FADD => float(FloatBinary::FAdd),
        opcode::FSUB => float(FloatBinary::FSub),
        opcode::FMUL => float(FloatBinary::FMul),
        opcode::FDIV => float(FloatBinary::FDiv),
        opcode::FREM => float(FloatBinary::FRem),
        opcode::TRUNC => cast(CastOp::Trunc),
        opcode::ZEXT => cast(CastOp::ZExt),
        opcode::SEXT => cast(CastOp::SExt),
        opcode::FPTOUI => cast(CastOp::FPToUI),
        opcode::FPTOSI => cast(CastOp::FPToSI),
        opcode::UITOFP => cast(CastOp::UIToFP),
        opcode::SITOFP => cast(CastOp::SIToFP),
        opcode::FPTRUNC => cast(CastOp::FPTrunc),
        opcode::FPEXT => cast(CastOp::FPExt),
        opcode::PTRTOINT => cast(CastOp::PtrToInt),
        opcode::PTRTOADDR => cast(CastOp::PtrToAddr),
        opcode::INTTOPTR => cast(CastOp::IntToPtr),
        opcode::BITCAST => cast(CastOp::BitCast),
        opcode::ADDRSPACECAST => cast(CastOp::AddrSpaceCast),
        opcode::ICMP => {
            let index = extra.first()?.checked_sub(FIRST_INT_PREDICATE)?;
            Op::ICmp { predicate: *IntPredicate::ALL.get(index as usize)?, same_sign: bits & 1 != 0 }
        }
        opcode::FCMP => Op::FCmp { predicate: *FloatPredicate::ALL.get(*extra.first()? as usize)?, flags: fast },
        opcode::SELECT => Op::Select(fast),
        opcode::FREEZE => Op::Freeze,
        opcode::EXTRACTELEMENT => Op::ExtractElement,
        opcode::INSERTELEMENT => Op::InsertElement,
        opcode::SHUFFLEVECTOR => Op::ShuffleVector(pool.intern_indices(extra)),
        opcode::EXTRACTVALUE => Op::ExtractValue(pool.intern_indices(extra)),
        opcode::INSERTVALUE => Op::InsertValue(pool.intern_indices(extra)),
        opcode::GETELEMENTPTR => Op::Gep { source: source?, flags: GepFlags::from_bits(bits) },
        _ => return None,
    })
}

/// LLVM's flag bits for an operation; the inverse of [`pure`]. `None` if an instruction of this operation has no flags or keeps them
/// elsewhere.
pub(crate) fn flag_bits(op: Op, pool: &Pool) -> Option<u32> {
    Some(u32::from(match op {
        Op::IntBinary { op, flags } => match op {
            IntBinary::Add | IntBinary::Sub | IntBinary::Mul | IntBinary::Shl => flags.bits() & 3,
            IntBinary::UDiv | IntBinary::SDiv | IntBinary::LShr | IntBinary::AShr => {
                u8::from(flags.contains(BinaryFlags::EXACT))
            }
            IntBinary::Or => u8::from(flags.contains(BinaryFlags::DISJOINT)),
            IntBinary::URem | IntBinary::SRem | IntBinary::And | IntBinary::Xor => return None,
        },
        Op::FloatBinary { flags, .. } | Op::FNeg(flags) | Op::FCmp { flags, .. } => flags.bits(),
        Op::Select(flags) => flags.bits(),
        Op::ICmp { same_sign, .. } => u8::from(same_sign),
        Op::Cast { op, flags } => match op {
            CastOp::Trunc => flags.wrap.bits() & 3,
            CastOp::ZExt | CastOp::UIToFP => u8::from(flags.nneg),
            CastOp::FPTrunc | CastOp::FPExt => flags.fast.bits(),
            _ => return None,
        },
        Op::Gep { flags, .. } => flags.bits(),
        Op::Call(call) => pool.call(call).fast.bits(),
        _ => return None,
    }))
}

/// LLVM's opcode of an operation without effects or payload except a predicate, and that predicate; the inverse of [`pure`] for
/// operations that can be built anew.
pub(crate) fn opcode_of(op: Op) -> Option<(u32, u32)> {
    let code = match op {
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add => opcode::ADD,
            IntBinary::Sub => opcode::SUB,
            IntBinary::Mul => opcode::MUL,
            IntBinary::UDiv => opcode::UDIV,
            IntBinary::SDiv => opcode::SDIV,
            IntBinary::URem => opcode::UREM,
            IntBinary::SRem => opcode::SREM,
            IntBinary::Shl => opcode::SHL,
            IntBinary::LShr => opcode::LSHR,
            IntBinary::AShr => opcode::ASHR,
            IntBinary::And => opcode::AND,
            IntBinary::Or => opcode::OR,
            IntBinary::Xor => opcode::XOR,
        },
        Op::FloatBinary { op, .. } => match op {
            FloatBinary::FAdd => opcode::FADD,
            FloatBinary::FSub => opcode::FSUB,
            FloatBinary::FMul => opcode::FMUL,
            FloatBinary::FDiv => opcode::FDIV,
            FloatBinary::FRem => opcode::FREM,
        },
        Op::FNeg(_) => opcode::FNEG,
        Op::Cast { op, .. } => match op {
            CastOp::Trunc => opcode::TRUNC,
            CastOp::ZExt => opcode::ZEXT,
            CastOp::SExt => opcode::SEXT,
            CastOp::FPTrunc => opcode::FPTRUNC,
            CastOp::FPExt => opcode::FPEXT,
            CastOp::FPToUI => opcode::FPTOUI,
            CastOp::FPToSI => opcode::FPTOSI,
            CastOp::UIToFP => opcode::UITOFP,
            CastOp::SIToFP => opcode::SITOFP,
            CastOp::PtrToInt => opcode::PTRTOINT,
            CastOp::PtrToAddr => opcode::PTRTOADDR,
            CastOp::IntToPtr => opcode::INTTOPTR,
            CastOp::BitCast => opcode::BITCAST,
            CastOp::AddrSpaceCast => opcode::ADDRSPACECAST,
        },
        Op::ICmp { predicate, .. } => return Some((opcode::ICMP, FIRST_INT_PREDICATE + predicate as u32)),
        Op::FCmp { predicate, .. } => return Some((opcode::FCMP, predicate as u32)),
        Op::Select(_) => opcode::SELECT,
        Op::Freeze => opcode::FREEZE,
        Op::ExtractElement => opcode::EXTRACTELEMENT,
        Op::InsertElement => opcode::INSERTELEMENT,
        _ => return None,
    };
    Some((code, 0))
}

/// LLVM's number of an ordering.
pub(crate) fn ordering(number: u32) -> AtomicOrdering {
    match number {
        0 => AtomicOrdering::NotAtomic,
        1 => AtomicOrdering::Unordered,
        2 => AtomicOrdering::Monotonic,
        4 => AtomicOrdering::Acquire,
        5 => AtomicOrdering::Release,
        6 => AtomicOrdering::AcquireRelease,
        _ => AtomicOrdering::SequentiallyConsistent,
    }
}

/// A memory access.
pub(crate) fn access(align_log2: u32, volatile: bool, order: u32, scope: SyncScope) -> MemAccess {
    MemAccess { volatile, ordering: ordering(order), scope, ..MemAccess::plain(align_log2 as u8) }
}

/// LLVM's number of an `atomicrmw` operation.
pub(crate) fn rmw(number: u32) -> Option<RmwOp> {
    RmwOp::ALL.get(number as usize).copied()
}
