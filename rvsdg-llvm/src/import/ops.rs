//! LLVM's opcodes, flags and predicates as operations.

use rvsdg_core::op::{
    AtomicOrdering, BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, GepFlags, IntBinary,
    IntPredicate, MemAccess, Op, RmwOp, SyncScope,
};
use rvsdg_core::{Pool, Type};

use crate::opcode::Opcode;

/// LLVM's number of `icmp eq`; the other integer predicates follow.
const FIRST_INT_PREDICATE: u32 = 32;

/// An operation without effects, as instruction or constant expression. `source` is a getelementptr's element type;
/// `extra` are a comparison's predicate, indices, or a shuffle's lanes.
pub(crate) fn pure(code: Opcode, flags: u32, source: Option<Type>, extra: &[u32], pool: &Pool) -> Option<Op> {
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
        Opcode::FNeg => Op::FNeg(fast),
        Opcode::Add => int(IntBinary::Add),
        Opcode::Sub => int(IntBinary::Sub),
        Opcode::Mul => int(IntBinary::Mul),
        Opcode::UDiv => int(IntBinary::UDiv),
        Opcode::SDiv => int(IntBinary::SDiv),
        Opcode::URem => int(IntBinary::URem),
        Opcode::SRem => int(IntBinary::SRem),
        Opcode::Shl => int(IntBinary::Shl),
        Opcode::LShr => int(IntBinary::LShr),
        Opcode::AShr => int(IntBinary::AShr),
        Opcode::And => int(IntBinary::And),
        Opcode::Or => int(IntBinary::Or),
        Opcode::Xor => int(IntBinary::Xor),
        Opcode::FAdd => float(FloatBinary::FAdd),
        Opcode::FSub => float(FloatBinary::FSub),
        Opcode::FMul => float(FloatBinary::FMul),
        Opcode::FDiv => float(FloatBinary::FDiv),
        Opcode::FRem => float(FloatBinary::FRem),
        Opcode::Trunc => cast(CastOp::Trunc),
        Opcode::ZExt => cast(CastOp::ZExt),
        Opcode::SExt => cast(CastOp::SExt),
        Opcode::FPToUI => cast(CastOp::FPToUI),
        Opcode::FPToSI => cast(CastOp::FPToSI),
        Opcode::UIToFP => cast(CastOp::UIToFP),
        Opcode::SIToFP => cast(CastOp::SIToFP),
        Opcode::FPTrunc => cast(CastOp::FPTrunc),
        Opcode::FPExt => cast(CastOp::FPExt),
        Opcode::PtrToInt => cast(CastOp::PtrToInt),
        Opcode::PtrToAddr => cast(CastOp::PtrToAddr),
        Opcode::IntToPtr => cast(CastOp::IntToPtr),
        Opcode::BitCast => cast(CastOp::BitCast),
        Opcode::AddrSpaceCast => cast(CastOp::AddrSpaceCast),
        Opcode::ICmp => {
            let index = extra.first()?.checked_sub(FIRST_INT_PREDICATE)?;
            Op::ICmp { predicate: *IntPredicate::ALL.get(index as usize)?, same_sign: bits & 1 != 0 }
        }
        Opcode::FCmp => Op::FCmp { predicate: *FloatPredicate::ALL.get(*extra.first()? as usize)?, flags: fast },
        Opcode::Select => Op::Select(fast),
        Opcode::Freeze => Op::Freeze,
        Opcode::ExtractElement => Op::ExtractElement,
        Opcode::InsertElement => Op::InsertElement,
        Opcode::ShuffleVector => Op::ShuffleVector(pool.intern_indices(extra)),
        Opcode::ExtractValue => Op::ExtractValue(pool.intern_indices(extra)),
        Opcode::InsertValue => Op::InsertValue(pool.intern_indices(extra)),
        Opcode::GetElementPtr => Op::Gep { source: source?, flags: GepFlags::from_bits(bits) },
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
pub(crate) fn opcode_of(op: Op) -> Option<(Opcode, u32)> {
    let code = match op {
        Op::IntBinary { op, .. } => match op {
            IntBinary::Add => Opcode::Add,
            IntBinary::Sub => Opcode::Sub,
            IntBinary::Mul => Opcode::Mul,
            IntBinary::UDiv => Opcode::UDiv,
            IntBinary::SDiv => Opcode::SDiv,
            IntBinary::URem => Opcode::URem,
            IntBinary::SRem => Opcode::SRem,
            IntBinary::Shl => Opcode::Shl,
            IntBinary::LShr => Opcode::LShr,
            IntBinary::AShr => Opcode::AShr,
            IntBinary::And => Opcode::And,
            IntBinary::Or => Opcode::Or,
            IntBinary::Xor => Opcode::Xor,
        },
        Op::FloatBinary { op, .. } => match op {
            FloatBinary::FAdd => Opcode::FAdd,
            FloatBinary::FSub => Opcode::FSub,
            FloatBinary::FMul => Opcode::FMul,
            FloatBinary::FDiv => Opcode::FDiv,
            FloatBinary::FRem => Opcode::FRem,
        },
        Op::FNeg(_) => Opcode::FNeg,
        Op::Cast { op, .. } => match op {
            CastOp::Trunc => Opcode::Trunc,
            CastOp::ZExt => Opcode::ZExt,
            CastOp::SExt => Opcode::SExt,
            CastOp::FPTrunc => Opcode::FPTrunc,
            CastOp::FPExt => Opcode::FPExt,
            CastOp::FPToUI => Opcode::FPToUI,
            CastOp::FPToSI => Opcode::FPToSI,
            CastOp::UIToFP => Opcode::UIToFP,
            CastOp::SIToFP => Opcode::SIToFP,
            CastOp::PtrToInt => Opcode::PtrToInt,
            CastOp::PtrToAddr => Opcode::PtrToAddr,
            CastOp::IntToPtr => Opcode::IntToPtr,
            CastOp::BitCast => Opcode::BitCast,
            CastOp::AddrSpaceCast => Opcode::AddrSpaceCast,
        },
        Op::ICmp { predicate, .. } => return Some((Opcode::ICmp, FIRST_INT_PREDICATE + predicate as u32)),
        Op::FCmp { predicate, .. } => return Some((Opcode::FCmp, predicate as u32)),
        Op::Select(_) => Opcode::Select,
        Op::Freeze => Opcode::Freeze,
        Op::ExtractElement => Opcode::ExtractElement,
        Op::InsertElement => Opcode::InsertElement,
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
