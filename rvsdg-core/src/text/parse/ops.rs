//! Operations with their flags.

use super::lexer::TokenKind;
use super::{Parse, Parser};
use crate::Type;
use crate::op::{
    AtomicOrdering, BinaryFlags, CastFlags, CastOp, FastMath, FloatBinary, FloatPredicate, Funclet, GepFlags,
    IntBinary, IntPredicate, MemAccess, Op, OpCode, RmwOp, SyncScope,
};
use crate::text::spell::FAST;

impl Parser<'_> {
    /// The flags after a mnemonic. The parts after the operands ([`Parser::op_tail`]) and the type before them are filled in later.
    /// `None` for operations with a form of their own: constants, predicates, calls and those of dialects.
    pub(super) fn op_head(&mut self, code: OpCode) -> Parse<Option<Op>> {
        let none = |parser: &Self| parser.pool.intern_indices(&[]);
        let int = |op| move |flags| Op::IntBinary { op, flags };
        let float = |op| move |flags| Op::FloatBinary { op, flags };
        Ok(Some(match code {
            OpCode::Const
            | OpCode::CtlConst
            | OpCode::Match
            | OpCode::Call
            | OpCode::Invoke
            | OpCode::CallBr
            | OpCode::Ext => return Ok(None),
            OpCode::IndirectBr => Op::IndirectBr(none(self)),
            OpCode::Resume => Op::Resume,
            OpCode::CatchSwitch => Op::Funclet(Funclet::CatchSwitch { number: 0, unwinds: self.eat("unwind") }),
            OpCode::CatchPad => Op::Funclet(Funclet::CatchPad(0)),
            OpCode::CleanupPad => Op::Funclet(Funclet::CleanupPad(0)),
            OpCode::CatchRet => Op::Funclet(Funclet::CatchRet),
            OpCode::CleanupRet => Op::Funclet(Funclet::CleanupRet { to_caller: self.eat("caller") }),
            OpCode::Add => int(IntBinary::Add)(self.binary_flags()),
            OpCode::Sub => int(IntBinary::Sub)(self.binary_flags()),
            OpCode::Mul => int(IntBinary::Mul)(self.binary_flags()),
            OpCode::UDiv => int(IntBinary::UDiv)(self.binary_flags()),
            OpCode::SDiv => int(IntBinary::SDiv)(self.binary_flags()),
            OpCode::URem => int(IntBinary::URem)(self.binary_flags()),
            OpCode::SRem => int(IntBinary::SRem)(self.binary_flags()),
            OpCode::Shl => int(IntBinary::Shl)(self.binary_flags()),
            OpCode::LShr => int(IntBinary::LShr)(self.binary_flags()),
            OpCode::AShr => int(IntBinary::AShr)(self.binary_flags()),
            OpCode::And => int(IntBinary::And)(self.binary_flags()),
            OpCode::Or => int(IntBinary::Or)(self.binary_flags()),
            OpCode::Xor => int(IntBinary::Xor)(self.binary_flags()),
            OpCode::FAdd => float(FloatBinary::FAdd)(self.fast()),
            OpCode::FSub => float(FloatBinary::FSub)(self.fast()),
            OpCode::FMul => float(FloatBinary::FMul)(self.fast()),
            OpCode::FDiv => float(FloatBinary::FDiv)(self.fast()),
            OpCode::FRem => float(FloatBinary::FRem)(self.fast()),
            OpCode::FNeg => Op::FNeg(self.fast()),
            OpCode::ICmp => {
                let same_sign = self.eat("samesign");
                Op::ICmp { predicate: self.spelled(IntPredicate::from_name, "a relation of integers")?, same_sign }
            }
            OpCode::FCmp => {
                let flags = self.fast();
                Op::FCmp { predicate: self.spelled(FloatPredicate::from_name, "a relation of floats")?, flags }
            }
            OpCode::Trunc => self.cast(CastOp::Trunc),
            OpCode::ZExt => self.cast(CastOp::ZExt),
            OpCode::SExt => self.cast(CastOp::SExt),
            OpCode::FPTrunc => self.cast(CastOp::FPTrunc),
            OpCode::FPExt => self.cast(CastOp::FPExt),
            OpCode::FPToUI => self.cast(CastOp::FPToUI),
            OpCode::FPToSI => self.cast(CastOp::FPToSI),
            OpCode::UIToFP => self.cast(CastOp::UIToFP),
            OpCode::SIToFP => self.cast(CastOp::SIToFP),
            OpCode::PtrToInt => self.cast(CastOp::PtrToInt),
            OpCode::PtrToAddr => self.cast(CastOp::PtrToAddr),
            OpCode::IntToPtr => self.cast(CastOp::IntToPtr),
            OpCode::BitCast => self.cast(CastOp::BitCast),
            OpCode::AddrSpaceCast => self.cast(CastOp::AddrSpaceCast),
            OpCode::Select => Op::Select(self.fast()),
            OpCode::Freeze => Op::Freeze,
            OpCode::ExtractElement => Op::ExtractElement,
            OpCode::InsertElement => Op::InsertElement,
            OpCode::ShuffleVector => Op::ShuffleVector(none(self)),
            OpCode::ExtractValue => Op::ExtractValue(none(self)),
            OpCode::InsertValue => Op::InsertValue(none(self)),
            OpCode::Gep => {
                let mut flags = GepFlags::NONE;
                while let Some(flag) = self.flag(GepFlags::NAMES) {
                    flags = flags | flag;
                }
                Op::Gep { source: Type::VOID, flags }
            }
            OpCode::Alloca => {
                let in_alloca = self.eat("inalloca");
                let swift_error = self.eat("swifterror");
                Op::Alloca { ty: Type::VOID, align_log2: 0, in_alloca, swift_error }
            }
            OpCode::Load => Op::Load(self.volatile()),
            OpCode::Store => Op::Store(self.volatile()),
            OpCode::CmpXchg => {
                let weak = self.eat("weak");
                Op::CmpXchg { access: self.volatile(), failure: AtomicOrdering::NotAtomic, weak }
            }
            OpCode::AtomicRmw => {
                let access = self.volatile();
                Op::AtomicRmw { op: self.spelled(RmwOp::from_name, "an update")?, access }
            }
            OpCode::Fence => Op::Fence { ordering: AtomicOrdering::NotAtomic, scope: SyncScope::SYSTEM },
            OpCode::VaArg => Op::VaArg,
            OpCode::Unreachable => Op::Unreachable,
        }))
    }

    /// What follows the operands. `comma` says that a comma was passed already.
    pub(super) fn op_tail(&mut self, op: &mut Op, mut comma: bool) -> Parse<()> {
        match op {
            Op::ExtractValue(indices) | Op::InsertValue(indices) | Op::IndirectBr(indices) => {
                let mut list = Vec::new();
                while self.clause(&mut comma) {
                    list.push(self.u32()?);
                }
                *indices = self.pool.intern_indices(&list);
            }
            Op::Funclet(
                Funclet::CatchSwitch { number, .. } | Funclet::CatchPad(number) | Funclet::CleanupPad(number),
            ) => {
                self.require_clause(&mut comma)?;
                *number = self.u32()?;
            }
            Op::ShuffleVector(mask) => {
                let mut lanes = Vec::new();
                self.require_clause(&mut comma)?;
                self.list("<", ">", |parser| {
                    lanes.push(if parser.eat("poison") { u32::MAX } else { parser.u32()? });
                    Ok(())
                })?;
                *mask = self.pool.intern_indices(&lanes);
            }
            Op::Alloca { align_log2, .. } => *align_log2 = self.align(&mut comma)?,
            Op::Load(access) => {
                self.access(access, &mut comma)?;
                let mut more = self.clause(&mut comma);
                access.nonnull = more && self.eat("nonnull");
                if access.nonnull {
                    more = self.clause(&mut comma);
                }
                if more {
                    if !self.eat("tbaa") {
                        return Err(self.expected(if access.nonnull { "`tbaa`" } else { "`nonnull` or `tbaa`" }));
                    }
                    access.tag = self.tag()?;
                }
            }
            Op::Store(access) => {
                self.access(access, &mut comma)?;
                if self.clause(&mut comma) {
                    self.require("tbaa")?;
                    access.tag = self.tag()?;
                }
            }
            Op::AtomicRmw { access, .. } => self.access(access, &mut comma)?,
            Op::CmpXchg { access, failure, .. } => {
                match self.atomic(access, &mut comma)?[..] {
                    [success, on_failure] => (access.ordering, *failure) = (success, on_failure),
                    [on_failure] => *failure = on_failure,
                    _ => return Err(self.expected("the orderings of success and failure")),
                }
                access.align_log2 = self.align(&mut comma)?;
            }
            Op::Fence { ordering, scope } => {
                let mut access = MemAccess::plain(0);
                if let [found, ..] = self.atomic(&mut access, &mut comma)?[..] {
                    *ordering = found;
                }
                *scope = access.scope;
            }
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
            | Op::Gep { .. }
            | Op::Call(_)
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::Resume
            | Op::Funclet(Funclet::CatchRet | Funclet::CleanupRet { .. })
            | Op::VaArg
            | Op::Unreachable
            | Op::Ext(_) => {}
        }
        if comma { Err(self.expected("an operand")) } else { Ok(()) }
    }

    /// Whether another part follows: a comma was passed already or is next.
    fn clause(&mut self, comma: &mut bool) -> bool {
        std::mem::take(comma) || self.eat(",")
    }

    fn require_clause(&mut self, comma: &mut bool) -> Parse<()> {
        if self.clause(comma) { Ok(()) } else { Err(self.expected("`,`")) }
    }

    /// Scope, ordering and alignment.
    fn access(&mut self, access: &mut MemAccess, comma: &mut bool) -> Parse<()> {
        if let [ordering, ..] = self.atomic(access, comma)?[..] {
            access.ordering = ordering;
        }
        access.align_log2 = self.align(comma)?;
        Ok(())
    }

    /// `align 8`
    fn align(&mut self, comma: &mut bool) -> Parse<u8> {
        self.require_clause(comma)?;
        self.require("align")?;
        let align = self.token;
        let bytes = self.number(u64::MAX)?;
        if !bytes.is_power_of_two() {
            return Err(self.meaning_at(align.start, "an alignment is a power of two".into()));
        }
        Ok(bytes.trailing_zeros() as u8)
    }

    /// Scope and orderings, at most two; the comma after them is passed.
    fn atomic(&mut self, access: &mut MemAccess, comma: &mut bool) -> Parse<Vec<AtomicOrdering>> {
        let mut orderings = Vec::new();
        while self.clause(comma) {
            if orderings.is_empty() && self.eat("syncscope") {
                self.require("(")?;
                let name = self.string()?;
                let Some(scope) = self.pool.intern_scope(&name) else {
                    return Err(self.meaning("there are too many synchronization scopes".into()));
                };
                access.scope = scope;
                self.require(")")?;
            } else if self.token.kind == TokenKind::Word
                && orderings.len() < 2
                && let Some(ordering) = AtomicOrdering::from_name(self.token.text)
            {
                self.advance();
                orderings.push(ordering);
            } else {
                *comma = true;
                break;
            }
        }
        Ok(orderings)
    }

    fn volatile(&mut self) -> MemAccess {
        MemAccess { volatile: self.eat("volatile"), ..MemAccess::plain(0) }
    }

    fn flag<F: Copy>(&mut self, names: &[(F, &'static str)]) -> Option<F> {
        let flag = names.iter().find(|(_, name)| self.is(name)).map(|&(flag, _)| flag)?;
        self.advance();
        Some(flag)
    }

    fn binary_flags(&mut self) -> BinaryFlags {
        let mut flags = BinaryFlags::NONE;
        while let Some(flag) = self.flag(BinaryFlags::NAMES) {
            flags = flags | flag;
        }
        flags
    }

    pub(super) fn fast(&mut self) -> FastMath {
        if self.eat(FAST) {
            return FastMath::NAMES.iter().fold(FastMath::NONE, |all, &(flag, _)| all | flag);
        }
        let mut flags = FastMath::NONE;
        while let Some(flag) = self.flag(FastMath::NAMES) {
            flags = flags | flag;
        }
        flags
    }

    fn cast(&mut self, op: CastOp) -> Op {
        let nneg = self.eat("nneg");
        let wrap = self.binary_flags();
        Op::Cast { op, flags: CastFlags { nneg, wrap, fast: self.fast() } }
    }

    /// A word that `from_name` knows.
    fn spelled<T>(&mut self, from_name: fn(&str) -> Option<T>, what: &str) -> Parse<T> {
        match from_name(self.token.text).filter(|_| self.token.kind == TokenKind::Word) {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => Err(self.expected(what)),
        }
    }
}
