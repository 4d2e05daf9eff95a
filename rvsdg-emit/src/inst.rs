//! Instructions.

use rvsdg_cfg::cfg::{Inst, Value};
use rvsdg_core::op::{AtomicOrdering, FastMath, MemAccess, Op, SyncScope};
use rvsdg_core::{Constant, Type, TypeKind};

use crate::body::Writing;
use crate::emitter::Emitter;
use crate::error::Result;
use crate::names::push_quoted;

impl<'a> Emitter<'a> {
    /// Writes an instruction, including its line end; nothing for a constant, which is written where it is used.
    pub(crate) fn inst(&mut self, body: &Writing<'a>, inst: Inst) -> Result {
        let (cfg, pool) = (body.cfg, self.pool);
        let op = cfg.op(inst);
        let mnemonic = op.code().info().mnemonic;
        match op {
            Op::Const(_) => return Ok(()),
            Op::CtlConst { .. } | Op::Match(_) => {
                return Err(self.error(format!("{mnemonic} as an instruction"), "predicates only at terminators"));
            }
            Op::Ext(ext) => {
                let name = &pool.ext(ext).name;
                return Err(self.error(format!("dialect operation {name}"), "it lowered to LLVM's operations"));
            }
            Op::Call(call) => {
                let start = self.out.len();
                self.call(body, inst, call)?;
                if self.out.len() > start {
                    self.attach(cfg, inst);
                    self.out.push('\n');
                }
                return Ok(());
            }
            Op::Invoke(_) | Op::CallBr(_) | Op::IndirectBr(_) => {
                return Err(self.error(format!("{mnemonic} as an instruction"), "branches only at terminators"));
            }
            Op::Funclet(funclet) => return self.funclet_inst(body, inst, funclet),
            Op::Unreachable => {
                self.out.push_str("  unreachable\n");
                return Ok(());
            }
            Op::IntBinary { .. }
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
            | Op::Gep { .. }
            | Op::Alloca { .. }
            | Op::Load(_)
            | Op::Store(_)
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Fence { .. }
            | Op::Resume
            | Op::VaArg => {}
        }
        self.start(body, inst)?;
        self.out.push_str(mnemonic);
        match op {
            Op::Const(_)
            | Op::CtlConst { .. }
            | Op::Match(_)
            | Op::Ext(_)
            | Op::Call(_)
            | Op::Invoke(_)
            | Op::CallBr(_)
            | Op::IndirectBr(_)
            | Op::Funclet(_)
            | Op::Unreachable => {}
            Op::Resume => self.typed_operands::<1>(body, inst)?,
            Op::IntBinary { flags, .. } => {
                self.words(flags.names());
                self.same_type_pair(body, inst)?;
            }
            Op::FloatBinary { flags, .. } => {
                self.fast_math(flags);
                self.same_type_pair(body, inst)?;
            }
            Op::FNeg(flags) => {
                self.fast_math(flags);
                self.typed_operands::<1>(body, inst)?;
            }
            Op::ICmp { predicate, same_sign } => {
                self.words(same_sign.then_some("samesign"));
                self.words([predicate.name()]);
                self.same_type_pair(body, inst)?;
            }
            Op::FCmp { predicate, flags } => {
                self.fast_math(flags);
                self.words([predicate.name()]);
                self.same_type_pair(body, inst)?;
            }
            Op::Cast { op, flags } => {
                self.cast_flags(op, flags);
                self.typed_operands::<1>(body, inst)?;
                self.out.push_str(" to ");
                self.result_type(body, inst)?;
            }
            Op::Select(flags) => {
                self.fast_math(flags);
                self.typed_operands::<3>(body, inst)?;
            }
            Op::Freeze => self.typed_operands::<1>(body, inst)?,
            Op::ExtractElement => self.typed_operands::<2>(body, inst)?,
            Op::InsertElement => self.typed_operands::<3>(body, inst)?,
            Op::ShuffleVector(lanes) => {
                self.typed_operands::<2>(body, inst)?;
                self.out.push_str(", ");
                let vector = self.one_result(body, inst)?;
                self.mask(pool.indices(lanes), vector);
            }
            Op::ExtractValue(indices) => {
                self.typed_operands::<1>(body, inst)?;
                self.indices(pool.indices(indices));
            }
            Op::InsertValue(indices) => {
                self.typed_operands::<2>(body, inst)?;
                self.indices(pool.indices(indices));
            }
            Op::Gep { source, flags } => {
                self.gep_flags(flags);
                self.out.push(' ');
                self.ty(source)?;
                for &operand in cfg.operands(inst) {
                    self.out.push_str(", ");
                    self.typed(body, operand)?;
                }
            }
            Op::Alloca { ty, align_log2, in_alloca, swift_error } => {
                self.words(in_alloca.then_some("inalloca"));
                self.words(swift_error.then_some("swifterror"));
                self.out.push(' ');
                self.ty(ty)?;
                let [count] = self.operands(body, inst)?;
                if !self.is_i32_one(body, count) {
                    self.out.push_str(", ");
                    self.typed(body, count)?;
                }
                self.align(align_log2)?;
                let space = self.one_result(body, inst)?;
                if let TypeKind::Ptr(space @ 1..) = *pool.type_kind(space) {
                    self.out.push_str(", ");
                    self.address_space(space);
                }
            }
            Op::Load(access) => {
                self.access_kind(access);
                self.out.push(' ');
                self.result_type(body, inst)?;
                let [pointer] = self.operands(body, inst)?;
                self.out.push_str(", ");
                self.typed(body, pointer)?;
                self.access_order(access)?;
            }
            Op::Store(access) => {
                self.access_kind(access);
                self.typed_operands::<2>(body, inst)?;
                self.access_order(access)?;
            }
            Op::CmpXchg { access, failure, weak } => {
                self.words(weak.then_some("weak"));
                self.words(access.volatile.then_some("volatile"));
                self.typed_operands::<3>(body, inst)?;
                self.ordering(access.scope, access.ordering);
                self.words([failure.name()]);
                self.align(access.align_log2)?;
            }
            Op::AtomicRmw { op, access } => {
                self.words(access.volatile.then_some("volatile"));
                self.words([op.name()]);
                self.typed_operands::<2>(body, inst)?;
                self.ordering(access.scope, access.ordering);
                self.align(access.align_log2)?;
            }
            Op::Fence { ordering, scope } => self.ordering(scope, ordering),
            Op::VaArg => {
                self.typed_operands::<1>(body, inst)?;
                self.out.push_str(", ");
                self.result_type(body, inst)?;
            }
        }
        self.attach(cfg, inst);
        self.out.push('\n');
        Ok(())
    }

    /// The operands of an instruction that has exactly `N`.
    pub(crate) fn operands<const N: usize>(&self, body: &Writing<'a>, inst: Inst) -> Result<[Value; N]> {
        body.cfg.operands(inst).try_into().map_err(|_| {
            let mnemonic = body.cfg.op(inst).code().info().mnemonic;
            let found = body.cfg.operands(inst).len();
            self.error(format!("{mnemonic} with {found} operands"), format!("{N}"))
        })
    }

    /// Writes ` type value, type value, …`.
    fn typed_operands<const N: usize>(&mut self, body: &Writing<'a>, inst: Inst) -> Result {
        let operands: [Value; N] = self.operands(body, inst)?;
        for (position, operand) in operands.into_iter().enumerate() {
            self.out.push_str(if position == 0 { " " } else { ", " });
            self.typed(body, operand)?;
        }
        Ok(())
    }

    /// Writes ` type value, value`.
    fn same_type_pair(&mut self, body: &Writing<'a>, inst: Inst) -> Result {
        let [left, right] = self.operands(body, inst)?;
        self.out.push(' ');
        self.typed(body, left)?;
        self.out.push_str(", ");
        self.operand(body, right)
    }

    fn one_result(&self, body: &Writing<'a>, inst: Inst) -> Result<Type> {
        match *body.cfg.results(inst) {
            [result] => Ok(body.cfg.ty(result)),
            _ => {
                let mnemonic = body.cfg.op(inst).code().info().mnemonic;
                Err(self.error(format!("{mnemonic} without a result"), "one result"))
            }
        }
    }

    fn result_type(&mut self, body: &Writing<'a>, inst: Inst) -> Result {
        let ty = self.one_result(body, inst)?;
        self.ty(ty)
    }

    fn is_i32_one(&self, body: &Writing<'a>, value: Value) -> bool {
        body.cfg.as_const(value).is_some_and(|(constant, _)| {
            matches!(self.pool.constant(constant), Constant::Int { ty, words } if *ty == Type::I32 && words.as_slice() == [1])
        })
    }

    fn indices(&mut self, indices: &[u32]) {
        for index in indices {
            self.out.push_str(", ");
            self.number(index);
        }
    }

    /// Writes fast-math flags.
    pub(crate) fn fast_math(&mut self, flags: FastMath) {
        if FastMath::NAMES.iter().all(|&(flag, _)| flags.contains(flag)) {
            self.words(["fast"]);
        } else {
            self.words(flags.names());
        }
    }

    fn access_kind(&mut self, access: MemAccess) {
        self.words((access.ordering != AtomicOrdering::NotAtomic).then_some("atomic"));
        self.words(access.volatile.then_some("volatile"));
    }

    fn access_order(&mut self, access: MemAccess) -> Result {
        if access.ordering != AtomicOrdering::NotAtomic {
            self.ordering(access.scope, access.ordering);
        }
        self.align(access.align_log2)
    }

    fn ordering(&mut self, scope: SyncScope, ordering: AtomicOrdering) {
        if scope != SyncScope::SYSTEM {
            self.out.push_str(" syncscope(");
            let pool = self.pool;
            push_quoted(&mut self.out, pool.scope_name(scope).as_bytes());
            self.out.push(')');
        }
        self.words([ordering.name()]);
    }

    fn align(&mut self, log2: u8) -> Result {
        if log2 > 32 {
            return Err(self.error(format!("an alignment of 2^{log2} bytes"), "at most 2^32"));
        }
        self.out.push_str(", align ");
        self.number(1u64 << log2);
        Ok(())
    }
}
